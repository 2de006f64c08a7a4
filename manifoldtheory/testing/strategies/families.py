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
from manifoldtheory.testing.recipes import monge_patch
from manifoldtheory.testing.strategies.arguments import (
    fractions_of_one,
    multiples,
    nonzero_fractions,
    rounded,
    seeds,
    signed_fractions,
)

DEGREES: dict[str | None, tuple[str, ...]] = {
    None: ("flat", "quadratic", "cubic"),
    "quadratic": ("flat", "quadratic"),
    "cubic": ("cubic",),
}
"""Kinds of Monge patches by smoothness."""

MATRIX_SIZES = ((1, 4), (2, 5), (2, 9), (3, 6), (3, 9), (4, 16), (5, 8))
"""(m, d) of SO(2), the Veronese surface, Gr(3, 1), V(3, 2), SO(3), Gr(4, 2), V(4, 2)."""


class Family(NamedTuple):
    """Takes m, d and the bound of |II(v, v)|: `fits` says whether there is one, `draw` draws it (with a smoothness)."""

    fits: Callable[[int, int, float], bool]
    draw: Callable[[DrawFn, int, int, float, str | None], Submanifold]


def sizes(names: Iterable[str], dim: int | None, ambient_dim: int | None, bound: float | None) -> list[tuple[int, int]]:
    """(m, d) to draw from, smallest first, where some family fits; None for an argument that is not given."""
    limit = math.inf if bound is None else bound
    if dim is not None:
        pairs = [(dim, d) for d in (*range(dim + 1, dim + 4), *(d for m, d in MATRIX_SIZES if m == dim))]
        pairs = pairs if ambient_dim is None else [(dim, ambient_dim)]
    elif ambient_dim is not None:
        pairs = [(m, ambient_dim) for m in range(1, min(ambient_dim, 17))]
    else:
        pairs = [(m, m + codim) for m in (1, 2, 3) for codim in (1, 2, 3)] + list(MATRIX_SIZES)
    names = tuple(names)
    return sorted({pair for pair in pairs if any(FAMILIES[name].fits(*pair, limit) for name in names)})


@st.composite
def curvatures(draw: DrawFn, dim: int, bound: float, *, nonzero: bool = False) -> tuple[float, ...]:
    """Up to m numbers in [−bound, bound], flat directions last and left out."""
    fractions = [draw(nonzero_fractions)] if nonzero else []
    fractions += draw(st.lists(signed_fractions, max_size=dim - len(fractions)))
    while fractions and not fractions[-1]:
        fractions.pop()
    scale = rounded(bound)
    return tuple(scale * fraction for fraction in fractions)


def _patch(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: str | None) -> Submanifold:
    # The first choice decides on flatness, so that no sequence of choices is simpler than that of the flat patch.
    degree = draw(st.sampled_from(DEGREES[smoothness]))
    if degree == "flat":
        return monge_patch(dim, ambient_dim)
    third: tuple[float, ...] = ()
    if degree == "cubic":
        # Half of the bound for h, half for k over the distance 1/bound.
        bound, rate = bound / 2, bound**2 / 2
        third = draw(curvatures(dim, rate, nonzero=True))
    kappa = draw(curvatures(dim, bound, nonzero=degree == "quadratic"))
    seed = draw(seeds)
    mixing = draw(fractions_of_one) if kappa and seed else 0.0
    return monge_patch(dim, ambient_dim, kappa, seed, mixing, third)


def _sphere(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    return Sphere(dim, _longer(draw, bound))


def _ellipsoid(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    """The largest curvature is max a/(min a)²: at the end of the longest axis, across the shortest."""
    ratios = draw(st.lists(multiples, min_size=ambient_dim, max_size=ambient_dim))
    unit = max(ratios) / min(ratios) ** 2 * _longer(draw, bound)
    return Ellipsoid(tuple(unit * ratio for ratio in ratios))


def _cylinder(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    return Cylinder(_longer(draw, bound), dim - 1)


def _torus(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    """Curvatures are at most 1/minor and 1/(major − minor)."""
    minor = _longer(draw, bound)
    return Torus(minor + _longer(draw, bound), minor)


def _longer(draw: DrawFn, bound: float) -> float:
    """A length ≥ 1/bound."""
    return draw(multiples) / bound


def _product(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    """Of d − m spheres: as many circles as possible, and the rest of the dimensions to the last one."""
    count = ambient_dim - dim
    return Product(*(Sphere(m, _longer(draw, bound)) for m in (*[1] * (count - 1), dim - count + 1)))


def _listed(members: Callable[[int, int], Sequence[Submanifold]], curvature: float) -> Family:
    """A family without parameters: the members of dimension m in R^d, all with the same largest |II(v, v)|."""
    return Family(
        lambda m, d, bound: curvature <= bound and bool(members(m, d)),
        lambda draw, m, d, bound, smoothness: draw(st.sampled_from(members(m, d))),
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


FAMILIES: dict[str, Family] = {
    "patch": Family(lambda m, d, _: 1 <= m < d, _patch),
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
