"""Densities of projected directions on shells of fixed ambient radius, over directions that all shells share."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.manifolds.clouds import place_projected
from sims.sampling import Curvature, symmetric_directions

CHUNK = 2**15


@dataclass(frozen=True)
class Shells:
    """Densities q (shells, n) of directions (n, m) at radii t (shells), relative to flat space: 1 + c t² + O(t³)."""

    radii: Sequence[float]
    directions: Float[Tensor, "n m"]
    density: Float[Tensor, "shells n"]

    @property
    def normalised(self) -> Float[Tensor, "shells n"]:
        """q/⟨q⟩: relative to uniform on the sphere of directions, on each shell."""
        return self.density / self.density.mean(-1, keepdim=True)


def folded(values: Float[Tensor, " n"]) -> Float[Tensor, " half"]:
    """Means over the antithetic pairs of `symmetric_directions`, which are independent of each other; n even."""
    return values.unflatten(0, (2, -1)).mean(0)


def draw_shells(curvature: Curvature, radii: Sequence[float], n: int, generator: torch.Generator) -> Shells:
    """n antithetic directions, and the exact volume density of each on every shell."""
    subject = curvature.subject
    chart = subject.manifold.chart(subject.base_point)
    directions = symmetric_directions(n, subject.dim, generator)
    densities = [
        torch.cat([place_projected(chart, torch.full_like(w[:, 0], t), w)[2] for w in directions.split(CHUNK)])
        for t in radii
    ]
    return Shells(radii, directions, torch.stack(densities))
