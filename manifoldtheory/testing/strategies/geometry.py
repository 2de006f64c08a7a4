"""Strategies for second fundamental forms and submanifolds."""

from collections.abc import Iterable
from typing import Literal

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import Submanifold
from manifoldtheory.testing.checks import require_form
from manifoldtheory.testing.recipes import second_form, trace_free
from manifoldtheory.testing.strategies.arguments import (
    Real,
    Whole,
    build,
    chosen,
    flag,
    fractions_of_one,
    real,
    seeds,
    whole,
)
from manifoldtheory.testing.strategies.families import CLOSED_FORMS, DEGREES, FAMILIES, curvatures, members

Smoothness = Literal["quadratic", "cubic", "analytic"]


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
    if isinstance(dim, int) and isinstance(codim, int) and min(dim, codim) > 0:
        require_form(dim, codim, order=2)
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

    * ``dim`` is m ≥ 1, or a strategy for it; by default up to 3, or what a matrix manifold has.
    * ``ambient_dim`` is d > m, or a strategy for it; by default up to m + 3, or what a matrix manifold has.
    * ``smoothness`` is ``"quadratic"`` or ``"cubic"`` for graphs of polynomials of that degree, where the third
      derivatives that C³ asks for vanish or don't (cubic ones have a third form that is not 0), ``"analytic"`` for
      closed forms whose expansion has terms of every order, ``None`` for any. All are infinitely differentiable.
    * ``curvature_bound`` is a bound κ of |II(v, v)|, |v| = 1, or a strategy for it: at every point of closed forms and
      quadratic patches, and within 1/κ of the vertex in the parameters u of cubic ones.
      Families whose curvature is fixed, like matrix manifolds, only appear where it is within the bound.
    * ``families`` restricts the draw by name: ``"patch"``, ``"sphere"``, ``"ellipsoid"``, ``"cylinder"``, ``"torus"``,
      ``"product"`` (of spheres), ``"orthogonal"``, ``"stiefel"``, ``"grassmannian"``, ``"veronese"``; one or several.

    A patch takes at most 2m + 2 numbers, whatever the codimension. Shrinks to the straight line in the plane, then to
    aligned patches with few curvatures, before closed forms.
    """
    if smoothness is not None:
        chosen("smoothness", ("quadratic", "cubic", "analytic"), smoothness)
    names = chosen("family of submanifolds", ("patch", *CLOSED_FORMS), families)
    if smoothness is not None:
        names = tuple(name for name in names if (name != "patch") == (smoothness == "analytic"))
    if not names:
        raise InputError(f"no {smoothness} submanifold among {families!r}: patches are polynomial, the others analytic")
    if isinstance(ambient_dim, int) and isinstance(dim, int) and dim >= 1 and dim >= ambient_dim:
        raise InputError(f"a submanifold needs dim < ambient_dim, got {dim} and {ambient_dim}")
    dims = None if dim is None else whole("dim", dim, 1)
    ambients = None if ambient_dim is None else whole("ambient_dim", ambient_dim, 2)
    bounds = real("curvature_bound", curvature_bound, 0, float("inf"), above=True)
    kinds = [kind for name in names for kind in (DEGREES[smoothness] if name == "patch" else (name,))]
    if not isinstance(dim, SearchStrategy) and not isinstance(ambient_dim, SearchStrategy):
        limit = None if isinstance(curvature_bound, SearchStrategy) else float(curvature_bound)
        if not members(kinds, dim, ambient_dim, limit):
            m, d = ("any" if size is None else size for size in (dim, ambient_dim))
            raise InputError(
                f"no {' or '.join(names)} of dimension {m} in R^{d} fits in memory and has |II(v, v)| ≤ "
                f"{curvature_bound}: change these, or leave smoothness and families out"
            )
    return _submanifolds(kinds, dims, ambients, bounds)


@st.composite
def _submanifolds(
    draw: DrawFn,
    kinds: list[str],
    dims: SearchStrategy[int] | None,
    ambients: SearchStrategy[int] | None,
    bounds: SearchStrategy[float],
) -> Submanifold:
    bound = draw(bounds)
    dim, ambient = None if dims is None else draw(dims), None if ambients is None else draw(ambients)
    fitting = members(kinds, dim, ambient, bound)
    assume(fitting)
    dim, ambient, family = draw(st.sampled_from(fitting))
    return FAMILIES[family].draw(draw, dim, ambient, bound)


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
    kappa = draw(curvatures(dim, bound, nonzero=minimal is False))
    seed = draw(seeds) if kappa and dim * codim > 1 else 0
    mixing = draw(fractions_of_one) if seed else 0.0
    form = build(draw, second_form, dim, codim, kappa, seed, mixing)
    if minimal:
        return build(draw, trace_free, form)
    if minimal is False:
        assume(bool(form.diagonal(dim1=-2, dim2=-1).sum(-1).abs().max() > 1e-3 * bound))
    return form
