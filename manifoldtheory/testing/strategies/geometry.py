"""Strategies for second fundamental forms and submanifolds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import Cylinder, Ellipsoid, Sphere, Submanifold, Torus
from manifoldtheory.testing.recipes import monge_patch, second_form, trace_free
from manifoldtheory.testing.strategies.arguments import (
    Real,
    Whole,
    build,
    chosen,
    flag,
    fractions_of_one,
    multiples,
    nonzero_fractions,
    real,
    rounded,
    seeds,
    signed_fractions,
    whole,
)

Smoothness = Literal["quadratic", "cubic", "analytic"]

DEGREES: dict[Smoothness | None, tuple[str, ...]] = {
    None: ("flat", "quadratic", "cubic"),
    "quadratic": ("flat", "quadratic"),
    "cubic": ("cubic",),
}
"""Kinds of Monge patches by smoothness."""


def second_forms(
    dim: Whole | None = None, codim: Whole | None = None, *, bound: Real = 1.0, minimal: bool | None = None
) -> SearchStrategy[Tensor]:
    """Second fundamental forms h (codim, m, m), float64, symmetric in their last two axes.

    * ``dim`` is m ≥ 1, ``codim`` ≥ 1, each an integer or a strategy for one; by default up to 3.
    * ``bound`` is the largest |h(v, v)| over unit vectors v, in 1/length, or a strategy for it.
    * ``minimal=True`` draws forms with tr h^a = 0 for every a, ``False`` forms with a trace; ``None`` does not mind.

    Whatever the size, at most m + 2 numbers are drawn. Shrinks to m = codim = 1 and to h = 0, or the form 'bound' along
    the first axis where a trace is asked for.
    """
    return _second_forms(
        st.integers(1, 3) if dim is None else whole("dim", dim, 1),
        st.integers(1, 3) if codim is None else whole("codim", codim, 1),
        real("bound", bound, 0, float("inf"), above=True),
        flag("minimal", minimal),
    )


def submanifolds(
    dim: Whole | None = None,
    ambient_dim: Whole | None = None,
    *,
    smoothness: Smoothness | None = None,
    curvature_bound: Real = 1.0,
    families: str | Iterable[str] | None = None,
) -> SearchStrategy[Submanifold]:
    """Submanifolds of R^d: Monge patches in any codimension, and the catalogue where its dimensions fit.

    * ``dim`` is m ≥ 1, or a strategy for it; by default up to 3.
    * ``ambient_dim`` is d > m, or a strategy for it; by default up to m + 3.
    * ``smoothness`` is ``"quadratic"`` or ``"cubic"`` for graphs of polynomials of that degree, where the third
      derivatives that C³ asks for vanish or don't (cubic ones have a third form that is not 0), ``"analytic"`` for
      closed forms whose expansion has terms of every order, ``None`` for any. All are infinitely differentiable.
    * ``curvature_bound`` is a bound κ of |II(v, v)|, |v| = 1, or a strategy for it: at every point of closed forms and
      quadratic patches, and within 1/κ of the vertex in the parameters u of cubic ones.
    * ``families`` restricts the draw by name: ``"patch"``, ``"sphere"``, ``"ellipsoid"``, ``"cylinder"``, ``"torus"``;
      one of them or several.

    A patch takes at most 2m + 2 numbers, whatever the codimension. Shrinks to the straight line in the plane, then to
    aligned patches with few curvatures, before closed forms.
    """
    if smoothness is not None:
        chosen("smoothness", ("quadratic", "cubic", "analytic"), smoothness)
    names = chosen("family of submanifolds", FAMILIES, families)
    names = tuple(name for name in names if (name == "patch") != (smoothness == "analytic") or smoothness is None)
    if not names:
        raise InputError(f"no {smoothness} submanifold among {families!r}: patches are polynomial, the others analytic")
    if isinstance(ambient_dim, int) and isinstance(dim, int) and dim >= 1 and dim >= ambient_dim:
        raise InputError(f"a submanifold needs dim < ambient_dim, got {dim} and {ambient_dim}")
    fixed = [size if isinstance(size, int) and not isinstance(size, bool) else None for size in (dim, ambient_dim)]
    fitting = tuple(name for name in names if FAMILIES[name].can_fit(*fixed))
    dims = whole("dim", dim, 1) if dim is not None else None
    ambients = whole("ambient_dim", ambient_dim, 2) if ambient_dim is not None else None
    bounds = real("curvature_bound", curvature_bound, 0, float("inf"), above=True)
    if not fitting:
        raise InputError(
            f"no {' or '.join(names)} has dimension {dim} in R^{ambient_dim}: "
            "change the dimensions, or leave smoothness and families out"
        )
    return _submanifolds(fitting, dims, ambients, smoothness, bounds)


@dataclass(frozen=True)
class Family:
    """A family of submanifolds: which dimensions it has, and how to draw one with |II(v, v)| ≤ bound."""

    fits: Callable[[int, int], bool]
    draw: Callable[[DrawFn, int, int, float, Smoothness | None], Submanifold]
    dims: tuple[int, ...] = (1, 2, 3)
    """Dimensions to try when none is given, with `codims`."""
    codims: tuple[int, ...] = (1,)

    def can_fit(self, dim: int | None, ambient_dim: int | None) -> bool:
        """Whether some member has these dimensions, None being any."""
        if dim is not None and ambient_dim is not None:
            return self.fits(dim, ambient_dim)
        return bool(self.sizes(dim, ambient_dim))

    def sizes(self, dim: int | None, ambient_dim: int | None) -> list[tuple[int, int]]:
        """(m, d) to choose from."""
        if dim is not None:
            pairs = [(dim, ambient_dim)] if ambient_dim is not None else [(dim, dim + codim) for codim in self.codims]
        elif ambient_dim is not None:
            pairs = [(ambient_dim - codim, ambient_dim) for codim in range(ambient_dim - 1, 0, -1)]
        else:
            pairs = [(m, m + codim) for m in self.dims for codim in self.codims]
        return [(m, d) for m, d in pairs if self.fits(m, d)]


def _patch(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: Smoothness | None) -> Submanifold:
    # The first choice decides on flatness, so that no sequence of choices is simpler than that of the flat patch.
    degree = draw(st.sampled_from(DEGREES[smoothness]))
    if degree == "flat":
        return build(draw, monge_patch, dim, ambient_dim)
    third: tuple[float, ...] = ()
    if degree == "cubic":
        # Half of the bound for h, half for k over the distance 1/bound.
        bound, rate = bound / 2, bound**2 / 2
        third = draw(_curvatures(dim, rate, nonzero=True))
    curvatures = draw(_curvatures(dim, bound, nonzero=degree == "quadratic"))
    seed = draw(seeds)
    mixing = draw(fractions_of_one) if curvatures and seed else 0.0
    return build(draw, monge_patch, dim, ambient_dim, curvatures, seed, mixing, third)


def _sphere(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    return build(draw, Sphere, dim, _longer(draw, bound))


def _ellipsoid(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    """The largest curvature is max a/(min a)²: at the end of the longest axis, across the shortest."""
    ratios = draw(st.lists(multiples, min_size=ambient_dim, max_size=ambient_dim))
    unit = max(ratios) / min(ratios) ** 2 * _longer(draw, bound)
    return build(draw, Ellipsoid, tuple(unit * ratio for ratio in ratios))


def _cylinder(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    return build(draw, Cylinder, _longer(draw, bound), dim - 1)


def _torus(draw: DrawFn, dim: int, ambient_dim: int, bound: float, smoothness: object) -> Submanifold:
    """Curvatures are at most 1/minor and 1/(major − minor)."""
    minor = _longer(draw, bound)
    return build(draw, Torus, minor + _longer(draw, bound), minor)


def _longer(draw: DrawFn, bound: float) -> float:
    """A length ≥ 1/bound."""
    return draw(multiples) / bound


FAMILIES: dict[str, Family] = {
    "patch": Family(lambda m, d: 1 <= m < d, _patch, codims=(1, 2, 3)),
    "sphere": Family(lambda m, d: 1 <= m == d - 1, _sphere),
    "ellipsoid": Family(lambda m, d: 1 <= m == d - 1, _ellipsoid),
    "cylinder": Family(lambda m, d: 2 <= m == d - 1, _cylinder),
    "torus": Family(lambda m, d: (m, d) == (2, 3), _torus),
}


@st.composite
def _submanifolds(
    draw: DrawFn,
    names: tuple[str, ...],
    dims: SearchStrategy[int] | None,
    ambients: SearchStrategy[int] | None,
    smoothness: Smoothness | None,
    bounds: SearchStrategy[float],
) -> Submanifold:
    dim = None if dims is None else draw(dims)
    ambient = None if ambients is None else draw(ambients)
    if dim is not None and ambient is not None:
        assume(dim < ambient)
    fitting = [name for name in names if FAMILIES[name].can_fit(dim, ambient)]
    assume(fitting)
    family = FAMILIES[draw(st.sampled_from(fitting))]
    if dim is None or ambient is None:
        dim, ambient = draw(st.sampled_from(family.sizes(dim, ambient)))
    bound = draw(bounds)
    return family.draw(draw, dim, ambient, bound, smoothness)


@st.composite
def _second_forms(
    draw: DrawFn,
    dims: SearchStrategy[int],
    codims: SearchStrategy[int],
    bounds: SearchStrategy[float],
    minimal: bool | None,
) -> Tensor:
    dim, codim, bound = draw(dims), draw(codims), draw(bounds)
    if minimal:
        bound /= 2  # taking the trace out at most doubles |h(v, v)|
    curvatures = draw(_curvatures(dim, bound, nonzero=minimal is False))
    seed = draw(seeds) if curvatures and dim * codim > 1 else 0
    mixing = draw(fractions_of_one) if seed else 0.0
    form = build(draw, second_form, dim, codim, curvatures, seed, mixing)
    if minimal:
        return build(draw, trace_free, form)
    if minimal is False:
        assume(bool(form.diagonal(dim1=-2, dim2=-1).sum(-1).abs().max() > 1e-3 * bound))
    return form


@st.composite
def _curvatures(draw: DrawFn, dim: int, bound: float, *, nonzero: bool = False) -> tuple[float, ...]:
    """Up to m numbers in [−bound, bound], flat directions last and left out."""
    fractions = [draw(nonzero_fractions)] if nonzero else []
    fractions += draw(st.lists(signed_fractions, max_size=dim - len(fractions)))
    while fractions and not fractions[-1]:
        fractions.pop()
    scale = rounded(bound)
    return tuple(scale * fraction for fraction in fractions)
