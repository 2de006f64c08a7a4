"""Circular cylinders, in closed form."""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.charts import Arc, Chart
from manifoldtheory.manifolds.checks import require_dim, require_length
from manifoldtheory.manifolds.sphere import circle


@dataclass(frozen=True)
class Cylinder(Submanifold):
    """S¹(radius) × R^length_dim in R^{2+length_dim}: points (r cos q, r sin q, y).

    The tangent frame starts with the curved direction (−sin q, cos q, 0), the normal points outwards. `sample` draws
    from the window 0 ≤ y_i < 1.
    """

    radius: float
    length_dim: int = 1
    dim: int = field(init=False, repr=False)
    ambient_dim: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_length("radius", self.radius)
        require_dim("length_dim", self.length_dim)
        object.__setattr__(self, "dim", 1 + self.length_dim)
        object.__setattr__(self, "ambient_dim", 2 + self.length_dim)

    @property
    def size(self) -> float:
        return self.radius

    def chart(self, x: Tensor) -> "CylinderChart":
        return CylinderChart(x, self.radius)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """Angle, then positions along the axes."""
        angle = coordinates[..., :1]
        circle_point = self.radius * torch.cat([torch.cos(angle), torch.sin(angle)], -1)
        return torch.cat([circle_point, coordinates[..., 1:]], -1)

    def distance_estimate(self, x: Tensor) -> Tensor:
        return (torch.linalg.vector_norm(x[..., :2], dim=-1) - self.radius).abs()

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        uniform = torch.rand(n, self.dim, generator=generator, device=generator.device, dtype=torch.float64)
        uniform[:, 0] *= 2 * math.pi
        return self.immersion(uniform)


class CylinderChart(Chart):
    """A circle in the first tangent direction, flat in the others."""

    def __init__(self, x: Tensor, radius: float) -> None:
        outward = x[..., :2] / torch.linalg.vector_norm(x[..., :2], dim=-1, keepdim=True)
        flat = x.shape[-1] - 2
        self.tangent_frame = x.new_zeros(*x.shape, 1 + flat)
        self.tangent_frame[..., 0, 0], self.tangent_frame[..., 1, 0] = -outward[..., 1], outward[..., 0]
        self.tangent_frame[..., 2:, 1:] = torch.eye(flat, dtype=x.dtype, device=x.device)
        self.normal_frame = x.new_zeros(*x.shape, 1)
        self.normal_frame[..., :2, 0] = outward
        self.second_form = x.new_zeros(*x.shape[:-1], 1, 1 + flat, 1 + flat)
        self.second_form[..., 0, 0, 0] = -1.0 / radius
        self.radius = radius
        self.projected_limit, self.geodesic_limit = math.sqrt(2) * radius, 2.0 * radius

    def curvature_bound(self, distance: float) -> float:
        return 1.0 / self.radius

    def out_of_range(self, u: Tensor) -> Tensor:
        return u[..., 0].abs() >= self.radius

    def heights(self, u: Tensor) -> Tensor:
        square = u[..., :1] ** 2
        return -square / (self.radius + torch.sqrt(self.radius**2 - square))

    def slopes(self, u: Tensor) -> Tensor:
        curved = u[..., :1]
        slope = -curved / torch.sqrt(self.radius**2 - curved**2)
        return torch.cat([slope, torch.zeros_like(u[..., 1:])], -1)[..., None, :]

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        arc = circle(a[..., :1], self.radius)
        return Arc(
            torch.cat([arc.tangent, a[..., 1:]], -1),
            arc.normal,
            torch.cat([arc.tangent_velocity, a[..., 1:]], -1),
            arc.normal_velocity,
        )

    def steps(self, length: float) -> int:
        return 1

    def projected_radius(self, t: Tensor, w: Tensor) -> Tensor:
        """√(t² − z²) with z the root of c²t² = 2rz − (1 − c²)z², c the curved component of w."""
        curved = w[..., 0] ** 2
        flat = (w[..., 1:] ** 2).sum(-1)
        depth = curved * t / (self.radius + torch.sqrt(self.radius**2 - flat * curved * t**2))  # z/t
        return t * torch.sqrt((1 - depth) * (1 + depth))
