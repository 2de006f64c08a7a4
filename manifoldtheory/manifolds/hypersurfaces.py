"""Hypersurfaces as level sets, expanded around a point so that nothing is subtracted."""

from abc import abstractmethod

import torch
from torch import Tensor

from manifoldtheory.manifolds.charts import Arc, Chart, apply, inner
from manifoldtheory.manifolds.geodesics import integrate

HEIGHT_STEPS = 8
"""Newton steps for a height. Fixed, so that `torch.func` can go through; 6 reach rounding at |u| = √3/(2K)."""


def frames(normal: Tensor) -> tuple[Tensor, Tensor]:
    """Tangent frame (…, d, d−1) and normal frame (…, d, 1) from a unit normal (…, d): the columns of a reflection.

    The Householder reflection that takes the last axis to ∓normal has the tangent frame in its other columns; it is
    orthogonal to rounding, whatever the dimension.
    """
    mirror = normal.clone()
    mirror[..., -1] += torch.where(normal[..., -1] < 0, -1.0, 1.0)
    scale = 2 / inner(mirror, mirror)
    identity = torch.eye(normal.shape[-1], dtype=normal.dtype, device=normal.device)
    reflection = identity - (scale[..., None] * mirror)[..., None] * mirror[..., None, :]
    return reflection[..., :-1], normal[..., None]


class HypersurfaceChart(Chart):
    """The level set f = f(x), with f scaled to |∇f(x)| = 1: f(x + Ta + nb) − f(x) = b + `remainder`(a, b)."""

    curvature: float
    """Bound of the principal curvatures over the whole hypersurface."""

    def __init__(self, normal: Tensor, curvature: float, axes: Tensor | None = None) -> None:
        self.tangent_frame, self.normal_frame = frames(normal) if axes is None else (axes, normal[..., None])
        self.curvature = curvature
        self.projected_limit, self.geodesic_limit = 1.0 / curvature, 1.9 / curvature

    @abstractmethod
    def remainder(self, a: Tensor, b: Tensor) -> Tensor:
        """Second and higher orders of f: (…, m), (…) → (…)."""

    @abstractmethod
    def remainder_gradient(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        """Its derivatives by a (…, m) and by b (…)."""

    @abstractmethod
    def hessian(self, a: Tensor, b: Tensor, a_velocity: Tensor, b_velocity: Tensor) -> Tensor:
        """Second derivative of f along a velocity → (…)."""

    def curvature_bound(self, distance: float) -> float:
        return self.curvature

    def out_of_range(self, u: Tensor) -> Tensor:
        return inner(u, u) >= 1.0 / self.curvature**2

    def heights(self, u: Tensor) -> Tensor:
        b = torch.zeros_like(u[..., 0])
        for _ in range(HEIGHT_STEPS):
            b = b - (b + self.remainder(u, b)) / (1 + self.remainder_gradient(u, b)[1])
        return b[..., None]

    def slopes(self, u: Tensor) -> Tensor:
        along, across = self.remainder_gradient(u, self.heights(u)[..., 0])
        return (-along / (1 + across)[..., None])[..., None, :]

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        def acceleration(position: Tensor, velocity: Tensor) -> Tensor:
            place = position[..., :-1], position[..., -1]
            along, across = self.remainder_gradient(*place)
            gradient = torch.cat([along, 1 + across[..., None]], -1)
            bend = self.hessian(*place, velocity[..., :-1], velocity[..., -1])
            return -(bend / inner(gradient, gradient))[..., None] * gradient

        start = torch.cat([a, torch.zeros_like(a[..., :1])], -1)
        position, velocity = integrate(acceleration, start, steps)
        return Arc(position[..., :-1], position[..., -1:], velocity[..., :-1], velocity[..., -1:])


class QuadricChart(HypersurfaceChart):
    """f = ½ xᵀHx + …: the remainder is ½(aᵀAa + 2b B·a + C b²) with constant A (…, m, m), B (…, m), C (…)."""

    def __init__(
        self, normal: Tensor, gradient_norm: Tensor, hessian: Tensor, curvature: float, axes: Tensor | None = None
    ) -> None:
        """Takes the unit normal (…, d), |∇f(x)| (…), and the constant Hessian (d, d) of the unscaled f."""
        super().__init__(normal, curvature, axes)
        bent = hessian @ self.tangent_frame
        norm = gradient_norm[..., None]
        self.A = self.tangent_frame.mT @ bent / norm[..., None]
        self.B = (bent.mT @ self.normal_frame)[..., 0] / norm
        self.C = inner(normal @ hessian, normal) / gradient_norm
        self.second_form = -self.A[..., None, :, :]

    def remainder(self, a: Tensor, b: Tensor) -> Tensor:
        return (inner(a, apply(self.A, a)) + b * (2 * inner(self.B, a) + self.C * b)) / 2

    def remainder_gradient(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        return apply(self.A, a) + self.B * b[..., None], inner(self.B, a) + self.C * b

    def hessian(self, a: Tensor, b: Tensor, a_velocity: Tensor, b_velocity: Tensor) -> Tensor:
        return 2 * self.remainder(a_velocity, b_velocity)

    def heights(self, u: Tensor) -> Tensor:
        """The small root of ½C z² + (1 + B·u) z + ½ uᵀAu = 0, in the form without cancellation."""
        linear, constant = 1 + inner(self.B, u), inner(u, apply(self.A, u))
        return (-constant / (linear + torch.sqrt(linear**2 - self.C * constant)))[..., None]
