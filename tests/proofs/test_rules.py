"""The named lemmas hold numerically, and are refused outside their conditions."""

from typing import Any

import numpy as np
import pytest
import sympy

from proofs.certificate import Step
from proofs.expressions import At, Derived, Dot, Expectation, GramRoot, Inverse, LimitAtZero, Norm, Slope
from proofs.rules import RULES, Refused

a, b, c, x = sympy.symbols("a b c x", positive=True)
t = sympy.Symbol("t", positive=True)
u, v = sympy.symbols("u v")
first, second = (sympy.Symbol(f"remainder_{number}") for number in (1, 2))


def apply(rule: str, part: Any, into: Any, **parameters: Any) -> None:
    RULES[rule](Step("", part, into, rule, {"part": part, "into": into, **parameters}), ())


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
    part, vectors = GramRoot(t * u + t**2 * v), (u, v)
    into = 1 + Dot(t * u + t**2 * v, t * u + t**2 * v) / 2
    apply("gram-determinant", part, into + first * t**4, variable=t, order=3, vectors=vectors)
    for wrong, order in ((into + first * t**5, 4), (into + Dot(u, u) * t**2 + first * t**4, 3), (into, 3)):
        with pytest.raises(Refused):
            apply("gram-determinant", part, wrong, variable=t, order=order, vectors=vectors)
    with pytest.raises(Refused):
        apply("gram-determinant", GramRoot(u), 1 + Dot(u, u) / 2 + first * t**4, variable=t, order=3, vectors=vectors)


def test_triangle_lemma_numerically_and_its_conditions() -> None:
    generator = np.random.default_rng(1)
    vector, error = generator.normal(size=(2, 4))
    for scale in (1e-1, 1e-3):
        difference = np.linalg.norm(2 * scale * vector + scale**2 * error) - 2 * scale * np.linalg.norm(vector)
        assert abs(difference) <= scale**2 * np.linalg.norm(error)
    part = Norm(2 * t * u + t**2 * first)
    apply("triangle", part, 2 * t * Norm(u) + second * t**2, variable=t, order=1, vectors=(u, first))
    negative = Norm(-2 * t * u + t**2 * first)
    with pytest.raises(Refused, match="not positive"):
        apply("triangle", negative, -2 * t * Norm(u) + second * t**2, variable=t, order=1, vectors=(u, first))
    with pytest.raises(Refused):
        apply("triangle", part, 2 * t * Norm(u) + second * t**3, variable=t, order=2, vectors=(u, first))


def test_truncation_needs_a_new_remainder_of_the_right_order() -> None:
    part = 1 / (1 - a * t)
    apply("truncation", part, 1 + a * t + first * t**2, variable=t, order=1)
    wrong = (1 + a * t, 1 + a * t + first * t**3, 1 + a * t + first * second * t**2, 1 + first * t**2)
    for into in (*wrong, 1 + a * t + a**2 * t**2 + first * t**2):
        with pytest.raises(Refused):
            apply("truncation", part, into, variable=t, order=1)
    with pytest.raises(Refused):  # the order of what is known is 1: t² is lost in the remainder
        apply("truncation", 1 + first * t**2, 1 + second * t**3, variable=t, order=2)


def test_slope_and_reversion() -> None:
    function = t + a * t**3 + first * t**4
    apply("slope", Slope(function, t), 1 + 3 * a * t**2 + second * t**3, order=2)
    apply("reversion", Inverse(x + a * x**3 + first * x**4, x, t), t - a * t**3 + second * t**4, order=3)
    with pytest.raises(Refused):
        apply("slope", Slope(function, t), 1 + 3 * a * t**2 + second * t**4, order=3)
    with pytest.raises(Refused):
        apply("reversion", Inverse(x + a * x**3 + first * x**4, x, t), t + a * t**3 + second * t**4, order=3)
    with pytest.raises(Refused, match="start with its variable"):
        apply("reversion", Inverse(2 * x + first * x**4, x, t), t / 2 + second * t**4, order=3)


def test_limits_of_unbounded_and_undetermined_functions_are_refused() -> None:
    apply("limit", LimitAtZero((a + t) / (b + t * first), t), a / b)
    for function, into in ((a / t, a), ((a * t + first * t) / t, a + first), ((a + t) / b, a)):
        with pytest.raises(ValueError, match=r"."):
            apply("limit", LimitAtZero(function, t), into)


def test_evaluation_renames_remainders() -> None:
    part = At(1 + x * t + first * t**2, x, sympy.Integer(2))
    apply("evaluation", part, 1 + 2 * t + second * t**2, renamed=((first, second),))
    for into, renamed in (
        (1 + 2 * t + first * t**2, ((first, first),)),
        (1 + 2 * t + first * t**2, ()),
        (1 + 3 * t + second * t**2, ((first, second),)),
    ):
        with pytest.raises(Refused):
            apply("evaluation", part, into, renamed=renamed)


def test_independence_needs_groups_and_centring() -> None:
    product = Dot(u, u) * Dot(v, v)
    apply("independence", Expectation(product), Expectation(Dot(u, u)) * Expectation(Dot(v, v)), groups=((u,), (v,)))
    apply("independence", Expectation(Dot(u, v)), sympy.Integer(0), groups=((u,), (v,)), centred=(v,))
    for part, into, groups in (
        (Expectation(product), Expectation(Dot(u, u)) * Expectation(Dot(v, v)), ((u, v),)),
        (Expectation(Dot(u, v)), sympy.Integer(0), ((u,), (v,))),
        (Expectation(product * a), Expectation(Dot(u, u)) * Expectation(a * Dot(v, v)), ((u,), (v,))),
    ):
        with pytest.raises(Refused):
            apply("independence", part, into, groups=groups)


def test_leibniz_and_constancy() -> None:
    jets = (u, v, c)
    apply("leibniz", Derived(Dot(u, u), 1), 2 * Dot(u, v), jets=jets)
    apply("leibniz", Derived(Dot(u, u), 2), 2 * Dot(u, c) + 2 * Dot(v, v), jets=jets)
    apply("constancy", Derived(sympy.Integer(3), 2), sympy.Integer(0))
    with pytest.raises(Refused):
        apply("leibniz", Derived(Dot(u, u), 2), 2 * Dot(u, c), jets=jets)
    for part in (Derived(a, 1), Derived(sympy.Integer(3), 0)):
        with pytest.raises(Refused):
            apply("constancy", part, sympy.Integer(0))


def test_a_part_must_occur_and_the_rest_stay() -> None:
    with pytest.raises(Refused, match="does not occur"):
        RULES["ring-identity"](Step("", a, a, "ring-identity", {"part": b, "into": b}), ())
    with pytest.raises(Refused, match="more than the part"):
        RULES["ring-identity"](Step("", a + b, a + c, "ring-identity", {"part": a, "into": a}), ())
