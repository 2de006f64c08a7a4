"""Submanifolds as geomstats spaces, for geomstats' algorithms."""

from typing import Any

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.geodesic_coordinates import GeodesicCoordinates
from manifoldtheory.manifolds.geomstats_bridge import BACKEND, backend_name, double_precision, load_geomstats
from manifoldtheory.manifolds.grassmannian import Grassmannian
from manifoldtheory.manifolds.locating import spread
from manifoldtheory.manifolds.product import Product
from manifoldtheory.manifolds.sphere import Sphere
from manifoldtheory.manifolds.stiefel import SpecialOrthogonal


def geomstats_space(manifold: Submanifold) -> Any:
    """The manifold as a geomstats space, isometric to it, which remembers where it came from.

    geomstats' own class where it has one with that metric: `Hypersphere` for unit spheres, `Grassmannian`,
    `SpecialOrthogonal` with twice its default metric (that of R^{n²}), `ProductManifold` of the factors. Else an
    `ImmersedSet` of the immersion, whose points are intrinsic coordinates (…, m), and whose `exp`, `log`, `dist`,
    `geodesic`, `belongs`, `projection` (from R^d), `to_tangent` and `random_point` (uniform by volume) are the
    manifold's own. Raises `InputError` for the latter on another backend than PyTorch.
    """
    # geomstats makes its constants in the default dtype, the factor of a metric among them.
    with double_precision():
        if isinstance(manifold, Sphere) and manifold.radius == 1.0:
            space = load_geomstats("geomstats.geometry.hypersphere").Hypersphere(manifold.dim)
        elif isinstance(manifold, Grassmannian):
            space = load_geomstats("geomstats.geometry.grassmannian").Grassmannian(manifold.n, manifold.p)
        elif isinstance(manifold, SpecialOrthogonal):
            space = load_geomstats("geomstats.geometry.special_orthogonal").SpecialOrthogonal(manifold.n)
            space.metric = 2.0 * space.metric
        elif isinstance(manifold, Product):
            factors = [factor.geomstats for factor in manifold.factors]
            space = load_geomstats("geomstats.geometry.product_manifold").ProductManifold(factors)
        else:
            space = _immersed_set(manifold)
    space.manifoldtheory_origin, space.manifoldtheory_metric = manifold, space.metric
    return space


def _immersed_set(manifold: Submanifold) -> Any:
    if backend_name() != BACKEND:
        raise InputError(
            f"geomstats runs on its {backend_name()} backend here, and {manifold!r} needs the {BACKEND} one: "
            f"set GEOMSTATS_BACKEND={BACKEND} before the first import of geomstats"
        )
    coordinates = GeodesicCoordinates(manifold)
    base = load_geomstats("geomstats.geometry.base")
    euclidean = load_geomstats("geomstats.geometry.euclidean")
    pullback = load_geomstats("geomstats.geometry.pullback_metric")

    class GeodesicMetric(pullback.PullbackMetric):
        """The metric of the surrounding space, with geodesics that are right to rounding."""

        def _instantiate_solvers(self) -> None:
            """None: `exp` and `log` are not solved by geomstats."""

        def metric_matrix(self, base_point: Tensor) -> Tensor:
            jacobian = coordinates.immersion.jacobian(base_point)[1]
            return jacobian.mT @ jacobian

        def exp(self, tangent_vec: Tensor, base_point: Tensor) -> Tensor:
            return coordinates.exp(base_point, tangent_vec)

        def log(self, point: Tensor, base_point: Tensor) -> Tensor:
            return coordinates.log(base_point, point)[0]

        def dist(self, point_a: Tensor, point_b: Tensor) -> Tensor:
            return coordinates.log(point_a, point_b)[1]

        def squared_dist(self, point_a: Tensor, point_b: Tensor) -> Tensor:
            return self.dist(point_a, point_b) ** 2

        def injectivity_radius(self, base_point: Tensor | None = None) -> Tensor:
            raise NotImplementedError("the injectivity radius is not known")

    class TorchImmersedSet(base.ImmersedSet):
        """Points are intrinsic coordinates (…, m)."""

        def __init__(self) -> None:
            super().__init__(dim=manifold.dim)

        @staticmethod
        def default_metric() -> type:
            return GeodesicMetric

        def _define_embedding_space(self) -> Any:
            return euclidean.Euclidean(dim=manifold.ambient_dim)

        def immersion(self, point: Tensor) -> Tensor:
            return manifold.immersion(point)

        def jacobian_immersion(self, base_point: Tensor) -> Tensor:
            return coordinates.immersion.jacobian(base_point)[1]

        def hessian_immersion(self, base_point: Tensor) -> Tensor:
            return coordinates.immersion.second(base_point)[2]

        def belongs(self, point: Tensor, atol: float = 0.0) -> Tensor:
            """Coordinates are unbounded: whether there are m of them, all finite."""
            if point.shape[-1] != manifold.dim:
                return torch.zeros(point.shape[:-1], dtype=torch.bool)
            return point.isfinite().all(-1)

        def is_tangent(self, vector: Tensor, base_point: Tensor | None = None, atol: float = 0.0) -> Tensor:
            return self.belongs(vector)

        def projection(self, point: Tensor) -> Tensor:
            """Coordinates of the nearest point: (…, d) → (…, m); coordinates stay as they are."""
            return point.clone() if point.shape[-1] == manifold.dim else coordinates.locate(point)

        def to_tangent(self, vector: Tensor, base_point: Tensor) -> Tensor:
            """Components of the tangent part of an ambient vector: (…, d) → (…, m); components stay as they are."""
            if vector.shape[-1] == manifold.dim:
                return vector.expand(*torch.broadcast_shapes(vector.shape, base_point.shape)).clone()
            jacobian = coordinates.immersion.jacobian(base_point)[1]
            pulled = (jacobian.mT @ vector[..., None])[..., 0]
            return torch.linalg.solve(jacobian.mT @ jacobian, pulled[..., None])[..., 0]

        @staticmethod
        def spread_points(count: int) -> Tensor:
            """Coordinates (count, m) spread over the part that `random_point` draws from, without its searches."""
            return spread(coordinates.box, count)

        def random_point(self, n_samples: int = 1, bound: float = 1.0) -> Tensor:
            """Uniform by volume, seeded from torch's global random state like everything that geomstats draws."""
            generator = torch.Generator().manual_seed(int(torch.randint(2**62, ())))
            point = coordinates.sample(n_samples, generator)
            return point[0] if n_samples == 1 else point

    return TorchImmersedSet()
