"""What holds on every manifold of the catalogue, by routes that know nothing of its formulas: automatic differentiation
of the immersion, isometries, units, numpy, and what is refused."""

import dataclasses
import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import (
    Cylinder,
    Direction,
    Ellipsoid,
    FixedRadius,
    Grassmannian,
    Product,
    SpecialOrthogonal,
    Sphere,
    Stiefel,
    Submanifold,
    Torus,
    TwoPoint,
    UniformBall,
    Veronese,
)

Place = tuple[Submanifold, Tensor]
seeds = st.integers(0, 2**32 - 1)


def coordinates(manifold: Submanifold) -> Tensor:
    """Coordinates at which every immersion of the catalogue is regular."""
    return 0.1 + 0.2 * torch.arange(1, manifold.dim + 1, dtype=torch.float64)


def in_coordinates(manifold: Submanifold, q: Tensor) -> Tensor:
    """II(∂_i, ∂_j) (d, m, m) from the frames and the second fundamental form at the image of q."""
    x = manifold.immersion(q)
    turn = manifold.tangent_frame(x).mT @ torch.func.jacfwd(manifold.immersion)(q)
    form = manifold.second_fundamental_form(x)
    return torch.einsum("da,aij,ik,jl->dkl", manifold.normal_frame(x), form, turn, turn)


def test_second_form_is_the_normal_part_of_the_hessian_of_the_immersion(manifold: Submanifold) -> None:
    q = coordinates(manifold)
    hessian = torch.func.jacfwd(torch.func.jacfwd(manifold.immersion))(q)
    normal = manifold.normal_frame(manifold.immersion(q))
    expected = torch.einsum("da,ea,eij->dij", normal, normal, hessian)
    assert torch.allclose(in_coordinates(manifold, q), expected, rtol=0, atol=1e-13 * float(1 + hessian.abs().max()))


def test_gauss_equation(manifold: Submanifold) -> None:
    """⟨II_ik, II_jl⟩ − ⟨II_il, II_jk⟩ is the curvature of the metric alone, from its first and second derivatives."""
    q = coordinates(manifold)

    def metric(p: Tensor) -> Tensor:
        jacobian = torch.func.jacfwd(manifold.immersion)(p)
        return jacobian.mT @ jacobian

    g, first = metric(q), torch.func.jacfwd(metric)(q)
    second = torch.func.jacfwd(torch.func.jacfwd(metric))(q)
    lowered = (first + first.mT - first.permute(2, 0, 1)) / 2  # Γ_{n,ij} from ∂_j g_ni in first[n, i, j]
    products = torch.einsum("nij,nm,mkl->ijkl", lowered, torch.linalg.inv(g), lowered)
    # R_iklm = ½(∂_k∂_l g_im + ∂_i∂_m g_kl − ∂_k∂_m g_il − ∂_i∂_l g_km) + Γ_kl·Γ_im − Γ_km·Γ_il
    intrinsic = (
        torch.einsum("imkl->iklm", second)
        + torch.einsum("klim->iklm", second)
        - torch.einsum("ilkm->iklm", second)
        - torch.einsum("kmil->iklm", second)
    ) / 2
    intrinsic = intrinsic + torch.einsum("klim->iklm", products) - torch.einsum("kmil->iklm", products)
    form = in_coordinates(manifold, q)
    squares = torch.einsum("dij,dkl->ijkl", form, form)
    extrinsic = torch.einsum("ilkm->iklm", squares) - torch.einsum("imkl->iklm", squares)
    # roundings of the second derivatives, which cancel
    assert torch.allclose(
        intrinsic, extrinsic, rtol=0, atol=1e-13 * float(1 + second.abs().max() + products.abs().max())
    )
    if manifold.dim > 1:
        ricci = torch.einsum("iklm,il->km", intrinsic, torch.linalg.inv(g))
        trace = torch.einsum("dij,ij->d", form, torch.linalg.inv(g))
        shape = torch.einsum("dik,ij,djm->km", form, torch.linalg.inv(g), form)
        expected = torch.einsum("dkm,d->km", form, trace) - shape
        assert torch.allclose(ricci, expected, rtol=0, atol=1e-12 * float(1 + expected.abs().max()))


def test_geodesics_run_back(place: Place, directions) -> None:
    """exp at half time twice is exp, and the way back ends where it began."""
    manifold, x = place
    v = 0.4 / manifold.chart(x).curvature_bound(0.4) * directions(10, manifold.dim) @ manifold.tangent_frame(x).mT
    chart = manifold.chart(x)
    arc = chart.geodesic(v @ manifold.tangent_frame(x), chart.steps(float(v.norm(dim=-1).max())))
    velocity = arc.tangent_velocity @ manifold.tangent_frame(x).mT
    velocity = velocity + chart.expand_normal(arc.normal_velocity) @ manifold.normal_frame(x).mT
    end = manifold.exp(x, v)
    assert torch.allclose(manifold.exp(end, -velocity), x.expand_as(end), rtol=0, atol=1e-12 * float(1 + x.abs().max()))
    assert torch.allclose(velocity.norm(dim=-1), v.norm(dim=-1), rtol=1e-12, atol=0)


def moved(manifold: Submanifold, x: Tensor, v: Tensor) -> Tensor:
    return manifold.exp(x, v - (v @ manifold.normal_frame(x)) @ manifold.normal_frame(x).mT)


@settings(max_examples=10)
@given(seed=seeds, factor=st.floats(1e-6, 1e6))
def test_units_of_length(seed: int, factor: float) -> None:
    """Scaling a manifold and a velocity scales the geodesic; second forms are in 1/length."""
    generator = torch.Generator().manual_seed(seed)
    pairs: list[tuple[Submanifold, Submanifold]] = [
        (Sphere(3), Sphere(3, factor)),
        (Torus(2.0, 0.7), Torus(2.0 * factor, 0.7 * factor)),
        (Ellipsoid((1.0, 1.3, 0.8)), Ellipsoid((factor, 1.3 * factor, 0.8 * factor))),
        (Cylinder(1.0), Cylinder(factor)),
    ]
    for unit, scaled in pairs:
        x = unit.sample(1, generator=generator)[0]
        v = 0.3 * torch.randn(unit.ambient_dim, generator=generator, dtype=torch.float64)
        end = unit.exp(x, v)
        assert torch.allclose(scaled.exp(factor * x, factor * v) / factor, end, rtol=0, atol=1e-13)
        assert torch.allclose(
            scaled.second_fundamental_form(factor * x) * factor, unit.second_fundamental_form(x), rtol=1e-10, atol=1e-12
        )


@settings(max_examples=10)
@given(seed=seeds, order=st.sampled_from(list(permutations(range(3)))))
def test_order_of_axes_and_factors(seed: int, order: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(seed)
    axes = (1.0, 1.3, 0.8)
    ellipsoid, turned = Ellipsoid(axes), Ellipsoid(tuple(axes[i] for i in order))
    x = ellipsoid.sample(1, generator=generator)[0]
    v = 0.3 * torch.randn(3, generator=generator, dtype=torch.float64)
    turn = list(order)
    assert torch.allclose(turned.exp(x[turn], v[turn]), ellipsoid.exp(x, v)[turn], rtol=0, atol=1e-13)
    factors = (Sphere(1), Sphere(2, 1.5), Torus(2.0, 0.7))
    product, shuffled = Product(*factors), Product(*(factors[i] for i in order))
    parts = [factor.sample(1, generator=generator)[0] for factor in factors]
    speeds = [0.3 * torch.randn(factor.ambient_dim, generator=generator, dtype=torch.float64) for factor in factors]
    ends = [factor.exp(part, speed) for factor, part, speed in zip(factors, parts, speeds, strict=True)]
    assert torch.allclose(product.exp(torch.cat(parts), torch.cat(speeds)), torch.cat(ends), rtol=0, atol=1e-13)
    end = shuffled.exp(torch.cat([parts[i] for i in order]), torch.cat([speeds[i] for i in order]))
    assert torch.allclose(end, torch.cat([ends[i] for i in order]), rtol=0, atol=1e-13)


@settings(max_examples=10)
@given(seed=seeds, shape=st.sampled_from([(3, 1), (4, 2), (3, 3), (5, 3)]))
def test_isometries_of_matrices(seed: int, shape: tuple[int, int]) -> None:
    """Rotations from both sides on Stiefel manifolds and rotations, conjugation on projectors."""
    generator = torch.Generator().manual_seed(seed)
    n, p = shape
    left, right = (SpecialOrthogonal(n).sample(1, generator=generator).reshape(n, n), torch.eye(p, dtype=torch.float64))
    if p > 1:
        right = SpecialOrthogonal(p).sample(1, generator=generator).reshape(p, p)
    stiefel = Stiefel(n, p)
    x = stiefel.sample(1, generator=generator)[0]
    v = 0.4 * torch.randn(n * p, generator=generator, dtype=torch.float64)
    turn = lambda vector: (left @ vector.reshape(n, p) @ right).flatten()  # noqa: E731
    assert torch.allclose(stiefel.exp(turn(x), turn(v)), turn(stiefel.exp(x, v)), rtol=0, atol=1e-13)
    if p < n:
        grassmannian = Grassmannian(n, p)
        x = grassmannian.sample(1, generator=generator)[0]
        v = 0.4 * torch.randn(n * n, generator=generator, dtype=torch.float64)
        conjugate = lambda vector: (left @ vector.reshape(n, n) @ left.mT).flatten()  # noqa: E731
        end = grassmannian.exp(conjugate(x), conjugate(v))
        assert torch.allclose(end, conjugate(grassmannian.exp(x, v)), rtol=0, atol=1e-13)


def test_numpy_in_numpy_out(place: Place, generator: torch.Generator) -> None:
    manifold, x = place
    either: Any = manifold
    u = torch.full((3, either.dim), 0.05, dtype=torch.float64)
    v = u @ manifold.tangent_frame(x).mT
    point, speed = x.numpy(), v.numpy()
    for found, expected in (
        (either.tangent_frame(point), either.tangent_frame(x)),
        (either.normal_frame(point), either.normal_frame(x)),
        (either.second_fundamental_form(point), either.second_fundamental_form(x)),
        (either.graph(point, u.numpy()), either.graph(x, u)),
        (either.exp(point, speed), either.exp(x, v)),
        (either.distance_estimate(point), either.distance_estimate(x)),
        (either.immersion(u.numpy()), either.immersion(u)),
        *zip(either.displacement(point, speed), either.displacement(x, v), strict=True),
    ):
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, expected.numpy())
    cloud = either.sample_cloud(point, 4, FixedRadius(0.05), generator=generator)
    for part in dataclasses.astuple(cloud):
        assert isinstance(part, np.ndarray)


def test_points_and_vectors_that_do_not_fit_are_named(place: Place, generator: torch.Generator) -> None:
    manifold, x = place
    v = torch.zeros_like(x)
    off = x + 0.01 * manifold.normal_frame(x)[:, 0]
    methods = {
        "tangent_frame": lambda y: manifold.tangent_frame(y),
        "normal_frame": lambda y: manifold.normal_frame(y),
        "second_fundamental_form": lambda y: manifold.second_fundamental_form(y),
        "graph": lambda y: manifold.graph(y, torch.zeros(manifold.dim, dtype=y.dtype)),
        "exp": lambda y: manifold.exp(y, v),
        "displacement": lambda y: manifold.displacement(y, v),
        "sample_cloud": lambda y: manifold.sample_cloud(y, 2, FixedRadius(0.05), generator=generator),
    }
    for method in methods.values():
        with pytest.raises(InputError, match=r"base point is .* off .*limit .*take one from"):
            method(off)
        for wrong in (math.nan, math.inf, -math.inf):
            with pytest.raises(InputError, match=rf"points must be finite, got {wrong} at index \(0,\)"):
                method(torch.cat([torch.full_like(x[:1], wrong), x[1:]]))
        with pytest.raises(InputError, match=r"must have shape \(…, \d+\), got"):
            method(x[:-1])
    infinite = torch.cat([v[:-1], torch.full_like(x[:1], math.inf)])
    for move in (manifold.exp, manifold.displacement):
        with pytest.raises(InputError, match="vectors must be finite, got inf"):
            move(x, infinite)
        with pytest.raises(InputError, match=r"vectors are torch\.float32 .* points torch\.float64"):
            move(x, v.float())
        with pytest.raises(InputError, match="do not broadcast"):
            move(x.expand(2, -1), v.expand(3, -1))
    with pytest.raises(InputError, match="coordinates must be finite"):
        manifold.graph(x, torch.full((manifold.dim,), math.nan, dtype=x.dtype))
    for formula, size in ((manifold.immersion, manifold.dim), (manifold.distance_estimate, manifold.ambient_dim)):
        with pytest.raises(InputError, match=rf"must have shape \(…, {size}\)"):
            formula(torch.zeros(size + 1, dtype=x.dtype))
        for wrong in (math.nan, math.inf):
            with pytest.raises(InputError, match=f"must be finite, got {wrong}"):
                formula(torch.full((2, size), wrong, dtype=x.dtype))


def test_points_whose_squares_overflow_are_off_the_manifold(place: Place) -> None:
    manifold, x = place
    with pytest.raises(InputError, match=r"base point is .* off"):
        manifold.tangent_frame(1e200 * torch.ones_like(x))


@pytest.mark.parametrize(
    ("points", "vectors"), [((3,), ()), ((3, 1), (2,)), ((3, 1), (1, 2)), ((2,), (3, 1)), ((1,), (2,)), ((), (3, 2))]
)
def test_graphs_broadcast_points_against_vectors(
    manifold: Submanifold, points: tuple[int, ...], vectors: tuple[int, ...], generator: torch.Generator
) -> None:
    x = manifold.sample(math.prod(points), generator=generator).reshape(*points, manifold.ambient_dim)
    u = 0.05 * torch.randn(*vectors, manifold.dim, generator=generator, dtype=torch.float64)
    heights = manifold.graph(x, u)
    batch = torch.broadcast_shapes(points, vectors)
    assert heights.shape == (*batch, manifold.codim)
    last = tuple(size - 1 for size in batch)
    whole = manifold.graph(x.expand(*batch, -1)[last], u.expand(*batch, -1)[last])
    assert torch.allclose(heights[last], whole, rtol=1e-10, atol=1e-14)


def test_points_are_not_checked_where_values_cannot_be_read(place: Place) -> None:
    manifold, x = place
    points = x.expand(3, -1)
    assert torch.equal(torch.func.vmap(manifold.distance_estimate)(points), manifold.distance_estimate(points))
    u = torch.full((3, manifold.dim), 0.05, dtype=x.dtype)
    heights = torch.func.vmap(lambda each: manifold.graph(x, each))(u)
    assert torch.allclose(heights, manifold.graph(x, u), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere(2, 1e-200), r"radius must lie between 1e-75 and 1e\+75, got 1e-200: choose other units"),
        (lambda: Sphere(2, 10**400), "radius must be positive and finite, got an integer of 1329 bits"),
        (lambda: Ellipsoid(3.0), "semi-axes must be a sequence of lengths, got 3.0"),  # pyright: ignore[reportArgumentType]
        (lambda: Ellipsoid(None), "semi-axes must be a sequence"),  # pyright: ignore[reportArgumentType]
        (lambda: Ellipsoid([1.0, "a"]), "a semi-axis must be a finite number, got 'a'"),  # pyright: ignore[reportArgumentType]
        (lambda: Sphere(2.0), "positive integer, got 2.0"),  # pyright: ignore[reportArgumentType]
        (lambda: Sphere(10**9), "at most 16384.*got 1000000000"),
        (lambda: Ellipsoid((1e300, 1.0)), r"between 1e-75 and 1e\+75"),
        (lambda: Ellipsoid((1e9, 1.0)), r"1 is too small beside 1e\+09: the limit is a factor of 1e\+08"),
        (lambda: Ellipsoid((-1.0, 1.0)), "positive and finite, got -1.0"),
        (lambda: Torus(1.0 + 1e-12, 1.0), "major − minor"),
        (lambda: Cylinder(1.0, 10**6), "at most 16384"),
        (lambda: Stiefel(3, 4), "p ≤ n, got n = 3 and p = 4"),
        (lambda: Stiefel(1, 1), "n ≥ 2"),
        (lambda: Stiefel(1000, 100), "at most 16384"),
        (lambda: SpecialOrthogonal(1), "n ≥ 2, got 1"),
        (lambda: Grassmannian(3, 3), "p < n, got n = 3 and p = 3"),
        (lambda: Product(), "at least one factor"),
        (lambda: Product(Sphere(1), 3), "must be manifolds, got int"),  # pyright: ignore[reportArgumentType]
        (lambda: FixedRadius(1e-200), "between 1e-75"),
        (lambda: TwoPoint(1.0, 1e300, 0.1), "between 1e-75"),
        (
            lambda: Sphere(2, 1e-20).sample(1, generator=torch.Generator(), dtype=torch.float32),
            "out of range in float32",
        ),
        (lambda: SpecialOrthogonal(40).tangent_frame(torch.eye(40).double().flatten()), "take smaller matrices"),
    ],
)
def test_bad_manifolds_and_laws_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_beyond_the_range_of_charts_is_refused_with_the_limit(place: Place, generator: torch.Generator) -> None:
    manifold, x = place
    chart = manifold.chart(x)
    limits: dict[Direction, float] = {"projected": chart.projected_limit, "geodesic": chart.geodesic_limit}
    for direction, limit in limits.items():
        with pytest.raises(InputError, match=f"for {direction} directions on .*: they must stay below {limit:.6g}"):
            manifold.sample_cloud(x, 2, FixedRadius(1.001 * limit), direction=direction, generator=generator)


@pytest.mark.parametrize("exponent", [-60, 60])
def test_extreme_units_keep_their_digits(exponent: int) -> None:
    factor = 10.0**exponent
    for unit, scaled in ((Sphere(2), Sphere(2, factor)), (Torus(2.0, 0.7), Torus(2 * factor, 0.7 * factor))):
        x = unit.sample(1, generator=torch.Generator().manual_seed(1))[0]
        one, other = (
            each.sample_cloud(point, 5, UniformBall(0.3 * size, 2), generator=torch.Generator().manual_seed(2))
            for each, point, size in ((unit, x, 1.0), (scaled, factor * x, factor))
        )
        assert torch.allclose(other.tangent / factor, one.tangent, rtol=1e-12, atol=1e-15)
        assert torch.allclose(other.normal / factor, one.normal, rtol=1e-11, atol=1e-16)
        assert torch.allclose(other.weight, one.weight, rtol=1e-12, atol=0)


def test_long_great_circles_are_followed_until_rounding_leaves_nothing() -> None:
    sphere = Sphere(2)
    x, v = torch.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], dtype=torch.float64)
    assert torch.allclose(sphere.exp(x, 2 * math.pi * 1000 * v), x, rtol=0, atol=1e-12)
    with pytest.raises(InputError, match=r"too long on Sphere.*beyond 1e\+06 radians"):
        sphere.exp(x, 1e7 * v)


def test_many_points_move_like_few(generator: torch.Generator) -> None:
    """The chunked route of spheres against the plain one, with derivatives, and its refusals."""
    sphere = Sphere(2, 1.5)
    x = sphere.sample(40_000, generator=generator)
    v = torch.randn(40_000, 3, generator=generator, dtype=torch.float64)
    end = sphere.exp(x, v)
    picked = torch.arange(0, 40_000, 4001)
    assert torch.allclose(end[picked], sphere.exp(x[picked], v[picked]), rtol=0, atol=1e-14)
    tangent, normal = sphere.displacement(x[picked], v[picked])
    frame = torch.cat([sphere.tangent_frame(x[picked]), sphere.normal_frame(x[picked])], -1)
    xi = (frame @ torch.cat([tangent, normal], -1)[..., None])[..., 0]
    assert torch.allclose(end[picked], x[picked] + xi, rtol=0, atol=1e-14)
    slope = torch.func.jvp(lambda speed: sphere.exp(x, speed), (v,), (v,))[1]
    around = (sphere.exp(x, 1.0001 * v) - sphere.exp(x, 0.9999 * v)) / 2e-4
    assert (slope - around).abs().max() < 1e-6
    for bad in (x * 1.001, torch.where(torch.arange(40_000)[:, None] == 7, torch.nan, x)):
        with pytest.raises(InputError, match=r"off Sphere|points must be finite, got nan at index \(7, 0\)"):
            sphere.exp(bad, v)
    with pytest.raises(InputError, match=r"vectors must be finite, got nan at index \(7, 0\)"):
        sphere.exp(x, torch.where(torch.arange(40_000)[:, None] == 7, torch.nan, v))


def test_veronese_is_a_grassmannian_in_other_units(generator: torch.Generator) -> None:
    veronese, grassmannian = Veronese(), Grassmannian(3, 1)
    x = veronese.sample(4, generator=generator)
    assert torch.allclose(x.norm(dim=-1), torch.ones(4, dtype=x.dtype), rtol=1e-14)
    form = veronese.second_fundamental_form(x)
    # Minimal in S⁴, with every normal curvature² equal to 4/3: all geodesics are circles of radius √3/2.
    trace = torch.einsum("naii,nda->nd", form, veronese.normal_frame(x))
    assert torch.allclose(trace, -2 * x, rtol=0, atol=1e-13)
    w = torch.randn(4, 2, generator=generator, dtype=torch.float64)
    w = w / w.norm(dim=-1, keepdim=True)
    bend = torch.einsum("naij,ni,nj->na", form, w, w)
    assert torch.allclose((bend**2).sum(-1), torch.full((4,), 4 / 3, dtype=x.dtype), rtol=1e-13)
    other = grassmannian.second_fundamental_form(grassmannian.sample(1, generator=generator)[0])
    assert float((form[0] ** 2).sum()) == pytest.approx(float((other**2).sum()) / 1.5, rel=1e-13)


@pytest.mark.parametrize(
    ("circle", "radius"),
    [(SpecialOrthogonal(2), math.sqrt(2)), (Grassmannian(2, 1), math.sqrt(0.5)), (Stiefel(2, 1), 1.0)],
)
def test_circles_in_other_clothes(circle: Submanifold, radius: float) -> None:
    law = UniformBall(0.9 * radius, 1)
    one, other = (
        each.sample_cloud(
            each.sample(1, generator=torch.Generator().manual_seed(1))[0],
            20,
            law,
            generator=torch.Generator().manual_seed(2),
            measure="arc",
        )
        for each in (circle, Sphere(1, radius))
    )
    assert torch.allclose(one.tangent, other.tangent, rtol=1e-12, atol=0)
    assert torch.allclose(one.weight, other.weight, rtol=1e-12, atol=0)
    assert torch.allclose(one.normal.norm(dim=-1), other.normal.norm(dim=-1), rtol=1e-12, atol=0)
