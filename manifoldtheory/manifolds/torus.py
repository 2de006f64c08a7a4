"""Tori of revolution."""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.charts import Arc
from manifoldtheory.manifolds.checks import require_length, require_proportion
from manifoldtheory.manifolds.geodesics import integrate
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
        require_proportion("minor", self.minor, self.major)
        require_proportion("major − minor", self.major - self.minor, self.major)
        object.__setattr__(self, "dim", 2)
        object.__setattr__(self, "ambient_dim", 3)

    @property
    def size(self) -> float:
        return self.major + self.minor

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

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        """In the increments (Δφ, Δθ) of the angles: φ″ = 2 r sin θ φ′θ′/ρ, θ″ = −ρ sin θ φ′²/r.

        The displacement follows from half angles, with ρ₁ the distance from the axis at the end: along the parallel
        ρ₁ sin Δφ, the meridian r sin Δθ + 2ρ₁ sin θ sin²(Δφ/2), the normal −2r sin²(Δθ/2) − 2ρ₁ cos θ sin²(Δφ/2).
        """
        tube = torch.atan2(self.sine, self.cosine)
        parallel, meridian = a.unbind(-1)
        start = torch.stack(torch.broadcast_tensors(parallel / self.distance, meridian / self.minor))

        def acceleration(position: Tensor, velocity: Tensor) -> Tensor:
            angle = tube + position[1]
            sine, distance = torch.sin(angle), self.major + self.minor * torch.cos(angle)
            around = 2 * self.minor * sine / distance * velocity[0] * velocity[1]
            return torch.stack([around, -distance * sine / self.minor * velocity[0] ** 2])

        (around, along), (around_speed, along_speed) = integrate(acceleration, start, steps)
        distance = self.major + self.minor * torch.cos(tube + along)
        distance_speed = -self.minor * torch.sin(tube + along) * along_speed
        sag, sag_speed = 2 * torch.sin(around / 2) ** 2, torch.sin(around) * around_speed
        drop, drop_speed = distance * sag, distance_speed * sag + distance * sag_speed
        tangent = torch.stack([distance * torch.sin(around), self.minor * torch.sin(along) + self.sine * drop], -1)
        normal = -2 * self.minor * torch.sin(along / 2) ** 2 - self.cosine * drop
        tangent_speed = torch.stack(
            [
                distance_speed * torch.sin(around) + distance * torch.cos(around) * around_speed,
                self.minor * torch.cos(along) * along_speed + self.sine * drop_speed,
            ],
            -1,
        )
        normal_speed = -self.minor * torch.sin(along) * along_speed - self.cosine * drop_speed
        return Arc(tangent, normal[..., None], tangent_speed, normal_speed[..., None])
