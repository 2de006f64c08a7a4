"""Clouds: exact radii, weights against closed forms, against the bias coefficients, and against each other."""

import math
from typing import Any, get_args

import numpy as np
import pytest
import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import (
    Cylinder,
    Direction,
    Ellipsoid,
    FixedRadius,
    Measure,
    MongePatch,
    Sphere,
    Submanifold,
    Torus,
    UniformBall,
)
from manifoldtheory.manifolds.clouds import place_geodesic, place_projected

Place = tuple[Submanifold, Tensor]


@pytest.mark.parametrize("direction", ["projected", "geodesic"])
def test_points_are_at_exactly_the_radius_drawn(place: Place, direction: Direction, generator: torch.Generator) -> None:
    manifold, x = place
    chart = manifold.chart(x)
    limit = chart.projected_limit if direction == "projected" else chart.geodesic_limit / 1.9
    for top in (1e-6, 0.99 * limit):
        cloud = manifold.sample_cloud(x, 20, UniformBall(top, manifold.dim), direction=direction, generator=generator)
        length = torch.sqrt((cloud.tangent**2).sum(-1) + (cloud.normal**2).sum(-1))
        assert torch.allclose(length, cloud.radius, rtol=1e-14, atol=0)
        assert cloud.weight.isfinite().all()
        point = x + cloud.tangent @ manifold.tangent_frame(x).mT + cloud.normal @ manifold.normal_frame(x).mT
        assert manifold.distance_estimate(point).max() < 1e-13 * (1 + x.abs().max())


def test_projected_direction_is_that_of_the_tangent_part(place: Place, generator: torch.Generator) -> None:
    manifold, x = place
    cloud = manifold.sample_cloud(x, 50, FixedRadius(0.05), direction="projected", generator=generator)
    unit = cloud.tangent / torch.linalg.vector_norm(cloud.tangent, dim=-1, keepdim=True)
    assert torch.allclose(unit, cloud.direction, rtol=0, atol=1e-14)


def test_geodesic_direction_is_the_initial_velocity(place: Place, directions) -> None:
    manifold, x = place
    w = directions(50, manifold.dim)
    t = torch.full((50,), 0.05, dtype=torch.float64)
    chart = manifold.chart(x)
    tangent, normal, _ = place_geodesic(chart, t, w, "arc")
    v = chart.arclength(t, w, chart.steps_to(0.05))[:, None] * w @ manifold.tangent_frame(x).mT
    for part, expected in zip((tangent, normal), manifold.displacement(x, v), strict=True):
        assert torch.allclose(part, expected, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize(("direction", "radius"), [("projected", 1e-6), ("projected", 1.2), ("geodesic", 1.9)])
def test_archimedes(direction: Direction, radius: float, generator: torch.Generator) -> None:
    """On S² equal steps of t² have equal area, in whichever direction: every weight is 1."""
    north = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
    cloud = Sphere(2).sample_cloud(north, 100, UniformBall(radius, 2), direction=direction, generator=generator)
    assert (cloud.weight - 1).abs().max() < 1e-12


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("radius", [0.5, 2.0])
def test_sphere_weights_in_closed_form(dim: int, radius: float, generator: torch.Generator) -> None:
    sphere = Sphere(dim, radius)
    x = sphere.sample(1, generator=generator)[0]
    law = UniformBall(1.3 * radius, dim)
    t = sphere.sample_cloud(x, 100, law, direction="projected", generator=generator)
    expected = (1 - (t.radius / radius) ** 2 / 4) ** ((dim - 2) / 2)
    assert torch.allclose(t.weight, expected, rtol=1e-12, atol=0)
    for measure in get_args(Measure):
        cloud = sphere.sample_cloud(x, 100, law, measure=measure, generator=generator)
        half = cloud.radius / (2 * radius)
        growth = 1 / torch.sqrt(1 - half**2)
        expected = {
            "volume": (1 - half**2) ** ((dim - 2) / 2),
            "polar": (torch.asin(half) / half) ** (dim - 1) * growth,
            "arc": growth,
        }[measure]
        assert torch.allclose(cloud.weight, expected, rtol=1e-12, atol=0)


def test_cylinder_weights_by_another_route(generator: torch.Generator) -> None:
    """From the chart (φ, y) with area element r dφ dy, by the derivative of (t, angle) through autodiff."""
    radius = 1.3
    cylinder = Cylinder(radius)
    x = torch.tensor([radius, 0.0, 0.0], dtype=torch.float64)
    law = UniformBall(1.5, 2)

    def polar(projected: bool, q: Tensor) -> Tensor:
        arc, y = q.unbind(-1)
        t = torch.sqrt((2 * radius * torch.sin(arc / (2 * radius))) ** 2 + y**2)
        across = radius * torch.sin(arc / radius) if projected else arc
        return torch.stack([t, torch.atan2(y, across)], -1)

    for projected in (True, False):
        direction: Direction = "projected" if projected else "geodesic"
        cloud = cylinder.sample_cloud(x, 100, law, direction=direction, generator=generator)
        arc = radius * torch.atan2(cloud.tangent[:, 0], radius + cloud.normal[:, 0])
        q = torch.stack([arc, cloud.tangent[:, 1]], -1)
        jacobian = torch.func.vmap(torch.func.jacfwd(lambda p, kind=projected: polar(kind, p)))(q)
        found = polar(projected, q)
        expected_angle = torch.atan2(cloud.direction[:, 1], cloud.direction[:, 0])
        assert torch.allclose(torch.cos(found[:, 1] - expected_angle), torch.ones(100, dtype=q.dtype), atol=1e-13)
        expected = 1 / (cloud.radius * torch.linalg.det(jacobian).abs())
        assert torch.allclose(cloud.weight, expected, rtol=1e-11, atol=0)


def coefficients(second_form: Tensor, w: Tensor) -> dict[str, Tensor]:
    """The coefficients c(w) of the four densities 1 + c t² + …, from F, S and Ric."""
    dim = w.shape[-1]
    along = torch.einsum("aij,ni->naj", second_form, w)
    normal = torch.einsum("naj,nj->na", along, w)
    curvature, shape = (normal**2).sum(-1), (along**2).sum((-1, -2))
    ricci = normal @ torch.einsum("aii->a", second_form) - shape
    return {
        "arc": curvature / 8,
        "polar": (dim + 2) * curvature / 24,
        "volume": (dim + 2) * curvature / 24 - ricci / 6,
        "projected": shape / 2 - (dim + 2) * curvature / 8,
    }


@pytest.mark.parametrize("measure", ["arc", "polar", "volume", "projected"])
def test_weights_start_with_the_bias_coefficient(place: Place, directions, measure: Any) -> None:
    """The mean over ±w has no odd orders; what is left beyond c t² falls like t⁴, so halving t divides it by 16."""
    manifold, x = place
    chart = manifold.chart(x)
    w = directions(40, manifold.dim)
    c = coefficients(manifold.second_fundamental_form(x), w)[measure]

    def excess(radius: float) -> Tensor:
        t = torch.full((40,), radius, dtype=torch.float64)

        def weight(v: Tensor) -> Tensor:
            if measure == "projected":
                return place_projected(chart, t, v)[2]
            return place_geodesic(chart, t, v, measure)[2]

        return (weight(w) + weight(-w)) / 2 - 1

    scale = min(0.2 / chart.curvature_bound(1.0), 0.2)
    rest = [torch.linalg.vector_norm(excess(t) - c * t**2) / t**2 for t in (scale, scale / 2)]
    # on S² (projected, volume) nothing is left at all: rounding, then
    if rest[0] * scale**2 > 1e-12:
        assert rest[1] / rest[0] == pytest.approx(0.25, abs=0.06)
    assert rest[1] < 0.1 * chart.curvature_bound(1.0) ** 2 * math.sqrt(40)


def sphere_rule(dim: int) -> tuple[Tensor, Tensor]:
    """Nodes and weights on the unit circle or sphere: exact for polynomials of degree below 32."""
    if dim == 2:
        angle = 2 * math.pi * torch.arange(64, dtype=torch.float64) / 64
        return torch.stack([angle.cos(), angle.sin()], -1), torch.full((64,), 1 / 64, dtype=torch.float64)
    height, weight = (torch.tensor(values) for values in np.polynomial.legendre.leggauss(16))
    angle = 2 * math.pi * torch.arange(32, dtype=torch.float64) / 32
    flat = torch.sqrt(1 - height**2)[:, None]
    nodes = torch.stack([flat * angle.cos(), flat * angle.sin(), height[:, None].expand(16, 32)], -1)
    return nodes.flatten(0, 1), (weight[:, None] / 64).expand(16, 32).flatten()


def test_both_volume_weights_have_the_same_mean(place: Place) -> None:
    """Each averages to the area of the sphere |ξ| = t relative to flat space, whatever is called a direction."""
    manifold, x = place
    if manifold.dim not in (2, 3):
        pytest.skip("the quadrature rule is for directions on S¹ and S²")
    chart = manifold.chart(x)
    nodes, rule = sphere_rule(manifold.dim)
    t = torch.full((len(rule),), min(0.25 / chart.curvature_bound(1.0), 0.25), dtype=torch.float64)
    geodesic = float(rule @ place_geodesic(chart, t, nodes, "volume")[2])
    projected = float(rule @ place_projected(chart, t, nodes)[2])
    assert geodesic == pytest.approx(projected, rel=1e-10)
    form = manifold.second_fundamental_form(x)
    square, trace = float((form**2).sum()), float((torch.einsum("aii->a", form) ** 2).sum())
    leading = (2 * square - trace) / (8 * manifold.dim) * float(t[0]) ** 2
    assert geodesic - 1 == pytest.approx(leading, abs=(chart.curvature_bound(1.0) * float(t[0])) ** 4)


def test_directions_are_uniform_and_independent_of_radii(generator: torch.Generator) -> None:
    """33 moments against their exact values; 5 standard errors are a false alarm once in 60 000 seeds."""
    n = 40_000
    patch = MongePatch(torch.eye(3, dtype=torch.float64)[None])
    vertex = torch.zeros(4, dtype=torch.float64)
    cloud = patch.sample_cloud(vertex, n, UniformBall(0.3, 3), direction="projected", generator=generator)
    w = cloud.direction
    second = torch.einsum("ni,nj->nij", w, w).flatten(1) - torch.eye(3, dtype=w.dtype).flatten() / 3
    fourth = w**4 - 1 / 5  # what tells them from a cube's directions
    moments = torch.cat([w, second, w * cloud.radius[:, None], second * (cloud.radius[:, None] - 0.225), fourth], -1)
    z = moments.mean(0) / moments.std(0) * math.sqrt(n)
    assert z.abs().max() < 5


def test_clouds_are_reproducible_and_chunked(generator: torch.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    torus = Torus(2.0, 0.7)
    x = torus.sample(1, generator=generator)[0]
    draw = lambda: torus.sample_cloud(x, 50, FixedRadius(0.2), generator=torch.Generator().manual_seed(3))  # noqa: E731
    whole = draw()
    monkeypatch.setattr("manifoldtheory.manifolds.clouds.CHUNK", 16)
    parts = draw()
    assert len(parts) == 50
    assert torch.equal(whole.direction, parts.direction)
    assert torch.allclose(whole.weight, parts.weight, rtol=1e-13, atol=0)


def test_out_of_range_and_unknown_names_are_refused(generator: torch.Generator) -> None:
    x = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)

    def draw(law: Any = FixedRadius(0.1), point: Tensor = x, n: Any = 3, **options: Any) -> object:  # noqa: B008
        return Sphere(2).sample_cloud(point, n, law, generator=generator, **options)

    with pytest.raises(InputError, match=r"stay below 1\.41421"):
        draw(FixedRadius(1.5), direction="projected")
    with pytest.raises(InputError, match="stay below 2"):
        draw(FixedRadius(2.0))
    with pytest.raises(InputError, match="unknown measure 'area': choose among arc, polar, volume"):
        draw(measure="area")
    with pytest.raises(InputError, match="unknown direction"):
        draw(direction="normal")
    with pytest.raises(InputError, match="no projected form"):
        draw(measure="arc", direction="projected")
    with pytest.raises(InputError, match="RadialLaw"):
        draw(0.1)
    with pytest.raises(InputError, match="one base point"):
        draw(point=x[None])
    with pytest.raises(InputError, match="positive integer"):
        draw(n=2.5)
    with pytest.raises(InputError, match="explicit torch"):
        Sphere(2).sample_cloud(x, 3, FixedRadius(0.1), generator=None)  # pyright: ignore[reportArgumentType]
    ellipsoid = Ellipsoid((1.0, 2.0, 1.0))
    with pytest.raises(InputError, match=r"stay below 0\.95"):
        ellipsoid.sample_cloud(x, 3, FixedRadius(1.0), generator=generator)


def test_float32_is_refused_where_rounding_would_bury_the_bias(generator: torch.Generator) -> None:
    """Where it is allowed, the weights' error stays below 1 % of the bias scale K² t²."""
    torus = Torus(2.0, 0.7)
    x = torus.sample(1, generator=generator)[0]
    with pytest.raises(InputError, match="float32 would bury"):
        torus.sample_cloud(x.float(), 3, FixedRadius(1e-3), generator=generator)
    radius = 0.021 * 0.7
    for direction in get_args(Direction):
        single, double = (
            torus.sample_cloud(
                point, 500, FixedRadius(radius), direction=direction, generator=torch.Generator().manual_seed(1)
            )
            for point in (x.float(), x)
        )
        chart, w = torus.chart(x), single.direction.double()
        w = w / torch.linalg.vector_norm(w, dim=-1, keepdim=True)
        t = double.radius
        exact = (
            place_projected(chart, t, w)[2] if direction == "projected" else place_geodesic(chart, t, w, "volume")[2]
        )
        assert single.weight.dtype == torch.float32
        assert (single.weight.double() - exact).abs().max() < 0.01 * (radius / 0.7) ** 2
