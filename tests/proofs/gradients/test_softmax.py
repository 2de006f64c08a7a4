"""Averages over finitely many keys: the rule for their derivatives, and what is proved of softmax averages."""

from typing import Any

import numpy as np
import pytest
import sympy
import torch

from proofs.certificate import check
from proofs.conditions import finite, remainder, vectors
from proofs.expressions import At, Dot, Expectation, Remainders, Slope, without_remainders
from proofs.gradients import softmax
from proofs.gradients.attention_contexts import on_keys, with_weights
from proofs.rules import Refused

from ..checking import apply

a, b, s, u, g = sympy.symbols("a b s u g", real=True)
x = sympy.Symbol("x", real=True)
t = sympy.Symbol("t", positive=True)
p, q = sympy.symbols("p q")
error = sympy.Symbol("remainder_1")
ZERO = sympy.Integer(0)
EXP = sympy.exp(s)


def at(function, point=ZERO):
    return At(Slope(function, x), x, point)


MEAN = Expectation(u * sympy.exp(s + x * g)) / Expectation(sympy.exp(s + x * g))
COVARIANCE = (
    Expectation(u * g * EXP) / Expectation(EXP) - Expectation(u * EXP) * Expectation(g * EXP) / Expectation(EXP) ** 2
)


@pytest.mark.parametrize(
    ("part", "into", "conditions"),
    [
        (at(MEAN), COVARIANCE, ()),
        (at(x * Expectation(u) ** 2), Expectation(u) ** 2, ()),
        (at(Expectation(u * x**3), sympy.Integer(2)), Expectation(12 * u), ()),
        (at(Expectation(x * (u + g) ** 2)), Expectation(u**2 + 2 * u * g + g**2), ()),
        (at(Expectation(u / (1 + EXP * sympy.exp(x)))), Expectation(-u * EXP / (1 + EXP) ** 2), ()),
        (at(Expectation(sympy.exp(x * Dot(p, q)))), Expectation(Dot(p, q)), (vectors(p, q),)),
    ],
)
def test_derivatives_of_averages(part, into, conditions) -> None:
    apply("finite-derivative", part, into, given={"conditions": (finite(), *conditions)})


@pytest.mark.parametrize(
    ("part", "into", "given", "reason"),
    [
        (at(MEAN), 2 * COVARIANCE, {}, "differs"),
        (at(MEAN), Expectation(u * g * EXP) / Expectation(EXP), {}, "differs"),
        (at(MEAN), COVARIANCE.xreplace({EXP: sympy.exp(2 * s)}), {}, "differs"),
        (at(MEAN), COVARIANCE, {"conditions": ()}, "finitely many"),
        (at(MEAN), COVARIANCE, {"definitions": ((s, a + x),)}, "depends on x"),
        (at(MEAN), COVARIANCE, {"definitions": ((u, a * x),)}, "depends on x"),
        (at(MEAN, a), COVARIANCE, {}, "no rational number"),
        (At(Slope(MEAN, x), g, ZERO), COVARIANCE, {}, "another variable"),
        (Slope(MEAN, x), COVARIANCE, {}, "not a derivative at a point"),
        (at(u / Expectation(s + x)), -u / Expectation(s) ** 2, {}, "not known to differ from 0"),
        (at(Expectation(sympy.sqrt(a + x))), Expectation(1 / sympy.sqrt(a)) / 2, {}, "not known to differ from 0"),
        (at(Expectation(x * error)), Expectation(error), {"conditions": (finite(), remainder(error, t))}, "remainder"),
        (at(Expectation(x * Expectation(u * x + s))), Expectation(Expectation(s)), {}, "depends on x"),
    ],
)
def test_what_is_no_derivative_of_averages(part, into, given, reason) -> None:
    with pytest.raises(Refused, match=reason):
        apply("finite-derivative", part, into, given={"conditions": (finite(),), **given})


def test_averages_of_remainders_are_bounded_over_finitely_many_cases_only() -> None:
    part = Expectation(u) + t * Expectation(error)
    new = sympy.Symbol("remainder_2")
    for conditions in ((finite(), remainder(error, t)), (remainder(error, t),)):
        given = {"conditions": conditions}
        expanded = {"part": part, "into": Expectation(u) + new * t, "variable": t, "order": 0, "given": given}
        if finite() in conditions:
            apply("truncation", **expanded)
        else:
            with pytest.raises(Refused, match="bounded"):
                apply("truncation", **expanded)


@pytest.fixture(scope="module")
def chains():
    remainders = Remainders()
    at_t, at_base = softmax.unnormalised()
    key = softmax.key_expansion(remainders)
    weight = softmax.weights(remainders, at_base, key)
    rest = (softmax.softmax_derivative(at_t), *softmax.deviations(), softmax.base_weights(at_base))
    found = (at_t, at_base, key, weight, *rest)
    assert check(found) == ()
    return {chain.name: chain for chain in found}


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_derivative_of_a_softmax_average_as_an_explicit_sum(chains, n: int) -> None:
    """For n keys the sums are written out, differentiated by another rule, and compared with the chain's conclusion."""
    scores, values, rates = (sympy.symbols(f"{name}:{n}", real=True) for name in "sug")
    weights = [sympy.exp(score + x * rate) for score, rate in zip(scores, rates, strict=True)]
    total = sympy.Add(*weights)
    average = sum(w * value for w, value in zip(weights, values, strict=True)) / total
    product = sum(w * value * rate for w, value, rate in zip(weights, values, rates, strict=True)) / total
    expected: Any = product - average * sum(w * rate for w, rate in zip(weights, rates, strict=True)) / total
    apply("differentiation", Slope(average, x), expected)
    context = [
        {softmax.weight: sympy.exp(score), softmax.value: value, softmax.score_rate: rate}
        for score, value, rate in zip(scores, values, rates, strict=True)
    ]
    concluded = on_keys(chains["softmax-derivative"].conclusion, context)
    apply("ring-identity", expected.xreplace({x: ZERO}), concluded)
    with pytest.raises(Refused):
        apply("ring-identity", expected.xreplace({x: ZERO}), 2 * concluded)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_derivative_of_a_softmax_average_by_autograd(chains, n: int) -> None:
    generator = torch.Generator().manual_seed(n)
    scores, values, rates = torch.randn((3, n), generator=generator, dtype=torch.float64)
    scores.requires_grad_()
    (slopes,) = torch.autograd.grad(torch.softmax(scores, 0) @ values, scores)
    context = [
        {softmax.weight: float(w), softmax.value: float(value), softmax.score_rate: float(rate)}
        for w, value, rate in zip(scores.detach().exp(), values, rates, strict=True)
    ]
    concluded = float(on_keys(chains["softmax-derivative"].conclusion, context))
    assert concluded == pytest.approx(float(slopes @ rates), rel=1e-12, abs=1e-14 * n)


def test_what_is_the_same_for_all_keys_cancels(chains) -> None:
    assert chains["centred-rates"].conclusion == 0
    assert chains["base-weights"].conclusion == 1
    rates = chains["deviations"]
    assert rates.conclusion == chains["softmax-derivative"].conclusion


def test_weights_near_a_base_point(chains) -> None:
    """ω to first order, against softmax weights of bilinear scores at small t: the error falls with t²."""
    generator = np.random.default_rng(0)
    n, d = 5, 4
    base, query, moved = generator.normal(size=(3, d))
    tangents, bends = generator.normal(size=(2, n, d))
    bias = generator.normal(size=n)
    context = with_weights(
        [
            {
                softmax.base_score: float(base @ query + bias[j]),
                softmax.base_point: tuple(base),
                softmax.xi_1: tuple(tangents[j]),
                softmax.query_0: tuple(query),
                softmax.query_1: tuple(moved),
            }
            for j in range(n)
        ]
    )
    law = without_remainders(chains["weight"].conclusion)

    def worst(scale: float) -> float:
        keys = base + scale * tangents + scale**2 / 2 * bends
        score = keys @ (query + scale * moved) + bias
        omega = np.exp(score) / np.exp(base @ query + bias).mean()
        expected = [float(on_keys(law, [{**key, softmax.t: scale}])) for key in context]
        return float(np.abs(omega - expected).max())

    assert worst(1e-3) / worst(5e-4) == pytest.approx(4, rel=0.02)
