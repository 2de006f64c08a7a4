"""Tail probabilities of the energy in a random subspace, by tilted importance sampling; no floor at 1/draws.

A random rank-k subspace is the span of Y = C^½ Z, Z (d, k) standard normal: Haar for C = I, else matrix angular central
Gaussian (Chikuse 1990). Its energy per dimension is E = tr((YᵀY)⁻¹ YᵀAY)/k, and

    E ≥ e   ⇔   tr((Zᵀ C Z)⁻¹ Zᵀ D Z) ≥ 0,   D = C^½ (A − e I) C^½.

Drawing Z = (I − 2ηD)^{−½} Z′ instead favours the event; the density ratio of the spans is
|I − 2ηD|^{−k/2} · (|Zᵀ(I − 2ηD)Z| / |ZᵀZ|)^{d/2}, bounded for 0 ≤ 2η < 1/λ_max(D). Any η gives an unbiased estimate;
η is chosen so that the mean energy meets e.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError

PILOT_DRAWS = 64
CHUNK_NUMBERS = 2**24
"""Normal numbers drawn at once: bounds the memory whatever the dimension."""


@dataclass(frozen=True)
class TailProbability:
    """An estimated probability and its standard error."""

    probability: float
    stderr: float


def subspace_tail(
    matrix: Float[Tensor, "d d"],
    rank: int,
    energy: float,
    *,
    shape: Float[Tensor, "d d"] | None = None,
    draws: int,
    generator: torch.Generator | None,
) -> TailProbability:
    """P(energy per dimension of `matrix` in a random rank-k subspace ≥ `energy`).

    Args:
        matrix: second moment A, symmetric positive semi-definite.
        shape: C of the subspaces' law; ``None`` for Haar.
        draws: importance samples.
        generator: explicit source of randomness, on any device.

    Raises `InputError` without a generator, or when C has fewer than k directions.
    """
    if generator is None:
        raise InputError(
            "a p-value is drawn: pass generator=torch.Generator().manual_seed(…), or draws=0 to leave it out"
        )
    matrix = matrix.to(generator.device)
    dim = len(matrix)
    if shape is None:
        eigenvalues = torch.linalg.eigvalsh(matrix) - energy
        gram = None
    else:
        values, vectors = torch.linalg.eigh(shape.to(matrix))
        if (values > values[-1] * dim * torch.finfo(values.dtype).eps).sum() < rank:
            raise InputError(
                f"the covariance has fewer than {rank} directions, so no subspace of that rank can be drawn"
            )
        root = vectors * values.clamp(min=0).sqrt() @ vectors.T
        excess = root @ (matrix - energy * torch.eye(dim).to(matrix)) @ root
        eigenvalues, rotation = torch.linalg.eigh((excess + excess.T) / 2)
        gram = rotation.T @ shape.to(matrix) @ rotation
    scale = float(eigenvalues.abs().max())
    if scale <= 1e-12 * abs(energy):
        return TailProbability(1.0, 0.0)  # every subspace has this energy
    eigenvalues = eigenvalues / scale
    if eigenvalues[-1] <= 0:
        return TailProbability(0.0, 0.0)  # no direction exceeds it
    sampler = _Sampler(eigenvalues, gram, rank, generator)
    return sampler.estimate(sampler.matching_tilt(), draws)


@dataclass(frozen=True)
class _Sampler:
    """Draws in the eigenbasis of D, whose eigenvalues are scaled to a largest modulus of 1."""

    eigenvalues: Tensor
    gram: Tensor | None
    rank: int
    generator: torch.Generator

    def normal(self, draws: int) -> Tensor:
        shape = (draws, len(self.eigenvalues), self.rank)
        return torch.randn(shape, generator=self.generator, device=self.generator.device, dtype=torch.float64)

    def shrinkage(self, tilt: float) -> Tensor:
        """Diagonal of I − 2ηD, with 2η = tilt/λ_max."""
        return 1 - tilt / self.eigenvalues[-1] * self.eigenvalues

    def excess(self, z: Tensor) -> Tensor:
        """tr((ZᵀCZ)⁻¹ ZᵀDZ) of each draw, shape (draws,)."""
        inner = z.mT @ (z if self.gram is None else self.gram @ z)
        return torch.linalg.solve(inner, z.mT @ (self.eigenvalues[:, None] * z)).diagonal(dim1=-2, dim2=-1).sum(-1)

    def matching_tilt(self) -> float:
        """The tilt in [0, 1) at which the mean excess over fixed pilot draws crosses 0, by bisection; 0 if above."""
        pilot = self.normal(PILOT_DRAWS)

        def mean_excess(tilt: float) -> float:
            return float(self.excess(pilot / self.shrinkage(tilt).sqrt()[:, None]).mean())

        if mean_excess(0.0) >= 0:
            return 0.0
        low, high = 0.0, 20.0  # tilt = 1 − exp(−x); further, Gram determinants lose their digits
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if mean_excess(-math.expm1(-middle)) < 0 else (low, middle)
        return -math.expm1(-high)

    def estimate(self, tilt: float, draws: int) -> TailProbability:
        shrinkage = self.shrinkage(tilt)
        dim = len(shrinkage)
        chunk = max(1, CHUNK_NUMBERS // (dim * self.rank))
        weights = []
        for start in range(0, draws, chunk):
            untilted = self.normal(min(chunk, draws - start))
            z = untilted / shrinkage.sqrt()[:, None]
            # |Zᵀ(I − 2ηD)Z| is the Gram determinant of the untilted draw.
            log_ratio = torch.logdet(untilted.mT @ untilted) - torch.logdet(z.mT @ z)
            log_weight = dim / 2 * log_ratio - self.rank / 2 * shrinkage.log().sum()
            weights.append(torch.where(self.excess(z) >= 0, log_weight, -math.inf))
        log_weights = torch.cat(weights)
        largest = float(log_weights.max())
        if largest == -math.inf:
            return TailProbability(0.0, 0.0)
        relative = (log_weights - largest).exp()
        stderr = float(relative.std()) / draws**0.5 if draws > 1 else math.nan
        return TailProbability(min(1.0, math.exp(largest) * float(relative.mean())), math.exp(largest) * stderr)
