"""Tail probabilities of the energy in a random subspace, by tilted importance sampling; no floor at 1/draws.

The null law is Haar, or that of the spans of C^½ Z. Draws come from a mixture of two tilts of it, so that the energy
in question is typical: the one of least divergence S (`subspace_laws`), and its geometric middle S^½ with none. They
are weighted by the density of the null against the mixture, so the estimate of P(E ≥ e) is unbiased: the tilt is
computed from A, C and e alone, before anything is drawn. Along S^t the logarithm of the density is concave in t, so
the second keeps the weight of a draw that the first hardly reaches below the root of what it would be.

How well it works: under Haar the weights are nearly those of an ideal exponential tilt, relative error about
1.25 √z / √draws at z standard deviations. Under a C of few effective directions, strong tilts of this kind are far from
the conditional law; the weights scatter, and the effective draws say so. The estimate is then replaced by an upper
bound: the probability of the highest among the energies e₀ + (e − e₀)·`RETREAT`ʲ, e₀ the mean, that is resolved. Where
k is small or C has few directions, an estimate with few effective draws tends to be low by more than its error says.
"""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.subspace_laws import SubspaceLaw, mean_energy, subspace_law, tilted

MIXTURE = ((1.0, 15 / 16), (1 / 2, 1 / 16))
"""Powers of S, and their shares of the draws."""
RESOLVED = 48
"""Effective draws from which on an estimate stands, or a `RESOLVED_SHARE` of the draws if these are few."""
RESOLVED_SHARE = 1 / 32
RETREAT = 0.85
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
    energy: float = math.nan
    """What is exceeded with this probability: less than was asked where only an upper bound is resolved."""


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

    The latter where the draws do not resolve it: then the field `energy` of the result is lower than what was asked,
    and more draws raise it.

    Args:
        matrix: second moment A, symmetric.
        shape: C of the subspaces' law, the span of C^½ Z; ``None`` for Haar.
        draws: importance samples; relative error about 0.09 √(1024/draws) at 6 standard deviations.
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
        return TailProbability(0.0, 0.0, energy=energy)  # no subspace has it
    if asked <= least + (slack if most - least <= slack else 0.0):
        return TailProbability(1.0, 0.0, energy=energy)  # every subspace has it
    if most - least <= slack or asked >= most:
        return TailProbability(0.0, 0.0, energy=energy)
    rest, trace = len(law.energies) - rank, float(law.energies.sum())
    if rest < rank:  # the complement has the smaller matrices, and the event is one of its energy
        tail = _resolved(law.dual(), rest, (rank * asked - trace) / rest, draws, generator)
        return replace(tail, energy=(trace + rest * tail.energy) / rank * size)
    tail = _resolved(law, rank, asked, draws, generator)
    return replace(tail, energy=tail.energy * size)


def _resolved(law: SubspaceLaw, rank: int, energy: float, draws: int, generator: torch.Generator) -> TailProbability:
    mean, aim, tilt = mean_energy(law, rank), energy, law
    while True:
        tilt = tilted(tilt, rank, aim) if aim > mean else law
        tail = _estimate(tilt, rank, aim, draws, generator)
        if tail.effective_draws >= min(RESOLVED, draws * RESOLVED_SHARE) or tilt is law:
            # A lower energy was picked by its draws, in favour of those that miss heavy weights: draw afresh.
            return tail if aim == energy else _estimate(tilt, rank, aim, draws, generator)
        aim = mean + (aim - mean) * RETREAT


def _estimate(tilt: SubspaceLaw, rank: int, energy: float, draws: int, generator: torch.Generator) -> TailProbability:
    """Mean of event / density of the mixture, in logarithms: it may be far below the smallest float."""
    rest = int(draws * MIXTURE[1][1])
    counts = {MIXTURE[0][0]: draws - rest, MIXTURE[1][0]: rest}
    shares = {part: count / draws for part, count in counts.items() if count}
    logs = torch.cat(
        [
            _log_weights(tilt, rank, energy, n, part, shares, generator)
            for part, count in counts.items()
            for n in _chunks(count, max(1, CHUNK_NUMBERS // (len(tilt.energies) * rank)))
        ]
    )
    largest = float(logs.max())
    if not math.isfinite(largest):  # no draw hits, or rounding has spoilt one: nothing is known
        return TailProbability(1.0, math.inf, 0.0, energy)
    relative, scale = (logs - largest).exp(), math.exp(largest)
    probability = scale * float(relative.mean())
    # The components' shares are fixed, so the scatter between them is no error: this overstates it a little.
    stderr = scale * float(relative.std()) / draws**0.5 if draws > 1 else math.inf
    effective = float(relative.sum() ** 2 / relative.square().sum())
    return TailProbability(min(1.0, probability), stderr, effective, energy)


def _log_weights(
    tilt: SubspaceLaw,
    rank: int,
    energy: float,
    n: int,
    own: float,
    shares: dict[float, float],
    generator: torch.Generator,
) -> Float[Tensor, " n"]:
    """Logarithms of 1 / density of the mixture for draws of S^own, −∞ where they miss the energy."""
    size = (n, len(tilt.energies), rank)
    z = torch.randn(size, generator=generator, device=generator.device, dtype=torch.float64)
    if own != 1:
        z = z * tilt.variances.pow((own - 1) / 2)[:, None]
    densities = [tilt.log_density(z, part) + math.log(share) for part, share in shares.items()]
    excess = tilt.energy(z) - energy
    return torch.where(excess < 0, -math.inf, -torch.stack(densities).logsumexp(0) + 0 * excess)  # NaN stays NaN


def _chunks(n: int, size: int) -> list[int]:
    return [min(size, n - start) for start in range(0, n, size)]
