"""Submanifolds from immersions: against closed forms, in other coordinates, turned, and bad immersions."""

import math
from typing import get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import (
    Ellipsoid,
    FixedRadius,
    ImmersedManifold,
    Measure,
    MongePatch,
    Sphere,
    Submanifold,
    Torus,
    UniformBall,
    from_immersion,
)
from manifoldtheory.manifolds.clouds import place_geodesic, place_projected
from manifoldtheory.manifolds.geomstats_bridge import double_precision, load_geomstats

TURN = (0.0, 2 * math.pi)
FORMS = torch.tensor([[[0.7, 0.2], [0.2, -0.5]], [[0.1, -0.3], [-0.3, 0.4]]], dtype=torch.float64)
TORUS, ELLIPSOID, SPHERE, MONGE = Torus(2.0, 0.7), Ellipsoid((1.0, 1.3, 0.8)), Sphere(2, 1.5), MongePatch(FORMS)
ANGLES = [(0.0, math.pi), TURN]

PAIRS: dict[str, tuple[Submanifold, ImmersedManifold]] = {
    "torus": (TORUS, from_immersion(TORUS.immersion, 2, domain=TURN)),
    "ellipsoid": (ELLIPSOID, from_immersion(ELLIPSOID.immersion, 2, domain=ANGLES)),
    "sphere": (SPHERE, from_immersion(SPHERE.immersion, 2, domain=ANGLES)),
    "monge": (MONGE, from_immersion(MONGE.immersion, 2)),
}
Pair = tuple[Submanifold, ImmersedManifold]
START = torch.tensor([[0.9, 0.6], [1.3, -0.4], [0.7, 0.2]], dtype=torch.float64)


def helicoid(q: Tensor) -> Tensor:
    """For one point: mean curvature 0, Gauss curvature −1/(1 + r²)²."""
    return torch.stack([q[0] * torch.cos(q[1]), q[0] * torch.sin(q[1]), q[1]])


@pytest.fixture(params=PAIRS)
def pair(request: pytest.FixtureRequest) -> Pair:
    return PAIRS[request.param]


def ambient(manifold: Submanifold, x: Tensor, tangent: Tensor, normal: Tensor) -> tuple[Tensor, Tensor]:
    along = (manifold.tangent_frame(x) @ tangent[..., None])[..., 0]
    return along, (manifold.normal_frame(x) @ normal[..., None])[..., 0]


def second_form(manifold: Submanifold, x: Tensor) -> Tensor:
    """II as a tensor of the ambient space, whatever the frames: (…, d, d, d)."""
    frame = manifold.tangent_frame(x)
    form, normal = manifold.second_fundamental_form(x), manifold.normal_frame(x)
    return torch.einsum("...da,...aij,...pi,...qj->...dpq", normal, form, frame, frame)


def test_second_form_and_frames_equal_those_in_closed_form(pair: Pair) -> None:
    exact, immersed = pair
    x = exact.immersion(START)
    assert torch.allclose(second_form(immersed, x), second_form(exact, x), rtol=0, atol=1e-12)
    frame = torch.cat([immersed.tangent_frame(x), immersed.normal_frame(x)], -1)
    assert torch.allclose(frame.mT @ frame, torch.eye(exact.ambient_dim, dtype=x.dtype), rtol=0, atol=1e-14)
    chart = immersed.chart_at(START)
    assert torch.allclose(chart.second_form, immersed.second_fundamental_form(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("length", [0.3, 1e-8])
def test_displacements_equal_those_in_closed_form_at_any_size(pair: Pair, length: float) -> None:
    """Each part relative to itself, to some hundred roundings."""
    exact, immersed = pair
    x = exact.immersion(START[:2])
    frame = exact.tangent_frame(x)
    v = length * (frame @ torch.tensor([0.6, -0.8], dtype=torch.float64))
    end = immersed.exp(x[:1], v[:1])
    found = ambient(immersed, x, *immersed.displacement(x, v))
    expected = ambient(exact, x, *exact.displacement(x, v))
    for part, other in zip(found, expected, strict=True):
        size = torch.linalg.vector_norm(other, dim=-1)
        # A tilt of the frames by rounding moves 1e-16 of the tangent part into the difference of normal parts.
        assert (torch.linalg.vector_norm(part - other, dim=-1) <= 1e-12 * size + 2e-16 * length * 10).all()
    assert torch.allclose(end, exact.exp(x[:1], v[:1]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("length", [0.3, 1e-8])
def test_graphs_equal_those_in_closed_form_at_any_size(pair: Pair, length: float) -> None:
    exact, immersed = pair
    x = exact.immersion(START)
    u = length * torch.tensor([0.6, -0.8], dtype=torch.float64)
    turned = (immersed.tangent_frame(x).mT @ exact.tangent_frame(x) @ u[:, None])[..., 0]
    zero = torch.zeros(2, dtype=torch.float64)
    found = ambient(immersed, x, zero.expand(3, 2), immersed.graph(x, turned))[1]
    expected = ambient(exact, x, zero.expand(3, 2), exact.graph(x, u.expand(3, 2)))[1]
    assert torch.linalg.vector_norm(found - expected) < 1e-12 * torch.linalg.vector_norm(expected)
    assert not immersed.graph(x, zero.expand(3, 2)).any()


def test_graph_is_differentiable_and_its_hessian_is_the_second_form() -> None:
    manifold = from_immersion(helicoid, 2)
    chart = manifold.chart_at(torch.tensor([0.4, 0.3], dtype=torch.float64))
    hessian = torch.func.jacfwd(torch.func.jacfwd(chart.heights))(torch.zeros(2, dtype=torch.float64))
    assert torch.allclose(hessian, chart.second_form, rtol=0, atol=1e-13)
    u = torch.tensor([0.2, -0.1], dtype=torch.float64)
    assert torch.allclose(torch.func.jacfwd(chart.heights)(u), chart.slopes(u), rtol=0, atol=1e-13)


def test_helicoid() -> None:
    manifold = from_immersion(helicoid, 2, domain=(-1.0, 1.0))
    q = torch.tensor([[0.0, 0.3], [0.8, -0.9], [5.0, 20.0]], dtype=torch.float64)  # the last beyond the domain
    form = manifold.chart_at(q).second_form[:, 0]
    assert torch.allclose(torch.linalg.det(form), -1 / (1 + q[:, 0] ** 2) ** 2, rtol=1e-13)
    assert form.diagonal(dim1=-2, dim2=-1).sum(-1).abs().max() < 1e-14


@pytest.mark.parametrize("measure", get_args(Measure))
def test_clouds_have_the_weights_in_closed_form(measure: Measure) -> None:
    exact, immersed = PAIRS["torus"]
    x = exact.immersion(START[0])
    turn = immersed.tangent_frame(x).mT @ exact.tangent_frame(x)
    generator = torch.Generator().manual_seed(1)
    cloud = immersed.sample_cloud(x, 4, UniformBall(0.2, 2), measure=measure, generator=generator)
    expected = place_geodesic(exact.chart(x), cloud.radius, cloud.direction @ turn, measure)[2]
    assert torch.allclose(cloud.weight, expected, rtol=0, atol=1e-12)
    if measure == "volume":
        cloud = immersed.sample_cloud(x, 4, UniformBall(0.2, 2), direction="projected", generator=generator)
        expected = place_projected(exact.chart(x), cloud.radius, cloud.direction @ turn)[2]
        assert torch.allclose(cloud.weight, expected, rtol=0, atol=1e-12)


def test_limits_of_clouds_are_close_to_the_reach_of_the_curvature() -> None:
    _, immersed = PAIRS["sphere"]
    chart = immersed.chart_at(START[0])
    assert 0.95 * 1.5 < chart.projected_limit < 1.5
    assert 0.95 * 1.9 * 1.5 < chart.geodesic_limit < 1.9 * 1.5
    with pytest.raises(InputError, match="out of range for projected directions"):
        immersed.sample_cloud(
            chart.point, 3, FixedRadius(1.6), direction="projected", generator=torch.Generator().manual_seed(1)
        )


@settings(max_examples=3)
@given(seed=st.integers(0, 2**31))
def test_other_coordinates_give_the_same_geometry(seed: int) -> None:
    """f∘φ with φ a shear of the plane after a smooth stretch, seen at the same points."""
    generator = torch.Generator().manual_seed(seed)
    mix = torch.eye(2, dtype=torch.float64) + 0.3 * torch.rand(2, 2, generator=generator, dtype=torch.float64)

    def other(q: Tensor) -> Tensor:
        return helicoid(mix @ (q + 0.2 * torch.sin(q)))

    first, second = from_immersion(helicoid, 2), from_immersion(other, 2)
    q = 0.8 * (2 * torch.rand(2, 2, generator=generator, dtype=torch.float64) - 1)
    x = second.immersion(q)
    assert torch.allclose(second_form(first, x), second_form(second, x), rtol=0, atol=1e-11)


@settings(max_examples=2)
@given(seed=st.integers(0, 2**31))
def test_geodesics_turn_and_scale_with_the_space(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    turn = torch.linalg.qr(torch.randn(3, 3, generator=generator, dtype=torch.float64))[0]
    shift = torch.randn(3, generator=generator, dtype=torch.float64)
    moved = from_immersion(lambda q: 2.0 * turn @ helicoid(q) + shift, 2)
    still = from_immersion(helicoid, 2)
    x = still.immersion(torch.rand(1, 2, generator=generator, dtype=torch.float64))
    v = 0.3 * torch.randn(1, 3, generator=generator, dtype=torch.float64)
    end = still.exp(x, v)
    assert torch.allclose(moved.exp(2 * x @ turn.mT + shift, 2 * v @ turn.mT), 2 * end @ turn.mT + shift, atol=1e-12)


def test_points_find_their_coordinates() -> None:
    _, immersed = PAIRS["torus"]
    x = immersed.sample(40, generator=torch.Generator().manual_seed(1))
    q = immersed.coordinates(x)
    assert torch.allclose(immersed.immersion(q), x, rtol=0, atol=1e-14)
    array = immersed.coordinates(x.numpy())  # pyright: ignore[reportArgumentType]
    assert isinstance(array, np.ndarray)
    assert immersed.second_fundamental_form(x.float()).dtype == torch.float32
    with pytest.raises(InputError, match=r"0\.1 off from_immersion\(immersion, dim=2, ambient_dim=3\) \(limit "):
        immersed.tangent_frame(torch.tensor([2.8, 0.0, 0.0], dtype=torch.float64))


def test_sheets_that_come_near_each_other_are_told_apart() -> None:
    """A spiral whose turns are as close as its grid points: the nearest of these is often on another turn."""
    spiral = from_immersion(
        lambda q: (1 + q[0] / 200) * torch.stack([torch.cos(q[0]), torch.sin(q[0])]), 1, domain=(0, 200)
    )
    q = 200 * torch.rand(100, 1, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    assert torch.allclose(spiral.coordinates(spiral.immersion(q)), q, rtol=0, atol=1e-11)


def test_samples_are_uniform_by_volume() -> None:
    """All |z| < 5, against the exact means of cos θ and cos² θ on a torus."""
    x = PAIRS["torus"][1].sample(20_000, generator=torch.Generator().manual_seed(8))
    cosine = (torch.hypot(x[:, 0], x[:, 1]) - 2.0) / 0.7
    values = torch.stack([cosine, cosine**2, x[:, 0], x[:, 2]], -1)
    exact = torch.tensor([0.7 / 4, 0.5, 0.0, 0.0])
    assert ((values.mean(0) - exact) / (values.std(0) / math.sqrt(len(x)))).abs().max() < 5


def test_a_volume_element_above_the_bound_starts_the_draw_again() -> None:
    """With a grid that reports half of each volume element, the samples are the same as uniform as before."""
    blind = from_immersion(TORUS.immersion, 2, domain=TURN)
    points, volumes = blind._grid._first
    blind._grid.__dict__["_first"] = (points, volumes / 2)
    x = blind.sample(20_000, generator=torch.Generator().manual_seed(3))
    cosine = (torch.hypot(x[:, 0], x[:, 1]) - 2.0) / 0.7
    assert abs(float((cosine.mean() - 0.7 / 4) / (cosine.std() / math.sqrt(len(x))))) < 5


def test_batches_and_points_are_both_accepted() -> None:
    batched = from_immersion(lambda q: torch.cat([q, (q**2).sum(1, keepdim=True)], 1), 2)
    single = from_immersion(lambda q: torch.cat([q, (q**2).sum()[None]]), 2)
    q = torch.rand(4, 3, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    assert torch.equal(batched.immersion(q), single.immersion(q))
    assert batched.chart_at(q).second_form.shape == (4, 3, 1, 2, 2)


def test_second_form_equals_that_of_geomstats() -> None:
    exact, immersed = PAIRS["torus"]
    base = load_geomstats("geomstats.geometry.base")
    euclidean = load_geomstats("geomstats.geometry.euclidean")

    class Stock(base.ImmersedSet):
        def _define_embedding_space(self):
            return euclidean.Euclidean(3)

        def immersion(self, point: Tensor) -> Tensor:
            return exact.immersion(point)

    with double_precision():
        theirs = Stock(dim=2).metric.second_fundamental_form(START)
    chart = immersed.chart_at(START)
    jacobian = torch.func.vmap(torch.func.jacfwd(exact.immersion))(START)
    coordinates = chart.tangent_frame.mT @ jacobian
    ours = torch.einsum("nda,naij,nik,njl->ndkl", chart.normal_frame, chart.second_form, coordinates, coordinates)
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("immersion", "dim", "message"),
    [
        (lambda q: q, 2, "needs more than 2 ambient coordinates, got 2"),
        (lambda q: torch.cat([q, q]), 2.0, "dim must be a positive integer"),
        (lambda q: torch.cat([q[:1], q[:1], q[:1]]), 2, "drops rank at coordinates .* rank 1, below dim = 2"),
        (lambda q: torch.cat([q, torch.log(q[:1])]), 1, "not finite at coordinates"),
        (lambda q: torch.cat([q, q]).to(torch.complex128), 2, "complex128"),
        (lambda q: torch.cat([q, q]).float(), 2, "float32 for float64"),
        (lambda q: [q[0], q[1], q[0]], 2, r"a list of results: it must give torch\.stack of them"),
        (lambda q: (q[0], q[1], q[0]), 2, r"a tuple of results: it must give torch\.stack of them"),
        (torch.nn.Linear(2, 3, dtype=torch.float32), 2, r"does not compute in float64 .* as module\.double\(\)"),
        (lambda q: np.ones(3), 2, "ndarray"),
        (lambda q: q.sum(), 2, r"shape \(\) for coordinates"),
        (lambda q: torch.tensor([float(q[0]), float(q[1]), 0.0], dtype=torch.float64), 2, "cannot differentiate"),
        ("circle", 1, "must be a function"),
    ],
)
def test_bad_immersions_are_named(immersion, dim, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_immersion(immersion, dim)


@pytest.mark.parametrize("domain", [(1.0, 0.0), (0.0, math.inf), [(0.0, 1.0)], "wide", 3.0])
def test_bad_domains_are_named(domain) -> None:
    with pytest.raises(InputError, match="domain of 2 coordinates must be"):
        from_immersion(helicoid, 2, domain=domain)


def test_places_where_coordinates_degenerate_are_named() -> None:
    _, sphere = PAIRS["sphere"]
    with pytest.raises(InputError, match=r"drops rank at coordinates \[0\.0, 1\.0\]"):
        sphere.chart_at(torch.tensor([0.0, 1.0], dtype=torch.float64))
    chart = sphere.chart_at(torch.tensor([0.5, 1.0], dtype=torch.float64))
    to_the_pole = -torch.func.jacfwd(sphere.immersion)(chart.q)[:, 0]
    with pytest.raises(InputError, match="degenerate"):
        sphere.displacement(chart.point, to_the_pole + 1e-9 * torch.func.jacfwd(sphere.immersion)(chart.q)[:, 1])
    with pytest.raises(InputError, match="out of range where curvature"):
        sphere.exp(chart.point, 1e6 * chart.tangent_frame[:, 0])


def test_decoders_with_parameters_and_functions_in_place_are_served() -> None:
    linear = torch.nn.Linear(2, 4), torch.nn.Linear(4, 3)
    decoder = torch.nn.Sequential(linear[0], torch.nn.Tanh(), linear[1]).double()
    with torch.random.fork_rng():
        torch.manual_seed(3)
        for part in linear:
            part.reset_parameters()
    manifold = from_immersion(decoder, 2)
    q = START.clone()
    x = manifold.immersion(q)
    assert torch.equal(x, decoder(q).detach())
    jacobian = torch.func.vmap(torch.func.jacfwd(decoder))(q).detach()
    assert (manifold.normal_frame(x).mT @ jacobian).abs().max() < 1e-12
    assert not manifold.second_fundamental_form(x).requires_grad

    def doubled(p: Tensor) -> Tensor:
        p.mul_(2)
        return torch.stack([p[0], p[1], p[0] * p[1]])

    in_place = from_immersion(doubled, 2)
    expected = torch.stack([2 * q[:, 0], 2 * q[:, 1], 4 * q[:, 0] * q[:, 1]], -1)
    assert torch.equal(in_place.immersion(q), expected)
    in_place.chart_at(q[0])
    assert torch.equal(q, START)


@pytest.mark.parametrize("batch", [(0,), (2, 0)])
def test_no_points_are_served_like_on_other_manifolds(batch: tuple[int, ...]) -> None:
    exact, immersed = PAIRS["torus"]
    x = torch.zeros(*batch, 3, dtype=torch.float64)
    for method in (
        lambda manifold: manifold.tangent_frame(x),
        lambda manifold: manifold.normal_frame(x),
        lambda manifold: manifold.second_fundamental_form(x),
        lambda manifold: manifold.graph(x, x[..., :2]),
        lambda manifold: manifold.exp(x, x),
        lambda manifold: manifold.displacement(x, x)[1],
        lambda manifold: manifold.immersion(x[..., :2]),
        lambda manifold: manifold.distance_estimate(x),
    ):
        assert method(immersed).shape == method(exact).shape
    assert immersed.coordinates(x).shape == (*batch, 2)


def test_points_far_away_are_off_the_manifold_and_projected_to_the_nearest() -> None:
    exact, immersed = PAIRS["torus"]
    x = exact.immersion(START)
    for factor in (1e6, 1e200):
        with pytest.raises(InputError, match=r"base point is .* off from_immersion"):
            immersed.tangent_frame(factor * x)
    outside = x + 0.2 * exact.normal_frame(x)[..., 0]
    q, distance = immersed._grid.locate(outside)
    assert torch.allclose(distance, torch.full_like(distance, 0.2), rtol=1e-12)
    # Where the search ends, steps have become 1e-8 of the distance.
    assert torch.allclose(exact.immersion(q), x, rtol=0, atol=1e-8)


@pytest.mark.parametrize("kinked", [torch.abs, torch.sign])
def test_geodesics_across_a_kink_are_named(kinked) -> None:
    manifold = from_immersion(lambda q: torch.stack([q[0], q[1], kinked(q[0])]), 2)
    x = manifold.immersion(torch.tensor([-0.3, 0.1], dtype=torch.float64))
    v = torch.tensor([0.2, 0.1, 0.0], dtype=torch.float64)
    manifold.exp(x, v)  # on one side
    with pytest.raises(InputError, match="kink or a jump"):
        manifold.exp(x, 6 * v)
