"""The chart of a submanifold that is given by a parameterisation alone."""

import math
from collections.abc import Callable
from functools import cached_property
from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.func import jvp

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.charts import Arc, Chart, apply
from manifoldtheory.manifolds.extrapolation import integrate_stacked
from manifoldtheory.manifolds.geodesics import steps_for
from manifoldtheory.manifolds.immersions import Immersion, require_finite
from manifoldtheory.manifolds.linear import solve_definite

RANK = 1e-9
"""Smallest sine of the angle between one partial derivative and the others: below, half the digits are gone."""

HEIGHT_NODES = (4,) * 6 + (16, 16)
"""Quadrature nodes of the Newton steps for a height: the first only have to come near."""

ERROR = 3e-12
"""Largest relative change by the last order of the integrator; what remains is some hundred times smaller."""

MAXIMUM_STEPS = 256
"""Most integration steps: where coordinates degenerate, none would be enough."""

PROBES = 64
"""Points around a base point, and base points of a batch, at which curvature and integration error are looked at."""


class ImmersedChart(Chart):
    """f around coordinates q₀, in *straightened* coordinates b: q = q₀ + C b with ∂f(q₀) C = T, an orthonormal frame.

    f(q₀ + C b) − f(q₀) = T b + η(b), with η(b) = ∫₀¹ (1 − s) ∂²f(Cb, Cb) ds at q₀ + s C b: what is of second order
    comes from second derivatives, and nothing is subtracted. Everything is computed in float64 and given in `dtype`.
    """

    def __init__(
        self,
        immersion: Immersion,
        q: Tensor,
        dtype: torch.dtype,
        scale: Tensor,
        bound: Callable[[float, Tensor], float],
    ) -> None:
        """Takes coordinates q (…, m), float64; typical lengths (m) of the partial derivatives; bound(distance, point).

        `bound` is the curvature seen on the manifold's own grid within a distance of a point, or of none, anywhere.
        Raises `InputError` where f is not finite or its partial derivatives are dependent.
        """
        self.immersion, self.dtype, self.q, self._bound = immersion, dtype, q, bound
        self.point, jacobian, hessian = immersion.second(self.q)
        rows = self.q.reshape(-1, immersion.dim)
        require_finite(
            rows, *(part.reshape(len(rows), *part.shape[self.q.ndim - 1 :]) for part in (self.point, jacobian, hessian))
        )
        frame, triangle = torch.linalg.qr(jacobian, mode="complete")
        triangle = triangle[..., : immersion.dim, :]
        _require_rank(rows, jacobian, triangle, scale)
        self._tangent, self._normal = frame[..., : immersion.dim], frame[..., immersion.dim :]
        self.straight = torch.linalg.solve_triangular(triangle, _identity(triangle), upper=True)
        self._second = self._second_form(hessian)
        self.tangent_frame, self.normal_frame = self._tangent.to(dtype), self._normal.to(dtype)
        self.second_form = self._second.to(dtype)

    @cached_property
    def curvature(self) -> float:
        """The largest bound of |II(v, v)|, |v| = 1, at the base points."""
        return float(form_norm(self._second).max()) if self._second.numel() else 0.0

    def _second_form(self, hessian: Tensor) -> Tensor:
        components = (self._normal.mT @ hessian.flatten(-2)).unflatten(-1, hessian.shape[-2:])
        straight = self.straight[..., None, :, :]
        form = straight.mT @ components @ straight
        return (form + form.mT) / 2

    @cached_property
    def projected_limit(self) -> float:  # pyright: ignore[reportIncompatibleVariableOverride] # costly, so only on demand
        return self._radius_of_angle(1.0)

    @cached_property
    def geodesic_limit(self) -> float:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._radius_of_angle(1.9)

    def curvature_bound(self, distance: float) -> float:
        """An *estimate*: the largest |II(v, v)| seen, plus a quarter of the spread of what was seen, plus 1 %.

        Seen are the base point, 64 points of the ball |b| ≤ distance around it, and the points of the manifold's grid
        within that distance; for more than 64 base points, or a distance that is not finite, the whole grid.
        """
        seen = [self.curvature]
        if self.q.ndim == 1:
            seen += self._curvatures_within(distance)
            seen.append(self._bound(distance, self.point))
        else:
            seen.append(self._bound(math.inf, self.point))
        highest, lowest = max(seen), min(seen)
        return 1.01 * highest + (highest - lowest) / 4

    def _curvatures_within(self, distance: float) -> list[float]:
        if not math.isfinite(distance):
            return []
        b = distance * _ball(self.immersion.dim).to(self.q)
        value, jacobian, hessian = self.immersion.second(self.q + b @ self.straight.mT)
        near = torch.linalg.vector_norm(value - self.point, dim=-1) <= distance
        curvature = curvatures(jacobian, hessian)
        return curvature[near & curvature.isfinite()].tolist()

    def _radius_of_angle(self, angle: float) -> float:
        """A radius t with K(πt/2)·t ≤ angle, at most the size of the manifold's grid; near the largest."""
        extent = self._bound(-1.0, self.point)
        curvature = lambda t: max(self.curvature_bound(math.pi / 2 * t), angle / extent)  # noqa: E731
        limit = angle / curvature(min(extent, angle / max(self.curvature, angle / extent)))
        for _ in range(3):
            longer = math.sqrt(limit * angle / curvature(limit))
            if longer <= 1.02 * limit or curvature(longer) * longer > angle:
                break
            limit = longer
        return limit

    def out_of_range(self, u: Tensor) -> Tensor:
        return (u**2).sum(-1) >= self.projected_limit**2

    def heights(self, u: Tensor) -> Tensor:
        _, _, height, _ = self._expand(self._coordinates(u), HEIGHT_NODES[-1])
        return height.to(u.dtype)

    def slopes(self, u: Tensor) -> Tensor:
        _, stretch, _, tilt = self._expand(self._coordinates(u), HEIGHT_NODES[-1])
        return torch.linalg.solve(stretch.mT, tilt.mT).mT.to(u.dtype)

    def _coordinates(self, u: Tensor) -> Tensor:
        """b with tangent part u, by Newton."""
        u = u.double()
        b = u
        for nodes in HEIGHT_NODES:
            tangent, stretch, _, _ = self._expand(b, nodes)
            b = b + torch.linalg.solve(stretch, (u - tangent)[..., None])[..., 0]
        return b

    def _expand(self, b: Tensor, nodes: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Tangent part (…, m) of the point at b, its derivative by b; normal part (…, codim), its derivative by b.

        By Gauss and Legendre along the straight line to b.
        """
        place, weight = (torch.from_numpy(part).to(b) for part in np.polynomial.legendre.leggauss(nodes))
        place, weight = (place + 1) / 2, weight / 2
        steps = apply(self.straight, b)
        s = place.reshape(-1, *(1,) * steps.ndim)
        _, turn = self.immersion.along(self.q + s * steps, steps)
        bend = (turn @ steps[..., None])[..., 0]
        second = torch.einsum("k,k...->...", weight * (1 - place), bend)
        growth = torch.einsum("k,k...->...", weight, turn) @ self.straight
        tangent = b + apply(self._tangent.mT, second)
        stretch = _identity(self.straight) + self._tangent.mT @ growth
        return tangent, stretch, apply(self._normal.mT, second), self._normal.mT @ growth

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        """b″ = −g⁻¹(∂f C)ᵀw with w = ∂²f(Cb′, Cb′), and with it η″ = w + ∂f C b″, η(0) = η′(0) = 0."""
        return self.coordinate_geodesic(a, steps)[1]

    def coordinate_geodesic(self, a: Tensor, steps: int) -> tuple[Tensor, Arc, float]:
        """The end of the geodesic in intrinsic coordinates (…, m), its arc, and the integrator's relative error.

        The error is NaN where values cannot be read, inside `torch.func`.
        """
        a, dtype = a.double(), a.dtype
        dim = self.immersion.dim
        shape = torch.broadcast_shapes(a.shape[:-1], self.q.shape[:-1])
        a = a.expand(*shape, dim)
        start = torch.cat([a, a.new_zeros(*shape, self.immersion.ambient_dim)], -1)
        position, velocity, error = integrate_stacked(self._acceleration, start, steps)
        bend, turn = position[..., dim:], velocity[..., dim:]
        parts = (
            a + apply(self._tangent.mT, bend),
            apply(self._normal.mT, bend),
            a + apply(self._tangent.mT, turn),
            apply(self._normal.mT, turn),
        )
        arc = Arc(*(part.to(dtype) for part in parts))
        return self.q + apply(self.straight, position[..., :dim]), arc, _relative(error, a)

    def _acceleration(self, state: Tensor, velocity: Tensor) -> Tensor:
        dim = self.immersion.dim
        q = self.q + apply(self.straight, state[..., :dim])
        v = apply(self.straight, velocity[..., :dim])
        jacobian, turn = self.immersion.along(q, v)
        force = (turn @ v[..., None])[..., 0]
        frame = jacobian @ self.straight
        gram, pull = frame.mT @ frame, (frame.mT @ force[..., None])[..., 0]
        bend = -solve_definite(gram.movedim((-2, -1), (0, 1)), pull.movedim(-1, 0)).movedim(0, -1)
        return torch.cat([bend, force + (frame @ bend[..., None])[..., 0]], -1)

    def variation(self, a: Tensor, across: Tensor, steps: int) -> tuple[Arc, Tensor]:
        # Derivatives of f are forward-mode already, and only those of torch.func nest.
        def ends(a: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
            arc = self.geodesic(a, steps)
            return torch.cat([arc.tangent, arc.normal], -1), tuple(vars(arc).values())

        start = a.expand_as(across).contiguous()
        _, jacobian, parts = cast(
            "tuple[Tensor, Tensor, tuple[Tensor, ...]]", jvp(ends, (start,), (across.contiguous(),), has_aux=True)
        )
        return Arc(*(part[0] for part in parts)), jacobian

    def steps(self, length: float) -> int:
        """As many as geodesics of that length need in a number of fixed directions; see `resolved`."""
        directions = torch.cat(
            [torch.eye(self.immersion.dim), -torch.eye(self.immersion.dim), _ball(self.immersion.dim)]
        )
        directions = directions[:PROBES].to(self.q)
        directions = directions / torch.linalg.vector_norm(directions, dim=-1, keepdim=True)
        return self.resolved(length * directions.reshape(-1, *(1,) * (self.q.ndim - 1), self.immersion.dim))[2]

    def resolved(self, a: Tensor) -> tuple[Tensor, Arc, int]:
        """The geodesics with initial velocities a (…, m): their ends in intrinsic coordinates, arcs, and steps taken.

        Right to about rounding: the steps are doubled until the last order of the integrator changes less than
        `ERROR`. Raises `InputError` for geodesics that are too long, or that run into a place where the coordinates
        degenerate.
        """
        length = float(torch.linalg.vector_norm(a.detach(), dim=-1).max()) if a.numel() else 0.0
        steps = math.ceil(steps_for(self.curvature_bound(length), length) / 2)
        errors = [math.inf, math.inf]
        while steps <= MAXIMUM_STEPS:
            end, arc, error = self.coordinate_geodesic(a, steps)
            if error <= ERROR:
                return end, arc, steps
            # Once the steps resolve the geodesic, halving them gains a factor of a thousand.
            if not error < errors[-2] / 4 and len(errors) > 3:
                break
            errors.append(error)
            steps *= 2
        raise InputError(
            f"a geodesic of length {length:.6g} leaves the coordinates of the immersion, or passes near to where they "
            f"degenerate: {steps} steps do not resolve it; take a shorter tangent vector, or other coordinates"
        )


def curvatures(jacobian: Tensor, hessian: Tensor) -> Tensor:
    """A bound of |II(v, v)| over unit v from ∂f (…, d, m) and ∂²f (…, d, m, m); NaN where the rank drops."""
    frame, triangle = torch.linalg.qr(torch.nan_to_num(jacobian, posinf=0.0, neginf=0.0))
    regular = (torch.diagonal(triangle, dim1=-2, dim2=-1).abs() > 0).all(-1) & hessian.flatten(-3).isfinite().all(-1)
    triangle = torch.where(regular[..., None, None], triangle, _identity(triangle))
    straight = torch.linalg.solve_triangular(triangle, _identity(triangle), upper=True)
    bent = torch.nan_to_num(hessian).flatten(-2)
    normal = (bent - frame @ (frame.mT @ bent)).unflatten(-1, hessian.shape[-2:])
    form = straight.mT[..., None, :, :] @ normal @ straight[..., None, :, :]
    return torch.where(regular, form_norm((form + form.mT) / 2), math.nan)


def form_norm(form: Tensor) -> Tensor:
    """A bound of |II(v, v)| over unit v: (…, codim, m, m) → (…); exact for hypersurfaces and curves."""
    gram = form.flatten(-2) @ form.flatten(-2).mT if form.shape[-3] <= form.shape[-1] ** 2 else None
    flat = form.flatten(-2).mT @ form.flatten(-2) if gram is None else gram
    together = torch.linalg.eigvalsh(flat)[..., -1].clamp(min=0.0).sqrt()
    each = torch.linalg.vector_norm(torch.linalg.eigvalsh(form).abs().amax(-1), dim=-1)
    return torch.minimum(together, each)


def _require_rank(q: Tensor, jacobian: Tensor, triangle: Tensor, scale: Tensor) -> None:
    columns = torch.linalg.vector_norm(jacobian, dim=-2)
    free = torch.diagonal(triangle, dim1=-2, dim2=-1).abs()
    independence = (free / torch.maximum(columns, RANK * scale)).reshape(-1, q.shape[-1]).amin(-1)
    if independence.numel() and not bool((independence > RANK).all()):
        worst = int(independence.argmin())
        raise InputError(
            f"the immersion drops rank at coordinates {q[worst].tolist()}: one partial derivative is "
            f"{float(independence[worst]):.3g} independent of the others (limit {RANK:g}); "
            "take other points, another domain, or other coordinates"
        )


def _relative(error: Tensor, a: Tensor) -> float:
    try:
        length = torch.linalg.vector_norm(a, dim=-1).clamp(min=1e-300)
        return (
            float((torch.linalg.vector_norm(error, dim=-1) / length).nan_to_num(math.inf).max()) if a.numel() else 0.0
        )
    except RuntimeError:
        return math.nan


def _ball(dim: int) -> Tensor:
    """64 points spread over the unit ball (64, m), half of them on its surface."""
    cube = torch.quasirandom.SobolEngine(dim + 1, scramble=True, seed=1).draw(PROBES, dtype=torch.float64)
    gaussian = torch.special.ndtri(cube[:, 1:].clamp(1e-6, 1 - 1e-6))
    radius = torch.clamp(2 * cube[:, :1], max=1.0) ** (1 / dim)
    return radius * gaussian / torch.linalg.vector_norm(gaussian, dim=-1, keepdim=True)


def _identity(matrix: Tensor) -> Tensor:
    return torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
