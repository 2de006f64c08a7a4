"""Hypersurfaces as level sets, expanded around a point so that nothing is subtracted."""

from abc import abstractmethod

import torch
from torch import Tensor

from manifoldtheory.manifolds.charts import Arc, Chart, components_first, inner
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
    """The level set f = f(x), with f scaled to |∇f(x)| = 1: f(x + Ta + nb) − f(x) = b + `remainder`(a, b).

    Inside, components come *first*, a (m, …) and b (…): short last axes would take most of the time.
    """

    curvature: float
    """Bound of the principal curvatures over the whole hypersurface."""

    def __init__(self, normal: Tensor, curvature: float, axes: Tensor | None = None) -> None:
        self.tangent_frame, self.normal_frame = frames(normal) if axes is None else (axes, normal[..., None])
        self.curvature = curvature
        self.projected_limit, self.geodesic_limit = 1.0 / curvature, 1.9 / curvature

    @abstractmethod
    def remainder(self, a: Tensor, b: Tensor) -> Tensor:
        """Second and higher orders of f: (m, …), (…) → (…)."""

    @abstractmethod
    def remainder_gradient(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        """Its derivatives by a (m, …) and by b (…)."""

    def curvature_bound(self, distance: float) -> float:
        return self.curvature

    def out_of_range(self, u: Tensor) -> Tensor:
        return inner(u, u) >= 1.0 / self.curvature**2

    def heights(self, u: Tensor) -> Tensor:
        return self.height(components_first(u))[..., None]

    def height(self, a: Tensor) -> Tensor:
        """The root of b + remainder(a, b) = 0 next to 0, by Newton: (m, …) → (…)."""
        b = torch.zeros_like(a[0])
        for _ in range(HEIGHT_STEPS):
            b = b - (b + self.remainder(a, b)) / (1 + self.remainder_gradient(a, b)[1])
        return b

    def slopes(self, u: Tensor) -> Tensor:
        a = components_first(u)
        along, across = self.remainder_gradient(a, self.height(a))
        return (-along / (1 + across)).movedim(0, -1)[..., None, :]


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

    def _linear(self, a: Tensor) -> tuple[Tensor, Tensor]:
        """A a (m, …) and B·a (…)."""
        return _turn(self.A, a), torch.einsum("...j,j...->...", self.B, a)

    def remainder(self, a: Tensor, b: Tensor) -> Tensor:
        bent, mixed = self._linear(a)
        return ((a * bent).sum(0) + b * (2 * mixed + self.C * b)) / 2

    def remainder_gradient(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        bent, mixed = self._linear(a)
        return bent + torch.einsum("...i,...->i...", self.B, b), mixed + self.C * b

    def height(self, a: Tensor) -> Tensor:
        """The small root of ½C z² + (1 + B·u) z + ½ uᵀAu = 0, in the form without cancellation."""
        bent, mixed = self._linear(a)
        linear, constant = 1 + mixed, (a * bent).sum(0)
        return -constant / (linear + torch.sqrt(linear**2 - self.C * constant))

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        """γ″ = −(γ′ᵀHγ′) G/|G|² with the gradient G = n + Hξ, in the frames."""
        last = torch.zeros(a.shape[-1] + 1, dtype=a.dtype, device=a.device)
        last[-1] = 1.0
        mixed = torch.cat([self.A, self.B[..., None]], -1)
        corner = torch.cat([self.B, self.C[..., None]], -1)
        hessian = torch.cat([mixed, corner[..., None, :]], -2)

        def acceleration(position: Tensor, velocity: Tensor) -> Tensor:
            gradient = _turn(hessian, position)
            gradient = gradient + last.reshape(-1, *(1,) * (gradient.ndim - 1))
            bend = (velocity * _turn(hessian, velocity)).sum(0)
            return (-bend / (gradient**2).sum(0)) * gradient

        start = components_first(a)
        start = torch.cat([start, torch.zeros_like(start[:1])])
        position, velocity = (end.movedim(0, -1) for end in integrate(acceleration, start, steps))
        return Arc(position[..., :-1], position[..., -1:], velocity[..., :-1], velocity[..., -1:])


def _turn(matrix: Tensor, vector: Tensor) -> Tensor:
    """(…, p, q), (q, …) → (p, …)."""
    return torch.tensordot(matrix, vector, 1) if matrix.ndim == 2 else torch.einsum("...ij,j...->i...", matrix, vector)
