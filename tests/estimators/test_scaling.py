from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import linregress
from scipy.stats import t as student

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import fit_exponent

LADDER = np.logspace(-4, -1, 7)


@given(
    exponent=st.floats(-4, 4),
    coefficient=st.floats(1e-3, 1e3),
    scale_unit=st.sampled_from([1e-3, 1.0, 1e3]),
    value_unit=st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_exact_laws_are_recovered_in_any_units(exponent, coefficient, scale_unit, value_unit):
    law = fit_exponent(LADDER * scale_unit, value_unit * coefficient * LADDER**exponent)
    assert law.exponent == pytest.approx(exponent, abs=1e-9)
    assert law.coefficient == pytest.approx(value_unit * coefficient / scale_unit**exponent, rel=1e-7)


@given(
    seed=st.integers(0, 1000),
    scale_unit=st.sampled_from([1e-12, 1e-3, 1e3, 1e12]),
    value_unit=st.sampled_from([1e-6, 1e6]),
    order=st.sampled_from([None, 1.0, 2.5]),
    weighted=st.booleans(),
)
def test_a_change_of_units_changes_units_only(seed, scale_unit, value_unit, order, weighted):
    """Scattered values: the exponent, its interval and the law itself are the same physics in any units."""
    rng = np.random.default_rng(seed)
    value = LADDER**1.5 * np.exp(0.1 * rng.standard_normal(len(LADDER)))
    stderr = value * rng.uniform(0.01, 0.2, len(LADDER)) if weighted else None
    plain = fit_exponent(LADDER, value, stderr, correction_order=order)
    other = fit_exponent(
        LADDER * scale_unit,
        value * value_unit,
        None if stderr is None else stderr * value_unit,
        correction_order=order,
    )
    assert other.exponent == pytest.approx(plain.exponent, rel=1e-9)
    assert other.exponent_interval == pytest.approx(plain.exponent_interval, rel=1e-9)
    assert other(LADDER * scale_unit) == pytest.approx(value_unit * plain(LADDER), rel=1e-9)
    assert other.misfit == pytest.approx(plain.misfit, rel=1e-9, nan_ok=True)
    same_scale = fit_exponent(LADDER, value * value_unit, correction_order=order)
    same = fit_exponent(LADDER, value, correction_order=order)
    assert np.divide(same_scale.coefficient_interval, same.coefficient_interval) == pytest.approx(value_unit, rel=1e-9)


def test_the_weights_are_those_of_the_errors():
    """A value with a million times the error has no say."""
    value = LADDER**2.0
    value[3] *= 5
    stderr = 1e-3 * value
    stderr[3] *= 1e6
    assert fit_exponent(LADDER, value, stderr).exponent == pytest.approx(2, abs=1e-9)


def test_the_next_term_is_a_regressor():
    value = 0.5 * LADDER**2 * (1 + 3 * LADDER**2)
    plain = fit_exponent(LADDER, value)
    corrected = fit_exponent(LADDER, value, correction_order=2)
    assert abs(plain.exponent - 2) > 1e-4
    assert plain.exponent_interval[0] < 2 < plain.exponent_interval[1]  # the misfit is owned up to
    assert abs(corrected.exponent - 2) < abs(plain.exponent - 2) / 100
    assert corrected.exponent_interval[0] < 2 < corrected.exponent_interval[1]
    assert corrected.coefficient == pytest.approx(0.5, rel=1e-4)


@pytest.mark.parametrize("order", [None, 1.0])
def test_intervals_cover_at_their_level(order):
    """300 noisy ladders: a 95 % interval misses 15 times on average; more than 33 has probability below 1e-4."""
    rng = np.random.default_rng(0)
    misses = 0
    law = LADDER**1.5 * (1 if order is None else 1 + 2 * LADDER**order)
    for _ in range(300):
        value = law * np.exp(0.02 * rng.standard_normal(len(LADDER)))
        low, high = fit_exponent(LADDER, value, 0.02 * law, correction_order=order).exponent_interval
        misses += not low < 1.5 < high
    assert misses <= 33


def test_corrected_intervals_cover_however_small_the_noise():
    """t² (1 + ½ t²) to 1e-5: an expanded logarithm would bias both by several errors.

    More than 12 of 100 intervals of 95 % miss with a probability below 1e-2.
    """
    rng, scale = np.random.default_rng(1), np.linspace(0.05, 0.3, 8)
    law = 2 * scale**2 * (1 + scale**2 / 2)
    misses = np.zeros(2, dtype=int)
    for _ in range(100):
        fitted = fit_exponent(scale, law * (1 + 1e-5 * rng.standard_normal(8)), 1e-5 * law, correction_order=2)
        intervals = (fitted.exponent_interval, fitted.coefficient_interval)
        misses += [not low < 2 < high for low, high in intervals]
    assert misses.max() <= 12


def test_any_container_of_real_numbers():
    expected = fit_exponent(LADDER, LADDER**2.0)
    tensor = torch.tensor(LADDER, requires_grad=True)
    assert fit_exponent(tensor, tensor**2).exponent_interval == expected.exponent_interval
    assert fit_exponent(list(tensor), list(LADDER**2)).exponent_interval == expected.exponent_interval
    assert fit_exponent([1, 2, 4], torch.tensor([1, 2, 4], dtype=torch.bfloat16)).exponent == pytest.approx(1)
    for bad in ("1234567", ["1"] * 7, None, LADDER.astype(complex), np.array([None] * 7)):
        with pytest.raises(InputError, match="list of real numbers"):
            fit_exponent(LADDER, bad)  # pyright: ignore[reportArgumentType]


def test_plain_fits_are_linear_regressions_of_logarithms():
    """Slope, intercept and their 95 % intervals, by another implementation."""
    value = LADDER**1.5 * np.exp(0.1 * np.random.default_rng(1).standard_normal(len(LADDER)))
    law = fit_exponent(LADDER, value)
    line: Any = linregress(np.log(LADDER), np.log(value))
    quantile = student.ppf(0.975, len(LADDER) - 2)
    slope, intercept = ((-quantile, quantile) * np.array(error) for error in (line.stderr, line.intercept_stderr))
    assert law.exponent_interval == pytest.approx(line.slope + slope, rel=1e-9)
    assert law.coefficient_interval == pytest.approx(np.exp(line.intercept + intercept), rel=1e-9)


def test_scatter_beyond_the_errors_widens_the_interval():
    value = LADDER**2 * np.array([1, 1.2, 0.8, 1.1, 0.9, 1.2, 1])
    honest = fit_exponent(LADDER, value)
    claimed = fit_exponent(LADDER, value, 1e-6 * value)
    assert claimed.misfit > 1e3
    assert claimed.exponent_stderr == pytest.approx(honest.exponent_stderr, rel=1e-6)


def test_bad_input():
    with pytest.raises(InputError, match="positive finite values"):
        fit_exponent(LADDER, -LADDER)
    with pytest.raises(InputError, match="positive finite scales"):
        fit_exponent(LADDER - 1, LADDER)
    with pytest.raises(InputError, match="at least 3"):
        fit_exponent([0.1, 0.2], [1, 2])
    with pytest.raises(InputError, match="equal length"):
        fit_exponent(LADDER, [1, 2])
    with pytest.raises(InputError, match="stderr"):
        fit_exponent(LADDER, LADDER, [-1.0] * 7)
    with pytest.raises(InputError, match="equal length"):
        fit_exponent(LADDER[None], LADDER[None])
    orders: Any = (0.0, -1.0, float("nan"), float("inf"), "2", True)
    for order in orders:
        with pytest.raises(InputError, match="correction_order"):
            fit_exponent(LADDER, LADDER, correction_order=order)
    with pytest.raises(InputError, match="at least 4"):
        fit_exponent(LADDER[:3], LADDER[:3], correction_order=1)
