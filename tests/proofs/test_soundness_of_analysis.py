"""Attempts to prove what is false by analysis and averages, one for each way in; the checker refuses them all.

As in `tests.proofs.test_soundness`: each would prove a falsehood if the check that it is named after were not made.
"""

import re
from typing import Any

import pytest
import sympy

from proofs.certificate import Chain, check
from proofs.conditions import deterministic, finite, gaussian, nonzero, positive
from proofs.expressions import At, Expectation, Flow, Iterate, Slope

from .checking import chain, reasons, step, substitution

zero, one, two = map(sympy.Integer, (0, 1, 2))
half = sympy.Rational(1, 2)
p = sympy.Symbol("p", positive=True)
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


CASES: dict[str, Case] = {**averages(), **gaussian_numbers(), **unknowns()}


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
