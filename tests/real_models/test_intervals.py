import math

import pytest
import torch
from scipy.stats import binomtest

from real_models.intervals import jackknife_log


def mean(values) -> float:
    return sum(values) / len(values)


def test_the_jackknife_of_a_mean_is_its_standard_error(generator: torch.Generator) -> None:
    # For the geometric mean, log is the mean of logs, whose delete-one jackknife is exactly s/√B.
    logs = torch.randn(8, generator=generator, dtype=torch.float64)
    estimate = jackknife_log(logs.exp().tolist(), lambda values: math.exp(mean([math.log(v) for v in values])))
    assert estimate.log_stderr == pytest.approx(float(logs.std()) / 8**0.5)
    assert estimate.value == pytest.approx(math.exp(float(logs.mean())))
    lower, upper = estimate.interval
    assert lower * upper == pytest.approx(estimate.value**2)


def test_intervals_cover_a_ratio_of_means_as_often_as_they_say(generator: torch.Generator) -> None:
    trials, covered = 1000, 0
    for _ in range(trials):
        numerators = (2 + 0.3 * torch.randn(8, generator=generator)).tolist()
        denominators = (1 + 0.1 * torch.randn(8, generator=generator)).tolist()
        pairs = list(zip(numerators, denominators, strict=True))
        lower, upper = jackknife_log(
            pairs, lambda some: mean([a for a, _ in some]) / mean([b for _, b in some])
        ).interval
        covered += lower <= 2 <= upper
    # False-alarm rate 1e-4 for coverage of exactly 95 %, with half a percent for the jackknife's own approximation.
    assert binomtest(covered, trials, 0.945, alternative="less").pvalue > 1e-4
    assert binomtest(covered, trials, 0.955, alternative="greater").pvalue > 1e-4


def test_bounds_widen_with_confidence() -> None:
    estimate = jackknife_log([1.0, 1.2, 0.9, 1.1], mean)
    assert estimate.lower_bound(1e-5) < estimate.lower_bound(0.025) < estimate.value
    assert estimate.lower_bound(0.5) == pytest.approx(estimate.value)


def test_a_statistic_without_logarithm_has_no_interval() -> None:
    estimate = jackknife_log([1.0, 0.0, 0.0], lambda values: min(values))
    assert math.isnan(estimate.log_stderr)
    assert math.isnan(estimate.lower_bound(0.025))


def test_one_block_is_not_enough() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        jackknife_log([1.0], mean)
