import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_the_next_term_is_a_regressor():
    value = 0.5 * LADDER**2 * (1 + 3 * LADDER**2)
    plain = fit_exponent(LADDER, value)
    corrected = fit_exponent(LADDER, value, correction_order=2)
    assert abs(plain.exponent - 2) > 1e-4
    assert plain.exponent_interval[0] < 2 < plain.exponent_interval[1]  # the misfit is owned up to
    assert abs(corrected.exponent - 2) < abs(plain.exponent - 2) / 100
    assert corrected.exponent_interval[0] < 2 < corrected.exponent_interval[1]
    assert corrected.coefficient == pytest.approx(0.5, rel=1e-4)


def test_intervals_cover_at_their_level():
    """300 noisy ladders: a 95 % interval misses 15 times on average; more than 33 has probability below 1e-4."""
    rng = np.random.default_rng(0)
    misses = 0
    for _ in range(300):
        value = LADDER**1.5 * np.exp(0.02 * rng.standard_normal(len(LADDER)))
        low, high = fit_exponent(LADDER, value, 0.02 * LADDER**1.5).exponent_interval
        misses += not low < 1.5 < high
    assert misses <= 33


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
