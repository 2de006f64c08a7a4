"""Strategies for laws of radii and of tangent displacements."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import FixedRadius, RadialLaw, TruncatedHalfNormal, TruncatedPareto, TwoPoint, UniformBall
from manifoldtheory.testing.sampling import SamplingLaw, Vector, unit_vector
from manifoldtheory.testing.strategies.arguments import (
    Real,
    Whole,
    build,
    chosen,
    flag,
    positive_fractions,
    real,
    whole,
)

RADIAL_FAMILIES = ("fixed", "ball", "half-normal", "two-point", "pareto")


def radial_laws(
    upper: Real = 1.0, *, dim: Whole | None = None, families: str | Iterable[str] | None = None
) -> SearchStrategy[RadialLaw]:
    """Laws of ambient radii on (0, upper].

    * ``upper`` bounds the support, in units of length, or is a strategy for the bound.
    * ``dim`` is the dimension of uniform balls, or a strategy for it; by default up to 5.
    * ``families`` restricts the draw by name: ``"fixed"``, ``"ball"``, ``"half-normal"``, ``"two-point"`` (rare large
      radii), ``"pareto"`` (tail indices below 2 included, for which a curvature bias is not that of E[t²]); one of
      them or several.

    Shrinks to the fixed radius `upper`.
    """
    return _radial_laws(
        real("upper", upper, 0, float("inf"), above=True),
        st.integers(1, 5) if dim is None else whole("dim", dim, 1),
        chosen("family of radial laws", RADIAL_FAMILIES, families),
    )


def sampling_laws(
    dim: Whole | None = None,
    *,
    symmetric: bool | None = None,
    centred: bool | None = None,
    isotropic: bool = False,
    radial: SearchStrategy[RadialLaw] | RadialLaw | None = None,
) -> SearchStrategy[SamplingLaw]:
    """Laws of tangent displacements u = t w, with exact symmetries.

    * ``dim`` is m ≥ 1, or a strategy for it; by default up to 3.
    * ``symmetric=True`` draws laws invariant under u → −u, ``False`` laws that are not; ``None`` does not mind.
    * ``centred=True`` draws laws with E[u] = 0, ``False`` laws with E[u] ≠ 0; ``None`` does not mind. A law that is
      centred and not symmetric needs m ≥ 2, and has third moments.
    * ``isotropic=True`` makes E[u uᵀ] a multiple of the identity, ``False`` makes no promise.
    * ``radial`` is the law of |u|, or a strategy for it; by default `radial_laws` up to 1.

    Directions are rational unit vectors: all three promises hold exactly, and `SamplingLaw` has them as properties.
    Shrinks to radius 1, ±e_1 with equal probability in one dimension.
    """
    flag("symmetric", symmetric)
    flag("centred", centred)
    if symmetric and centred is False:
        raise InputError("a symmetric law is centred: leave out centred=False, or symmetric=True")
    smallest = 2 if symmetric is False and centred else 1
    if smallest == 2 and isinstance(dim, int) and dim == 1:
        raise InputError("on a line with one radial law for both sides, a centred law is symmetric: take dim ≥ 2")
    if radial is None:
        radials = radial_laws()
    elif isinstance(radial, RadialLaw):
        radials = st.just(radial)
    elif isinstance(radial, SearchStrategy):
        radials = radial
    else:
        raise InputError(f"radial must be a RadialLaw or a strategy for one, got {radial!r}: e.g. FixedRadius(0.1)")
    dims = st.integers(smallest, 3) if dim is None else whole("dim", dim, smallest)
    return _sampling_laws(dims, symmetric, centred, flag("isotropic", isotropic) is True, radials)


@st.composite
def _radial_laws(
    draw: DrawFn, uppers: SearchStrategy[float], dims: SearchStrategy[int], families: tuple[str, ...]
) -> RadialLaw:
    upper, family, fraction = draw(uppers), draw(st.sampled_from(families)), draw(positive_fractions)
    if family == "fixed":
        return build(draw, FixedRadius, upper * fraction)
    if family == "ball":
        return build(draw, UniformBall, upper * fraction, draw(dims))
    if family == "half-normal":
        return build(draw, TruncatedHalfNormal, upper * fraction, upper)
    if family == "two-point":
        rare = draw(st.sampled_from([0.5, 0.25, 0.1, 0.01, 0.001]))
        return build(draw, TwoPoint, upper * fraction / 2, upper, rare)
    index = draw(st.sampled_from([1.0, 2.0, 3.0, 0.5, 1.5, 2.5, 4.0]))
    return build(draw, TruncatedPareto, index, upper * fraction / 2, upper)


@st.composite
def _sampling_laws(
    draw: DrawFn,
    dims: SearchStrategy[int],
    symmetric: bool | None,
    centred: bool | None,
    isotropic: bool,
    radials: SearchStrategy[RadialLaw],
) -> SamplingLaw:
    dim, radial = draw(dims), draw(radials)
    if symmetric is None:
        symmetric = centred is not False and (draw(st.sampled_from([True, False])) or (dim == 1 and centred is True))
    if not symmetric and centred is None:
        centred = dim > 1 and not draw(st.sampled_from([True, False]))
    frame = _rational_frame(draw, dim)
    if isotropic:
        lines = [(axis, Fraction(1, dim)) for axis in frame]
    else:
        others = st.lists(_unit_vectors(dim), max_size=dim)
        directions = frame[: draw(st.integers(1, dim))] + draw(others)
        counts = draw(st.lists(st.integers(1, 4), min_size=len(directions), max_size=len(directions)))
        lines = [(w, Fraction(count, sum(counts))) for w, count in zip(directions, counts, strict=True)]

    atoms: list[tuple[Vector, Fraction]] = []
    ahead = Fraction(1, 2)
    if not symmetric and centred:
        if isotropic:
            weight, lines = Fraction(5, 3 * dim), [(frame[1], Fraction(1, 3 * dim)), *lines[2:]]
        else:
            weight = Fraction(draw(positive_fractions))
            lines = [(w, p * (1 - weight)) for w, p in lines]
        atoms = [(w, p * weight) for w, p in _triad(*frame[:2])]
    elif not symmetric:
        ahead = Fraction(draw(st.sampled_from([1.0, 0.75, 0.25, 0.625])))
    for index, (w, p) in enumerate(lines):
        # Only the first line is lopsided: its mean cannot be undone by the others.
        share = ahead if index == 0 else Fraction(1, 2)
        atoms += [(w, p * share), (tuple(-entry for entry in w), p * (1 - share))]
    mass: defaultdict[Vector, Fraction] = defaultdict(Fraction)
    for w, p in atoms:
        if p:
            mass[w] += p
    return build(draw, SamplingLaw, radial, tuple(mass), tuple(mass.values()))


def _triad(first: Vector, second: Vector) -> list[tuple[Vector, Fraction]]:
    """f₁ with probability 3/8, −⅗ f₁ ± ⅘ f₂ with 5/16 each: mean 0, second moments ⅗ and ⅖, E⟨w, f₁⟩³ = 6/25.

    With weight 5/(3m), beside 1/(3m) on the line of f₂ and 1/m on the lines across the plane, it is isotropic.
    """
    leaning = [
        tuple(Fraction(-3, 5) * a + sign * Fraction(4, 5) * b for a, b in zip(first, second, strict=True))
        for sign in (1, -1)
    ]
    return [(first, Fraction(3, 8)), *((w, Fraction(5, 16)) for w in leaning)]


def _rational_frame(draw: DrawFn, dim: int) -> list[Vector]:
    """The axes e_j, or their images e_j − 2 v_j v/|v|² under a rational reflection."""
    mirror = draw(st.lists(st.integers(-3, 3), max_size=dim))
    mirror += [0] * (dim - len(mirror))
    scale = Fraction(2, sum(entry**2 for entry in mirror) or 1)
    return [tuple(int(i == j) - scale * mirror[i] * mirror[j] for i in range(dim)) for j in range(dim)]


def _unit_vectors(dim: int) -> SearchStrategy[Vector]:
    slopes = st.lists(st.integers(-3, 3), min_size=dim - 1, max_size=dim - 1)
    return st.builds(unit_vector, st.integers(0, dim - 1), slopes)
