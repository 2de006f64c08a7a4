"""Frames, second fundamental forms, graphs, geodesics and uniform samples, for every manifold of the catalogue."""

import math

import pytest
import torch
from beartype import beartype
from jaxtyping import jaxtyped
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import Cylinder, FixedRadius, MongePatch, Sphere, Submanifold, Torus

Place = tuple[Submanifold, Tensor]
EPS = torch.finfo(torch.float64).eps


def normal_curvature(second_form: Tensor, w: Tensor) -> Tensor:
    return torch.einsum("aij,ni,nj->na", second_form, w, w)


def test_frames_are_orthonormal_and_complete(place: Place) -> None:
    manifold, x = place
    frame = torch.cat([manifold.tangent_frame(x), manifold.normal_frame(x)], -1)
    assert frame.shape == (manifold.ambient_dim, manifold.dim + manifold.codim)
    assert torch.allclose(frame.mT @ frame, torch.eye(manifold.ambient_dim, dtype=x.dtype), rtol=0, atol=20 * EPS)


def test_tangent_frame_spans_the_derivative_of_the_immersion(manifold: Submanifold) -> None:
    q = 0.1 + 0.2 * torch.arange(1, manifold.dim + 1, dtype=torch.float64)
    jacobian = torch.func.jacfwd(manifold.immersion)(q)
    normal = manifold.normal_frame(manifold.immersion(q))
    assert (normal.mT @ jacobian).abs().max() < 1e-14 * (1 + jacobian.abs().max())


def test_second_fundamental_form_is_the_hessian_of_the_graph(place: Place) -> None:
    manifold, x = place
    origin = torch.zeros(manifold.dim, dtype=x.dtype)
    heights = lambda u: manifold.graph(x, u)  # noqa: E731
    hessian = torch.func.jacfwd(torch.func.jacfwd(heights))(origin)
    assert torch.allclose(hessian, manifold.second_fundamental_form(x), rtol=1e-12, atol=1e-13)
    assert torch.equal(heights(origin), torch.zeros(manifold.codim, dtype=x.dtype))
    assert torch.func.jacfwd(heights)(origin).abs().max() < 1e-15


def test_second_fundamental_form_is_symmetric(place: Place) -> None:
    form = place[0].second_fundamental_form(place[1])
    assert torch.allclose(form, form.mT, rtol=0, atol=1e-15 * (1 + float(form.abs().max())))


def test_graph_lies_on_the_manifold(place: Place, directions) -> None:
    manifold, x = place
    limit = manifold.chart(x).projected_limit
    u = 0.8 * limit / math.sqrt(2) * directions(50, manifold.dim)
    point = x + u @ manifold.tangent_frame(x).mT + manifold.graph(x, u) @ manifold.normal_frame(x).mT
    assert manifold.distance_estimate(point).max() < 1e-14 * (1 + x.abs().max())


def test_exp_stays_on_the_manifold(place: Place, directions) -> None:
    manifold, x = place
    curvature = manifold.chart(x).curvature_bound(1.0)
    for angle in (1e-3, 0.3, 2.0):
        v = angle / curvature * directions(50, manifold.dim) @ manifold.tangent_frame(x).mT
        assert manifold.distance_estimate(manifold.exp(x, v)).max() < 1e-13 * (1 + x.abs().max())


def test_displacement_is_exp_minus_the_point(place: Place, directions) -> None:
    manifold, x = place
    v = 0.3 * directions(50, manifold.dim) @ manifold.tangent_frame(x).mT
    tangent, normal = manifold.displacement(x, v)
    xi = manifold.exp(x, v) - x
    assert torch.allclose(xi @ manifold.tangent_frame(x), tangent, rtol=0, atol=1e-14 * (1 + float(x.abs().max())))
    assert torch.allclose(xi @ manifold.normal_frame(x), normal, rtol=0, atol=1e-14 * (1 + float(x.abs().max())))


def test_displacement_lies_on_the_graph(place: Place, directions) -> None:
    manifold, x = place
    v = 0.3 / manifold.chart(x).curvature_bound(1.0) * directions(50, manifold.dim)
    tangent, normal = manifold.displacement(x, v @ manifold.tangent_frame(x).mT)
    assert torch.allclose(manifold.graph(x, tangent), normal, rtol=1e-12, atol=1e-13 * float(normal.abs().max()))


@pytest.mark.parametrize("length", [1e-3, 1e-6, 1e-9])
def test_small_displacements_keep_the_relative_accuracy_of_both_parts(place: Place, directions, length: float) -> None:
    """The mean over ±v has no odd orders: ½ II(v, v) up to a relative (K·length)²."""
    manifold, x = place
    w = directions(50, manifold.dim)
    v = length * w @ manifold.tangent_frame(x).mT
    (tangent, forth), (_, back) = manifold.displacement(x, v), manifold.displacement(x, -v)
    expected = normal_curvature(manifold.second_fundamental_form(x), w) / 2 * length**2
    scale = manifold.chart(x).curvature_bound(1.0) * length
    tolerance = (scale**2 + 100 * EPS) * scale * length
    assert torch.linalg.vector_norm((forth + back) / 2 - expected, dim=-1).max() < tolerance
    assert (
        torch.linalg.vector_norm(tangent - length * w, dim=-1).max()
        < (scale**2 + (20 + 2 * manifold.ambient_dim) * EPS) * length
    )


def test_float32_displacement_is_as_accurate_at_any_length(place: Place, directions) -> None:
    manifold, x = place
    w = directions(50, manifold.dim) @ manifold.tangent_frame(x).mT
    for length in (1e-1, 1e-4):
        exact = manifold.displacement(x, length * w)
        rounded = manifold.displacement(x.float(), (length * w).float())
        for part, single in zip(exact, rounded, strict=True):
            assert single.dtype == torch.float32
            error = torch.linalg.vector_norm(single.double() - part, dim=-1).max()
            # 100 roundings of the point, the frames and the integrator
            assert error < 100 * torch.finfo(torch.float32).eps * torch.linalg.vector_norm(part, dim=-1).max()


def test_batches_agree_with_single_points(manifold: Submanifold, generator: torch.Generator) -> None:
    x = manifold.sample(4, generator=generator)
    v = 0.2 * torch.randn(4, manifold.ambient_dim, generator=generator, dtype=torch.float64)
    u = 0.05 * torch.randn(4, manifold.dim, generator=generator, dtype=torch.float64)
    tangent, normal = manifold.displacement(x, v)
    for i in range(4):
        one = manifold.displacement(x[i], v[i])
        assert torch.allclose(tangent[i], one[0], rtol=1e-10, atol=1e-12)
        assert torch.allclose(normal[i], one[1], rtol=1e-10, atol=1e-12)
        assert torch.allclose(manifold.graph(x, u)[i], manifold.graph(x[i], u[i]), rtol=1e-10, atol=1e-14)
        assert torch.allclose(
            manifold.second_fundamental_form(x)[i], manifold.second_fundamental_form(x[i]), rtol=1e-10, atol=1e-12
        )
    grid = manifold.displacement(x[:, None], v)
    assert grid[0].shape == (4, 4, manifold.dim)
    assert torch.allclose(grid[1][2, 3], manifold.displacement(x[2], v[3])[1], rtol=1e-10, atol=1e-12)


def test_annotated_shapes_hold(place: Place, generator: torch.Generator) -> None:
    manifold, x = place
    checked = lambda method: jaxtyped(typechecker=beartype)(method)  # noqa: E731
    kind = type(manifold)
    v = 0.1 * manifold.tangent_frame(x)[:, 0]
    checked(Submanifold.tangent_frame)(manifold, x)
    checked(Submanifold.normal_frame)(manifold, x)
    checked(Submanifold.second_fundamental_form)(manifold, x)
    checked(Submanifold.graph)(manifold, x, torch.zeros(3, manifold.dim, dtype=x.dtype))
    checked(Submanifold.exp)(manifold, x, v.expand(2, -1))
    checked(Submanifold.displacement)(manifold, x, v.expand(2, -1))
    checked(Submanifold.sample)(manifold, 3, generator=generator)
    assert isinstance(manifold, kind)


def test_samples_depend_on_the_generator_alone(manifold: Submanifold) -> None:
    draws = [manifold.sample(5, generator=torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
    assert draws[0].shape == (5, manifold.ambient_dim)
    assert manifold.distance_estimate(draws[0]).max() < 1e-15 * 10 * (1 + draws[0].abs().max())
    assert manifold.sample(2, generator=torch.Generator(), dtype=torch.float32).dtype == torch.float32


def test_sampling_without_a_generator_is_an_error(manifold: Submanifold) -> None:
    with pytest.raises(TypeError):
        manifold.sample(3)  # pyright: ignore[reportCallIssue]
    with pytest.raises(InputError, match="explicit torch"):
        manifold.sample(3, generator=None)  # pyright: ignore[reportArgumentType]


def test_bad_input_is_named(generator: torch.Generator) -> None:
    sphere = Sphere(2)
    north = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
    with pytest.raises(InputError, match="positive integer"):
        sphere.sample(0, generator=generator)
    with pytest.raises(InputError, match="float16"):
        sphere.sample(1, generator=generator, dtype=torch.float16)
    with pytest.raises(InputError, match=r"shape \(…, 3\)"):
        sphere.tangent_frame(torch.zeros(4, dtype=torch.float64))
    with pytest.raises(InputError, match="unique graph"):
        sphere.graph(north, torch.tensor([1.0, 0.5], dtype=torch.float64))
    with pytest.raises(InputError, match="off Sphere"):
        sphere.sample_cloud(1.01 * north, 3, FixedRadius(0.1), generator=generator)
    with pytest.raises(InputError, match="out of range where curvature"):
        Torus(2.0, 0.5).exp(torch.tensor([2.5, 0.0, 0.0], dtype=torch.float64), 1e6 * north)
    with pytest.raises(InputError, match=r"vectors must be finite, got nan at index \(0,\)"):
        MongePatch(torch.eye(2)[None]).exp(torch.zeros(3, dtype=torch.float64), north * float("nan"))
    for bad in (lambda: Sphere(0), lambda: Sphere(2, -1.0), lambda: Cylinder(math.inf), lambda: Torus(1.0, 1.0)):
        with pytest.raises(InputError):
            bad()
