"""A submanifold seen from one of its points: heights over the tangent plane, and geodesics, without subtraction."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd import forward_ad

from manifoldtheory.manifolds.geodesics import steps_for

NEWTON_STEPS = 60
"""Bound on the Newton steps of a radius; quadratic convergence takes 3 to 6."""


@dataclass(frozen=True)
class Arc:
    """End of the geodesic with initial velocity a at time 1, in frames at the start: displacement and velocity."""

    tangent: Tensor
    normal: Tensor
    tangent_velocity: Tensor
    normal_velocity: Tensor


class Chart(ABC):
    """The manifold around x (…, d), in orthonormal frames at x.

    Normal components here are in an *osculating* frame, which is `normal_frame` unless `expand_normal` says otherwise:
    a manifold that bends into few normal directions computes in these only.
    """

    tangent_frame: Tensor
    """(…, d, m)"""
    normal_frame: Tensor
    """(…, d, codim)"""
    second_form: Tensor
    """(…, codim, m, m), in the two frames."""
    projected_limit: float
    """Ambient radii below it are reached exactly once along every projected direction."""
    geodesic_limit: float
    """Ambient radii below it are reached exactly once along every geodesic, before any conjugate point."""

    @abstractmethod
    def curvature_bound(self, distance: float) -> float:
        """A bound of |II(v, v)|, |v| = 1, over the points within the given geodesic distance."""

    @abstractmethod
    def out_of_range(self, u: Tensor) -> Tensor:
        """Where the graph over the tangent coordinates u is not defined or not unique: (…, m) → (…) bool."""

    @abstractmethod
    def heights(self, u: Tensor) -> Tensor:
        """z(u), the graph over the tangent plane: (…, m) → (…, osculating codim)."""

    @abstractmethod
    def slopes(self, u: Tensor) -> Tensor:
        """∂z/∂u: (…, m) → (…, osculating codim, m)."""

    @abstractmethod
    def geodesic(self, a: Tensor, steps: int) -> Arc:
        """The geodesic with initial velocity a (…, m) in the tangent frame, at time 1."""

    def variation(self, a: Tensor, across: Tensor, steps: int) -> tuple[Arc, Tensor]:
        """The geodesic, and the derivative of its displacement by k changes of the initial velocity.

        Rows are independent: one forward derivative per change gives the whole batch. Shapes: (n, m), (k, n, m) → an
        arc of n rows, (k, n, m + osculating codim).
        """
        # Plain forward mode, all changes at once: torch.func.jvp costs several times as much per operation.
        with forward_ad.dual_level():
            moved = self.geodesic(forward_ad.make_dual(a.expand_as(across).contiguous(), across), steps)
            parts = [forward_ad.unpack_dual(part) for part in (moved.tangent, moved.normal)]
            arc = Arc(*(forward_ad.unpack_dual(part).primal[0] for part in vars(moved).values()))
        # A part that does not depend on the velocity has no derivative: the normal one of a flat manifold.
        return arc, torch.cat([torch.zeros_like(primal) if slope is None else slope for primal, slope in parts], -1)

    def expand_normal(self, normal: Tensor) -> Tensor:
        """Components in the osculating frame → components in `normal_frame`."""
        return normal

    def steps(self, length: float) -> int:
        """Integration steps for geodesics up to the given length; raises `InputError` when they are too long."""
        return steps_for(self.curvature_bound(length), length)

    def steps_to(self, radius: float) -> int:
        """Integration steps that reach the ambient radius along every geodesic: s ≤ (2/K) asin(K·radius/2) (Schur)."""
        curvature = self.curvature_bound(math.pi / 2 * radius)
        return self.steps(2 / curvature * math.asin(min(curvature * radius / 2, 1.0)) if curvature else radius)

    def projected_radius(self, t: Tensor, w: Tensor) -> Tensor:
        """ρ with ρ² + |z(ρw)|² = t²: (…), (…, m) → (…).

        Newton in e = 1 − ρ/t, which is of order t²: no digits are lost at small t. Where the curvature is at most
        1/t the tangent part is at least √3 t/2 (comparison with a circle), which brackets e.
        """
        e = torch.zeros_like(t)
        for _ in range(NEWTON_STEPS):
            u = (t * (1 - e))[..., None] * w
            height, slope = self.heights(u), apply(self.slopes(u), w)
            residual = e * (e - 2) + ((height / t[..., None]) ** 2).sum(-1)
            change = residual / (2 * (e - 1) - 2 * (height * slope).sum(-1) / t)
            e = (e - change).clamp(0.0, 1 - math.sqrt(3) / 2)
            if _converged(change):
                return t * (1 - e)
        raise ArithmeticError(f"no projected radius found for ambient radii up to {t.max().item():.6g}")

    def arclength(self, t: Tensor, w: Tensor, steps: int) -> Tensor:
        """s with |geodesic(s w, steps)| = t: (…), (…, m) → (…).

        Newton in e = s/t − 1 from F t²/24, between 0 and the arc of a circle of curvature K (Schur's comparison).
        """
        half = (self.curvature_bound(math.pi / 2 * t.max().item()) / 2 * t).clamp(1e-8, 1.0)
        longest = torch.asin(half) / half - 1
        bend = torch.einsum("...aij,...i,...j->...a", self.second_form, w, w)
        e = torch.minimum((bend**2).sum(-1) * t**2 / 24, longest)
        for _ in range(NEWTON_STEPS):
            arc = self.geodesic((t * (1 + e))[..., None] * w, steps)
            radius = length(arc.tangent, arc.normal)
            # d log|ξ| / d log s, with the velocity at time 1 being s γ′(s)
            growth = (inner(arc.tangent, arc.tangent_velocity) + inner(arc.normal, arc.normal_velocity)) / radius**2
            change = (radius / t - 1) * (1 + e) / growth
            e = torch.minimum((e - change).clamp(min=0.0), longest)
            if _converged(change):
                return t * (1 + e)
        raise ArithmeticError(f"no arclength found for ambient radii up to {t.max().item():.6g}")


def apply(matrix: Tensor, vector: Tensor) -> Tensor:
    """Matrix times vector over broadcast batches: (…, p, q), (…, q) → (…, p)."""
    return vector @ matrix.mT if matrix.ndim == 2 else (matrix @ vector[..., None])[..., 0]


def components_first(vectors: Tensor) -> Tensor:
    """(…, k) → (k, …), contiguous."""
    return vectors.movedim(-1, 0).contiguous()


def inner(first: Tensor, second: Tensor) -> Tensor:
    """Scalar product over the last axis."""
    return (first * second).sum(-1)


def length(tangent: Tensor, normal: Tensor) -> Tensor:
    """Length of a vector given by its two parts."""
    return torch.sqrt(inner(tangent, tangent) + inner(normal, normal))


def radius_at(angle: float, curvature: float, growth: float) -> float:
    """The radius t with (curvature + growth · t) · t = angle; infinite where nothing bends."""
    root = curvature + math.hypot(curvature, 2 * math.sqrt(growth * angle))
    return 2 * angle / root if root else math.inf


def _converged(change: Tensor) -> bool:
    # Newton squares the error: after a step of size c the root is right to about c².
    return bool(change.abs().max() <= 0.1 * math.sqrt(torch.finfo(change.dtype).eps))
