"""From an R_energy and its tail probabilities to a verdict, at a stated false-alarm rate."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from manifoldtheory.ledger import Verdict
from real_models.intervals import LogEstimate, jackknife_log

if TYPE_CHECKING:
    import torch

    from manifoldtheory.estimators import SecondMoment, TangentProxy

DRAWS = 512
"""Importance samples behind a p-value: its relative standard error is then about a tenth."""

MATCHED_DRAWS = 2048
"""Behind a covariance-matched p-value, whose law is harder to reach by importance sampling."""

LEAST_EFFECTIVE_DRAWS = 20
"""Of the draws that hit: with fewer, a standard error does not tell how far an estimate is off."""

ERROR_MARGIN = 3.0
"""Standard errors of an estimated p-value that a verdict allows for."""


@dataclass(frozen=True)
class Concentration:
    """R_energy of blocks of text: the ratio with its jackknife, and both tails under Haar subspaces of R^d.

    `upper_tail` ± `upper_stderr` is the calibrated p-value P(energy ≥ that in the proxy); the lower tail is P(≤), and
    is estimated where R < 1 only (1 elsewhere).
    """

    ratio: LogEstimate
    upper_tail: float
    upper_stderr: float
    lower_tail: float
    lower_stderr: float
    z_complement: float
    """Of the tangent energy among matched subspaces of the complement."""

    def verdict(self, level: float) -> Verdict:
        """Supports if R > 1 and the upper tail is below the level; refutes if R < 1 and the lower tail is."""
        if self.ratio.value > 1 and self.upper_tail + ERROR_MARGIN * self.upper_stderr < level:
            return Verdict.SUPPORTS
        if self.ratio.value < 1 and self.lower_tail + ERROR_MARGIN * self.lower_stderr < level:
            return Verdict.REFUTES
        return Verdict.INCONCLUSIVE


def ratio_of(blocks: Sequence["SecondMoment"], proxy: "TangentProxy", *, centered: bool = False) -> float:
    """R_energy of all blocks together, without p-value."""
    from manifoldtheory.estimators import energy_ratio, pooled

    return energy_ratio(pooled(blocks), proxy, centered=centered, draws=0).ratio


def concentration(
    blocks: Sequence["SecondMoment"],
    proxy: "TangentProxy",
    *,
    centered: bool = False,
    generator: "torch.Generator",
) -> Concentration:
    """R_energy of blocks of text in a fixed proxy, with what a verdict needs."""
    import torch

    from manifoldtheory.estimators import energy_ratio, pooled

    estimate = jackknife_log(blocks, lambda some: ratio_of(some, proxy, centered=centered))
    total = pooled(blocks)
    matrix = total.covariance if centered else total.second_moment
    upper = energy_ratio(matrix, proxy, draws=DRAWS, generator=generator)
    lower_tail, lower_stderr = 1.0, 0.0
    if estimate.value < 1:
        # An energy low in A is one high in c − A: this tail is resolved far below 1/draws, as 1 − p would not be.
        largest = torch.linalg.eigvalsh(matrix)[-1]
        reflected = largest * torch.eye(len(matrix), dtype=matrix.dtype, device=matrix.device) - matrix
        lower = energy_ratio(reflected, proxy, draws=DRAWS, generator=generator)
        lower_tail, lower_stderr = lower.p_value, lower.p_stderr
    return Concentration(estimate, upper.p_value, upper.p_stderr, lower_tail, lower_stderr, upper.z_complement)


def exceeds_activations(
    gradients: Sequence["SecondMoment"], inputs: Sequence["SecondMoment"], proxy: "TangentProxy", level: float
) -> bool:
    """Whether R of a map's weight gradients is above R of its inputs, paired over blocks, with confidence 1 − level."""
    gain = jackknife_log(
        list(zip(gradients, inputs, strict=True)),
        lambda pairs: ratio_of([own for own, _ in pairs], proxy) / ratio_of([other for _, other in pairs], proxy),
    )
    return gain.lower_bound(level) > 1


def cell_generator(seed: int, *cell: str) -> "torch.Generator":
    """A generator of the cell's own, so that its p-value depends neither on other cells nor on their order."""
    import torch

    digest = hashlib.sha256("/".join([str(seed), *cell]).encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
