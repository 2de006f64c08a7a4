import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.expressions import Mean
from proofs.normal_forms import Fractions, LaurentSeries, NotInNormalForm, equal

a, b, m, t = sympy.symbols("a b m t", positive=True)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((a + b) ** 2, a**2 + 2 * a * b + b**2),
        ((a**2 - b**2) / (a - b), a + b),
        (a ** (2 * m + 1) / a**m, a * a**m),
        (sympy.sqrt(a) ** 3 + a, sympy.sqrt(a) * (a + sympy.sqrt(a))),
        (Mean(a) * (1 + 1 / b), Mean(a) + Mean(a) / b),
    ],
)
def test_equal_rational_functions(left, right) -> None:
    assert equal(left, right)
    assert not equal(left, right + a / 7)
    assert not equal(2 * left, right)


def test_zero_has_no_inverse() -> None:
    with pytest.raises(NotInNormalForm):
        Fractions(1 / (a * 0 + b), a)(1 / sympy.Add(b, -b, evaluate=False))


@settings(max_examples=10)  # SymPy's own series, the oracle, is slow
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=4), st.sampled_from([-2, -1, 2, 3]))
def test_laurent_powers_against_sympy(coefficients: list[int], exponent: int) -> None:
    polynomial = t + sum(value * t ** (power + 2) for power, value in enumerate(coefficients))
    series = LaurentSeries(t, 5, polynomial)(polynomial**exponent)
    expected = sympy.series((polynomial / t) ** exponent, t, 0, 4).removeO()
    constants = LaurentSeries(t, 5, polynomial).fractions
    for power in range(4):
        assert series[power + exponent] == constants(expected.coeff(t, power))


def test_symbolic_powers_roots_and_logarithms() -> None:
    for expression, expected in (
        ((1 + a * t) ** m, (1, m * a, m * (m - 1) * a**2 / 2)),
        (sympy.sqrt(t**2 + a * t**4) / t, (1, 0, a / 2)),
        (sympy.log(1 + a * t), (0, a, -(a**2) / 2)),
        (t ** (m - 1) * (1 + t) * t ** (1 - m), (1, 1, 0)),
    ):
        series = LaurentSeries(t, 5, expression, *map(sympy.sympify, expected), m, a)
        found = series(expression)
        assert [found[power] for power in range(3)] == [series.fractions(sympy.sympify(value)) for value in expected]


@pytest.mark.parametrize("expression", [sympy.sqrt(t), sympy.tan(t), sympy.sqrt(2 + t), t**m, sympy.log(t)])
def test_what_has_no_series_is_refused(expression) -> None:
    with pytest.raises(NotInNormalForm):
        LaurentSeries(t, 4, expression)(expression)


def test_unknown_coefficients_are_not_made_up() -> None:
    with pytest.raises(NotInNormalForm, match="beyond what is known"):
        LaurentSeries(t, 3, 1 / (1 - t))(1 / (1 - t))[3]
