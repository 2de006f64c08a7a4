"""Tail probabilities of the energy in a random subspace, by tilted importance sampling; no floor at 1/draws.

A random rank-k subspace is the span of Y = C^½ Z, Z (d, k) standard normal: Haar for C = I, else matrix angular central
Gaussian (Chikuse 1990). Its energy per dimension of a second moment A is E = tr((YᵀY)⁻¹ YᵀAY)/k. Drawing Z = M^{−½} Z′
instead, the span of Z has density |M|^{k/2} (|ZᵀZ| / |ZᵀMZ|)^{d/2} against that law. Two families of tilts are used,

    M = exp(c G)  and  M = I + c G,   G = x_max I − X,   X = W (A − ā I) W,   W² = P(I − P),   ā = tr(A W²)/tr(W²),

P the mean projector on the span for large d: X is the gradient of the mean energy over relative changes of the shape C
(for Haar simply A), so no draw is spent on directions that do not matter. The first tilts all gaps alike, the second
reaches the small ones of a heavy-tailed spectrum. In each, c ≥ 0 is chosen so that the mean energy meets e; the draws
are shared between these, fractions of them, and none, and weighted by the mixture's density: the estimate of P(E ≥ e)
is unbiased, and its weights stay bounded even where a tilt is a poor guess.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError

PILOT_DRAWS = 64
BISECTIONS = 30
LEAST_STRENGTH = 1e-4
FAMILIES: Sequence[tuple[Callable[[Tensor, float], Tensor], float]] = (
    (lambda gaps, strength: strength * gaps, 20.0),
    (lambda gaps, strength: torch.log1p(strength * gaps), 1e9),
)
"""log M as a function of the gaps, scaled to [0, 1], and c; the largest c, beyond which Gram matrices lose digits."""
LEAST_HITS = 16
FRACTIONS = (1 / 2, 1.0)
"""Of c, in the mixture that is drawn from."""
CHUNK_NUMBERS = 2**24
"""Normal numbers drawn at once: bounds the memory whatever the dimension."""


@dataclass(frozen=True)
class TailProbability:
    """An estimated probability and its standard error."""

    probability: float
    stderr: float
    effective_draws: float = math.inf
    """(Σ w)²/Σ w² over the draws that hit: below about 20 the estimate may miss most of the probability."""


def subspace_tail(
    matrix: Float[Tensor, "d d"],
    rank: int,
    energy: float,
    *,
    shape: Float[Tensor, "d d"] | None = None,
    draws: int,
    generator: torch.Generator | None,
) -> TailProbability:
    """P(energy per dimension of `matrix` in a random rank-k subspace ≥ `energy`), or an upper bound of it.

    The latter where hardly any draw reaches the energy: then the probability of a lower one, which some reach.

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
    eigenvalues, vectors = torch.linalg.eigh(matrix)
    excess = eigenvalues - energy
    if float(excess.abs().max()) <= 1e-12 * abs(energy):
        return TailProbability(1.0, 0.0)  # every subspace has this energy
    if float(excess[-rank:].sum()) < 0:
        return TailProbability(0.0, 0.0)  # no subspace has it
    if shape is None:
        gaps, root = (eigenvalues[-1] - eigenvalues) / (eigenvalues[-1] - eigenvalues[0]), None
    else:
        root, window = _square_roots(vectors.T @ shape.to(matrix) @ vectors, rank)
        leverage = window @ window
        mean = (eigenvalues * leverage.diagonal()).sum() / leverage.trace()
        gradient, rotation = torch.linalg.eigh(window * (eigenvalues - mean) @ window)
        gaps, root = (gradient[-1] - gradient) / (gradient[-1] - gradient[0]), root @ rotation
    return _Sampler(excess, gaps, root, rank, generator).estimate(draws)


def _square_roots(shape: Tensor, rank: int) -> tuple[Tensor, Tensor]:
    """C^½, and W = (P(I − P))^½ with P = τC(I + τC)⁻¹, tr P = k."""
    values, vectors = torch.linalg.eigh(shape / shape.abs().max())
    values = values.clamp(min=0)
    if (values > values[-1] * len(values) * torch.finfo(values.dtype).eps).sum() < rank:
        raise InputError(f"the covariance has fewer than {rank} directions, so no subspace of that rank can be drawn")
    low, high = -50.0, 50.0  # log τ
    for _ in range(60):
        middle = (low + high) / 2
        below = float((values / (math.exp(-middle) + values)).sum()) < rank
        low, high = (middle, high) if below else (low, middle)
    projected = values / (math.exp(-high) + values)
    window = (projected * (1 - projected)).sqrt()
    return vectors * values.sqrt() @ vectors.T, vectors * window @ vectors.T


@dataclass(frozen=True)
class _Sampler:
    """Draws Z in coordinates where G = diag(gaps); `root` maps them to the eigenbasis of A."""

    excess: Tensor
    """Eigenvalues of A − e I."""
    gaps: Tensor
    root: Tensor | None
    rank: int
    generator: torch.Generator

    def normal(self, draws: int) -> Tensor:
        shape = (draws, len(self.excess), self.rank)
        return torch.randn(shape, generator=self.generator, device=self.generator.device, dtype=torch.float64)

    def log_density(self, z: Tensor, log_tilt: Tensor) -> Tensor:
        """Of the spans drawn with a tilt, against the untilted law, shape (draws,)."""
        untilted = z * torch.exp(log_tilt / 2)[:, None]
        log_ratio = torch.logdet(z.mT @ z) - torch.logdet(untilted.mT @ untilted)
        return len(self.gaps) / 2 * log_ratio + self.rank / 2 * log_tilt.sum()

    def excess_energy(self, z: Tensor) -> Tensor:
        """k (E − e) of each draw, shape (draws,)."""
        y = z if self.root is None else self.root @ z
        inner = torch.linalg.solve(y.mT @ y, y.mT @ (self.excess[:, None] * y))
        return inner.diagonal(dim1=-2, dim2=-1).sum(-1)

    def log_tilts(self) -> list[Tensor]:
        """Diagonals of log M of the mixture: none, and for each family the c that matches the energy and a part of it.

        The match is of the mean excess over fixed pilot draws, by bisection; no tilts where that is above 0 at once.
        """
        pilot = self.normal(PILOT_DRAWS)

        def below(log_tilt: Tensor) -> bool:
            return float(self.excess_energy(pilot * torch.exp(-log_tilt / 2)[:, None]).mean()) < 0

        tilts = [torch.zeros_like(self.gaps)]
        if not below(tilts[0]):
            return tilts
        for tilt, most in FAMILIES:
            low, high = LEAST_STRENGTH, most
            for _ in range(BISECTIONS):
                middle = (low * high) ** 0.5
                low, high = (middle, high) if below(tilt(self.gaps, middle)) else (low, middle)
            tilts += [tilt(self.gaps, fraction * high) for fraction in FRACTIONS]
        return tilts

    def estimate(self, draws: int) -> TailProbability:
        """Mean of event / density of the mixture, in logarithms: it may be far below the smallest float.

        Where fewer than `LEAST_HITS` draws reach e, the event is that of the highest energy that so many reach.
        """
        tilts = self.log_tilts()
        per_component = -(-draws // len(tilts))
        sizes = _chunks(per_component, max(1, CHUNK_NUMBERS // (len(self.gaps) * self.rank)))
        drawn = [torch.cat([self._draw(size, own, tilts) for size in sizes], 1) for own in tilts]
        excess, log_weights = torch.stack(drawn, 1)
        reached = float(excess.flatten().topk(min(LEAST_HITS, excess.numel())).values[-1])
        logs = torch.where(excess >= min(0.0, reached), log_weights, -math.inf)
        largest = float(logs.max())
        relative = (logs - largest).exp()
        # Stratified: each component has its own share of the draws, so only the scatter within it is an error.
        variance = float(relative.var(1).mean()) / relative.numel() if per_component > 1 else math.nan
        scale = math.exp(largest)
        effective = float(relative.sum() ** 2 / relative.square().sum())
        return TailProbability(min(1.0, scale * float(relative.mean())), scale * variance**0.5, effective)

    def _draw(self, draws: int, own: Tensor, tilts: list[Tensor]) -> Tensor:
        """Excess energies and logarithms of 1 / density of the mixture, shape (2, draws)."""
        z = self.normal(draws) * torch.exp(-own / 2)[:, None]
        log_mixture = torch.stack([self.log_density(z, tilt) for tilt in tilts]).logsumexp(0)
        return torch.stack([self.excess_energy(z), math.log(len(tilts)) - log_mixture])


def _chunks(n: int, size: int) -> list[int]:
    return [min(size, n - start) for start in range(0, n, size)]
