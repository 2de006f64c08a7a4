"""The named lemmas hold numerically, and are refused outside their conditions."""

from typing import Any

import numpy as np
import pytest
import sympy

from proofs.certificate import Step, check
from proofs.conditions import centred, curve, independent, remainder, vectors
from proofs.expressions import At, Derived, Dot, Expectation, GramRoot, Inverse, LimitAtZero, Norm, Primitive, Slope
from proofs.rules import RULES, Refused, check_parameters

from ..checking import apply, chain, reasons, step

a, b, c, x = sympy.symbols("a b c x", positive=True)
t = sympy.Symbol("t", positive=True)
u, v, y = sympy.symbols("u v y")
first, second, third = (sympy.Symbol(f"remainder_{number}") for number in (1, 2, 3))


def with_remainders(*symbols: Any, variable: Any = t, derivatives: int = 3) -> dict[str, Any]:
    return {"conditions": tuple(remainder(symbol, variable, derivatives) for symbol in symbols)}


def test_gram_determinant_lemma_numerically() -> None:
    """|√det(I + JᵀJ) − 1 − ½|J|²| = O(|J|⁴) for any shape."""
    generator = np.random.default_rng(0)
    for shape in ((1, 3), (4, 2), (3, 3)):
        jacobian = generator.normal(size=shape)
        errors = []
        for scale in (1e-1, 1e-2):
            small = scale * jacobian
            root = np.sqrt(np.linalg.det(np.eye(shape[1]) + small.T @ small))
            errors.append(abs(root - 1 - (small**2).sum() / 2) / scale**4)
        assert max(errors) <= (jacobian**2).sum() ** 2


def test_gram_determinant_conditions() -> None:
    part, given = GramRoot(t * u + t**2 * v), {"conditions": (vectors(u, v),)}
    into = 1 + Dot(t * u + t**2 * v, t * u + t**2 * v) / 2
    apply("gram-determinant", part, into + first * t**4, variable=t, order=3, given=given)
    for wrong, order in ((into + first * t**5, 4), (into + Dot(u, u) * t**2 + first * t**4, 3), (into, 3)):
        with pytest.raises(Refused):
            apply("gram-determinant", part, wrong, variable=t, order=order, given=given)
    with pytest.raises(Refused):
        apply("gram-determinant", GramRoot(u), 1 + Dot(u, u) / 2 + first * t**4, variable=t, order=3, given=given)


def test_triangle_lemma_numerically_and_its_conditions() -> None:
    generator = np.random.default_rng(1)
    vector, error = generator.normal(size=(2, 4))
    for scale in (1e-1, 1e-3):
        difference = np.linalg.norm(2 * scale * vector + scale**2 * error) - 2 * scale * np.linalg.norm(vector)
        assert abs(difference) <= scale**2 * np.linalg.norm(error)
    given = {"conditions": (vectors(u), remainder(first, t, vector=True))}
    part = Norm(2 * t * u + t**2 * first)
    apply("triangle", part, 2 * t * Norm(u) + second * t**2, variable=t, order=1, given=given)
    negative = Norm(-2 * t * u + t**2 * first)
    with pytest.raises(Refused, match="not positive"):
        apply("triangle", negative, -2 * t * Norm(u) + second * t**2, variable=t, order=1, given=given)
    with pytest.raises(Refused):
        apply("triangle", part, 2 * t * Norm(u) + second * t**3, variable=t, order=2, given=given)


def test_truncation_needs_a_new_remainder_of_the_right_order() -> None:
    part = 1 / (1 - a * t)
    apply("truncation", part, 1 + a * t + first * t**2, variable=t, order=1)
    given = with_remainders(second)
    wrong = (1 + a * t, 1 + a * t + first * t**3, 1 + a * t + first * second * t**2, 1 + first * t**2)
    for into in (*wrong, 1 + a * t + a**2 * t**2 + first * t**2):
        with pytest.raises(Refused):
            apply("truncation", part, into, variable=t, order=1, given=given)
    with pytest.raises(Refused):  # the order of what is known is 1: t² is lost in the remainder
        apply("truncation", 1 + second * t**2, 1 + first * t**3, variable=t, order=2, given=given)
    with pytest.raises(Refused, match="above 24"):
        apply("truncation", part, first * t**41, variable=t, order=40)


def test_slope_and_reversion() -> None:
    function, given = t + a * t**3 + first * t**4, with_remainders(first)
    apply("slope", Slope(function, t), 1 + 3 * a * t**2 + second * t**3, order=2, given=given)
    inverse, small = Inverse(x + a * x**3 + first * x**4, x, t), with_remainders(first, variable=x)
    apply("reversion", inverse, t - a * t**3 + second * t**4, order=3, given=small)
    with pytest.raises(Refused):
        apply("slope", Slope(function, t), 1 + 3 * a * t**2 + second * t**4, order=3, given=given)
    with pytest.raises(Refused):
        apply("reversion", inverse, t + a * t**3 + second * t**4, order=3, given=small)
    with pytest.raises(Refused, match="start with its variable"):
        apply("reversion", Inverse(2 * x + first * x**4, x, t), t / 2 + second * t**4, order=3, given=small)


def test_primitive_is_of_what_can_be_integrated() -> None:
    part, given = Primitive(t**a * (1 + b * t + first * t**2), t), with_remainders(first)
    into = t ** (a + 1) / (a + 1) + b * t ** (a + 2) / (a + 2) + second * t ** (a + 3)
    apply("primitive", part, into, order=1, weight=a, given=given)
    for wrong in (into + 1, into + t ** (a + 1), into - second * t ** (a + 3) + second * t ** (a + 4)):
        with pytest.raises(Refused):
            apply("primitive", part, wrong, order=1, weight=a, given=given)


def test_limits_of_unbounded_and_undetermined_functions_are_refused() -> None:
    given = with_remainders(first)
    apply("limit", LimitAtZero((a + t) / (b + t * first), t), a / b, given=given)
    for function, into in ((a / t, a), ((a * t + first * t) / t, a + first), ((a + t) / b, a)):
        with pytest.raises(Refused):
            apply("limit", LimitAtZero(function, t), into, given=given)


def test_evaluation_renames_remainders() -> None:
    part, given = At(1 + x * t + first * t**2, x, sympy.Integer(2)), with_remainders(first)
    apply("evaluation", part, 1 + 2 * t + second * t**2, renamed=((first, second),), given=given)
    for into, renamed in (
        (1 + 2 * t + first * t**2, ((first, first),)),
        (1 + 2 * t + first * t**2, ()),
        (1 + 3 * t + second * t**2, ((first, second),)),
    ):
        with pytest.raises(Refused):
            apply("evaluation", part, into, renamed=renamed, given=given)


def test_independence_needs_groups_and_centring() -> None:
    product = Dot(u, u) * Dot(v, v)
    given = {"conditions": (vectors(u, v), independent((u,), (v,)), centred(v))}
    split = Expectation(Dot(u, u)) * Expectation(Dot(v, v))
    apply("independence", Expectation(product), split, given=given)
    apply("independence", Expectation(Dot(u, v)), sympy.Integer(0), given=given)
    only_vectors, not_centred = (vectors(u, v),), (vectors(u, v), independent((u,), (v,)))
    for part, into, conditions in (
        (Expectation(product), split, only_vectors),
        (Expectation(Dot(u, v)), sympy.Integer(0), not_centred),
        (Expectation(product * a), Expectation(Dot(u, u)) * Expectation(a * Dot(v, v)), given["conditions"]),
        (Expectation(Dot(v, u + v)), sympy.Integer(0), given["conditions"]),
    ):
        with pytest.raises(Refused):
            apply("independence", part, into, given={"conditions": conditions})


def test_leibniz_and_constancy() -> None:
    w = sympy.Symbol("third")
    given = {"conditions": (curve(u, v, w),)}
    apply("leibniz", Derived(Dot(u, u), 1), 2 * Dot(u, v), given=given)
    apply("leibniz", Derived(Dot(u, u), 2), 2 * Dot(u, w) + 2 * Dot(v, v), given=given)
    apply("constancy", Derived(sympy.Integer(3), 2), sympy.Integer(0))
    for part, into in (
        (Derived(Dot(u, u), 2), 2 * Dot(u, w)),
        (Derived(Dot(w, w), 1), 2 * Dot(w, w)),
        (Derived(a * Dot(u, u), 1), 2 * a * Dot(u, v)),
    ):
        with pytest.raises(Refused):
            apply("leibniz", part, into, given=given)
    for part in (Derived(a, 1), Derived(sympy.Integer(3), 0)):
        with pytest.raises(Refused):
            apply("constancy", part, sympy.Integer(0))


def test_a_part_must_occur_and_the_rest_stay() -> None:
    absent = Step("", a, a, "ring-identity", {"part": b, "into": b})
    more = Step("", a + b, a + c, "ring-identity", {"part": a, "into": a})
    assert "does not occur" in reasons(chain("one", absent))
    assert "more than the part" in reasons(chain("one", more))


def test_parameters_are_just_those_of_the_rule() -> None:
    good = step("truncation", 1 / (1 - t), 1 / (1 - t), 1 + first * t, variable=t, order=0)
    assert not check([chain("one", good)])
    for parameters in (
        {**good.parameters, "order": 0.0},
        {**good.parameters, "order": True},
        {**good.parameters, "variable": t + 1},
        {**good.parameters, "into": "1"},
        {**good.parameters, "dimension": a},
        {name: value for name, value in good.parameters.items() if name != "order"},
    ):
        with pytest.raises(Refused):
            check_parameters(Step("", good.left, good.right, "truncation", parameters))
    assert set(RULES) >= {"substitution", "isserlis", "invariance"}
