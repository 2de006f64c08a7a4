"""Submanifolds inside geomstats' algorithms: means and principal components against independent computations."""

import math

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
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
    from_geomstats,
    from_immersion,
)
from manifoldtheory.manifolds.geomstats_bridge import double_precision, load_geomstats

pytestmark = pytest.mark.filterwarnings(
    # geomstats hands tensors to numpy, whose version 2 wants a keyword that torch's `__array__` does not have.
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)

SADDLE = from_immersion(lambda q: torch.stack([q[0], q[1], q[0] * q[1] / 2]), 2, name="saddle")
MONGE = MongePatch(torch.tensor([[[0.7, 0.2], [0.2, -0.5]], [[0.1, -0.3], [-0.3, 0.4]]], dtype=torch.float64))
BY_COORDINATES: list[Submanifold] = [
    Torus(2.0, 0.7),
    Ellipsoid((1.0, 1.3, 0.8)),
    Sphere(2, 1.5),
    Cylinder(1.5),
    MONGE,
    Veronese(),
    SADDLE,
]
BY_POINTS: list[Submanifold] = [
    Sphere(3),
    SpecialOrthogonal(3),
    Grassmannian(4, 2),
    Product(Sphere(2), Torus(2.0, 0.7)),
]
CENTRE = torch.tensor([0.9, 0.6], dtype=torch.float64)
STEPS = torch.tensor([[0.3, 0.1], [-0.2, 0.2], [0.05, -0.35], [0.1, 0.3]], dtype=torch.float64)


@pytest.mark.parametrize("manifold", [*BY_COORDINATES, *BY_POINTS, Stiefel(3, 2)], ids=repr)
def test_the_round_trip_gives_back_the_manifold(manifold: Submanifold) -> None:
    assert from_geomstats(manifold.geomstats) is manifold


@pytest.mark.parametrize("manifold", [*BY_COORDINATES[:-1], pytest.param(SADDLE, marks=pytest.mark.thorough)], ids=repr)
def test_exp_and_log_are_inverse_and_the_geodesics_those_of_the_manifold(manifold: Submanifold) -> None:
    space = manifold.geomstats
    with double_precision():
        ends = space.metric.exp(STEPS, CENTRE)
        back = space.metric.log(ends, CENTRE)
        half = space.metric.geodesic(CENTRE, initial_tangent_vec=STEPS[0])(torch.tensor([0.0, 0.5, 1.0]))
    assert torch.allclose(back, STEPS, rtol=0, atol=1e-12)
    x, v = manifold.immersion(CENTRE), STEPS @ space.jacobian_immersion(CENTRE).mT
    assert torch.allclose(manifold.immersion(ends), manifold.exp(x, v), rtol=0, atol=1e-12)
    assert torch.allclose(manifold.immersion(half[1]), manifold.exp(x, v[0] / 2), rtol=0, atol=1e-12)


@pytest.mark.parametrize("manifold", BY_COORDINATES, ids=repr)
def test_spaces_know_their_points(manifold: Submanifold) -> None:
    space = manifold.geomstats
    with double_precision():
        torch.manual_seed(1)
        points = space.random_point(5)
        assert space.random_point().shape == (2,)
        assert bool(space.belongs(points).all())
        assert not bool(space.belongs(torch.tensor([math.nan, 0.0])))
        assert not bool(space.belongs(torch.zeros(3)))
        x = manifold.immersion(points)
        found = space.projection(x)
        v = torch.randn(5, manifold.ambient_dim, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
        tangent = space.to_tangent(v, points)
    assert torch.allclose(manifold.immersion(found), x, rtol=0, atol=1e-12)
    frame = manifold.tangent_frame(x)
    expected = (frame @ frame.mT @ v[..., None])[..., 0]
    assert torch.allclose((space.jacobian_immersion(points) @ tangent[..., None])[..., 0], expected, rtol=0, atol=1e-10)


def test_small_distances_keep_their_digits() -> None:
    """Along the outer equator of a torus, a geodesic of length 2.7 Δφ; geomstats' own spheres give 0 here."""
    space = Torus(2.0, 0.7).geomstats
    for step in (1e-3, 1e-9, 1e-14):
        first = torch.tensor([0.4, 0.0], dtype=torch.float64)
        second = torch.tensor([0.4 + step, 0.0], dtype=torch.float64)
        exact = 2.7 * float(second[0] - first[0])
        assert float(space.metric.dist(first, second)) == pytest.approx(exact, rel=1e-12)


def test_the_shortest_way_crosses_the_edge_of_the_coordinates() -> None:
    space = Torus(2.0, 0.7).geomstats
    ends = torch.tensor([[0.1, 0.0], [2 * math.pi - 0.1, 0.0]], dtype=torch.float64)
    assert float(space.metric.dist(*ends)) == pytest.approx(0.2 * 2.7, rel=1e-12)


def mean_of(space, points: Tensor) -> Tensor:
    """Until the velocities to the points add up to less than 2e-8."""
    with double_precision():
        estimator = load_geomstats("geomstats.learning.frechet_mean").FrechetMean(space)
        estimator.set(epsilon=1e-16, max_iter=100)
        return estimator.fit(points).estimate_


def level_set(manifold: Submanifold, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradients (k, d) and Hessians (k, d, d) of functions that vanish on the manifold."""
    if isinstance(manifold, Ellipsoid):
        inverse = 1 / np.array(manifold.semi_axes) ** 2
        return (inverse * x)[None], np.diag(inverse)[None]
    if isinstance(manifold, Torus):
        level, flat = x @ x + manifold.major**2 - manifold.minor**2, x * [1, 1, 0]
        hessian = 4 * level * np.eye(3) + 8 * np.outer(x, x) - 8 * manifold.major**2 * np.diag([1, 1, 0])
        return (4 * level * x - 8 * manifold.major**2 * flat)[None], hessian[None]
    forms = np.zeros((2, 4, 4))
    forms[:, :2, :2] = MONGE.second_form.numpy()
    return np.eye(4)[2:] - forms @ x, -forms


@pytest.mark.parametrize(
    "manifold",
    [
        Ellipsoid((1.0, 1.3, 0.8)),
        pytest.param(Torus(2.0, 0.7), marks=pytest.mark.thorough),
        pytest.param(MONGE, marks=pytest.mark.thorough),
    ],
    ids=repr,
)
def test_frechet_means_are_stationary_by_another_solver(manifold: Submanifold) -> None:
    """The velocities from the mean to the points, by scipy's solvers on a level set in R^d, add up to 0."""
    points = manifold.immersion(CENTRE + STEPS).numpy()
    mean = mean_of(manifold.geomstats, CENTRE + STEPS)
    x = manifold.immersion(mean).numpy()
    jacobian = torch.func.jacfwd(manifold.immersion)(mean).numpy()

    def rate(_, state: np.ndarray) -> np.ndarray:
        position, velocity = np.split(state, 2)
        gradients, hessians = level_set(manifold, position)
        bend = hessians @ velocity @ velocity
        return np.concatenate([velocity, -gradients.T @ np.linalg.solve(gradients @ gradients.T, bend)])

    def end(velocity: np.ndarray) -> np.ndarray:
        start = np.concatenate([x, jacobian @ velocity])
        return solve_ivp(rate, (0, 1), start, method="DOP853", rtol=1e-11, atol=1e-12).y[: len(x), -1]

    velocities = [
        least_squares(lambda v, target=point: end(v) - target, np.zeros(2), xtol=1e-13, ftol=1e-15, gtol=1e-13).x
        for point in points
    ]
    # Finite differences of the solver leave the shooting right to about 1e-8.
    assert np.abs(np.mean(velocities, 0)).max() < 1e-7


def test_frechet_mean_on_a_sphere_is_that_of_the_unit_sphere() -> None:
    """Points of another radius, in angles, against geomstats' own Hypersphere in ambient coordinates."""
    sphere = Sphere(2, 1.5)
    points = CENTRE + STEPS
    mean = mean_of(sphere.geomstats, points)
    expected = mean_of(Sphere(2).geomstats, sphere.immersion(points) / 1.5)
    assert torch.allclose(sphere.immersion(mean) / 1.5, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "manifold",
    [*BY_POINTS[1:3], *(pytest.param(each, marks=pytest.mark.thorough) for each in (SADDLE, BY_POINTS[3]))],
    ids=repr,
)
def test_frechet_mean_runs_on_the_others(manifold: Submanifold) -> None:
    space = manifold.geomstats
    with double_precision():
        torch.manual_seed(5)
        centre = space.random_point()
        v = space.random_tangent_vec(centre, 2)
        v = 0.2 * v / space.metric.norm(v, centre).reshape(-1, *[1] * (v.ndim - 1))
        points = torch.cat([space.metric.exp(v, centre), space.metric.exp(-v, centre)])
    # Two pairs of points opposite each other have their mean in the middle.
    assert torch.allclose(mean_of(space, points), centre, rtol=0, atol=1e-7)


def test_rotations_have_the_metric_of_the_surrounding_space() -> None:
    manifold = SpecialOrthogonal(3)
    space = manifold.geomstats
    with double_precision():
        torch.manual_seed(1)
        x = space.random_point()
        v = space.to_tangent(torch.randn(3, 3, dtype=torch.float64), x)
        assert float(space.metric.norm(v, x)) == pytest.approx(float(torch.linalg.matrix_norm(v)), rel=1e-12)


def test_k_means_parts_two_groups() -> None:
    """Two groups on a cylinder, one of them across the edge of the angle; it is flat, so the centres are means."""
    space = Cylinder(1.5).geomstats
    points = torch.tensor([[0.1, 0.2], [2 * math.pi - 0.1, 0.0], [1.0, 0.4], [1.2, 0.6]], dtype=torch.float64)
    with double_precision():
        torch.manual_seed(0)
        kmeans = load_geomstats("geomstats.learning.kmeans").RiemannianKMeans(space, n_clusters=2)
        kmeans.fit(points)
    labels = kmeans.labels_.tolist()
    assert labels[0] == labels[1] != labels[2] == labels[3]
    expected = space.immersion(torch.tensor([[0.0, 0.1], [1.1, 0.5]], dtype=torch.float64))
    centres = space.immersion(kmeans.cluster_centers_)
    assert torch.cdist(expected, centres).amin(1).max() < 1e-12


def test_points_beyond_each_others_reach_are_named() -> None:
    space = Torus(2.0, 0.7).geomstats
    with pytest.raises(InputError, match="out of range where curvature"):
        space.metric.exp(1e4 * STEPS, CENTRE)
