"""Tail probabilities of the energy in a random subspace, by tilted importance sampling; no floor at 1/draws.

The null law is Haar, or that of the spans of C^½ Z. Draws come from a mixture: of two tilts of the null, so that the
energy in question is typical, and of the null itself, so that whatever the tilts miss is still met as often as by plain
Monte Carlo. The tilts are the one of least divergence S (`subspace_laws`), and its geometric middle S^½ with none.
Draws are weighted by the density of the null against the mixture, so the estimate of P(E ≥ e) is unbiased: the tilt is
computed from A, C and e alone, before anything is drawn. Along S^t the logarithm of the density is concave in t, so
the second keeps the weight of a draw that the first hardly reaches below the root of what it would be; and as one draw
in two is untilted, no weight exceeds 2: the error is never above that of plain Monte Carlo with `draws` draws.

How well it works: under Haar the weights are nearly those of an ideal exponential tilt, relative error about
1.25 √z / √draws at z standard deviations. Where k is small, or C has few effective directions, strong tilts of this
kind are far from the conditional law; the weights scatter, and the effective draws say so. More are drawn then, as long
as that is cheap, and only after that is the estimate replaced by an upper bound: the probability of the highest among
the energies e₀ + (e − e₀)·`RETREAT`ʲ, e₀ the mean, that is resolved, or the limit that the hits among the untilted
draws set, whichever is lower.
"""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from scipy.special import betaincinv
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.subspace_laws import SubspaceLaw, mean_energy, subspace_law, tilted

MIDDLE = 1 / 16
"""Share of the tilted draws that come from S^½ in place of S."""
RESOLVED = 48
"""Effective draws from which on an estimate stands, or a `RESOLVED_SHARE` of the draws if these are few."""
PLAIN = 30
"""Expected hits among the untilted draws from which on an estimate stands: as good as plain Monte Carlo's 18 %."""
MORE_STEP, MORE_DRAWS = 4, 16
"""By what factor draws are added, and up to which."""
MORE_NUMBERS = 2**19
"""Normal numbers up to which more draws than were asked for are cheap: tens of milliseconds."""
LEVEL = 0.975
"""Confidence of the bound from the untilted draws (Clopper and Pearson)."""
RESOLVED_SHARE = 1 / 32
RETREAT = 0.75
DRAFT = 4
"""By what factor fewer draws tell whether an energy is worth an estimate."""
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
    """What is exceeded with this probability; less than was asked for where that bounds it from above."""
    is_bound: bool = False
    """Whether the draws resolve only an upper bound: of a lower `energy`, or the 97.5 % limit of what untilted draws
    show."""


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

    The latter where the draws do not resolve it: then the field `is_bound` of the result is true, and more draws lower
    the bound.

    Args:
        matrix: second moment A, symmetric.
        shape: C of the subspaces' law, the span of C^½ Z; ``None`` for Haar.
        draws: importance samples, beside as many untilted ones; relative error about 0.09 √(1024/draws) at 6 standard
            deviations. Where these do not resolve it and d k is small, up to 16 times as many are drawn.
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
    mean, affordable = mean_energy(law, rank), MORE_NUMBERS // (2 * len(law.energies) * rank)
    tilt, most = tilted(law, rank, energy) if energy > mean else law, draws
    tail, hits = _estimate(tilt, rank, energy, most, generator)
    while not _stands(tail, draws) and tilt is not law and most < min(MORE_DRAWS * draws, affordable // MORE_STEP + 1):
        most *= MORE_STEP
        tail, hits = _estimate(tilt, rank, energy, most, generator)
    if _stands(tail, draws) or tilt is law:
        return tail
    limit = float(betaincinv(hits + 1, most - hits, LEVEL)) if hits < most else 1.0
    bound = replace(tail, probability=limit, stderr=(limit * (1 - limit) / most) ** 0.5, is_bound=True)
    aim = energy
    while True:
        aim = mean + (aim - mean) * RETREAT
        tilt = tilted(tilt, rank, aim) if aim > mean else law
        draft, _ = _estimate(tilt, rank, aim, -(-draws // DRAFT), generator)
        if tilt is law or _stands(replace(draft, effective_draws=DRAFT * draft.effective_draws), draws):
            # Draws that pick an energy favour those that miss heavy weights: fresh ones estimate it.
            lower, _ = _estimate(tilt, rank, aim, draws, generator)
            if tilt is law or _stands(lower, draws):
                return bound if bound.probability <= lower.probability else replace(lower, is_bound=True)


def _stands(tail: TailProbability, draws: int) -> bool:
    expected = tail.probability * draws if tail.effective_draws else 0.0
    return tail.effective_draws >= min(RESOLVED, draws * RESOLVED_SHARE) or expected >= PLAIN


def _estimate(
    tilt: SubspaceLaw, rank: int, energy: float, draws: int, generator: torch.Generator
) -> tuple[TailProbability, int]:
    """Mean of event / density of the mixture, in logarithms: it may be far below the smallest float.

    Of `draws` tilted and as many untilted draws; also how many of the latter hit.
    """
    middle = int(draws * MIDDLE)
    counts = {1.0: draws - middle, 0.5: middle, 0.0: draws}
    shares = {part: count / (2 * draws) for part, count in counts.items() if count}
    logs = torch.cat(
        [
            _log_weights(tilt, rank, energy, n, part, shares, generator)
            for part, count in counts.items()
            for n in _chunks(count, max(1, CHUNK_NUMBERS // (len(tilt.energies) * rank)))
        ]
    )
    hits = int((logs[draws:] != -math.inf).sum())  # NaN counts as one: it bounds from above
    largest = float(logs.max())
    if not math.isfinite(largest):  # no draw hits, or rounding has spoilt one: nothing is known
        return TailProbability(1.0, math.inf, 0.0, energy), hits
    relative, scale = (logs - largest).exp(), math.exp(largest)
    probability = scale * float(relative.mean())
    # Tilted and untilted draws are fixed in number, so that their difference is no error.
    variance = float(relative.view(2, draws).var(1).mean()) if draws > 1 else math.inf
    stderr = scale * (variance / (2 * draws)) ** 0.5
    effective = float(relative.sum() ** 2 / relative.square().sum())
    return TailProbability(min(1.0, probability), stderr, effective, energy), hits


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
