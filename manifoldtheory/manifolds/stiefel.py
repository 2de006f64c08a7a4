"""Matrices with orthonormal columns, and rotations."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.checks import require_dim
from manifoldtheory.manifolds.quadrics import (
    MatrixBasis,
    QuadricsChart,
    SymmetricChart,
    constant,
    haar,
    orthonormalised,
    skew_basis,
    symmetric_basis,
)


@dataclass(frozen=True)
class Stiefel(Submanifold):
    """The n × p matrices with XᵀX = I, flattened by rows into R^{np}, with its metric (not the canonical one).

    Tangent vectors at X are XΩ + X_⊥K with Ω skew, normal ones XS with S symmetric, and II(U, V) = −X sym(UᵀV). p = 1
    are the unit spheres, p = n the orthogonal matrices, in two components. Raises `InputError` unless 1 ≤ p ≤ n, n ≥ 2.
    """

    n: int
    p: int
    dim: int = field(init=False, repr=False)
    ambient_dim: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_dim("n", self.n)
        require_dim("p", self.p)
        if self.p > self.n or self.n < 2:
            raise InputError(f"Stiefel(n, p) needs n ≥ 2 and p ≤ n, got n = {self.n} and p = {self.p}")
        require_dim("n · p", self.n * self.p)
        object.__setattr__(self, "dim", self.n * self.p - self.p * (self.p + 1) // 2)
        object.__setattr__(self, "ambient_dim", self.n * self.p)

    def chart(self, x: Tensor) -> QuadricsChart:
        return stiefel_chart(x, self.n, self.p)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """(I; K) (I + KᵀK)^{−½} times the Cayley transform of Ω: coordinates Ω below its diagonal, then K by rows."""
        rotations = self.p * (self.p - 1) // 2
        rotation = cayley(coordinates[..., :rotations], self.p)
        slope = coordinates[..., rotations:].unflatten(-1, (self.n - self.p, self.p)) if self.n > self.p else None
        if slope is None:
            return rotation.flatten(-2)
        identity = torch.eye(self.p, dtype=slope.dtype, device=slope.device)
        graph = torch.cat([identity.expand(*slope.shape[:-2], self.p, self.p), slope], -2)
        factor = torch.linalg.cholesky(identity + slope.mT @ slope)
        columns = torch.linalg.solve_triangular(factor.mT, graph, upper=True, left=False)
        return (columns @ rotation).flatten(-2)

    def distance_estimate(self, x: Tensor) -> Tensor:
        return off_orthonormal(x.unflatten(-1, (self.n, self.p)))

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        return haar(n, self.n, self.p, generator).flatten(-2)


@dataclass(frozen=True)
class SpecialOrthogonal(Submanifold):
    """The rotation matrices of R^n, flattened by rows into R^{n²}, n ≥ 2; `sample` is Haar measure.

    The metric is that of R^{n²}: √2 times the one that geomstats gives its `SpecialOrthogonal`. Frames, second
    fundamental form and geodesics are those of `Stiefel(n, n)`: X expm(A) with A skew.
    """

    n: int
    dim: int = field(init=False, repr=False)
    ambient_dim: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_dim("n", self.n)
        if self.n < 2:
            raise InputError(f"SpecialOrthogonal(n) needs n ≥ 2, got {self.n}")
        require_dim("n²", self.n**2)
        object.__setattr__(self, "dim", self.n * (self.n - 1) // 2)
        object.__setattr__(self, "ambient_dim", self.n**2)

    def chart(self, x: Tensor) -> QuadricsChart:
        return stiefel_chart(x, self.n, self.n)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """The Cayley transform (I − A/2)⁻¹(I + A/2) of the skew A with the coordinates below its diagonal."""
        return cayley(coordinates, self.n).flatten(-2)

    def distance_estimate(self, x: Tensor) -> Tensor:
        """Reflections are 2 away from the nearest rotation."""
        matrix = x.unflatten(-1, (self.n, self.n))
        reflected = torch.where(torch.linalg.det(matrix) < 0, 2.0, 0.0).to(x)
        return off_orthonormal(matrix) + reflected

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        matrix = haar(n, self.n, self.n, generator)
        matrix[..., 0] *= torch.linalg.det(matrix).sign()[:, None]
        return matrix.flatten(-2)


def stiefel_chart(x: Tensor, n: int, p: int) -> QuadricsChart:
    """The chart of `Stiefel(n, p)` at x (…, np)."""
    local = stiefel_basis(n, p).like(x)
    turn = orthonormalised(x.unflatten(-1, (n, p)))
    tangent, normal = (
        torch.einsum("...rs,isk->...rki", turn, part).flatten(-3, -2) for part in (local.tangent, local.normal)
    )
    if p == n:
        return SymmetricChart(tangent, normal, local)
    return QuadricsChart(tangent, normal, local.table, 1.0)


@lru_cache(maxsize=32)
def stiefel_basis(n: int, p: int) -> MatrixBasis:
    """Seen from E = (I; 0): (Ω; K) tangent, (S; 0) normal."""
    pad = lambda matrices: np.pad(matrices, ((0, 0), (0, n - p), (0, 0)))  # noqa: E731
    lower = np.eye((n - p) * p).reshape((n - p) * p, n - p, p)
    tangent = np.concatenate([pad(skew_basis(p)), np.pad(lower, ((0, 0), (p, 0), (0, 0)))])
    return MatrixBasis(
        point=np.eye(n, p),
        tangent=tangent,
        normal=pad(symmetric_basis(p)),
        flat=np.zeros((0, n, p)),
        rate=1.0,
    )


def cayley(coordinates: Tensor, size: int) -> Tensor:
    """(I − A/2)⁻¹(I + A/2), A skew with the coordinates (…, size(size−1)/2) below its diagonal."""
    table = constant(2**0.5 * skew_basis(size), coordinates)
    half = torch.einsum("...i,irs->...rs", coordinates, table) / 2
    identity = torch.eye(size, dtype=half.dtype, device=half.device)
    # not linalg.solve: torch 2.13 drops terms of its derivative by forward mode taken twice
    return torch.linalg.inv(identity - half) @ (identity + half)


def off_orthonormal(matrix: Tensor) -> Tensor:
    """Distance from the matrices with orthonormal columns, to first order: |XᵀX − I|/2."""
    identity = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return torch.linalg.matrix_norm(matrix.mT @ matrix - identity) / 2
