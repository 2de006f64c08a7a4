"""Tilted graphs turned so that they lie over their tangent space, by exact series.

The tangent space at the base point is spanned by the columns of (I; J), the normal space by those of (−Jᵀ; I), J the
gradient. Their orthogonal bases t_i, n_a by Gram and Schmidt are rational; only lengths are roots. So the coordinates
w_i = ⟨t_i, X⟩/|t_i|², as series in the old ones, are inverted over the rationals, and the roots come in at the end.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any

import sympy

from manifoldtheory.errors import InputError
from proofs.patches.monge_graphs import MongeGraph, coordinates
from proofs.series import Series, SeriesRing

if TYPE_CHECKING:
    from proofs.patches.graph_expressions import Heights

Vector = tuple[Fraction, ...]


def gradient_of(heights: "Heights") -> list[list[Any]]:
    """The gradient of each height at the origin."""
    return [
        [
            heights.constants.value(series.parts[1].coeff_wrt(series.ring.generator(name), 1))
            for name in series.ring.variables
        ]
        for series in heights.series
    ]


def aligned(text: str, heights: "Heights", gradient: Sequence[Sequence[Any]]) -> MongeGraph:
    """The same submanifold as a graph over its tangent space at the base point.

    Raises `InputError` where the gradient, or another coefficient, is irrational.
    """
    plain = heights.constants.over_tangent(text, heights.series)
    irrational = [str(entry) for row in gradient for entry in row if not entry.is_Rational]
    irrational += map(str, plain.meanings.values())
    if irrational:
        raise InputError(
            f"{text!r} has the irrational coefficients {', '.join(irrational)}: --align is for rational ones"
        )
    dim, codim = plain.dim, plain.codim
    rows = [tuple(Fraction(int(entry.p), int(entry.q)) for entry in row) for row in gradient]
    columns = [(*_unit(i, dim), *(row[i] for row in rows)) for i in range(dim)]
    tangents = _orthogonal(columns)
    normals = _orthogonal([(*(-entry for entry in rows[a]), *_unit(a, codim)) for a in range(codim)])
    ring = SeriesRing(coordinates(dim), plain.order)
    bent = [_renamed(height, ring) for height in plain.heights]
    point = _solved(columns, tangents, bent, ring)
    lifted = [_weighted(point, row, ring) + _composed(height, point) for height, row in zip(bent, rows, strict=True)]
    turned = [_weighted([*point, *lifted], normal, ring) for normal in normals]
    return _in_unit_frames(text, turned, list(map(_square, tangents)), list(map(_square, normals)))


def _unit(place: int, size: int) -> Vector:
    return tuple(Fraction(place == other) for other in range(size))


def _dot(left: Iterable[Fraction], right: Iterable[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _square(vector: Vector) -> Fraction:
    return _dot(vector, vector)


def _orthogonal(vectors: Sequence[Vector]) -> list[Vector]:
    """Gram and Schmidt, without the roots."""
    found: list[Vector] = []
    for vector in vectors:
        for other in found:
            share = _dot(vector, other) / _square(other)
            vector = tuple(a - share * b for a, b in zip(vector, other, strict=True))
        found.append(vector)
    return found


def _weighted(series: Sequence[Series], weights: Sequence[Fraction], ring: SeriesRing) -> Series:
    return sum((part * weight for part, weight in zip(series, weights, strict=True)), ring.constant(0))


def _renamed(series: Series, ring: SeriesRing) -> Series:
    total = ring.domain.zero
    for part in series.parts:
        total.update(part)
    return ring.from_polynomial(total)


def _solved(
    columns: Sequence[Vector], tangents: Sequence[Vector], bent: Sequence[Series], ring: SeriesRing
) -> list[Series]:
    """The old coordinates as series in w: ``A u = w − (the terms of higher order at u)``, order after order.

    A_ij = ⟨t_i, c_j⟩/|t_i|², c_j a column of (I; J), is 1 on its diagonal and 0 below it.
    """
    dim = len(columns)
    zero = ring.constant(0)
    point = [zero] * dim
    for _ in range(ring.order):
        heights = [_composed(height, point) for height in bent]
        following = [zero] * dim
        for i in reversed(range(dim)):
            unit = tuple(entry / _square(tangents[i]) for entry in tangents[i])
            right = ring[ring.variables[i]] - _weighted(heights, unit[dim:], ring)
            known = [_dot(unit, columns[j]) for j in range(i + 1, dim)]
            following[i] = right - _weighted(following[i + 1 :], known, ring)
        point = following
    return point


def _composed(series: Series, point: Sequence[Series]) -> Series:
    """f at a point whose coordinates are series without constant term; f has no terms below degree 2."""
    ring = point[0].ring
    powers: list[list[Series]] = []
    for coordinate in point:
        found = [ring.constant(1)]
        for _ in range(series.ring.order):
            found.append(found[-1] * coordinate)
        powers.append(found)
    total = ring.constant(0)
    for part in series.parts:
        for monomial, coefficient in part.items():
            factors = (table[power] for table, power in zip(powers, monomial, strict=True) if power)
            total = total + reduce(mul, factors) * _fraction(coefficient)
    return total


def _in_unit_frames(
    text: str, heights: Sequence[Series], tangent_sq: Sequence[Fraction], normal_sq: Sequence[Fraction]
) -> MongeGraph:
    """The graph in unit frames: w_i is the coordinate along t_i over |t_i|, and a height is divided by |n_a|."""
    radicals = {rest: f"root_{rest}" for _, rest in map(_root, (*tangent_sq, *normal_sq)) if rest != 1}
    old = heights[0].ring
    ring = SeriesRing(old.variables, old.order, tuple(radicals.values()))

    def inverse_root(square: Fraction) -> Series:
        outside, rest = _root(square)
        value = ring.constant(1 / (outside * rest))
        return value if rest == 1 else value * ring[radicals[rest]]

    scaled = [ring[name] * inverse_root(square) for name, square in zip(ring.variables, tangent_sq, strict=True)]
    turned = []
    for height, square in zip(heights, normal_sq, strict=True):
        total = ring.constant(0)
        for part in height.parts[2:]:
            for monomial, coefficient in part.items():
                factors = (scaled[axis] for axis, power in enumerate(monomial) for _ in range(power))
                total = total + reduce(mul, factors) * _fraction(coefficient)
        turned.append(total * inverse_root(square))
    meanings = {name: sympy.sqrt(rest) for rest, name in radicals.items()}
    return MongeGraph(text, tuple(turned), meanings, {name: Fraction(rest) for rest, name in radicals.items()})


def _root(square: Fraction) -> tuple[Fraction, int]:
    """``√q = a √k`` with k free of squares."""
    outside, radical = sympy.sqrt(sympy.Rational(square.numerator, square.denominator)).as_coeff_Mul()
    return _fraction(outside), 1 if radical == 1 else int(radical**2)


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.numerator), int(value.denominator))
