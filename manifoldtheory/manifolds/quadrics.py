"""Manifolds of matrices cut out by quadrics that look the same from every point: Stiefel manifolds and their kin."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.charts import Arc, Chart, apply, components_first, inner
from manifoldtheory.manifolds.geodesics import integrate

HEIGHT_STEPS = 12
"""Most Newton steps for a height; all are taken inside `torch.func`, where convergence cannot be read."""

TABLE_LIMIT = 2**25
"""Most entries of the table of second derivatives (256 MiB)."""

SERIES_ANGLE = 0.5
"""Norm up to which the sine and cosine series are summed; longer arguments are halved first."""

SERIES_TERMS = 8
"""Terms of both series: the first one left out is below 0.5^17/17!, 1e-19 of the sum."""


@dataclass(frozen=True, eq=False)
class MatrixBasis:
    """Orthonormal matrices (·, n, p) seen from a point that has been turned to E: tangent, normal, and E itself.

    The manifold is ⟨N_a, ξ⟩ + (rate/2) ⟨EᵀN_a, ξᵀξ⟩ = 0 for the displacement ξ in the span of `tangent` and `normal`;
    `flat` are the other normal directions, which it never enters. In numpy, since bases are kept for the next call, and
    a tensor made inside `torch.func` must not outlive it.
    """

    point: np.ndarray
    tangent: np.ndarray
    normal: np.ndarray
    flat: np.ndarray
    rate: float

    @cached_property
    def table(self) -> np.ndarray:
        """Q_aij of the equations z_a + ½ Q_a(ξ, ξ) = 0 in components, tangent before normal: (q, m + q, m + q)."""
        basis = np.concatenate([self.tangent, self.normal])
        size = len(self.normal) * len(basis) ** 2
        if size > TABLE_LIMIT:
            raise InputError(
                f"matrices of shape {self.point.shape} need a table of {size} second derivatives, the limit is "
                f"{TABLE_LIMIT}: take smaller matrices"
            )
        bent = np.einsum("rk,arl->akl", self.point, self.normal)
        return self.rate * np.einsum("aisk,jsk->aij", np.einsum("akl,isl->aisk", bent, basis), basis)

    def like(self, x: Tensor) -> "LocalBasis":
        """The matrices and the table in the dtype and on the device of x."""
        point, tangent, normal, flat, table = (
            constant(array, x) for array in (self.point, self.tangent, self.normal, self.flat, self.table)
        )
        return LocalBasis(point, tangent, normal, flat, table, self.rate)


class LocalBasis(NamedTuple):
    """What `MatrixBasis` says of its fields, as tensors."""

    point: Tensor
    tangent: Tensor
    normal: Tensor
    flat: Tensor
    table: Tensor
    rate: float


def constant(array: np.ndarray, like: Tensor) -> Tensor:
    """The array as a tensor with the dtype and device of another."""
    return torch.tensor(array, dtype=like.dtype, device=like.device)


class QuadricsChart(Chart):
    """z + ½ Q(ξ, ξ) = 0 with ξ = (u, z): heights by Newton, without subtraction; the second form is −Q on the tangents.

    The gradients e_a + Q_a(ξ, ·) of the equations stay orthonormal along these manifolds, so geodesics are
    ξ″ = −Σ_a (e_a + Q_a(ξ, ·)) Q_a(ξ′, ξ′).
    """

    def __init__(self, tangent_frame: Tensor, normal_frame: Tensor, table: Tensor, curvature: float) -> None:
        """Takes the frames (…, d, m) and (…, d, codim), the latter with the q directions of the table first."""
        self.tangent_frame, self.normal_frame, self.table, self.curvature = (
            tangent_frame,
            normal_frame,
            table,
            curvature,
        )
        self.dim = tangent_frame.shape[-1]
        self.flat = normal_frame.shape[-1] - table.shape[0]
        second = -table[:, : self.dim, : self.dim]
        second = torch.cat([second, second.new_zeros(self.flat, self.dim, self.dim)])
        self.second_form = second.expand(*tangent_frame.shape[:-2], *second.shape)
        # 1/curvature is the reach of each of these manifolds.
        self.projected_limit, self.geodesic_limit = 1.0 / curvature, 1.9 / curvature

    def curvature_bound(self, distance: float) -> float:
        return self.curvature

    def expand_normal(self, normal: Tensor) -> Tensor:
        return torch.nn.functional.pad(normal, (0, self.flat))

    def out_of_range(self, u: Tensor) -> Tensor:
        return inner(u, u) >= 1.0 / self.curvature**2

    def heights(self, u: Tensor) -> Tensor:
        # Exact where the manifold bends like one circle, and then off by less than a factor of 2.
        square = 1 - self.curvature**2 * inner(u, u)[..., None]
        z = -self._normal_of(u, u) / (1 + torch.sqrt(square.clamp(min=0.0)))
        for _ in range(HEIGHT_STEPS):
            _, across, residual = self._equations(u, z)
            change = torch.linalg.solve(across, residual)
            z = z - change
            if _settled(change, z):
                break
        return z

    def slopes(self, u: Tensor) -> Tensor:
        along, across, _ = self._equations(u, self.heights(u))
        return -torch.linalg.solve(across, along)

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        start = torch.nn.functional.pad(a, (0, self.table.shape[0]))
        size = start.shape[-1]
        rows, pulls = self.table.flatten(0, 1), self.table.permute(2, 0, 1).flatten(1).contiguous()

        def acceleration(position: Tensor, velocity: Tensor) -> Tensor:
            bend = (torch.tensordot(rows, velocity, 1).unflatten(0, (-1, size)) * velocity).sum(1)
            pull = torch.tensordot(pulls, (bend[:, None] * position).flatten(0, 1), 1)
            return -torch.cat([pull[: self.dim], pull[self.dim :] + bend])

        position, velocity = (end.movedim(0, -1) for end in integrate(acceleration, components_first(start), steps))
        return Arc(
            position[..., : self.dim], position[..., self.dim :], velocity[..., : self.dim], velocity[..., self.dim :]
        )

    def _normal_of(self, u: Tensor, v: Tensor) -> Tensor:
        """Q(u, v) for tangent coordinates (…, q)."""
        corner = self.table[:, : self.dim, : self.dim]
        return inner((u @ corner.flatten(0, 1).mT).unflatten(-1, (-1, self.dim)), v[..., None, :])

    def _equations(self, u: Tensor, z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Their derivatives by u (…, q, m) and by z (…, q, q), and their values (…, q)."""
        codim = self.table.shape[0]
        xi = torch.cat([u, z], -1)
        gradient = (xi @ self.table.flatten(0, 1).mT).unflatten(-1, (codim, -1))
        identity = torch.eye(codim, dtype=u.dtype, device=u.device)
        return gradient[..., : self.dim], identity + gradient[..., self.dim :], z + apply(gradient, xi) / 2


class SymmetricChart(QuadricsChart):
    """(1/c) times a totally geodesic part of the orthogonal matrices: ξ = (1/c) (sinh cA + 2 sinh²(cA/2)) E.

    A is the skew matrix with AE the initial velocity. sinh cA is odd in A and makes the tangent part, the rest is even
    and makes the normal part.
    """

    def __init__(self, tangent_frame: Tensor, normal_frame: Tensor, basis: LocalBasis) -> None:
        super().__init__(tangent_frame, normal_frame, basis.table, basis.rate / math.sqrt(2))
        # E is orthogonal and symmetric.
        self.rate = basis.rate
        self.generators = (basis.tangent @ basis.point).flatten(1)
        self.even = (basis.normal @ basis.point).flatten(1)

    def steps(self, length: float) -> int:
        """Halvings of the angle, before the series are summed."""
        super().steps(length)
        return max(0, math.ceil(math.log2(max(self.rate * length, 1e-300) / SERIES_ANGLE)))

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        size = math.isqrt(self.generators.shape[-1])
        angle = self.rate * (a @ self.generators).unflatten(-1, (size, size))
        sine, excess = skew_exponential(angle, steps)
        return Arc(
            sine.flatten(-2) @ self.generators.mT / self.rate,
            excess.flatten(-2) @ self.even.mT / self.rate,
            a + (angle @ excess).flatten(-2) @ self.generators.mT / self.rate,
            (angle @ sine).flatten(-2) @ self.even.mT / self.rate,
        )


def skew_exponential(angle: Tensor, halvings: int) -> tuple[Tensor, Tensor]:
    """sinh A and cosh A − I of skew A (…, n, n), each to relative accuracy; differentiable, and only products.

    Series at A/2^k, then sinh 2A = 2 sinh A cosh A and cosh 2A − I = 2 sinh² A: no digits are lost by subtraction.
    """
    small = angle / 2.0**halvings
    square = small @ small
    identity = torch.eye(angle.shape[-1], dtype=angle.dtype, device=angle.device)
    odd, even = identity, identity
    for k in range(SERIES_TERMS - 1, 0, -1):
        odd = identity + square @ odd / (2 * k * (2 * k + 1))
        even = identity + square @ even / ((2 * k + 1) * (2 * k + 2))
    sine, excess = small @ odd, square @ even / 2
    for _ in range(halvings):
        sine, excess = 2 * (sine + sine @ excess), 2 * sine @ sine
    return sine, excess


def symmetric_basis(size: int) -> np.ndarray:
    """Orthonormal symmetric matrices (size(size+1)/2, size, size)."""
    return np.stack([_unit(size, i, j, 1.0) for i in range(size) for j in range(i + 1)])


def skew_basis(size: int) -> np.ndarray:
    """Orthonormal skew matrices (size(size−1)/2, size, size)."""
    pairs = [_unit(size, i, j, -1.0) for i in range(size) for j in range(i)]
    return np.stack(pairs) if pairs else np.zeros((0, size, size))


def orthonormalised(frame: Tensor) -> Tensor:
    """The nearest-by orthogonal matrix (…, n, n) whose first columns are those of `frame` (…, n, p), up to rounding."""
    full, triangle = torch.linalg.qr(frame, mode="complete")
    signs = torch.where(torch.diagonal(triangle, dim1=-2, dim2=-1) < 0, -1.0, 1.0).to(frame.dtype)
    rest = full.shape[-1] - signs.shape[-1]
    return full * torch.nn.functional.pad(signs, (0, rest), value=1.0)[..., None, :]


def haar(n: int, size: int, columns: int, generator: torch.Generator) -> Tensor:
    """n independent uniform matrices with orthonormal columns (n, size, columns), float64.

    QR of a Gaussian matrix has a law that is invariant under rotations only once the diagonal of R is made positive.
    """
    gaussian = torch.randn(n, size, columns, generator=generator, device=generator.device, dtype=torch.float64)
    orthogonal, triangle = torch.linalg.qr(gaussian)
    diagonal = torch.diagonal(triangle, dim1=-2, dim2=-1)
    return orthogonal * torch.where(diagonal < 0, -1.0, 1.0)[..., None, :].to(orthogonal)


def _unit(size: int, i: int, j: int, sign: float) -> np.ndarray:
    matrix = np.zeros((size, size))
    matrix[i, j] = 1.0 if i == j else math.sqrt(0.5)
    if i != j:
        matrix[j, i] = sign * math.sqrt(0.5)
    return matrix


def _settled(change: Tensor, value: Tensor) -> bool:
    try:
        return bool((change.abs() <= 4 * torch.finfo(value.dtype).eps * value.abs().amax(-1, keepdim=True)).all())
    except RuntimeError:  # values cannot be read inside torch.func.vmap
        return False
