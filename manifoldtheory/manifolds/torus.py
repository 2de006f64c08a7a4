"""Tori of revolution."""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.checks import require_length
from manifoldtheory.manifolds.hypersurfaces import HypersurfaceChart
from manifoldtheory.manifolds.rejection import draw_accepted


@dataclass(frozen=True)
class Torus(Submanifold):
    """((R + r cos θ) cos φ, (R + r cos θ) sin φ, r sin θ) in R³, R = major > r = minor.

    The tangent frame is (parallel, meridian), ∂_φ and ∂_θ normalised: the principal directions. Normals point outwards.
    """

    major: float
    minor: float
    dim: int = field(init=False, repr=False)
    ambient_dim: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_length("major", self.major)
        require_length("minor", self.minor)
        if self.major <= self.minor:
            raise InputError(f"a torus needs major > minor, or it meets itself; got {self.major} and {self.minor}")
        object.__setattr__(self, "dim", 2)
        object.__setattr__(self, "ambient_dim", 3)

    def chart(self, x: Tensor) -> "TorusChart":
        return TorusChart(x, self.major, self.minor)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """Angles (φ, θ): around the axis, around the tube."""
        around, tube = coordinates.unbind(-1)
        distance = self.major + self.minor * torch.cos(tube)
        return torch.stack(
            [distance * torch.cos(around), distance * torch.sin(around), self.minor * torch.sin(tube)], -1
        )

    def distance_estimate(self, x: Tensor) -> Tensor:
        across = torch.linalg.vector_norm(x[..., :2], dim=-1) - self.major
        return (torch.hypot(across, x[..., 2]) - self.minor).abs()

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        """Uniform angles, accepted in proportion to the area element R + r cos θ."""

        def propose(size: int) -> tuple[Tensor, Tensor]:
            angles = (
                2 * math.pi * torch.rand(size, 2, generator=generator, device=generator.device, dtype=torch.float64)
            )
            element = self.major + self.minor * torch.cos(angles[:, 1])
            return self.immersion(angles), element / (self.major + self.minor)

        return draw_accepted(propose, n, generator)


class TorusChart(HypersurfaceChart):
    """f = ((|x|² + R² − r²)² − 4R²(x₁² + x₂²)) / |∇|, expanded in displacement form.

    With ρ = R + r cos θ the horizontal distance of the base point from the axis, |∇| = 8Rrρ, and
    f(x + ξ) − f(x) = n·ξ + (4Rρ|ξ|² − 4R²|ξ_h|² + (2x·ξ + |ξ|²)²) / |∇|, ξ_h the part across the axis.
    """

    def __init__(self, x: Tensor, major: float, minor: float) -> None:
        distance = torch.linalg.vector_norm(x[..., :2], dim=-1)
        radial = torch.cat([x[..., :2] / distance[..., None], torch.zeros_like(x[..., :1])], -1)
        tube = torch.stack([distance - major, x[..., 2]], -1)
        cosine, sine = (tube / torch.linalg.vector_norm(tube, dim=-1, keepdim=True)).unbind(-1)
        axis = torch.tensor([0.0, 0.0, 1.0], dtype=x.dtype, device=x.device).expand_as(x)
        parallel = torch.stack([-radial[..., 1], radial[..., 0], torch.zeros_like(distance)], -1)
        meridian = cosine[..., None] * axis - sine[..., None] * radial
        normal = cosine[..., None] * radial + sine[..., None] * axis
        super().__init__(normal, max(1 / minor, 1 / (major - minor)), torch.stack([parallel, meridian], -1))
        self.major, self.minor, self.cosine, self.sine = major, minor, cosine, sine
        self.distance = major + minor * cosine
        self.norm = 8 * major * minor * self.distance
        curvatures = torch.stack([-cosine / self.distance, torch.full_like(cosine, -1 / minor)], -1)
        self.second_form = torch.diag_embed(curvatures)[..., None, :, :]

    def _split(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        """Radial and axial component of a vector in the frames; its component along the parallel is a₁."""
        return self.cosine * b - self.sine * a[1], self.sine * b + self.cosine * a[1]

    def _level(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """|ξ|², |ξ_h|², and the increment 2x·ξ + |ξ|² of |x|²."""
        radial, axial = self._split(a, b)
        across = radial**2 + a[0] ** 2
        square = (a**2).sum(0) + b**2
        return square, across, 2 * (self.distance * radial + self.minor * self.sine * axial) + square

    def remainder(self, a: Tensor, b: Tensor) -> Tensor:
        square, across, increment = self._level(a, b)
        return (4 * self.major * self.distance * square - 4 * self.major**2 * across + increment**2) / self.norm

    def remainder_gradient(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        radial, axial = self._split(a, b)
        increment = self._level(a, b)[2]
        # Radial, parallel and axial component of the ambient gradient, then turned into the frames.
        common = 8 * self.major * self.distance + 4 * increment
        along_radial = common * radial - 8 * self.major**2 * radial + 4 * increment * self.distance
        along_parallel = (common - 8 * self.major**2) * a[0]
        along_axis = common * axial + 4 * increment * self.minor * self.sine
        meridian = self.cosine * along_axis - self.sine * along_radial
        normal = self.cosine * along_radial + self.sine * along_axis
        return torch.stack([along_parallel, meridian]) / self.norm, normal / self.norm

    def hessian(self, a: Tensor, b: Tensor, a_velocity: Tensor, b_velocity: Tensor) -> Tensor:
        radial, axial = self._split(a, b)
        radial_velocity, axial_velocity = self._split(a_velocity, b_velocity)
        speed = (a_velocity**2).sum(0) + b_velocity**2
        across = radial_velocity**2 + a_velocity[0] ** 2
        # Half the rate of |x|²: the scalar product of the place and the velocity.
        rate = (self.distance + radial) * radial_velocity + a[0] * a_velocity[0]
        rate = rate + (self.minor * self.sine + axial) * axial_velocity
        level = 8 * self.major * self.distance + 4 * self._level(a, b)[2]
        return (8 * rate**2 + level * speed - 8 * self.major**2 * across) / self.norm
