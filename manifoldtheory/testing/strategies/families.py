"""The families that `submanifolds` draws from: which dimensions each has, and how to draw one."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from manifoldtheory.manifolds import (
    Cylinder,
    Ellipsoid,
    Grassmannian,
    Product,
    SpecialOrthogonal,
    Sphere,
    Stiefel,
    Submanifold,
    Torus,
    Veronese,
)
from manifoldtheory.manifolds.checks import LARGEST_DIM
from manifoldtheory.testing.checks import form_fits
from manifoldtheory.testing.recipes import monge_patch
from manifoldtheory.testing.strategies.arguments import (
    build,
    fractions_of_one,
    multiples,
    nonzero_fractions,
    rounded,
    seeds,
    signed_fractions,
)

MATRIX_SIZES = ((1, 4), (2, 5), (2, 9), (3, 6), (3, 9), (4, 16), (5, 8))
"""(m, d) of SO(2), the Veronese surface, Gr(3, 1), V(3, 2), SO(3), Gr(4, 2), V(4, 2)."""


class Family(NamedTuple):
    """Takes m, d and the bound of |II(v, v)|: `fits` says whether there is one, `draw` draws it."""

    fits: Callable[[int, int, float], bool]
    draw: Callable[[DrawFn, int, int, float], Submanifold]


def members(
    names: Iterable[str], dim: int | None, ambient_dim: int | None, bound: float | None
) -> list[tuple[int, int, str]]:
    """(m, d, family) to draw from, where the family fits; None for an argument that is not given.

    Family by family, smallest first, so that shrinking meets smaller ones that take as many numbers; in one list, so
    that choosing takes one number whatever is chosen: the shorter sequence would count as the simpler.
    """
    limit = math.inf if bound is None else bound
    if dim is not None:
        pairs = [(dim, d) for d in (*range(dim + 1, dim + 4), *(d for m, d in MATRIX_SIZES if m == dim))]
        pairs = pairs if ambient_dim is None else [(dim, ambient_dim)]
    elif ambient_dim is not None:
        pairs = [(m, ambient_dim) for m in range(1, min(ambient_dim, 17))]
    else:
        pairs = [(m, m + codim) for m in (1, 2, 3) for codim in (1, 2, 3)] + list(MATRIX_SIZES)
    names = tuple(names)
    pairs = sorted({(m, d) for m, d in pairs if d <= LARGEST_DIM})
    return [(m, d, name) for name in names for m, d in pairs if FAMILIES[name].fits(m, d, limit)]


@st.composite
def curvatures(draw: DrawFn, dim: int, bound: float, *, nonzero: bool = False) -> tuple[float, ...]:
    """Up to m numbers in [−bound, bound], flat directions last and left out."""
    fractions = [draw(nonzero_fractions)] if nonzero else []
    fractions += draw(st.lists(signed_fractions, max_size=dim - len(fractions)))
    while fractions and not fractions[-1]:
        fractions.pop()
    scale = rounded(bound)
    return tuple(scale * fraction for fraction in fractions)


def _flat(draw: DrawFn, dim: int, ambient_dim: int, bound: float) -> Submanifold:
    return monge_patch(dim, ambient_dim)


def _quadratic(draw: DrawFn, dim: int, ambient_dim: int, bound: float) -> Submanifold:
    return _bent(draw, dim, ambient_dim, draw(curvatures(dim, bound, nonzero=True)))


def _cubic(draw: DrawFn, dim: int, ambient_dim: int, bound: float) -> Submanifold:
    """Half of the bound is for h, half for k over the distance 1/bound."""
    third = draw(curvatures(dim, bound**2 / 2, nonzero=True))
    return _bent(draw, dim, ambient_dim, draw(curvatures(dim, bound / 2)), third)


def _bent(
    draw: DrawFn, dim: int, ambient_dim: int, kappa: tuple[float, ...], third: tuple[float, ...] = ()
) -> Submanifold:
    seed = draw(seeds)
    mixing = draw(fractions_of_one) if kappa and seed else 0.0
    return monge_patch(dim, ambient_dim, kappa, seed, mixing, third)


def _sphere(draw: DrawFn, dim: int, ambient_dim: int, bound: float) -> Submanifold:
    return Sphere(dim, _longer(draw, bound))


def _ellipsoid(draw: DrawFn, dim: int, ambient_dim: int, bound: float) -> Submanifold:
    """The largest curvature is max a/(min a)²: at the end of the longest axis, across the shortest."""
    ratios = draw(st.lists(multiples, min_size=ambient_dim, max_size=ambient_dim))
    unit = max(ratios) / min(ratios) ** 2 * _longer(draw, bound)
    return Ellipsoid(tuple(unit * ratio for ratio in ratios))


def _cylinder(draw: DrawFn, dim: int, ambient_dim: int, bound: float) -> Submanifold:
    return Cylinder(_longer(draw, bound), dim - 1)


def _torus(draw: DrawFn, dim: int, ambient_dim: int, bound: float) -> Submanifold:
    """Curvatures are at most 1/minor and 1/(major − minor)."""
    minor = _longer(draw, bound)
    return Torus(minor + _longer(draw, bound), minor)


def _longer(draw: DrawFn, bound: float) -> float:
    """A length ≥ 1/bound."""
    return draw(multiples) / bound


def _product(draw: DrawFn, dim: int, ambient_dim: int, bound: float) -> Submanifold:
    """Of d − m spheres: as many circles as possible, and the rest of the dimensions to the last one."""
    count = ambient_dim - dim
    spheres = [Sphere(m, _longer(draw, bound)) for m in (*[1] * (count - 1), dim - count + 1)]
    return build(draw, Product, *spheres)  # Hypothesis would print it by its fields, which are no arguments


def _listed(members: Callable[[int, int], Sequence[Submanifold]], curvature: float) -> Family:
    """A family without parameters: the members of dimension m in R^d, all with the same largest |II(v, v)|."""
    return Family(
        lambda m, d, bound: curvature <= bound and bool(members(m, d)),
        lambda draw, m, d, bound: draw(st.sampled_from(members(m, d))),
    )


def _orthogonal(dim: int, ambient_dim: int) -> Sequence[Submanifold]:
    n = math.isqrt(ambient_dim)
    return [SpecialOrthogonal(n)] if n > 1 and (n * n, n * (n - 1) // 2) == (ambient_dim, dim) else []


def _stiefel(dim: int, ambient_dim: int) -> Sequence[Submanifold]:
    """V(n, p) for 2 ≤ p < n; p = 1 is a sphere."""
    columns = [p for p in range(2, math.isqrt(ambient_dim) + 1) if ambient_dim % p == 0 and p * p < ambient_dim]
    return [Stiefel(ambient_dim // p, p) for p in columns if ambient_dim - p * (p + 1) // 2 == dim]


def _grassmannian(dim: int, ambient_dim: int) -> Sequence[Submanifold]:
    """Gr(n, p) for p ≤ n/2; p and n − p are congruent."""
    n = math.isqrt(ambient_dim)
    return [Grassmannian(n, p) for p in range(1, n // 2 + 1) if (n * n, p * (n - p)) == (ambient_dim, dim)]


PATCHES: dict[str, Family] = {
    "flat": Family(lambda m, d, _: 1 <= m < d and form_fits(m, d - m, order=2), _flat),
    "quadratic": Family(lambda m, d, _: 1 <= m < d and form_fits(m, d - m, order=2), _quadratic),
    "cubic": Family(lambda m, d, _: 1 <= m < d and form_fits(m, d - m, order=3), _cubic),
}
"""Monge patches by degree. As families of their own the flat ones take the fewest numbers, and so are the simplest."""

DEGREES: dict[str | None, tuple[str, ...]] = {
    None: ("flat", "quadratic", "cubic"),
    "quadratic": ("flat", "quadratic"),
    "cubic": ("cubic",),
}
"""Those of each smoothness."""

CLOSED_FORMS: dict[str, Family] = {
    "sphere": Family(lambda m, d, _: 1 <= m == d - 1, _sphere),
    "ellipsoid": Family(lambda m, d, _: 1 <= m == d - 1, _ellipsoid),
    "cylinder": Family(lambda m, d, _: 2 <= m == d - 1, _cylinder),
    "torus": Family(lambda m, d, _: (m, d) == (2, 3), _torus),
    "product": Family(lambda m, d, _: 2 <= d - m <= m, _product),
    "orthogonal": _listed(_orthogonal, math.sqrt(0.5)),
    "stiefel": _listed(_stiefel, 1.0),
    "grassmannian": _listed(_grassmannian, math.sqrt(2)),
    "veronese": _listed(lambda m, d: [Veronese()] if (m, d) == (2, 5) else [], 2 / math.sqrt(3)),
}

FAMILIES = PATCHES | CLOSED_FORMS
