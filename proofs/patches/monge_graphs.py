r"""Submanifolds near a point as graphs over the tangent space there: heights z_a(u), exact, with symbols in them.

A graph touches its tangent space: ``z = O(|u|²)``. Heights are series in the coordinates u₁, …, u_m whose scalars are
polynomials in named coefficients over the rationals; a coefficient can stand for an expression (1/r for a sphere of
radius r), so that the arithmetic stays polynomial.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import sympy

from proofs.series import Series, SeriesRing

DERIVATIVES = {2: "h", 3: "k"}
"""Letters of the derivatives of a height by their order; D beyond, with as many indices as the order."""


@dataclass(frozen=True, eq=False)
class MongeGraph:
    """Heights over the tangent space, through some order.

    - `heights`: z_a as a series in the coordinates, one for each normal direction.
    - `meanings`: what coefficients of the heights' ring stand for; the others are symbols of their own.
    - `squares`: coefficients that are square roots of rational numbers, with these.
    """

    name: str
    heights: tuple[Series, ...]
    meanings: Mapping[str, Any] = field(default_factory=dict)
    squares: Mapping[str, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.heights:
            raise ValueError("a graph needs a height at least")
        for height in self.heights:
            if any(height.parts[:2]):
                raise ValueError("a height must vanish to second order at the base point")

    @property
    def ring(self) -> SeriesRing:
        """The ring of the heights."""
        return self.heights[0].ring

    @property
    def order(self) -> int:
        """The order through which the heights are known."""
        return self.ring.order

    @property
    def dim(self) -> int:
        """The number of coordinates."""
        return len(self.ring.variables)

    @property
    def codim(self) -> int:
        """The number of heights."""
        return len(self.heights)


def coordinates(dim: int) -> tuple[str, ...]:
    """``u1, …, um``."""
    return tuple(f"u{number}" for number in range(1, dim + 1))


def monge_patch(dim: int, codim: int, order: int, degree: int | None = None) -> MongeGraph:
    """The general graph: ``z_a = ½ h^a_ij u_i u_j + ⅙ k^a_ijk u_i u_j u_k + …``, every derivative a symbol.

    With a `degree` it is a polynomial of that degree: 2 for the general quadric.

    The symbols are ``h_12``, ``k_112``, ``D_1112``, …, and ``h_1_12``, ``h_2_12``, … in codimension above 1, the normal
    direction first. Without loss of generality the first axis of the frame is a given direction.
    """
    names = coordinates(dim)
    degrees = range(2, min(order, degree or order) + 1)
    indices = [word for power in degrees for word in combinations_with_replacement(range(dim), power)]
    labels = [f"_{number}" if codim > 1 else "" for number in range(1, codim + 1)]
    ring = SeriesRing(names, order, [_derivative(word, label) for label in labels for word in indices])
    heights = []
    for label in labels:
        polynomial = ring.domain.zero
        for word in indices:
            powers = [word.count(axis) for axis in range(dim)]
            weight = prod(map(sympy.factorial, powers))
            factors = [ring.generator(_derivative(word, label)), *(ring.generator(names[axis]) for axis in word)]
            polynomial += prod(factors[1:], start=factors[0]) * sympy.QQ(1, int(weight))
        heights.append(ring.from_polynomial(polynomial))
    return MongeGraph(f"Monge patch of dimension {dim}, codimension {codim}", tuple(heights))


def _derivative(word: Sequence[int], label: str) -> str:
    return f"{DERIVATIVES.get(len(word), 'D')}{label}_{''.join(str(axis + 1) for axis in word)}"


def sphere(dim: int, order: int, radius: Any = sympy.Symbol("radius", positive=True)) -> MongeGraph:  # noqa: B008
    """A sphere of a radius, a symbol or a rational number, as a graph on the inner side of the tangent space."""
    scalars = Scalars({"curvature": 1 / sympy.sympify(radius)})
    ring = scalars.ring(coordinates(dim), order)
    curvature = scalars.get(ring, "curvature")
    square = sum((ring[name] * ring[name] for name in ring.variables), ring.constant(0))
    height = _quadric(curvature * square, ring.constant(0), curvature)
    return MongeGraph(f"sphere of dimension {dim}", (height,), scalars.meanings)


def ellipsoid(semi_axes: Sequence[Any], order: int, normal: Sequence[Any] | None = None) -> MongeGraph:
    """An ellipsoid ``Σ x_i²/a_i² = 1`` at the point with an outer unit normal; by default the end of the last axis.

    Semi-axes and normal are symbols or rational numbers. The tangent frame is the coordinate frame of the first axes
    carried to the tangent space by the reflection that takes the last axis to the normal; the normal must not be minus
    the last axis.
    """
    axes = [sympy.sympify(axis) for axis in semi_axes]
    dim = len(axes) - 1
    values = _at_vertex(axes) if normal is None else _at_normal(axes, [sympy.sympify(entry) for entry in normal])
    scalars = Scalars(values)
    ring = scalars.ring(coordinates(dim), order)
    u = [ring[name] for name in ring.variables]
    zero = ring.constant(0)
    square = sum((scalars.get(ring, f"q_{i + 1}{j + 1}") * u[i] * u[j] for i in range(dim) for j in range(dim)), zero)
    slope = sum((scalars.get(ring, f"q_{i + 1}n") * u[i] for i in range(dim)), zero)
    height = _quadric(square, -slope, scalars.get(ring, "q_nn"))
    return MongeGraph(f"ellipsoid of dimension {dim}", (height,), scalars.meanings)


def _at_vertex(axes: Sequence[Any]) -> dict[str, Any]:
    """h Q in the frame of the axes, for Q = diag(1/a_i²) and h the last semi-axis."""
    dim, last = len(axes) - 1, axes[-1]
    values = {_entry(i, j): last / axes[i] ** 2 if i == j else sympy.Integer(0) for i in range(dim) for j in range(dim)}
    return {**values, **{f"q_{i + 1}n": sympy.Integer(0) for i in range(dim)}, "q_nn": 1 / last}


def _at_normal(axes: Sequence[Any], normal: Sequence[Any]) -> dict[str, Any]:
    """h Q in the adapted frame, where h = √(Σ a_i² n_i²) is the distance of the tangent space from the centre."""
    dim, last = len(axes) - 1, normal[-1]
    if len(normal) != len(axes):
        raise ValueError(f"an ellipsoid with {len(axes)} semi-axes has no normal with {len(normal)} components")
    norm = sympy.Add(*(entry**2 for entry in normal))
    if norm.is_Rational and norm != 1:
        raise ValueError(f"the normal must be a unit vector, its square is {norm}")
    if last == -1:
        raise ValueError("the normal must not be minus the last axis")
    support = sympy.sqrt(sum((axis * entry) ** 2 for axis, entry in zip(axes, normal, strict=True)))
    frame = [
        [sympy.Integer(i == j) - normal[i] * (normal[j] + int(j == dim)) / (1 + last) for j in range(dim + 1)]
        for i in range(dim)
    ]
    frame.append(list(normal))

    def entry(i: int, j: int) -> Any:
        return support * sum(a * b / axis**2 for a, b, axis in zip(frame[i], frame[j], axes, strict=True))

    values = {_entry(i, j): entry(min(i, j), max(i, j)) for i in range(dim) for j in range(dim)}
    return {**values, **{f"q_{i + 1}n": entry(i, dim) for i in range(dim)}, "q_nn": entry(dim, dim)}


def _entry(i: int, j: int) -> str:
    return f"q_{i + 1}{j + 1}"


def _quadric(square: Series, slope: Series, bend: Series) -> Series:
    """The z near 0 with ``z = ½ q + l z + ½ n z²``, for q = `square` quadratic, l = `slope` linear, n = `bend`."""
    rest = 1 - slope
    half = Fraction(1, 2)
    # q/(1 − l + √((1 − l)² − n q)), the root that vanishes with q, written without dividing by n
    return square * half * ((rest + (rest * rest - bend * square).sqrt()) * half).inverse()


def torus(
    order: int,
    major: Any = sympy.Symbol("major", positive=True),  # noqa: B008
    minor: Any = sympy.Symbol("minor", positive=True),  # noqa: B008
) -> MongeGraph:
    """A torus ``(√(X² + Y²) − R)² + Z² = r²`` at its outer equator; u₁ along the equator, u₂ along the axis."""
    major, minor = sympy.sympify(major), sympy.sympify(minor)
    scalars = Scalars({"equator": 1 / (major + minor), "meridian": 1 / minor})
    ring = scalars.ring(coordinates(2), order)
    equator, meridian = scalars.get(ring, "equator"), scalars.get(ring, "meridian")
    u, w = ring["u1"], ring["u2"]
    # The circle of the tube has lost ε at height w: X² + Y² = (A − ε)² for A = R + r, hence X = A − z with
    # z = λ(u² − …): X = √((A − ε)² − u²) solves z = ε + ½λ(u² − ε²) + ½λ z² for λ = 1/A.
    lost = _quadric(meridian * w * w, ring.constant(0), meridian)
    height = _quadric(lost * 2 + equator * (u * u - lost * lost), ring.constant(0), equator)
    return MongeGraph("torus at its outer equator", (height,), scalars.meanings)


class Scalars:
    """Named values: rational numbers as they are, all others as coefficients of a ring that stand for them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = {name: sympy.sympify(value) for name, value in values.items()}
        self._names: dict[Any, str] = {}
        for name, value in self._values.items():
            if not value.is_Rational:
                self._names.setdefault(value, name)

    @property
    def meanings(self) -> dict[str, Any]:
        """The coefficients and what they stand for."""
        return {name: value for value, name in self._names.items()}

    def ring(self, variables: Sequence[str], order: int) -> SeriesRing:
        """A ring with the coefficients that the values need."""
        return SeriesRing(variables, order, tuple(self._names.values()))

    def get(self, ring: SeriesRing, name: str) -> Series:
        """The value of that name in a ring of `ring`."""
        value = self._values[name]
        return ring.constant(value) if value.is_Rational else ring[self._names[value]]
