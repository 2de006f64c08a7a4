"""Second forms and submanifolds: what the arguments promise, shrinking, and arguments that can't be met."""

import math
from random import Random

import pytest
import torch
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import (
    Cylinder,
    Ellipsoid,
    Grassmannian,
    MongePatch,
    Product,
    SpecialOrthogonal,
    Sphere,
    Stiefel,
    Submanifold,
    Torus,
    Veronese,
)
from manifoldtheory.testing import base_point
from manifoldtheory.testing.strategies import second_forms, submanifolds

bounds = st.sampled_from([1.0, 0.5, 3.0, 1 / 3, 1e-3, 1e4, 123.456])
ROUNDING = 1 + 1e-9


def bends(form: Tensor) -> Tensor:
    """|h(v, v)| over 100 unit vectors and the axes, h (…, codim, m, m)."""
    dim = form.shape[-1]
    v = torch.randn(100, dim, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    v = torch.cat([torch.nn.functional.normalize(v, dim=-1), torch.eye(dim, dtype=torch.float64)])
    return torch.linalg.vector_norm(torch.einsum("...aij,ni,nj->...na", form, v, v), dim=-1)


@given(st.data(), st.integers(1, 4), st.integers(1, 6), bounds, st.sampled_from([None, True, False]))
def test_second_forms_keep_their_promises(data: st.DataObject, dim: int, codim: int, bound: float, minimal) -> None:
    form = data.draw(second_forms(dim, codim, bound=bound, minimal=minimal))
    assert form.shape == (codim, dim, dim)
    assert form.dtype == torch.float64
    assert torch.allclose(form, form.mT, rtol=0, atol=1e-15 * bound)
    assert bends(form).max() <= bound * ROUNDING
    trace = form.diagonal(dim1=-2, dim2=-1).sum(-1).abs().max()
    if minimal is not None:
        assert (trace < 1e-14 * bound) == minimal


def test_minimal_on_a_line_is_flat(minimal) -> None:
    assert not minimal(second_forms(1, minimal=True)).any()


@given(st.data(), bounds, st.sampled_from([None, "quadratic", "cubic", "analytic"]))
def test_submanifolds_keep_their_promises(data: st.DataObject, bound: float, smoothness) -> None:
    manifold = data.draw(submanifolds(smoothness=smoothness, curvature_bound=bound))
    assert 1 <= manifold.dim < manifold.ambient_dim
    if smoothness is not None:
        assert isinstance(manifold, MongePatch) == (smoothness != "analytic")
    if isinstance(manifold, MongePatch):
        if smoothness is not None:
            assert (manifold.third_form is None) == (smoothness == "quadratic")
        # Everywhere within 1/κ of the vertex, also on its boundary, at the ends of the axes.
        directions = torch.randn(20, manifold.dim, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
        u = (
            torch.nn.functional.normalize(directions, dim=-1)
            * torch.linspace(0.05, 1, 20, dtype=torch.float64)[:, None]
        )
        points = manifold.immersion(torch.cat([u, torch.eye(manifold.dim, dtype=torch.float64)]) / bound)
    else:
        points = manifold.sample(20, generator=torch.Generator().manual_seed(2))
    points = torch.cat([base_point(manifold)[None], points])
    assert bends(manifold.second_fundamental_form(points)).max() <= bound * ROUNDING


@given(st.data(), st.integers(1, 4), st.integers(1, 40))
def test_dimensions_are_kept(data: st.DataObject, dim: int, codim: int) -> None:
    one = data.draw(submanifolds(dim, dim + codim))
    other = data.draw(submanifolds(st.just(dim), st.just(dim + codim)))
    for manifold in (one, other, data.draw(submanifolds(dim)), data.draw(submanifolds(ambient_dim=dim + codim))):
        assert isinstance(manifold, Submanifold)
    assert (one.dim, one.ambient_dim) == (other.dim, other.ambient_dim) == (dim, dim + codim)


@settings(suppress_health_check=[HealthCheck.too_slow])  # once in a while: other work on the machine
@given(st.data(), st.sampled_from([4, 32, 512]))
def test_few_numbers_are_drawn_whatever_the_codimension(data: st.DataObject, ambient_dim: int) -> None:
    """A degree, twice a list of up to 3 numbers (two choices each, one to stop), a seed, a mixing."""
    data.draw(submanifolds(3, ambient_dim, families="patch"))
    assert len(data.conjecture_data.nodes) <= 1 + 1 + 2 * 7 + 2


@pytest.mark.parametrize("attempt", range(3))
def test_the_simplest_submanifold_is_the_line_in_the_plane(attempt: int) -> None:
    """Whatever is drawn first: no other example takes fewer numbers."""
    found = find(submanifolds(), lambda _: True, settings=settings(database=None), random=Random(attempt))
    assert repr(found) == "monge_patch(1, 2)"


def test_submanifolds_shrink_to_few_dimensions_flat_aligned_and_round(minimal) -> None:
    assert repr(minimal(submanifolds())) == "monge_patch(1, 2)"
    assert repr(minimal(submanifolds(3, 32))) == "monge_patch(3, 32)"
    bent = minimal(submanifolds(3, 32), lambda patch: float(patch.second_form.abs().max()) > 0.3)
    assert repr(bent) == "monge_patch(3, 32, (1.0,))"
    assert minimal(submanifolds(smoothness="analytic")) == Sphere(1, 1.0)
    assert minimal(submanifolds(families="torus", curvature_bound=0.5)) == Torus(4.0, 2.0)
    assert repr(minimal(submanifolds(), lambda manifold: manifold.dim > 1)) == "monge_patch(2, 3)"


def test_second_forms_shrink_to_flat_and_reach_the_bound(minimal) -> None:
    assert minimal(second_forms()).tolist() == [[[0.0]]]
    assert minimal(second_forms(2, 2, bound=0.5, minimal=False)).tolist() == [[[0.5, 0], [0, 0]], [[0, 0], [0, 0]]]


@pytest.mark.parametrize(
    ("family", "kind"),
    [
        *(
            ("patch", MongePatch),
            ("sphere", Sphere),
            ("ellipsoid", Ellipsoid),
            ("cylinder", Cylinder),
            ("torus", Torus),
        ),
        *(("product", Product), ("orthogonal", SpecialOrthogonal), ("stiefel", Stiefel)),
        *(("grassmannian", Grassmannian), ("veronese", Veronese)),
    ],
)
def test_families_are_drawn_by_name(family: str, kind: type, minimal) -> None:
    found = minimal(submanifolds(families=family, curvature_bound=2))
    assert isinstance(found, kind)
    among_all = submanifolds(found.dim, found.ambient_dim, curvature_bound=2)
    assert isinstance(minimal(among_all, lambda manifold: isinstance(manifold, kind)), kind)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: second_forms(0), "dim must be between 1 and 16384, got 0"),
        (lambda: second_forms(2.0), r"dim must be an integer between 1 and 16384, or a strategy for one, got 2\.0"),  # pyright: ignore[reportArgumentType]
        (lambda: second_forms(True), "dim must be an integer"),
        (lambda: second_forms(1, -1), "codim must be between 1 and 16384, got -1"),
        (lambda: second_forms(bound=0), "bound must be above 0 and finite, got 0"),
        (lambda: second_forms(bound=math.nan), "bound must be above 0 and finite, got nan"),
        (lambda: second_forms(bound="wide"), "bound must be a number, above 0 and finite, or a strategy for one"),  # pyright: ignore[reportArgumentType]
        (lambda: second_forms(minimal=1), "minimal must be True, False, or None for either, got 1"),  # pyright: ignore[reportArgumentType]
        (lambda: submanifolds(3, 3), "needs dim < ambient_dim, got 3 and 3"),
        (lambda: submanifolds(ambient_dim=1), "ambient_dim must be between 2 and 16384, got 1"),
        (lambda: submanifolds(-1, 3), "dim must be between 1 and 16384, got -1"),
        (lambda: submanifolds(curvature_bound=math.inf), "curvature_bound must be above 0 and finite, got inf"),
        (lambda: submanifolds(smoothness="smooth"), "unknown smoothness 'smooth': choose among quadratic, cubic"),  # pyright: ignore[reportArgumentType]
        (lambda: submanifolds(families=0), "a family of submanifolds is asked for by name, got 0"),  # pyright: ignore[reportArgumentType]
        (lambda: submanifolds(10**6), "dim must be between 1 and 16384, got 1000000"),
        (lambda: submanifolds(3, 10**6), "ambient_dim must be between 2 and 16384, got 1000000"),
        (lambda: submanifolds(2**14), r"in R.any fits in memory and has"),
        (lambda: submanifolds(1000, 1001, smoothness="cubic"), "no patch of dimension 1000 in R.1001"),
        (lambda: second_forms(10**4, 10**4), r"at most 268435456 fit in memory: lower dim or codim"),
        (lambda: submanifolds(families="klein"), "unknown family of submanifolds 'klein': choose among patch, sphere"),
        (lambda: submanifolds(families=()), "no family of submanifolds left to draw from"),
        (lambda: submanifolds(2, 7, smoothness="analytic"), r"of dimension 2 in R.7 fits .* ≤ 1\.0: change these"),
        (lambda: submanifolds(families="orthogonal", curvature_bound=0.7), r"no orthogonal of dimension any in R.any"),
        (lambda: submanifolds(families="torus", smoothness="cubic"), "no cubic submanifold among 'torus'"),
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_strategies_are_checked_as_they_draw(minimal) -> None:
    with pytest.raises(InputError, match="dim must be between 1 and 16384, got 0"):
        minimal(second_forms(st.just(0)))
    with pytest.raises(InputError, match="bound must be above 0"):
        minimal(second_forms(bound=st.just(-1.0)))
    with pytest.raises(Unsatisfiable):
        minimal(submanifolds(3, st.just(3)))
