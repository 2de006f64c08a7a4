"""Exact calculus: elementary functions in normal forms and series, and the rules that rest on derivatives."""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from proofs.conditions import nonzero, remainder
from proofs.expansion import expand
from proofs.expressions import ELEMENTARY, Expectation, Flow, Iterate, Slope
from proofs.normal_forms import LaurentSeries, equal, taylor
from proofs.rules import Refused

from ..checking import apply

a, b, c, n, tau, x, y = sympy.symbols("a b c n tau x y")
t = sympy.Symbol("t", positive=True)
rest = sympy.Symbol("remainder_1")

SIN, COS, EXP, LOG, ASIN, SQRT = sympy.sin, sympy.cos, sympy.exp, sympy.log, sympy.asin, sympy.sqrt


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (SIN(x) ** 2 + COS(x) ** 2, sympy.Integer(1)),
        ((1 - COS(x)) / SIN(x), SIN(x) / (1 + COS(x))),
        (EXP(2 * x + y) * EXP(-x), EXP(x) * EXP(y)),
        (1 / (1 + EXP(-x)), EXP(x) / (1 + EXP(x))),
        (EXP(a * (x + y)), EXP(a * x) * EXP(a * y)),
        (sympy.pi * x / sympy.pi, x),
    ],
)
def test_identities(left, right) -> None:
    assert equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (SIN(x), COS(x)),
        (SIN(x) ** 2 - COS(x) ** 2, sympy.Integer(1)),
        (EXP(x), EXP(-x)),
        (EXP(x / 2), EXP(x)),
        (sympy.pi, sympy.Integer(3)),
        (SIN(2 * x), 2 * SIN(x)),
    ],
)
def test_what_is_no_identity(left, right) -> None:
    assert not equal(left, right)


@pytest.mark.parametrize("function", ELEMENTARY, ids=lambda function: function.__name__)
def test_coefficients_are_derivatives_at_the_centre(function) -> None:
    centre = 1 if function is LOG else 0
    expected = [sympy.diff(function(x), x, k).subs(x, centre) / sympy.factorial(k) for k in range(9)]
    assert taylor(function, 9) == expected


@given(st.sampled_from(ELEMENTARY), st.sampled_from(ELEMENTARY), st.integers(-3, 3), st.integers(1, 3))
def test_producer_and_checker_expand_alike(outer, inner, factor: int, power: int) -> None:
    """Two implementations: recurrences in graded rings, and Taylor coefficients over fields of fractions."""

    def centred(function, argument):
        return function(1 + argument) if function is LOG else function(argument)

    expression = a + b * centred(outer, t * centred(inner, factor * t**power + c * t**2))
    produced = expand(expression, t, 5)
    series = LaurentSeries(t, 6, expression, produced)
    left, right = series(expression), series(produced)
    assert all(left[k] == right[k] for k in range(6))


def test_functions_away_from_their_centre_have_no_series() -> None:
    for expression in (EXP(1 + t), COS(a + t), LOG(2 + t)):
        with pytest.raises(ValueError, match="constant term"):
            LaurentSeries(t, 4, expression)(expression)


def test_derivatives() -> None:
    apply("differentiation", Slope(EXP(a * x) * SIN(x), x), EXP(a * x) * (a * SIN(x) + COS(x)))
    apply("differentiation", Slope(LOG(t) + ASIN(t / 2) ** 0, t), 1 / t)
    apply("differentiation", Slope(a**2 * b, x), sympy.Integer(0))


@pytest.mark.parametrize(
    ("part", "into", "given", "reason"),
    [
        (Slope(x**2, x), x, {}, "differs"),
        (Slope(a * x, x), a, {"definitions": ((a, x**2),)}, "depends on x"),
        (Slope(rest * x, x), rest, {"conditions": (remainder(rest, t),)}, "remainder"),
        (Slope(Expectation(a) * x, x), Expectation(a), {}, "plain"),
        (Slope(LOG(x), x), 1 / x, {}, "not known to differ from 0"),
        (Slope(SQRT(x), x), 1 / (2 * SQRT(x)), {}, "not known to differ from 0"),
    ],
)
def test_refused_derivatives(part, into, given, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        apply("differentiation", part, into, given=given)


ITERATED = Iterate((1 - c) * x + b, x, a, n)
CLOSED = b / c + (a - b / c) * (1 - c) ** n
NOT_ZERO = {"conditions": (nonzero(c),)}


def test_closed_form_of_a_recursion() -> None:
    apply("induction", ITERATED, CLOSED, given=NOT_ZERO)
    apply("induction", Iterate(x + b, x, a, n), a + n * b)


@pytest.mark.parametrize(
    ("part", "into", "given", "reason"),
    [
        (ITERATED, CLOSED, {}, "not known to differ from 0"),
        (ITERATED, CLOSED + b, NOT_ZERO, "does not start"),
        (ITERATED, b / c + (a - b / c) * (1 + c) ** n, NOT_ZERO, "does not follow"),
        (ITERATED, a + n * (b - c * a), NOT_ZERO, "does not follow"),
        (Iterate(x + n, x, a, n), a + n**2, {}, "depends on n"),
        (Iterate(x + b, x, a, n), a + n * b, {"definitions": ((b, n + 1),)}, "depends on n"),
        (Iterate(x + b, x, n, n), n + n * b, {}, "depends on n"),
        (Iterate(x + b, x, x, n), x + n * b, {}, "bound"),
        (Iterate(x, x, a, b + 1), a, {}, "no symbol"),
    ],
)
def test_refused_closed_forms(part, into, given, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        apply("induction", part, into, given=given)


RELAXED = Flow(b - c * x, x, a, tau)
SOLVED = b / c + (a - b / c) * EXP(-c * tau)


def test_solution_of_a_differential_equation() -> None:
    apply("flow", RELAXED, SOLVED, given=NOT_ZERO)
    apply(
        "flow",
        Flow(-(x**2), x, t, sympy.Symbol("tau", nonnegative=True)),
        t / (1 + t * sympy.Symbol("tau", nonnegative=True)),
    )


@pytest.mark.parametrize(
    ("part", "into", "given", "reason"),
    [
        (RELAXED, SOLVED, {}, "not known to differ from 0"),
        (RELAXED, SOLVED + 1, NOT_ZERO, "does not start"),
        (RELAXED, b / c + (a - b / c) * EXP(c * tau), NOT_ZERO, "does not follow"),
        (Flow(x**2, x, a, tau), a / (1 - a * tau), {}, "not known to differ from 0"),
        (Flow(SQRT(x), x, a, tau), a, {}, "no polynomial"),
        (Flow(b, x, a, tau), a + b * tau, {"definitions": ((b, tau**2),)}, "depends on tau"),
    ],
)
def test_refused_solutions(part, into, given, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        apply("flow", part, into, given=given)
