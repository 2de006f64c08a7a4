"""Attempts to prove what is false by analysis and averages, one for each way in; the checker refuses them all.

As in `tests.proofs.test_soundness`: each would prove a falsehood if the check that it is named after were not made.
"""

import re
from dataclasses import replace
from typing import Any

import pytest
import sympy

from proofs.certificate import Chain, Step, check
from proofs.conditions import deterministic, finite, gaussian, nonzero, positive, remainder
from proofs.expressions import At, Expectation, Flow, Iterate, Norm, Slope

from .checking import chain, reasons, step, substitution

zero, one, two = map(sympy.Integer, (0, 1, 2))
half = sympy.Rational(1, 2)
p, t = sympy.symbols("p t", positive=True)
R, R1, R2 = (sympy.Symbol(f"remainder_{number}") for number in range(1, 4))
n, q, u, x, y, z = sympy.symbols("n q u x y z")

Case = tuple[tuple[Chain, ...], str]


def averages() -> dict[str, Case]:
    slope = Slope(x**2, x)
    mean = Expectation(x)
    return {
        "the slope at a random number pulled out of an average": (
            (
                chain("out", step("linearity", Expectation(slope), Expectation(slope), slope)),
                chain("slope", step("differentiation", slope, slope, 2 * x)),
                chain(
                    "in",
                    substitution(Expectation(slope), (slope, 2 * x)),
                    step("linearity", Expectation(2 * x), Expectation(2 * x), 2 * mean),
                    uses=("slope",),
                ),
                chain(
                    "absurd",
                    substitution(2 * x, (2 * x, slope)),
                    substitution(slope, (slope, Expectation(slope))),
                    substitution(Expectation(slope), (Expectation(slope), 2 * mean)),
                    uses=("out", "slope", "in"),
                ),
            ),
            "differ",
        ),
        "a hypothesis about what a later chain makes constant": (
            (
                chain("centred", substitution(mean, (mean, zero)), hypotheses=((mean, zero),)),
                chain(
                    "one",
                    substitution(mean, (x, one)),
                    step("linearity", Expectation(one), Expectation(one), one),
                    definitions=((x, one),),
                ),
                chain(
                    "absurd",
                    substitution(zero, (zero, mean)),
                    substitution(mean, (mean, one)),
                    uses=("centred", "one"),
                ),
            ),
            "about the constant",
        ),
        "a number said to be positive that is never": (
            (chain("absurd", step("ring-identity", x, x, x), conditions=(positive(-(x**2)),)),),
            "said to be positive",
        ),
    }


def half_normal(left: Any, right: Any, **given: Any) -> Chain:
    """A chain by the lemma, for two numbers declared Gaussian beside what is given."""
    sizes = Expectation(sympy.sqrt(left**2) * sympy.sqrt(right**2))
    squares = Expectation(left**2), Expectation(right**2)
    into = 2 / sympy.pi * sympy.sqrt(squares[0]) * sympy.sqrt(squares[1])
    conditions = given.pop("conditions", (gaussian(left, right),))
    return chain(
        "absurd",
        step("half-normal", sizes, sizes, into),
        conditions=(*map(nonzero, squares), *conditions),
        hypotheses=((Expectation(left * right), zero),),
        **given,
    )


def gaussian_numbers() -> dict[str, Case]:
    both = gaussian(x, y)
    return {
        "a fourth power": ((half_normal(x, y, definitions=((y, z**4),)),), "said to be Gaussian"),
        "a cube of the other": ((half_normal(x, y, definitions=((y, x**3),)),), "no variable of its own"),
        "a number that is not random": ((half_normal(x, y, conditions=(both, deterministic(x))),), "so few values"),
        "a number above 0": ((half_normal(p, y),), "so few values"),
        "a number declared to be above 0": ((half_normal(x, y, conditions=(both, positive(x))),), "so few values"),
        "an average over finitely many cases": ((half_normal(x, y, conditions=(both, finite())),), "so few values"),
        "two pairs taken for one": (
            (half_normal(x, y, conditions=(gaussian(x, z), gaussian(y, u))),),
            "not of two numbers",
        ),
    }


def unknowns() -> dict[str, Case]:
    def starts_below(head: Any, rule: str, into: Any) -> Chain:
        return chain(
            "absurd",
            substitution(head(sympy.sqrt(q), p, -one, n), (q, p**2)),
            step(rule, head(p, p, -one, n), head(p, p, -one, n), into),
            definitions=((q, p**2),),
        )

    def passes_a_pole(head: Any, rule: str, into: Any) -> Chain:
        pole = (x**2 + x * y) / x
        cancelled, line = head(pole, x, zero, n), head(x + y, x, zero, n)
        steps = step("ring-identity", cancelled, pole, x + y), step(rule, line, line, into)
        return chain("absurd", *steps, conditions=(nonzero(x),))

    root = At(sympy.sqrt(x), x, z)
    quotient = (y * root**2 + y) / (root**2 + 1)
    return {
        "a recursion of positive numbers started below 0": (
            (starts_below(Iterate, "induction", -one),),
            "not known to be positive",
        ),
        "a flow of positive numbers started below 0": (
            (starts_below(Flow, "flow", -sympy.exp(n)),),
            "not known to be positive",
        ),
        "a recursion through what is divided by": (
            (passes_a_pole(Iterate, "induction", n * y),),
            "something is divided by",
        ),
        "a flow through what is divided by": (
            (passes_a_pole(Flow, "flow", y * sympy.exp(n) - y),),
            "something is divided by",
        ),
        "the second slope of a length that may vanish": (
            (
                chain(
                    "length",
                    step("truncation", t + Norm(R) * t**2, t + Norm(R) * t**2, t + R1 * t**2, variable=t, order=1),
                    conditions=(remainder(R, t, 9, vector=True),),
                ),
                chain(
                    "absurd",
                    substitution(Slope(t + Norm(R) * t**2, t), (t + Norm(R) * t**2, t + R1 * t**2)),
                    step("slope", Slope(t + R1 * t**2, t), Slope(t + R1 * t**2, t), 1 + R2 * t, order=0),
                    uses=("length",),
                ),
            ),
            "derivative of the remainder is not known",
        ),
        "a head of the root of a number below 0 taken to be real": (
            (
                chain("cancelled", step("ring-identity", quotient, quotient, y)),
                chain(
                    "zero",
                    step("evaluation", y * root**2 + y, root, sympy.sqrt(z), renamed=()),
                    substitution(y * z + y, (z, -one)),
                    definitions=((z, -one),),
                ),
                chain(
                    "absurd",
                    substitution(y, (y, quotient)),
                    substitution(quotient, (y * root**2 + y, zero)),
                    uses=("cancelled", "zero"),
                ),
            ),
            "not known to differ from 0",
        ),
    }


def cancellations() -> dict[str, Case]:
    """Two values of a part, by two chains used together."""

    def one_is_zero(part: Any, first: Chain, second: Chain, *before: Chain) -> tuple[Chain, ...]:
        last = chain(
            "absurd", substitution(one, (one, part)), substitution(part, (part, zero)), uses=(first.name, second.name)
        )
        return (*before, first, second, last)

    def sets(symbol: Any, value: Any, part: Any) -> Chain:
        return chain("zero", substitution(part, (symbol, value)), definitions=((symbol, value),))

    both = chain("both", substitution(y, (y, x)), substitution(x, (x, zero)), definitions=((y, x), (x, zero)))
    factor = z * (1 + z) - z**2
    at = At(x / y, x, z)
    return {
        "a quotient that a definition cancels": (
            one_is_zero(
                x / y,
                chain("one", substitution(x / y, (y, x)), definitions=((y, x),)),
                sets(x, zero, x / y),
            ),
            "cancels, which may be 0",
        ),
        "a definition that divides by 0": (
            one_is_zero(
                x * z,
                chain("one", substitution(x * z, (x, 1 / z)), definitions=((x, 1 / z),)),
                sets(z, zero, x * z),
            ),
            "cancels, which may be 0",
        ),
        "a part that becomes what it is divided by": (
            one_is_zero(
                factor / z,
                chain("one", step("ring-identity", factor / z, factor, z)),
                chain("zero", substitution(factor / z, (factor, zero)), uses=("factor",)),
                replace(sets(z, zero, factor), name="factor"),
            ),
            "cancels, which may be 0",
        ),
        "a quotient that cancels where it is evaluated": (
            one_is_zero(
                at,
                chain(
                    "one",
                    substitution(at, (z, y)),
                    step("evaluation", At(x / y, x, y), At(x / y, x, y), one, renamed=()),
                    definitions=((z, y),),
                ),
                chain(
                    "zero",
                    substitution(at, (z, zero)),
                    step("evaluation", At(x / y, x, zero), At(x / y, x, zero), zero, renamed=()),
                    uses=("value",),
                ),
                chain("value", substitution(z, (z, y)), substitution(y, (y, zero)), definitions=((z, y), (y, zero))),
            ),
            "cancels, which may be 0",
        ),
        "a power whose exponent is only later negative": (
            one_is_zero(
                y * x**n,
                chain(
                    "one",
                    substitution(y * x**n, (y, x)),
                    substitution(x ** (n + 1), (n, -one)),
                    definitions=((y, x), (n, -one)),
                ),
                chain("zero", substitution(y * x**n, (y, zero)), uses=("both",)),
                both,
            ),
            "cancels, which may be 0",
        ),
    }


def too_large(left: Any) -> Chain:
    """A chain that puts in a number with which the left side is too large to write here."""
    return chain("absurd", Step("", left, x, "substitution", {"equations": ((n, huge),)}), definitions=((n, huge),))


def numbers() -> dict[str, Case]:
    count = Iterate(x + 1, x, zero, n)
    other = n + (-1) ** (2 * n) - 1
    by_induction = (
        chain("closed", step("induction", count, count, n)),
        chain("other", step("induction", count, count, other)),
        chain("same", substitution(n, (n, count)), substitution(count, (count, other)), uses=("closed", "other")),
    )
    quotient = (y * x**2 + y) / (x**2 + 1)
    exponential = (y * sympy.exp(x) + sympy.exp(x) ** 2) / sympy.exp(x)
    return {
        "a closed form at what is no whole number, by definition": (
            (
                *by_induction,
                chain("absurd", substitution(n, (n, other)), definitions=((n, half),), uses=("same",)),
            ),
            "not known to be whole",
        ),
        "a closed form at what is no whole number, where it is evaluated": (
            (*by_induction, chain("absurd", substitution(At(n + x, n, half), (n, other)), uses=("same",))),
            "binds no symbol|needs n whole",
        ),
        "an iterate at what is no whole number": (
            (
                chain(
                    "absurd",
                    step("induction", At(count, n, half), count, n),
                ),
            ),
            "bound as a number that need not be whole",
        ),
        "a symbol defined as the root of a number below 0": (
            (
                chain("cancelled", step("ring-identity", quotient, quotient, y)),
                chain(
                    "zero",
                    substitution(y * x**2 + y, (x, sympy.sqrt(z))),
                    substitution(y * z + y, (z, -one)),
                    definitions=((x, sympy.sqrt(z)), (z, -one)),
                ),
                chain(
                    "absurd",
                    substitution(y, (y, quotient)),
                    substitution(quotient, (y * x**2 + y, zero)),
                    uses=("cancelled", "zero"),
                ),
            ),
            "which is not real",
        ),
        "a symbol defined as the logarithm of 0": (
            (
                chain("sum", step("ring-identity", exponential, exponential, y + sympy.exp(x))),
                chain(
                    "absurd",
                    substitution(y + sympy.exp(x), (x, sympy.log(z))),
                    substitution(y + z, (z, zero)),
                    definitions=((x, sympy.log(z)), (z, zero)),
                    uses=("sum",),
                ),
            ),
            "which is not real",
        ),
        "a symbol defined as the angle whose sine is 2": (
            (chain("absurd", substitution(x, (x, sympy.asin(two))), definitions=((x, sympy.asin(two)),)),),
            "which is not real",
        ),
        "a power too large to compute": (
            (too_large(2**n),),
            "an exponent is above",
        ),
        "a power too large to compute, in a condition": (
            (
                chain(
                    "absurd",
                    substitution(n, (n, huge)),
                    definitions=((n, huge),),
                    conditions=(positive(2**n),),
                ),
            ),
            "an exponent is above",
        ),
        "a power written as an exponential": (
            (too_large(power),),
            "a function of a function of numbers",
        ),
        "an exponential tower": (
            (chain("absurd", step("ring-identity", tower * x, x * tower, x * tower + 0)),),
            "a function of a function of numbers",
        ),
        "an exponent that multiplies out to too much": (
            (chain("absurd", step("ring-identity", wide, wide, wide)),),
            "more than",
        ),
    }


huge = sympy.Integer(10**12)
power = sympy.exp(n * sympy.log(two), evaluate=False)
tower = sympy.exp(sympy.exp(sympy.Integer(64)))
wide = x ** (sympy.Add(*sympy.symbols("a b c d e f g")) ** 64)

CASES: dict[str, Case] = {
    **averages(),
    **gaussian_numbers(),
    **unknowns(),
    **cancellations(),
    **numbers(),
}


@pytest.mark.parametrize("name", CASES)
def test_false_proofs_are_refused(name: str) -> None:
    chains, why = CASES[name]
    refusals = check(chains)
    assert refusals, "a false proof was accepted"
    assert any(re.search(why, refusal.reason) for refusal in refusals), reasons(*chains)


def test_the_same_under_declared_conditions_is_accepted() -> None:
    """The refusals are of what is missing, not of everything: with it, the true statements check."""
    polar = ((x, u * y), (z, u * n))
    assert not reasons(half_normal(x, y))
    assert not reasons(half_normal(x, z, definitions=polar, conditions=(gaussian(x, z),)))
    for symbol, quotient in ((x, x / y), (z, x * z / y)):
        cancelled = substitution(quotient, (y, symbol))
        assert not reasons(chain("quotient", cancelled, definitions=((y, symbol),), conditions=(nonzero(symbol),)))
    count = Iterate(x + 1, x, zero, n)
    counted = chain("counted", step("induction", count, count, n))
    five = chain("five", substitution(count, (count, n)), definitions=((n, sympy.Integer(5)),), uses=("counted",))
    assert not reasons(counted, five)
