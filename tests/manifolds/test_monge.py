"""Monge patches: symmetries as properties, the two charts against each other, and bad forms."""

from itertools import permutations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import FixedRadius, MongePatch
from manifoldtheory.manifolds.clouds import place_geodesic, place_projected
from manifoldtheory.manifolds.monge_charts import TiltedChart, solve_metric

seeds = st.integers(0, 2**31)
shapes = st.tuples(st.integers(1, 8), st.integers(1, 4))


def random_forms(codim: int, dim: int, seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    second = torch.randn(codim, dim, dim, generator=generator, dtype=torch.float64)
    third = torch.randn(codim, dim, dim, dim, generator=generator, dtype=torch.float64)
    third = torch.stack([third.permute(0, *order) for order in permutations((1, 2, 3))]).mean(0)
    return (second + second.mT) / 2, third


def orthogonal(size: int, generator: torch.Generator) -> Tensor:
    return torch.linalg.qr(torch.randn(size, size, generator=generator, dtype=torch.float64))[0]


def setting(shape: tuple[int, int], seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor, torch.Generator]:
    """Forms, and radii and directions within range of them."""
    generator = torch.Generator().manual_seed(seed)
    second, third = random_forms(*shape, seed)
    w = torch.randn(5, shape[1], generator=generator, dtype=torch.float64)
    w = w / torch.linalg.vector_norm(w, dim=-1, keepdim=True)
    vertex = torch.zeros(sum(shape), dtype=torch.float64)
    limit = MongePatch(second, third).chart(vertex).projected_limit
    return second, third, torch.full((5,), 0.3 * min(limit, 1.0), dtype=torch.float64), w, generator


def placed(second: Tensor, third: Tensor, t: Tensor, w: Tensor, direction: str) -> tuple[Tensor, Tensor, Tensor]:
    patch = MongePatch(second, third)
    chart = patch.chart(torch.zeros(patch.ambient_dim, dtype=torch.float64))
    return place_projected(chart, t, w) if direction == "projected" else place_geodesic(chart, t, w, "volume")


def check_rotation(shape: tuple[int, int], seed: int, direction: str) -> None:
    """h ↦ O h(R⁻¹·, R⁻¹·), w ↦ R w: weights stay, tangent parts turn by R, normal parts by O."""
    second, third, t, w, generator = setting(shape, seed)
    turn, swing = orthogonal(shape[1], generator), orthogonal(shape[0], generator)
    turned_second = torch.einsum("ab,bij,ki,lj->akl", swing, second, turn, turn)
    turned_third = torch.einsum("ab,bijm,ki,lj,nm->akln", swing, third, turn, turn, turn)
    old = placed(second, third, t, w, direction)
    new = placed(turned_second, turned_third, t, w @ turn.mT, direction)
    assert torch.allclose(new[0], old[0] @ turn.mT, rtol=0, atol=1e-12)
    assert torch.allclose(new[1], old[1] @ swing.mT, rtol=0, atol=1e-12)
    assert torch.allclose(new[2], old[2], rtol=1e-11, atol=0)


def check_scaling(shape: tuple[int, int], seed: int, factor: float, direction: str) -> None:
    """Lengths times c: h ↦ h/c, k ↦ k/c², t ↦ c t; weights have no units."""
    second, third, t, w, _ = setting(shape, seed)
    old = placed(second, third, t, w, direction)
    new = placed(second / factor, third / factor**2, factor * t, w, direction)
    assert torch.allclose(new[0], factor * old[0], rtol=1e-11, atol=1e-13 * factor)
    assert torch.allclose(new[1], factor * old[1], rtol=1e-9, atol=1e-13 * factor)
    assert torch.allclose(new[2], old[2], rtol=1e-10, atol=0)


@settings(max_examples=20)
@given(shape=shapes, seed=seeds, factor=st.floats(1e-3, 1e3))
def test_projected_clouds_turn_and_scale_with_the_patch(shape: tuple[int, int], seed: int, factor: float) -> None:
    check_rotation(shape, seed, "projected")
    check_scaling(shape, seed, factor, "projected")


@settings(max_examples=2)  # each integrates four families of geodesics and their derivatives
@given(shape=st.tuples(st.integers(1, 8), st.integers(1, 3)), seed=seeds, factor=st.floats(1e-3, 1e3))
def test_geodesic_clouds_turn_and_scale_with_the_patch(shape: tuple[int, int], seed: int, factor: float) -> None:
    check_rotation(shape, seed, "geodesic")
    check_scaling(shape, seed, factor, "geodesic")


@settings(max_examples=10)
@given(shape=shapes, seed=seeds)
def test_both_charts_agree_at_the_vertex(shape: tuple[int, int], seed: int) -> None:
    second, third, t, w, _ = setting(shape, seed)
    patch = MongePatch(second, third)
    vertex = torch.zeros(patch.ambient_dim, dtype=torch.float64)
    chart = patch.chart(vertex)
    tilted = TiltedChart(vertex, *patch._osculating)
    assert torch.allclose(tilted.second_form, chart.second_form, rtol=0, atol=1e-14)
    u = t[:, None] * w
    assert torch.allclose(tilted.heights(u), chart.heights(u), rtol=1e-13, atol=1e-15)
    assert torch.allclose(tilted.slopes(u), chart.slopes(u), rtol=1e-13, atol=1e-14)
    one, other = tilted.geodesic(u, 2), chart.geodesic(u, 2)
    for name in ("tangent", "normal", "tangent_velocity", "normal_velocity"):
        assert torch.allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-14)


def test_immersion_is_the_graph(generator: torch.Generator) -> None:
    second, third = random_forms(4, 3, 0)
    u = torch.randn(6, 3, generator=generator, dtype=torch.float64)
    z = torch.einsum("aij,ni,nj->na", second, u, u) / 2 + torch.einsum("aijk,ni,nj,nk->na", third, u, u, u) / 6
    patch = MongePatch(second, third)
    assert torch.allclose(patch.immersion(u), torch.cat([u, z], -1), rtol=0, atol=1e-13)
    assert torch.allclose(patch.graph(torch.zeros(7, dtype=u.dtype), u), z, rtol=0, atol=1e-13)
    assert torch.equal(patch.second_form, second)
    assert patch.third_form is not None
    assert torch.allclose(patch.third_form, third, rtol=0, atol=1e-15)


@given(size=st.integers(1, 6), seed=seeds)
def test_metric_solver_matches_lapack(size: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    factor = torch.randn(4, size, size, generator=generator, dtype=torch.float64)
    gram, right = factor @ factor.mT, torch.randn(4, size, generator=generator, dtype=torch.float64)
    expected = torch.linalg.solve(torch.eye(size, dtype=torch.float64) + gram, right)
    found = solve_metric(gram.permute(1, 2, 0), right.mT).mT
    assert torch.allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("second", "third", "message"),
    [
        (torch.zeros(2, 2), None, r"shape \(codim, m, m\), got \(2, 2\)"),
        (torch.zeros(1, 2, 3), None, "must have shape"),
        (torch.tensor([[[0.0, 1.0], [0.0, 0.0]]]), None, "symmetric in its last 2 axes"),
        (torch.full((1, 2, 2), torch.nan), None, "must be finite"),
        (torch.eye(2)[None], torch.ones(2, 2, 2, 2), r"shape \(1, 2, 2, 2\), got \(2, 2, 2, 2\)"),
        (torch.eye(2)[None], torch.arange(8.0).reshape(1, 2, 2, 2), "symmetric in its last 3 axes"),
        ([[1.0]], None, "must be a torch.Tensor"),
        (torch.eye(2)[None], [1.0], "third_form must be a torch.Tensor, got list"),
        (torch.eye(2)[None], 1.0, "third_form must be a torch.Tensor, got float"),
        (torch.eye(2, dtype=torch.complex64)[None], None, "must be real, got torch.complex64"),
    ],
)
def test_bad_forms_are_named(second, third, message: str) -> None:
    with pytest.raises(InputError, match=message):
        MongePatch(second, third)


def test_a_flat_patch_has_no_limits_and_no_weights(generator: torch.Generator) -> None:
    flat = MongePatch(torch.zeros(2, 3, 3))
    vertex = torch.zeros(5, dtype=torch.float64)
    cloud = flat.sample_cloud(vertex, 20, FixedRadius(1e6), generator=generator)
    assert torch.allclose(cloud.weight, torch.ones(20, dtype=torch.float64), rtol=1e-14)
    assert not cloud.normal.any()
