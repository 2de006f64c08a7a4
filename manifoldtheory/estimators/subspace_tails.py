"""Tail probabilities of the energy in a random subspace, by tilted importance sampling; no floor at 1/draws.

The null law is Haar, or that of the spans of C^½ Z. Draws come from a mixture: of two tilts of the null, so that the
energy in question is typical, and of the null itself, so that whatever the tilts miss is still met as by plain Monte
Carlo. The tilts are the one of least divergence S (`subspace_laws`), and its geometric middle S^½ with none. Draws are
weighted by the density of the null against the mixture, so the estimate of P(E ≥ e) is unbiased: the tilt is computed
from A, C and e alone, before anything is drawn. Along S^t the logarithm of the density is concave in t, so the second
keeps the weight of a draw that the first hardly reaches below the root of what it would be; and as one draw in three
is untilted, no weight exceeds 3: the error is never above that of plain Monte Carlo with `draws`/2 draws.

How well it works: under Haar the weights are nearly those of an ideal exponential tilt, relative error about
1.25 √z / √draws at z standard deviations. Where k is small, or C has few effective directions, strong tilts of this
kind are far from the conditional law; the weights scatter, and the effective draws say so. More are drawn then, as long
as that is cheap, and only after that is the estimate replaced by an upper bound: the limit that the hits among the
untilted draws set, or under Haar, if it is lower, Chernoff's (`chernoff_bound`).
"""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from scipy.special import betaincinv
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.subspace_laws import SubspaceLaw, chernoff_bound, mean_energy, subspace_law, tilted

TILTED, MIDDLE, UNTILTED = 1.0, 0.5, 0.0
"""The laws drawn from, as powers of S."""
MIDDLE_SHARE = 1 / 16
"""Share of the tilted draws that come from S^½ in place of S."""
RESOLVED, LEAST_RESOLVED = 48, 16
"""Effective draws from which on an estimate stands; with few draws a `RESOLVED_SHARE` of them, but never fewer than
the latter: those that hit may all be ones of too low weights."""
PLAIN = 30
"""Expected hits among the untilted draws from which on an estimate stands: as good as plain Monte Carlo's 18 %."""
MORE_STEP, MORE_DRAWS = 4, 16
"""By what factor draws are added, and up to which."""
MORE_NUMBERS = 2**19
"""Normal numbers up to which more draws than were asked for are cheap: tens of milliseconds."""
LEVEL = 0.975
"""Confidence of the bound from the untilted draws (Clopper and Pearson)."""
RESOLVED_SHARE = 1 / 32
ROUNDING = 1e-12
"""Relative size below which a difference of energies is 0."""
CHUNK_NUMBERS = 2**21
"""Normal numbers drawn at once: bounds the memory whatever the dimension."""


@dataclass(frozen=True)
class TailProbability:
    """An estimated probability and its standard error (infinite for a single draw)."""

    probability: float
    stderr: float
    effective_draws: float = math.inf
    """(Σ w)²/Σ w² over the draws that hit: below about 20 the estimate may miss most of the probability."""
    is_bound: bool = False
    """Whether the draws resolve only an upper bound: Chernoff's (`stderr` 0), or the 97.5 % limit that the untilted
    draws set."""


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

    The latter where the draws do not resolve it: then the field `is_bound` of the result is true.

    Args:
        matrix: second moment A, symmetric.
        shape: C of the subspaces' law, the span of C^½ Z; ``None`` for Haar.
        draws: importance samples, beside half as many untilted ones; relative error about 0.09 √(1024/draws) at 6
            standard deviations. Where these do not resolve it and d k is small, up to 16 times as many are drawn.
        generator: explicit source of randomness, on any device.

    Raises `InputError` without a generator or draws, for a rank beyond d, numbers that are not finite, or when C has
    fewer than k directions.
    """
    if generator is None:
        raise InputError(
            "a p-value is drawn: pass generator=torch.Generator().manual_seed(…), or draws=0 to leave it out"
        )
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise InputError(f"draws={draws!r}: a probability needs a whole number of draws of at least 1; try draws=1024")
    if not 1 <= rank <= len(matrix):
        raise InputError(f"rank {rank} in {len(matrix)} dimensions: choose it between 1 and {len(matrix)}")
    if not (
        math.isfinite(energy) and bool(matrix.isfinite().all()) and (shape is None or bool(shape.isfinite().all()))
    ):
        raise InputError("an energy, moment or covariance is not finite: leave out what is NaN or infinite")
    matrix = matrix.to(generator.device, torch.float64)
    size = float(matrix.abs().max()) or 1.0  # squares of 1e±150 would leave the range of floats
    law = subspace_law(matrix / size, None if shape is None else shape.to(matrix), rank)
    least, most = float(law.energies[:rank].mean()), float(law.energies[-rank:].mean())
    asked, slack = energy / size, ROUNDING * float(law.energies.abs().max())
    if asked > most + slack:
        return TailProbability(0.0, 0.0)  # no subspace has it
    if asked <= least + (slack if most - least <= slack else 0.0):
        return TailProbability(1.0, 0.0)  # every subspace has it
    if most - least <= slack or asked >= most:
        return TailProbability(0.0, 0.0)
    rest, trace = len(law.energies) - rank, float(law.energies.sum())
    if rest < rank:  # the complement has the smaller matrices, and the event is one of its energy
        return _resolved(law.dual(), rest, (rank * asked - trace) / rest, draws, generator)
    return _resolved(law, rank, asked, draws, generator)


def _resolved(law: SubspaceLaw, rank: int, energy: float, draws: int, generator: torch.Generator) -> TailProbability:
    affordable = MORE_NUMBERS // (2 * len(law.energies) * rank)
    tilt = tilted(law, rank, energy) if energy > mean_energy(law, rank) else law
    most = draws
    while True:
        sample = _mixture(tilt, rank, most, generator)
        tail = sample.tail(energy)
        if tilt is law or _stands(tail, draws):
            return tail
        if most >= min(MORE_DRAWS * draws, affordable // MORE_STEP + 1):
            break
        most *= MORE_STEP
    untilted, hits = sample.counts[UNTILTED], sample.hits(energy)
    limit = float(betaincinv(hits + 1, untilted - hits, LEVEL)) if hits < untilted else 1.0
    if law.root.ndim == 1 and (chernoff := chernoff_bound(law.energies, rank, energy)) < limit:
        return replace(tail, probability=chernoff, stderr=0.0, is_bound=True)
    return replace(tail, probability=limit, stderr=(limit * (1 - limit) / untilted) ** 0.5, is_bound=True)


def _stands(tail: TailProbability, draws: int) -> bool:
    expected = tail.probability * draws / 2 if tail.effective_draws else 0.0
    needed = min(RESOLVED, max(LEAST_RESOLVED, draws * RESOLVED_SHARE))
    return tail.effective_draws >= needed or expected >= PLAIN


@dataclass(frozen=True)
class _Sample:
    """Draws from several laws S^t, in this order, and their weights against the mixture of them all."""

    counts: dict[float, int]
    """Number of draws by t."""
    energies: Float[Tensor, " n"]
    log_weights: Float[Tensor, " n"]
    """The probabilities of interest may be far below the smallest float."""

    def tail(self, energy: float) -> TailProbability:
        """P(E ≥ `energy`): the mean of event / density of the mixture."""
        # A NaN among the energies stays one.
        logs = torch.where(self.energies < energy, -math.inf, self.log_weights + 0 * self.energies)
        largest, total = float(logs.max()), len(logs)
        if not math.isfinite(largest):  # no draw hits, or rounding has spoilt one: nothing is known
            return TailProbability(1.0, math.inf, 0.0)
        relative, scale = (logs - largest).exp(), math.exp(largest)
        # The tilted and the untilted draws are fixed in number, so that their difference is no error.
        parts = relative.split([total - self.counts[UNTILTED], self.counts[UNTILTED]])
        variance = (
            sum(len(part) * float(part.var()) for part in parts) / total**2 if min(map(len, parts)) > 1 else math.inf
        )
        stderr = scale * variance**0.5 if variance < math.inf else math.inf
        effective = float(relative.sum() ** 2 / relative.square().sum())
        return TailProbability(min(1.0, scale * float(relative.mean())), stderr, effective)

    def hits(self, energy: float) -> int:
        """Number of untilted draws, the last ones, of at least this energy; NaN counts as one: it bounds from above."""
        return int((~(self.energies[-self.counts[UNTILTED] :] < energy)).sum())


def _mixture(tilt: SubspaceLaw, rank: int, draws: int, generator: torch.Generator) -> _Sample:
    """`draws` tilted and half as many untilted draws."""
    middle = int(draws * MIDDLE_SHARE)
    counts = {TILTED: draws - middle, MIDDLE: middle, UNTILTED: -(-draws // 2)}
    return _draw(tilt, rank, {part: count for part, count in counts.items() if count}, generator)


def _draw(tilt: SubspaceLaw, rank: int, counts: dict[float, int], generator: torch.Generator) -> _Sample:
    total, dim = sum(counts.values()), len(tilt.energies)
    energies, log_weights = [], []
    shares = torch.tensor(list(counts.values()), device=generator.device, dtype=torch.float64) / total
    for own, count in counts.items():
        for n in _chunks(count, max(1, CHUNK_NUMBERS // (dim * rank))):
            z = torch.randn((n, dim, rank), generator=generator, device=generator.device, dtype=torch.float64)
            z = z * tilt.variances.pow((own - 1) / 2)[:, None]
            energies.append(tilt.energy(z))
            log_weights.append(-(tilt.log_densities(z, counts) + shares.log()[:, None]).logsumexp(0))
    return _Sample(counts, torch.cat(energies), torch.cat(log_weights))


def _chunks(n: int, size: int) -> list[int]:
    return [min(size, n - start) for start in range(0, n, size)]
