"""A token's cloud: points of a manifold around an idealised centre."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.clouds import Cloud, Direction, Measure
from manifoldtheory.manifolds.radial import RadialLaw
from manifoldtheory.testing.recipes import base_point


@dataclass(frozen=True, eq=False)
class TokenCloud:
    """Points of `manifold` around `base_point`, at radii from `law`; `cloud` holds them in the frames there."""

    manifold: Submanifold
    base_point: Float[Tensor, " d"]
    law: RadialLaw
    cloud: Cloud

    @property
    def displacements(self) -> Float[Tensor, "n d"]:
        """ξ = x − p in ambient coordinates: T ξ_T + N ξ_N, each part accurate relative to its own size."""
        tangent = self.cloud.tangent @ self.manifold.tangent_frame(self.base_point).mT
        return tangent + self.cloud.normal @ self.manifold.normal_frame(self.base_point).mT

    @property
    def points(self) -> Float[Tensor, "n d"]:
        """x = p + ξ."""
        return self.base_point + self.displacements


def token_cloud(
    manifold: Submanifold,
    law: RadialLaw,
    count: int,
    seed: int = 0,
    measure: Measure = "volume",
    direction: Direction = "geodesic",
) -> TokenCloud:
    """`count` points around `base_point(manifold, seed)`, drawn by `Submanifold.sample_cloud` with that seed."""
    point = base_point(manifold, seed)
    generator = torch.Generator().manual_seed(seed)
    cloud = manifold.sample_cloud(point, count, law, measure=measure, direction=direction, generator=generator)
    return TokenCloud(manifold, point, law, cloud)
