"""Subspaces as orthogonal projectors, and the Veronese surface."""

import math
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
    SymmetricChart,
    constant,
    haar,
    orthonormalised,
    skew_basis,
    symmetric_basis,
)

VERONESE_SCALE = math.sqrt(1.5)
"""Takes the traceless part of a projector of rank 1 in R³ to length 1."""


@dataclass(frozen=True)
class Grassmannian(Submanifold):
    """The orthogonal projectors of rank p in R^n, flattened by rows into R^{n²}, 1 ≤ p < n.

    In blocks along and across the range of P, tangent vectors are (0, Bᵀ; B, 0) and
    II(B, B) = 2 (−BᵀB, 0; 0, BBᵀ); the matrices that are not symmetric are flat normal directions.
    """

    n: int
    p: int
    dim: int = field(init=False, repr=False)
    ambient_dim: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_dim("n", self.n)
        require_dim("p", self.p)
        if self.p >= self.n:
            raise InputError(f"Grassmannian(n, p) needs p < n, got n = {self.n} and p = {self.p}")
        require_dim("n²", self.n**2)
        object.__setattr__(self, "dim", self.p * (self.n - self.p))
        object.__setattr__(self, "ambient_dim", self.n**2)

    def chart(self, x: Tensor) -> SymmetricChart:
        local = projector_basis(self.n, self.p).like(x)
        turn = adapted(x.unflatten(-1, (self.n, self.n)), self.p)
        tangent, normal = (
            torch.einsum("...ab,ibc,...dc->...adi", turn, part, turn).flatten(-3, -2)
            for part in (local.tangent, torch.cat([local.normal, local.flat]))
        )
        return SymmetricChart(tangent, normal, local)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """The projector onto the graph of K, (I; K)(I + KᵀK)⁻¹(I, Kᵀ), with the coordinates the rows of K."""
        return graph_projector(coordinates.unflatten(-1, (self.n - self.p, self.p))).flatten(-2)

    def distance_estimate(self, x: Tensor) -> Tensor:
        matrix = x.unflatten(-1, (self.n, self.n))
        symmetric = (matrix + matrix.mT) / 2
        rank = torch.diagonal(matrix, dim1=-2, dim2=-1).sum(-1) - self.p
        parts = [torch.linalg.matrix_norm(part) for part in (matrix - symmetric, symmetric @ symmetric - symmetric)]
        # Projectors of another rank are one unit of length away for each rank.
        return torch.sqrt(parts[0] ** 2 + parts[1] ** 2 + rank.round().abs())

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        columns = haar(n, self.n, self.p, generator)
        return (columns @ columns.mT).flatten(-2)


@dataclass(frozen=True)
class Veronese(Submanifold):
    """The projective plane in the unit S⁴ ⊂ R⁵: lines spanned by a unit x, as √(3/2) (xxᵀ − I/3).

    Traceless symmetric matrices have the coordinates (x₁₁ − x₂₂)/√2, (2x₃₃ − x₁₁ − x₂₂)/√6, √2x₂₁, √2x₃₁, √2x₃₂. It is
    `Grassmannian(3, 1)` in other units: the same second fundamental form divided by √(3/2).
    """

    dim: int = field(init=False, repr=False, default=2)
    ambient_dim: int = field(init=False, repr=False, default=5)

    def chart(self, x: Tensor) -> SymmetricChart:
        local = veronese_basis().like(x)
        turn = adapted(projector(x), 1)
        traceless = constant(_traceless(), x)
        tangent, normal = (
            torch.einsum("kad,...ab,ibc,...dc->...ki", traceless, turn, part, turn)
            for part in (local.tangent, local.normal)
        )
        return SymmetricChart(tangent, normal, local)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """The line through (1, k₁, k₂)."""
        matrix = graph_projector(coordinates[..., None])
        return VERONESE_SCALE * torch.einsum("kab,...ab->...k", constant(_traceless(), matrix), matrix)

    def distance_estimate(self, x: Tensor) -> Tensor:
        return VERONESE_SCALE * Grassmannian(3, 1).distance_estimate(projector(x).flatten(-2))

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        line = haar(n, 3, 1, generator)
        return VERONESE_SCALE * torch.einsum("kab,nab->nk", constant(_traceless(), line), line @ line.mT)


def adapted(matrix: Tensor, rank: int) -> Tensor:
    """An orthogonal matrix (…, n, n) whose first `rank` columns span the range of the projector (…, n, n).

    Columns of the projector and of its complement, longest first and each made orthogonal to those before (pivoted
    Cholesky): unlike eigenvectors, these hardly move when the projector is rounded.
    """
    size = matrix.shape[-1]
    identity = torch.eye(size, dtype=matrix.dtype, device=matrix.device)
    columns = []
    for rest, count in ((matrix, rank), (identity - matrix, size - rank)):
        for _ in range(count):
            longest = torch.diagonal(rest, dim1=-2, dim2=-1).argmax(-1)[..., None, None]
            column = torch.take_along_dim(rest, longest, -1)
            column = column / torch.linalg.vector_norm(column, dim=-2, keepdim=True)
            rest = rest - column @ column.mT
            columns.append(column)
    return orthonormalised(torch.cat(columns, -1))


def projector(x: Tensor) -> Tensor:
    """I/3 + √(2/3) Σ x_k E_k (…, 3, 3), the projector of a point of the Veronese surface (…, 5)."""
    identity = torch.eye(3, dtype=x.dtype, device=x.device)
    return identity / 3 + torch.einsum("...k,kab->...ab", x, constant(_traceless(), x)) / VERONESE_SCALE


def graph_projector(slope: Tensor) -> Tensor:
    """The projector (…, n, n) onto the graph {(v, Kv)} of K (…, n − p, p)."""
    rank = slope.shape[-1]
    identity = torch.eye(rank, dtype=slope.dtype, device=slope.device)
    graph = torch.cat([identity.expand(*slope.shape[:-2], rank, rank), slope], -2)
    # not linalg.solve: see `cayley`
    return graph @ torch.linalg.inv(identity + slope.mT @ slope) @ graph.mT


@lru_cache(maxsize=32)
def projector_basis(n: int, p: int) -> MatrixBasis:
    """Seen from E = 2P − I = diag(I, −I): projectors are ½(I + E), half the distances of the reflections E."""
    symmetric = symmetric_basis(n)
    crossing = symmetric[:, p:, :p].any((1, 2))
    return MatrixBasis(
        point=_reflection(n, p),
        tangent=symmetric[crossing],
        normal=symmetric[~crossing],
        flat=skew_basis(n),
        rate=2.0,
    )


@lru_cache(maxsize=1)
def veronese_basis() -> MatrixBasis:
    """That of the projectors of rank 1 in R³, without the trace, in units √(3/2) times as long."""
    diagonal = np.stack([np.diag([0.0, 1.0, -1.0]) / math.sqrt(2), np.diag([2.0, -1.0, -1.0]) / math.sqrt(6)])
    first, second, across = _crossing()
    return MatrixBasis(
        point=_reflection(3, 1),
        tangent=np.stack([first, second]),
        normal=np.concatenate([diagonal, across[None]]),
        flat=np.zeros((0, 3, 3)),
        rate=2.0 / VERONESE_SCALE,
    )


def _reflection(n: int, p: int) -> np.ndarray:
    return np.diag(np.where(np.arange(n) < p, 1.0, -1.0))


def _crossing() -> list[np.ndarray]:
    """The orthonormal symmetric 3 × 3 matrices with entries 21, 31, 32."""
    return [each for each in symmetric_basis(3) if not np.diagonal(each).any()]


@lru_cache(maxsize=1)
def _traceless() -> np.ndarray:
    """Orthonormal traceless symmetric matrices (5, 3, 3), in the order of the coordinates of `Veronese`."""
    diagonal = np.stack([np.diag([1.0, -1.0, 0.0]) / math.sqrt(2), np.diag([-1.0, -1.0, 2.0]) / math.sqrt(6)])
    return np.concatenate([diagonal, np.stack(_crossing())])
