"""A token's cloud: points of a manifold around an idealised centre."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.clouds import Cloud, Direction, Measure
from manifoldtheory.manifolds.radial import RadialLaw
from manifoldtheory.testing.recipes import base_point


@dataclass(frozen=True)
class TokenCloud:
    """`count` points of a manifold around `base_point(manifold, place)`, at radii from the law.

    Drawn by `Submanifold.sample_cloud` with a generator of that seed, when first looked at; its errors come then.
    """

    manifold: Submanifold
    law: RadialLaw
    count: int
    seed: int = 0
    place: int = 0
    measure: Measure = "volume"
    direction: Direction = "projected"

    @cached_property
    def base_point(self) -> Float[Tensor, " d"]:
        """p."""
        return base_point(self.manifold, self.place)

    @cached_property
    def cloud(self) -> Cloud:
        """The points, in the frames at the base point."""
        generator = torch.Generator().manual_seed(self.seed)
        return self.manifold.sample_cloud(
            self.base_point, self.count, self.law, measure=self.measure, direction=self.direction, generator=generator
        )

    @property
    def displacements(self) -> Float[Tensor, "n d"]:
        """ξ = x − p in ambient coordinates: T ξ_T + N ξ_N, each part accurate relative to its own size."""
        tangent = self.cloud.tangent @ self.manifold.tangent_frame(self.base_point).mT
        return tangent + self.cloud.normal @ self.manifold.normal_frame(self.base_point).mT

    @property
    def points(self) -> Float[Tensor, "n d"]:
        """x = p + ξ."""
        return self.base_point + self.displacements
