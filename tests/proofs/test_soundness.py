"""Attempts to prove what is false, one for each way in; the checker refuses them all.

Each case is a tuple of chains that would prove a falsehood (mostly 0 = 1, or that all numbers are equal) if the check
that it is named after were not made.
"""

import re
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from proofs.certificate import Chain, Step, check
from proofs.conditions import (
    centred,
    curve,
    deterministic,
    direction_free,
    independent,
    nonzero,
    projectors,
    remainder,
    sphere,
    vectors,
)
from proofs.contractions import A, P, h, w
from proofs.expressions import (
    At,
    Derived,
    Dot,
    Expectation,
    HaarMean,
    Inverse,
    LimitAtZero,
    Mean,
    Norm,
    Primitive,
    Slope,
)
from proofs.rules import RULES

from .checking import chain, reasons, step, substitution

zero, one, two = map(sympy.Integer, (0, 1, 2))
t, s, p, far = sympy.symbols("t s p far", positive=True)
x, y, z, F = sympy.symbols("x y z F")
u, v, m = sympy.symbols("u v m")
i, j, k = sympy.symbols("i j k")
R, R1, R2, R3 = (sympy.Symbol(f"remainder_{number}") for number in range(1, 5))

Case = tuple[tuple[Chain, ...], str]


def equations() -> dict[str, Case]:
    defined_zero = chain("zero", substitution(x, (x, zero)), definitions=((x, zero),))
    defined_one = chain("one", substitution(x, (x, one)), definitions=((x, one),))
    both = chain("both", substitution(x, (x, one)), uses=("zero", "one"))
    two_facts = chain("absurd", substitution(x, (x, zero)), hypotheses=((x, zero),))
    return {
        "a symbol defined twice": (
            (chain("absurd", substitution(x, (x, one)), definitions=((x, zero), (x, one))),),
            "defined twice",
        ),
        "definitions of two chains used together": ((defined_zero, defined_one, both), "two different definitions"),
        "a hypothesis beside a definition": (
            (chain("absurd", substitution(x, (x, one)), definitions=((x, zero),), hypotheses=((x, one),)),),
            "defined and has a hypothesis",
        ),
        "a definition in terms of itself": (
            (chain("absurd", substitution(x, (x, x + 1)), definitions=((x, x + 1),)),),
            "in terms of itself",
        ),
        "definitions in a circle": (
            (chain("absurd", substitution(x, (x, y + 1)), definitions=((x, y + 1), (y, x))),),
            "in terms of itself",
        ),
        "a number defined": (
            (chain("absurd", substitution(one, (one, zero)), definitions=((one, zero),)),),
            "is no symbol",
        ),
        "a hypothesis about a number": (
            (chain("absurd", substitution(one, (one, zero)), hypotheses=((one, zero),)),),
            "a hypothesis about 1",
        ),
        "a hypothesis about a constant": (
            (chain("absurd", substitution(Mean(one), (Mean(one), zero)), hypotheses=((Mean(one), zero),)),),
            "the constant",
        ),
        "a hypothesis about what a rule computes": (
            (chain("absurd", substitution(At(x, x, one), (At(x, x, one), zero)), hypotheses=((At(x, x, one), zero),)),),
            "not for hypotheses to say",
        ),
        "a contraction of two values under two names": (
            (
                chain(
                    "absurd",
                    substitution(A[i, i], (A[i, i], one)),
                    hypotheses=((A[i, i], one), (A[j, j], zero)),
                ),
            ),
            "two different hypotheses",
        ),
        "a remainder defined": (
            (chain("absurd", substitution(R, (R, one)), definitions=((R, one),), conditions=(remainder(R, t),)),),
            "is no symbol",
        ),
        "a positive symbol defined as something else": (
            (chain("absurd", substitution(p, (p, -one)), definitions=((p, -one),)),),
            "is positive",
        ),
        "a positive symbol under a contradictory hypothesis": (
            (chain("absurd", substitution(p, (p, zero)), hypotheses=((p, zero),)),),
            "is positive",
        ),
        "a hypothesis left behind": (
            (two_facts, chain("use", substitution(x, (x, zero)))),
            "neither defined nor proved",
        ),
        "two symbols of one name": (
            (chain("absurd", step("ring-identity", x, x, sympy.Symbol("x", positive=True))),),
            "two symbols of the name",
        ),
    }


def binders() -> dict[str, Case]:
    at_one = chain("at-one", substitution(x**2, (x, one)), hypotheses=((x, one),))
    solution = Inverse(s, s, t)
    number = chain("number", step("evaluation", At(y, x, zero), At(y, x, zero), y, renamed=()))
    dependent = chain(
        "dependent", substitution(At(y, x, zero), (At(y, x, zero), y)), definitions=((y, x + 1),), uses=("number",)
    )
    expanded = chain("expanded", step("truncation", (1 + s) ** 3, (1 + s) ** 3, 1 + R * s, variable=s, order=0))
    large = chain("large", substitution((1 + s) ** 3, ((1 + s) ** 3, 1 + R * s)), uses=("expanded",))
    return {
        "what holds for one x put under a binder of x": (
            (
                chain(
                    "absurd",
                    Step("", At(x, x, two), At(one, x, two), "substitution", {"equations": ((x, one),)}),
                    hypotheses=((x, one),),
                ),
            ),
            "holds only for one x",
        ),
        "a fact that rests on x = 1 put under a binder of x": (
            (at_one, chain("absurd", substitution(At(x**2, x, two), (x**2, one)), uses=("at-one",))),
            "holds only for one x",
        ),
        "the variable of a slope replaced": (
            (chain("absurd", substitution(Slope(s**2, s), (s, t)), hypotheses=((s, t),)),),
            "bound variable",
        ),
        "the unknown of an inverse replaced by its solution": (
            (
                chain(
                    "absurd",
                    Step(
                        "",
                        Inverse(s + s**2, s, t),
                        Inverse(solution + solution**2, s, t),
                        "substitution",
                        {"equations": ((s, solution),)},
                    ),
                    definitions=((s, solution),),
                ),
            ),
            "holds only for one s",
        ),
        "a function of x evaluated as a constant": (
            (
                chain(
                    "absurd",
                    step("evaluation", At(y, x, zero), At(y, x, zero), y, renamed=()),
                    definitions=((y, x + 1),),
                ),
            ),
            "y depends on x",
        ),
        "a constant made a function of x later": ((number, dependent), "depends on a variable"),
        "a small variable made a large one later": (
            (expanded, Chain(**{**vars(large), "definitions": ((s, 1 / t),)})),
            "is not small",
        ),
        "a positive variable evaluated at a number that is not": (
            (chain("absurd", step("evaluation", At(p, p, zero), At(p, p, zero), zero, renamed=())),),
            "not known to be positive",
        ),
        "a remainder's variable fixed": (
            (
                chain(
                    "absurd",
                    step("evaluation", At(R * t, t, one), At(R * t, t, one), R1, renamed=((R, R1),)),
                    conditions=(remainder(R, t),),
                ),
            ),
            "fixed here",
        ),
        "a binder of no symbol": (
            (chain("absurd", step("evaluation", At(x, x + 1, zero), At(x, x + 1, zero), zero, renamed=())),),
            "binds no symbol",
        ),
    }


def divisions() -> dict[str, Case]:
    quotient = (z * y + z) / z
    cancelled = chain("cancelled", step("ring-identity", quotient, quotient, y + 1))
    vanishing = chain("zero", substitution(z * y + z, (z, zero)), hypotheses=((z, zero),))
    return {
        "a factor that can vanish cancelled": ((cancelled,), "not known to differ from 0"),
        "a factor said not to vanish that does": (
            (
                Chain(**{**vars(cancelled), "conditions": (nonzero(z),)}),
                vanishing,
                chain("absurd", substitution(quotient, (z * y + z, zero)), uses=("cancelled", "zero")),
            ),
            "said not to be 0",
        ),
        "a factor that vanishes where it is evaluated": (
            (
                chain(
                    "cancelled", step("ring-identity", (x**2 + x) / x, (x**2 + x) / x, x + 1), conditions=(nonzero(x),)
                ),
                chain(
                    "absurd", substitution(At((x**2 + x) / x, x, zero), ((x**2 + x) / x, x + 1)), uses=("cancelled",)
                ),
            ),
            "divides by x",
        ),
        "a leading coefficient that can vanish": (
            (chain("absurd", step("truncation", 1 / (x + t), 1 / (x + t), 1 / x + R * t, variable=t, order=0)),),
            "not known to differ from 0",
        ),
        "a remainder divided by": (
            (
                chain(
                    "absurd",
                    step(
                        "truncation",
                        1 / (1 + R**2 * t) + t / R,
                        1 / (1 + R**2 * t) + t / R,
                        1 + R1 * t,
                        variable=t,
                        order=0,
                    ),
                    conditions=(remainder(R, t), nonzero(R)),
                ),
            ),
            "not known to",
        ),
        "a remainder that leads a denominator": (
            (
                chain(
                    "absurd",
                    step("truncation", 1 / (R * t + t**2), 1 / (R * t + t**2), 1 / (R * t) + R1, variable=t, order=-1),
                    conditions=(remainder(R, t), nonzero(R)),
                ),
            ),
            "not known to",
        ),
        "infinity": ((chain("absurd", step("ring-identity", sympy.zoo, sympy.zoo, sympy.zoo)),), "not in the grammar"),
        "not a number": ((chain("absurd", step("ring-identity", sympy.nan, sympy.nan, one)),), "."),
    }


def remainders() -> dict[str, Case]:
    truncated = (1 + x * t) ** 2
    once = step("truncation", truncated, truncated, 1 + R * t, variable=t, order=0)
    slope = Slope(t + R * t**2, t)
    derivative = step("slope", slope, slope, 1 + R1 * t, order=0)
    return {
        "the slope of a remainder that may oscillate": (
            (chain("absurd", derivative, conditions=(remainder(R, t, 0),)),),
            "derivative of the remainder is not known",
        ),
        "the slope of a norm's remainder": (
            (
                chain(
                    "norm",
                    step(
                        "triangle",
                        Norm(t * u + t**2 * R),
                        Norm(t * u + t**2 * R),
                        t * Norm(u) + R1 * t**2,
                        variable=t,
                        order=1,
                    ),
                    conditions=(vectors(u), remainder(R, t, 9, vector=True)),
                ),
                chain(
                    "slope",
                    substitution(Slope(Norm(t * u + t**2 * R), t), (Norm(t * u + t**2 * R), t * Norm(u) + R1 * t**2)),
                    step(
                        "slope",
                        Slope(t * Norm(u) + R1 * t**2, t),
                        Slope(t * Norm(u) + R1 * t**2, t),
                        Norm(u) + R2 * t,
                        order=0,
                    ),
                    uses=("norm",),
                ),
            ),
            "derivative of the remainder is not known",
        ),
        "the slope of a slope, beyond what was declared": (
            (
                chain("first", derivative, conditions=(remainder(R, t, 1),)),
                chain(
                    "second",
                    substitution(Slope(slope, t), (slope, 1 + R1 * t)),
                    step("slope", Slope(1 + R1 * t, t), Slope(1 + R1 * t, t), R2, order=-1),
                    uses=("first",),
                ),
            ),
            "derivative of the remainder is not known",
        ),
        "a coefficient that varies differentiated as a constant": (
            (
                chain(
                    "absurd",
                    step("slope", Slope(x * t + R * t**2, t), Slope(x * t + R * t**2, t), x + R1 * t, order=0),
                    definitions=((x, t**2),),
                    conditions=(remainder(R, t, 1),),
                ),
            ),
            "x depends on t",
        ),
        "a remainder of another chain": ((chain("one", once), chain("two", once)), "introduced before"),
        "a remainder of a fact introduced again": (
            (
                chain("one", once),
                chain(
                    "two",
                    substitution(truncated, (truncated, 1 + R * t)),
                    step("truncation", 1 + R * t, R * t, R * t, variable=t, order=0),
                    uses=("one",),
                ),
            ),
            "exactly one new remainder",
        ),
        "a remainder declared twice": (
            (
                chain("one", step("ring-identity", x, x, x), conditions=(remainder(R, t),)),
                chain("two", step("ring-identity", x, x, x), conditions=(remainder(R, t),)),
            ),
            "introduced before",
        ),
        "a remainder that nothing introduces": (
            (
                chain("absurd", step("ring-identity", R * t - R * t + x, x, x + R - R)),
                chain("b", step("ring-identity", R * x, x, x)),
            ),
            "not declared",
        ),
        "a remainder small in another variable": (
            (
                chain(
                    "absurd",
                    step("truncation", 1 + R * t, 1 + R * t, 1 + R1 * t, variable=t, order=0),
                    conditions=(remainder(R, s),),
                ),
            ),
            "not known to be bounded",
        ),
        "a coefficient that blows up": (
            (
                chain(
                    "absurd",
                    step("truncation", 1 / (1 + x * t**2), 1 / (1 + x * t**2), 1 + R * t**2, variable=t, order=1),
                    definitions=((x, 1 / t**2),),
                ),
            ),
            "not known to be bounded",
        ),
        "a limit with a remainder that matters": (
            (
                chain(
                    "absurd",
                    step("limit", LimitAtZero(1 + R, t), LimitAtZero(1 + R, t), one),
                    conditions=(remainder(R, t),),
                ),
            ),
            "the limit differs",
        ),
        "a limit in another variable than the remainder's": (
            (
                chain(
                    "absurd",
                    step("limit", LimitAtZero(1 + R * s, s), LimitAtZero(1 + R * s, s), one),
                    conditions=(remainder(R, t),),
                ),
            ),
            "not known to be bounded",
        ),
        "a limit of what depends on its variable by definition": (
            (
                chain(
                    "absurd",
                    step("limit", LimitAtZero(x * t, t), LimitAtZero(x * t, t), zero),
                    definitions=((x, 1 / t),),
                ),
            ),
            "not known to be bounded",
        ),
        "the root of a square of either sign": (
            (
                chain(
                    "absurd", step("truncation", sympy.sqrt(x**2), sympy.sqrt(x**2), x + R * x**2, variable=x, order=1)
                ),
            ),
            "not a positive number",
        ),
        "the root of a square as a rational function": (
            (chain("absurd", step("ring-identity", sympy.sqrt(x**2), sympy.sqrt(x**2), x)),),
            "differ",
        ),
        "a primitive of what is not integrable": (
            (
                chain(
                    "absurd",
                    step(
                        "primitive",
                        Primitive(t**-2 * (1 + R), t),
                        Primitive(t**-2 * (1 + R), t),
                        -1 / t + R1 * t**0,
                        order=0,
                        weight=sympy.Integer(-2),
                    ),
                    conditions=(remainder(R, t),),
                ),
            ),
            "above −1",
        ),
        "an inverse of what starts otherwise": (
            (
                chain(
                    "absurd", step("reversion", Inverse(s + x, s, t), Inverse(s + x, s, t), t - x + R * t**2, order=1)
                ),
            ),
            "start with its variable",
        ),
        "an inverse of what depends on the target": (
            (
                chain(
                    "absurd",
                    step("reversion", Inverse(s + t * s, s, t), Inverse(s + t * s, s, t), t + R * t**2, order=1),
                ),
            ),
            "depends on t",
        ),
    }


def averages() -> dict[str, Case]:
    product = Expectation(Dot(u, u) * Dot(v, v))
    split = Expectation(Dot(u, u)) * Expectation(Dot(v, v))
    circle, line = sphere(two), sphere(one)
    trace = Mean(A[i, j] * w[i] * w[j])
    haar = HaarMean(P[i, i])
    invariant = step("isserlis", trace, trace, A[i, i] / 2)
    return {
        "something that varies pulled out of an average": (
            (chain("absurd", step("linearity", Mean(F), Mean(F), F)),),
            "differ",
        ),
        "something that varies by definition pulled out": (
            (chain("absurd", step("linearity", Mean(x), Mean(x), x), definitions=((x, F**2),)),),
            "differ",
        ),
        "something declared constant that is defined to vary": (
            (
                chain(
                    "absurd",
                    step("linearity", Mean(x), Mean(x), x),
                    definitions=((x, F),),
                    conditions=(direction_free(x),),
                ),
            ),
            "declared constant but is not",
        ),
        "something that varies pulled out by a chain that does not know": (
            (
                chain("constant", step("linearity", Mean(x), Mean(x), x), conditions=(direction_free(x),)),
                chain(
                    "absurd",
                    substitution(Mean(x), (Mean(x), x)),
                    hypotheses=((x, A[i, j] * w[i] * w[j]),),
                    uses=("constant",),
                ),
            ),
            "declared constant but is not",
        ),
        "a remainder pulled out": (
            (
                chain(
                    "absurd",
                    step("linearity", Expectation(R), Expectation(R), R),
                    conditions=(remainder(R, t), deterministic(R)),
                ),
            ),
            "a remainder is declared constant",
        ),
        "independence that is not declared": (
            (chain("absurd", step("independence", product, product, split), conditions=(vectors(u, v),)),),
            "nothing independent",
        ),
        "independence of what shares a variable": (
            (
                chain(
                    "absurd",
                    step("independence", product, product, split),
                    definitions=((v, 2 * u),),
                    conditions=(vectors(u, v), independent((u,), (v,))),
                ),
            ),
            "share a variable",
        ),
        "independence that a later definition takes away": (
            (
                chain(
                    "split",
                    step("independence", product, product, split),
                    conditions=(vectors(u, v), independent((u,), (v,))),
                ),
                chain("absurd", substitution(product, (product, split)), definitions=((v, u),), uses=("split",)),
            ),
            "share a variable",
        ),
        "a product with a sum across groups": (
            (
                chain(
                    "absurd",
                    step("independence", Expectation(Dot(v, u + v)), Expectation(Dot(v, u + v)), zero),
                    conditions=(vectors(u, v), independent((u,), (v,)), centred(v)),
                ),
            ),
            "does not belong to one group",
        ),
        "a centred vector defined not to be": (
            (
                chain(
                    "absurd",
                    step("independence", Expectation(Dot(u, v)), Expectation(Dot(u, v)), zero),
                    definitions=((v, z),),
                    conditions=(vectors(u, v, z), independent((u,), (v,)), centred(v)),
                ),
            ),
            "has a definition",
        ),
        "a dimension of one's choice": ((chain("absurd", invariant),), "what dimension"),
        "two dimensions": (
            (chain("absurd", invariant, conditions=(circle, line)),),
            "two different conditions",
        ),
        "two dimensions in facts used together": (
            (
                chain("circle", invariant, conditions=(circle,)),
                chain("line", step("isserlis", trace, trace, A[i, i]), conditions=(line,)),
                chain("absurd", substitution(trace, (trace, A[i, i])), uses=("circle", "line")),
            ),
            "two different conditions",
        ),
        "a number that varies with the direction": (
            (
                chain(
                    "absurd",
                    step("isserlis", Mean(F * A[i, j] * w[i] * w[j]), Mean(F * A[i, j] * w[i] * w[j]), F * A[i, i] / 2),
                    conditions=(circle,),
                ),
            ),
            "not known to be constant",
        ),
        "an index summed over two spaces": (
            (
                chain(
                    "absurd",
                    step(
                        "contraction", h[i, i, j] * h[k, k, j], h[i, i, j] * h[k, k, j], h[k, k, j] * h[i, i, j] * 1 + 0
                    ),
                ),
            ),
            "one space|does not occur|right side",
        ),
        "an index that is a number": (
            (
                chain(
                    "absurd",
                    step("contraction", h[0, i, i] * h[0, j, j], h[0, i, i] * h[0, j, j], h[k, i, i] * h[k, j, j]),
                ),
            ),
            "not plain symbols",
        ),
        "projectors of no declared rank": (
            (chain("absurd", step("invariance", haar, haar, m, moments=(one, one, one))),),
            "in how many dimensions",
        ),
        "moments that are not determined": (
            (
                chain(
                    "absurd",
                    step("invariance", haar, haar, one, moments=(one - 2 * x, x, one)),
                    conditions=(projectors(one, one),),
                ),
            ),
            "not determined",
        ),
        "a number that depends on the projector": (
            (
                chain(
                    "absurd",
                    step(
                        "invariance",
                        HaarMean(x * P[i, i]),
                        HaarMean(x * P[i, i]),
                        x * m,
                        moments=(m**2 / 4, zero, m / 2),
                    ),
                    hypotheses=((x, P[j, j]),),
                    conditions=(projectors(two, m),),
                ),
            ),
            "not the moments|depends on the projector",
        ),
        "a mean over directions of an uneven remainder": (
            (
                chain(
                    "uneven",
                    step("truncation", 1 / (F + t), 1 / (F + t), 1 / F + R * t, variable=t, order=0),
                    conditions=(nonzero(F),),
                ),
                chain(
                    "absurd",
                    substitution(Mean(1 / (F + t)), (1 / (F + t), 1 / F + R * t)),
                    step("linearity", Mean(1 / F + R * t), Mean(1 / F + R * t), Mean(1 / F) + t * Mean(R)),
                    step(
                        "truncation",
                        Mean(1 / F) + t * Mean(R),
                        Mean(1 / F) + t * Mean(R),
                        Mean(1 / F) + R1 * t,
                        variable=t,
                        order=0,
                    ),
                    conditions=(direction_free(t),),
                    uses=("uneven",),
                ),
            ),
            "not a polynomial in what varies|not known to be bounded",
        ),
    }


def structures() -> dict[str, Case]:
    mixed = Dot(u * v, u)
    return {
        "a vector used as a number": (
            (chain("absurd", step("bilinearity", mixed, mixed, v * Dot(u, u)), conditions=(vectors(u, v),)),),
            "two vectors are multiplied",
        ),
        "a number used as a vector": (
            (chain("absurd", step("bilinearity", mixed, mixed, v * Dot(u, u)), conditions=(vectors(v),)),),
            "takes vectors",
        ),
        "a curve of one's choice": (
            (
                chain(
                    "absurd",
                    step("leibniz", Derived(Dot(u, u), 1), Derived(Dot(u, u), 1), 2 * Dot(u, v)),
                    conditions=(vectors(u, v),),
                ),
            ),
            "derivatives of its curve",
        ),
        "two curves": (
            (
                chain(
                    "absurd",
                    step("leibniz", Derived(Dot(u, u), 1), Derived(Dot(u, u), 1), 2 * Dot(u, v)),
                    conditions=(curve(u, v), curve(u, z)),
                ),
            ),
            "two different conditions",
        ),
        "a derivative of a function as if constant": (
            (chain("absurd", step("constancy", Derived(x, 1), Derived(x, 1), zero)),),
            "not a derivative of a constant",
        ),
        "a head of one's own": (
            (chain("absurd", step("ring-identity", sympy.tan(x), sympy.tan(x), sympy.tan(x))),),
            "not in the grammar",
        ),
        "what is not in canonical form": (
            (chain("absurd", step("ring-identity", sympy.Add(x, -x, evaluate=False), x, x)),),
            "canonical form",
        ),
        "a symbol that is its own negative": (
            (
                chain("absurd", step("ring-identity", x * y, x, x)),
                chain("b", step("ring-identity", sympy.Symbol("q", zero=True), sympy.Symbol("q", zero=True), zero)),
            ),
            "assumptions other than",
        ),
        "symbols that do not commute": (
            (chain("absurd", step("ring-identity", x * sympy.Symbol("q", commutative=False), x, x)),),
            "assumptions other than",
        ),
        "a rule that is none": ((chain("absurd", step("magic", x, x, y)),), "unknown rule"),
    }


CASES: dict[str, Case] = {
    **equations(),
    **binders(),
    **divisions(),
    **remainders(),
    **averages(),
    **structures(),
}


@pytest.mark.parametrize("name", CASES)
def test_false_proofs_are_refused(name: str) -> None:
    chains, why = CASES[name]
    refusals = check(chains)
    assert refusals, "a false proof was accepted"
    assert any(re.search(why, refusal.reason) for refusal in refusals), reasons(*chains)


def test_the_same_under_declared_conditions_is_accepted() -> None:
    """The refusals are of what is missing, not of everything: with it, the true statements check."""
    product = Expectation(Dot(u, u) * Dot(v, v))
    split = Expectation(Dot(u, u)) * Expectation(Dot(v, v))
    trace = Mean(A[i, j] * w[i] * w[j])
    slope = Slope(t + R * t**2, t)
    quotient = (z * y + z) / z
    for one_step, conditions in (
        (step("independence", product, product, split), (vectors(u, v), independent((u,), (v,)))),
        (step("isserlis", trace, trace, A[i, i] / 2), (sphere(two),)),
        (step("slope", slope, slope, 1 + R1 * t, order=0), (remainder(R, t, 1),)),
        (step("ring-identity", quotient, quotient, y + 1), (nonzero(z),)),
        (step("linearity", Mean(x * F), Mean(x * F), x * Mean(F)), (direction_free(x),)),
    ):
        assert not reasons(chain("true", one_step, conditions=conditions))


def test_a_remainder_in_a_variable_that_is_small_with_another() -> None:
    """R is bounded as s falls to 0, and s = s(t) does with t: then R is bounded as t does."""
    known: dict[str, Any] = {"definitions": ((s, Inverse(s + s**2, s, t)),), "conditions": (remainder(R, s),)}
    expand = step("truncation", 1 + R * t, 1 + R * t, 1 + R1 * t, variable=t, order=0)
    assert not reasons(chain("small", expand, **known))
    assert reasons(chain("large", expand, conditions=(remainder(R, s),)))


def test_facts_carry_what_they_rest_on() -> None:
    assumed = chain("assumed", substitution(x, (x, y)), hypotheses=((x, y),))
    user = chain("user", substitution(x + 1, (x, y)), uses=("assumed",))
    assert not reasons(assumed, user)
    contradiction = chain("contradiction", substitution(x + 1, (x, y)), hypotheses=((x, far),), uses=("assumed",))
    assert "two different hypotheses" in reasons(assumed, contradiction)


coefficients = st.integers(-3, 3)
polynomials = st.lists(coefficients, min_size=1, max_size=4).map(
    lambda values: sympy.Add(*(value * (x + 1) ** power * t**power for power, value in enumerate(values)))
)


@given(polynomials, polynomials, polynomials, st.sampled_from([0, 0, 1, t, x - 2]))
def test_an_accepted_ring_identity_is_true(top: Any, other: Any, bottom: Any, error: Any) -> None:
    """Sides that are equal at random numbers, or were made different: accepted exactly when they are equal."""
    left = top / (1 + bottom**2) + other
    right = (top + other + other * bottom**2 + error) / (1 + bottom**2)
    if left == right:
        return
    accepted = not reasons(chain("one", step("ring-identity", left, left, right)))
    assert accepted == (error == 0)
    at = {x: sympy.Rational(3, 7), t: sympy.Rational(5, 11)}
    assert (left.xreplace(at) == right.xreplace(at)) or not accepted


@given(polynomials, polynomials, polynomials, st.integers(0, 3), st.integers(-1, 1), st.integers(0, 3))
def test_an_accepted_expansion_is_true(low: Any, high: Any, bottom: Any, order: int, error: int, power: int) -> None:
    """(exact − polynomial)/t^{order+1} stays bounded as t falls: what is claimed of the remainder."""
    polynomial = sum((sympy.expand(low).coeff(t, degree) * t**degree for degree in range(order + 1)), zero)
    exact = (polynomial * (1 + t * bottom) + t ** (order + 1) * high) / (1 + t * bottom)
    if not exact.has(t):
        return
    claimed = sympy.expand(polynomial + error * t ** min(power, order))
    attempt = step("truncation", exact, exact, claimed + R * t ** (order + 1), variable=t, order=order)
    accepted = not reasons(chain("one", attempt))
    assert accepted == (error == 0)
    rest = (exact - claimed).xreplace({x: sympy.Rational(2, 3)})
    sizes = [abs(rest.xreplace({t: sympy.Rational(small)}) / sympy.Rational(small) ** (order + 1)) for small in SMALL]
    assert not accepted or max(sizes) <= 10**6


SMALL = ("1/1000", "1/1000000", "1/1000000000")


@given(polynomials, st.integers(-2, 2), st.integers(0, 2))
def test_an_accepted_limit_is_true(top: Any, error: int, pole: int) -> None:
    function = sympy.expand(top) / t**pole
    expanded: Any = sympy.expand(top)
    claimed = expanded.xreplace({t: zero}) + error
    part = LimitAtZero(function, t)
    accepted = not reasons(chain("one", step("limit", part, part, claimed)))
    exists = sympy.limit(function.xreplace({x: sympy.Rational(2, 3)}), t, 0, "+")
    assert not accepted or exists == claimed.xreplace({x: sympy.Rational(2, 3)})
    if pole == 0:
        assert accepted == (error == 0)


RULE_PARAMETERS: dict[str, dict[str, Any]] = {
    "truncation": {"variable": t, "order": 0},
    "reversion": {"order": 1},
    "slope": {"order": 0},
    "primitive": {"order": 0, "weight": zero},
    "evaluation": {"renamed": ()},
    "gram-determinant": {"variable": t, "order": 1},
    "triangle": {"variable": t, "order": 1},
    "invariance": {"moments": (one, one, one)},
}
PARTS = (one, x, t, Mean(F), Mean(one), Expectation(F), Expectation(one), At(x, x, one), Slope(t, t), Primitive(t, t))
PARTS += (
    Inverse(s, s, t),
    LimitAtZero(t, t),
    LimitAtZero(1 + t, t),
    Derived(one, 1),
    HaarMean(one),
    Dot(u, v),
)


@pytest.mark.parametrize("rule", sorted(set(RULES) - {"substitution"}))
def test_no_rule_proves_two_constants_equal(rule: str) -> None:
    """Whatever the part is: it does not become two different numbers, nor a number and one more than itself."""
    conditions = (vectors(u, v), sphere(two), projectors(two, one))
    for part in PARTS:
        proved = []
        for into in (zero, one, two, -one, sympy.Rational(1, 2), part + 1):
            attempt = step(rule, part, part, into, **RULE_PARAMETERS.get(rule, {}))
            if not reasons(chain("one", attempt, conditions=conditions)):
                proved.append(into)
        assert len(proved) <= 1
        assert part + 1 not in proved
        assert not part.is_Rational or proved in ([], [part])
