"""Intervals for what is computed from moments: a jackknife over blocks of text."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from scipy.special import stdtrit

Block = TypeVar("Block")


@dataclass(frozen=True)
class LogEstimate:
    """A positive statistic, with the jackknife standard error of its logarithm over `blocks` blocks of text."""

    value: float
    log_stderr: float
    blocks: int

    @property
    def stderr(self) -> float:
        """Standard error of the value itself, to first order."""
        return self.value * self.log_stderr

    def lower_bound(self, rate: float) -> float:
        """What the statistic exceeds with confidence 1 − rate, by Student's t with blocks − 1 degrees of freedom."""
        return self.value * math.exp(float(stdtrit(self.blocks - 1, rate)) * self.log_stderr)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """95 % interval."""
        lower = self.lower_bound(0.025)
        return lower, self.value**2 / lower if lower else math.nan


def jackknife_log(blocks: Sequence[Block], statistic: Callable[[Sequence[Block]], float]) -> LogEstimate:
    """A positive statistic of all blocks, and the delete-one jackknife of its logarithm.

    SE² = (B − 1)/B Σ_b (θ_b − θ̄)², θ_b the logarithm without block b (Efron and Stein 1981). On the logarithm since
    ratios of energies are skewed; over stretches of text, not tokens, since neighbouring tokens depend on each other.
    NaN where the statistic is not positive and finite. Raises ``ValueError`` for fewer than two blocks.
    """
    if len(blocks) < 2:
        raise ValueError(f"a jackknife needs at least 2 blocks, got {len(blocks)}")
    value = statistic(blocks)
    without = [statistic([*blocks[:index], *blocks[index + 1 :]]) for index in range(len(blocks))]
    if not all(math.isfinite(part) and part > 0 for part in (value, *without)):
        return LogEstimate(value, math.nan, len(blocks))
    logs = [math.log(part) for part in without]
    mean = math.fsum(logs) / len(logs)
    variance = (len(logs) - 1) / len(logs) * math.fsum((part - mean) ** 2 for part in logs)
    return LogEstimate(value, math.sqrt(variance), len(blocks))
