"""`assert_scaling`: what passes, what fails and says so, what says too little, and how often it is wrong."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.scaling import fit_exponent
from manifoldtheory.testing import assert_scaling

LADDER = np.logspace(-4, -1, 7)


@given(exponent=st.floats(-4, 4), coefficient=st.floats(1e-6, 1e6), order=st.permutations(range(7)))
def test_exact_laws_pass_in_any_order(exponent: float, coefficient: float, order: list[int]) -> None:
    t = LADDER[order]
    law = assert_scaling(coefficient * t**exponent, t, exponent, coefficient=coefficient)
    assert law.exponent == pytest.approx(exponent, abs=1e-9)


@given(exponent=st.floats(-4, 4), error=st.floats(0.02, 2), sign=st.sampled_from([-1, 1]))
def test_other_exponents_fail(exponent: float, error: float, sign: int) -> None:
    with pytest.raises(AssertionError, match=r"fitted exponent .* wanted"):
        assert_scaling(LADDER**exponent, LADDER, exponent + sign * error)


@pytest.mark.parametrize(
    "values",
    [
        torch.tensor(LADDER**2, requires_grad=True),
        torch.tensor(LADDER**2, dtype=torch.float32),
        LADDER**2,
        (LADDER**2).tolist(),
        [torch.tensor(v, requires_grad=True) for v in LADDER**2],
        (v for v in LADDER**2),
    ],
    ids=["tensor", "float32", "array", "list", "list of tensors", "generator"],
)
def test_any_container_of_numbers(values) -> None:
    assert_scaling(values, LADDER, 2)


def test_the_failure_shows_fit_interval_misfit_and_table() -> None:
    value = 0.5 * LADDER**2
    with pytest.raises(AssertionError) as failure:
        assert_scaling(value, LADDER, 3, stderr=0.01 * value)
    first, fit, misfit, _, header, *rows = str(failure.value).splitlines()
    low, high = map(float, re.findall(r"95 % interval \[(.*), (.*)\]", first)[0])
    assert low < 2 < high
    assert first.startswith("fitted exponent 2, ")
    assert first.endswith("wanted 3")
    assert "0.5 · radius^2, 5 degrees of freedom" in fit
    assert misfit.strip().startswith("misfit ")
    assert header.split() == ["radius", "value", "local", "slope", "residual"]
    assert [float(row.split()[0]) for row in rows] == pytest.approx(LADDER, rel=1e-3)
    assert [row.split()[2] for row in rows] == ["–", *["2.0000"] * 6]


def test_a_wrong_coefficient_fails() -> None:
    value = 0.5 * LADDER**2 * (1 + 0.1 * LADDER**2)
    with pytest.raises(AssertionError, match=r"^fitted coefficient 0\.5.* wanted 0\.25"):
        assert_scaling(value, LADDER, 2, coefficient=0.25, correction_order=2)
    assert_scaling(value, LADDER, 2, coefficient=0.5, correction_order=2)


def test_the_next_term_needs_its_order() -> None:
    value = LADDER**2 * (1 + 40 * LADDER**2)
    with pytest.raises(AssertionError):
        assert_scaling(value, LADDER, 2.0, resolution=0.05)
    law = assert_scaling(value, LADDER, 2.0, correction_order=2, resolution=0.5)
    assert abs(law.exponent - 2) < 0.01


def test_wide_intervals_are_inconclusive_even_where_they_hold_the_exponent() -> None:
    value = LADDER**2 * np.array([1, 8, 0.2, 5, 0.1, 9, 1])
    with pytest.raises(AssertionError, match=r"^inconclusive: fitted exponent .* > resolution 0\.5"):
        assert_scaling(value, LADDER, 2)
    assert_scaling(value, LADDER, 2, resolution=10)
    steady = LADDER**2 * np.array([1, 1.2, 0.8, 1.1, 0.9, 1.2, 1])
    assert_scaling(steady, LADDER, 2)
    with pytest.raises(AssertionError, match=r"^inconclusive: fitted coefficient .* logarithmic width"):
        assert_scaling(steady, LADDER, 2, coefficient=1)


def test_the_tolerance_is_a_margin_about_the_interval() -> None:
    assert_scaling(LADDER**2.005, LADDER, 2)
    with pytest.raises(AssertionError):
        assert_scaling(LADDER**2.005, LADDER, 2, tolerance=0.001)
    assert_scaling(1.05 * LADDER**2, LADDER, 2, coefficient=1, tolerance=0.06)
    with pytest.raises(AssertionError, match="coefficient"):
        assert_scaling(1.05 * LADDER**2, LADDER, 2, coefficient=1)


@pytest.mark.parametrize(
    ("level", "coefficient", "most", "least"), [(0.95, None, 38, 6), (0.95, 1.0, 38, 1), (0.999, None, 4, 0)]
)
def test_false_alarms_keep_to_the_level(level: float, coefficient: float | None, most: int, least: int) -> None:
    """400 laws that hold, with noise: 20, 10 to 20, 0.4 alarms are expected; a bound is missed in 1 of 10⁴ seeds."""
    noise = np.random.default_rng(1)
    alarms = 0
    for _ in range(400):
        value = LADDER**1.5 * np.exp(0.02 * noise.standard_normal(len(LADDER)))
        try:
            assert_scaling(value, LADDER, 1.5, coefficient=coefficient, level=level, tolerance=0)
        except AssertionError:
            alarms += 1
    assert least <= alarms <= most


def test_exponent_and_coefficient_share_the_level() -> None:
    """With both, each interval is that of level (1 + level)/2: 1.2 times as wide here, with 5 degrees of freedom."""
    value = LADDER**1.5 * np.exp(0.02 * np.random.default_rng(2).standard_normal(len(LADDER)))
    law = fit_exponent(LADDER, value)
    low, high = law.exponent_interval
    beyond = law.exponent + 1.1 * (high - law.exponent)
    assert low < 1.5 < high
    with pytest.raises(AssertionError, match="95 % interval"):
        assert_scaling(value, LADDER, beyond, tolerance=0)
    assert_scaling(value, LADDER, beyond, coefficient=law.coefficient, tolerance=0)
    ratio = (law.coefficient_interval[1] / law.coefficient) ** 1.1
    assert_scaling(value, LADDER, law.exponent, coefficient=law.coefficient * ratio, tolerance=0)
    with pytest.raises(AssertionError, match=r"fitted coefficient .* 97\.5 % interval"):
        assert_scaling(value, LADDER, law.exponent, coefficient=law.coefficient * ratio**1.2, tolerance=0)


def test_a_scalar_tensor_is_a_number() -> None:
    value = LADDER**2 * (1 + LADDER**2)
    two = torch.tensor(2.0)
    assert_scaling(value, LADDER, two, correction_order=two, tolerance=two / 100)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((LADDER, LADDER[:3], 1), {}, "equal length"),
        ((-LADDER, LADDER, 1), {}, "positive finite values"),
        ((LADDER, 0 * LADDER, 1), {}, "positive finite scales"),
        (([1.0, 2.0], [1.0, 2.0], 1), {}, "at least 3"),
        (("abc", LADDER, 1), {}, "values must be a tensor, an array or a list of real numbers, got str"),
        ((3.0, LADDER, 1), {}, "values must be a tensor, an array or a list"),
        ((np.ones((7, 2)), LADDER, 1), {}, "two lists of equal length, got shapes"),
        ((LADDER, LADDER, 1), {"level": 1.0}, "level must be below 1, got 1"),
        ((LADDER, LADDER, 1), {"level": 0}, "level must be above 0 and at most 1, got 0"),
        ((LADDER, LADDER, 1), {"level": "a"}, "level must be a number, above 0 and at most 1, got 'a'"),
        ((LADDER, LADDER, "a"), {}, "the wanted exponent must be a number, finite, got 'a'"),
        ((LADDER, LADDER, 1), {"tolerance": "a"}, "tolerance must be a number"),
        ((LADDER, LADDER, 1), {"tolerance": np.inf}, "tolerance must be at least 0 and finite, got inf"),
        ((LADDER, LADDER, 1), {"correction_order": "a"}, "correction_order must be a number, above 0"),
        ((LADDER, LADDER, 1), {"correction_order": torch.ones(2)}, "correction_order must be a number, above 0"),
        ((LADDER, LADDER, 1), {"tolerance": -1}, "tolerance must be at least 0 and finite, got -1"),
        ((LADDER, LADDER, 1), {"resolution": 0}, "resolution must be above 0 and finite, got 0"),
        ((LADDER, LADDER, 1), {"coefficient": -1}, "the wanted coefficient must be above 0 and finite, got -1"),
        ((LADDER, LADDER, float("nan")), {}, "wanted exponent must be finite, got nan"),
        ((LADDER, LADDER, 1), {"stderr": [1.0]}, "stderr must be 7"),
    ],
)
def test_bad_input_is_no_failed_assertion(arguments, options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        assert_scaling(*arguments, **options)
