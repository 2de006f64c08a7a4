"""Round spheres, in closed form."""

import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.charts import Arc, Chart, inner
from manifoldtheory.manifolds.checks import require_dim, require_length
from manifoldtheory.manifolds.hypersurfaces import frames


@dataclass(frozen=True)
class Sphere(Submanifold):
    """The sphere of the given dimension and radius around the origin of R^{dim+1}; normals point outwards."""

    dim: int
    radius: float = 1.0
    ambient_dim: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_dim("a sphere's dimension", self.dim)
        require_length("radius", self.radius)
        object.__setattr__(self, "ambient_dim", self.dim + 1)

    @property
    def geomstats(self) -> Any:
        """geomstats' `Hypersphere` for the unit sphere, else an `ImmersedSet`."""
        if self.radius != 1.0:
            return super().geomstats
        from manifoldtheory.manifolds import geomstats_bridge

        return geomstats_bridge.hypersphere(self.dim)

    def chart(self, x: Tensor) -> "SphereChart":
        return SphereChart(x, self.radius)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """Hyperspherical angles: r (cos q₁, sin q₁ cos q₂, …, sin q₁ ⋯ sin q_m)."""
        ones = torch.ones_like(coordinates[..., :1])
        sines = torch.cat([ones, torch.cumprod(torch.sin(coordinates), -1)], -1)
        return self.radius * sines * torch.cat([torch.cos(coordinates), ones], -1)

    def distance_estimate(self, x: Tensor) -> Tensor:
        return (torch.linalg.vector_norm(x, dim=-1) - self.radius).abs()

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        return self.radius * uniform_directions(n, self.ambient_dim, generator)


class SphereChart(Chart):
    """z = −u²/(r + √(r² − u²)); the geodesic is (sin, −2 sin²(½·)) of s/r: no 1 − cos."""

    def __init__(self, x: Tensor, radius: float) -> None:
        normal = x / torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        self.tangent_frame, self.normal_frame = frames(normal)
        dim = normal.shape[-1] - 1
        identity = torch.eye(dim, dtype=x.dtype, device=x.device)
        self.second_form = (-identity / radius).expand(*x.shape[:-1], 1, dim, dim)
        self.radius = radius
        self.projected_limit, self.geodesic_limit = math.sqrt(2) * radius, 2.0 * radius

    def curvature_bound(self, distance: float) -> float:
        return 1.0 / self.radius

    def out_of_range(self, u: Tensor) -> Tensor:
        return inner(u, u) >= self.radius**2

    def heights(self, u: Tensor) -> Tensor:
        square = inner(u, u)[..., None]
        return -square / (self.radius + torch.sqrt(self.radius**2 - square))

    def slopes(self, u: Tensor) -> Tensor:
        return (-u / torch.sqrt(self.radius**2 - inner(u, u))[..., None])[..., None, :]

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        return circle(a, self.radius)

    def steps(self, length: float) -> int:
        return 1

    def projected_radius(self, t: Tensor, w: Tensor) -> Tensor:
        return t * torch.sqrt((1 - t / (2 * self.radius)) * (1 + t / (2 * self.radius)))

    def arclength(self, t: Tensor, w: Tensor, steps: int) -> Tensor:
        return 2 * self.radius * torch.asin(t / (2 * self.radius))


def circle(a: Tensor, radius: float) -> Arc:
    """Great-circle arc with initial velocity a (…, m), on a sphere of the given radius."""
    angle = torch.linalg.vector_norm(a, dim=-1, keepdim=True) / radius
    half = torch.sinc(angle / (2 * math.pi))  # sin(½φ)/(½φ), with a derivative at 0
    sine = torch.sinc(angle / math.pi)
    height = -radius / 2 * (angle * half) ** 2
    return Arc(a * sine, height, a * torch.cos(angle), -radius * angle**2 * sine)


def uniform_directions(n: int, size: int, generator: torch.Generator) -> Tensor:
    """n independent uniform unit vectors (n, size), float64."""
    gaussian = torch.randn(n, size, generator=generator, device=generator.device, dtype=torch.float64)
    return gaussian / torch.linalg.vector_norm(gaussian, dim=-1, keepdim=True)
