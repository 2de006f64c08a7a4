r"""Softmax averages over the keys of a context, for any number of keys: derivatives and expansions.

An expectation is the plain average over the n keys, ``E[f] = (1/n) Σ_j f_j``; then softmax attention with scores s_j
gives ``Σ_j a_j u_j = E[u e^s]/E[e^s]``. Along a perturbation s + ε g of the scores its derivative is the covariance of
u and g under the weights a_j,

    Σ_j a_j (u_j − ū) g_j = E[ω u g]/E[ω] − E[ω u] E[ω g]/E[ω]²,    n a_j = ω_j/E[ω].

Weights are written relative to those at t = 0, where keys are at their base points: ω = e^s/Z with Z = E[e^{s⁰}], and
α = e^{s⁰}/Z, so that E[α] = 1 and ω → α.
"""

from collections.abc import Iterable
from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import finite, remainder, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Dot, Expectation, Remainders, Slope, is_remainder
from proofs.symbols import radius

t = radius
epsilon = sympy.Symbol("epsilon", real=True)
"""Along which a map of the attention layer is perturbed."""

value, value_mean, score, score_rate = sympy.symbols("key_value key_value_mean key_score score_rate", real=True)
"""u_j, ū, s_j, and g_j = ds_j/dε."""
base_score, score_bias = sympy.symbols("base_score score_bias", real=True)
"""s⁰_j, the score at t = 0, and what the score holds beside ⟨query_covector, x_j⟩: biases, relative positions."""
weight, base_weight, normaliser = sympy.symbols("key_weight base_weight normaliser", positive=True)
"""ω, α and Z."""

key, base_point, xi_1, xi_2, xi_3 = sympy.symbols("key base_point xi_1 xi_2 xi_3")
"""x_j = p + t ξ₁ + t²/2 ξ₂ + t³/6 ξ₃ + O(t⁴); on a graph over T, ξ₁ is tangent, ξ₂ = II(ξ₁, ξ₁) and ξ₃ are normal."""
query, query_0, query_1 = sympy.symbols("query_covector query_covector_0 query_covector_1")
"""k = W_Kᵀq/√d_k (or W_KᵀR_jᵀq/√d_k), at t = 0, and its derivative in t, where the query itself is near p."""

NORMALISER = (normaliser, Expectation(sympy.exp(base_score)))
BASE_WEIGHT = (base_weight, sympy.exp(base_score) / normaliser)
SCORE_PRODUCT = Dot(key, query)
SCORE = (score, SCORE_PRODUCT + score_bias)
WEIGHT = (weight, sympy.exp(score) / normaliser)


def covariance(first: Any, second: Any) -> Any:
    """The covariance under the weights ω."""
    product = Expectation(weight * first * second) / Expectation(weight)
    return product - Expectation(weight * first) * Expectation(weight * second) / Expectation(weight) ** 2


def derivative(score_of: Any, value_of: Any) -> Any:
    """d/dε at ε = 0 of the softmax average of values under scores."""
    exponential = sympy.exp(score_of)
    return At(Slope(Expectation(value_of * exponential) / Expectation(exponential), epsilon), epsilon, 0)


def unnormalised() -> tuple[Chain, Chain]:
    """``e^s = Z ω``, and at t = 0 ``e^{s⁰} = Z α``."""
    build = ChainBuilder(
        "unnormalised-weight",
        "The exponential of the score is a constant times the relative weight",
        normaliser * weight,
        definitions=[NORMALISER, WEIGHT],
    )
    at_t = build.substitute("ω = e^s/Z", WEIGHT).done()
    build = ChainBuilder(
        "unnormalised-base-weight",
        "The same at t = 0",
        normaliser * base_weight,
        definitions=[NORMALISER, BASE_WEIGHT],
    )
    return at_t, build.substitute("α = e^{s⁰}/Z", BASE_WEIGHT).done()


def softmax_derivative(unnormalised_weight: Chain) -> Chain:
    """The derivative of a softmax average along a perturbation of the scores is a covariance."""
    build = ChainBuilder(
        "softmax-derivative",
        "The derivative of a softmax average along a perturbation of its scores is the covariance",
        derivative(score + epsilon * score_rate, value),
        conditions=[finite()],
        uses=[unnormalised_weight],
    )
    exponential = sympy.exp(score)
    total = Expectation(exponential)
    product = Expectation(value * score_rate * exponential) / total
    means = Expectation(value * exponential) * Expectation(score_rate * exponential) / total**2
    build.rewrite("differentiate under the average", "finite-derivative", build.current, product - means)
    build.substitute("e^s = Z ω", turned(fact(unnormalised_weight)))
    build.rewrite("Z is constant, and cancels", "linearity", build.current, covariance(value, score_rate))
    return build.done()


def deviations() -> tuple[Chain, Chain]:
    """The covariance as ``Σ_j a_j (u_j − ū) g_j``, and ``Σ_j a_j (u_j − ū) = 0``."""
    mean = (value_mean, Expectation(weight * value) / Expectation(weight))
    build = ChainBuilder(
        "deviations",
        "The covariance written with the deviations u_j − ū",
        Expectation(weight * (value - value_mean) * score_rate) / Expectation(weight),
        definitions=[mean],
    )
    difference = Expectation(weight * value * score_rate) - value_mean * Expectation(weight * score_rate)
    build.rewrite("linearity", "linearity", Expectation(weight * (value - value_mean) * score_rate), difference)
    build.substitute("ū", mean)
    rates = build.tidy("collect", covariance(value, score_rate)).done()
    build = ChainBuilder(
        "centred-rates",
        "The weights a_j (u_j − ū) of the keys sum to zero",
        Expectation(weight * (value - value_mean)) / Expectation(weight),
        definitions=[mean],
    )
    difference = Expectation(weight * value) - value_mean * Expectation(weight)
    build.rewrite("linearity", "linearity", Expectation(weight * (value - value_mean)), difference)
    build.substitute("ū", mean)
    return rates, build.tidy("cancel", sympy.Integer(0)).done()


def base_weights(unnormalised_base: Chain) -> Chain:
    """``E[α] = 1``."""
    build = ChainBuilder(
        "base-weights", "The relative weights at t = 0 have mean 1", Expectation(base_weight), uses=[unnormalised_base]
    )
    scaled = Expectation(normaliser * base_weight) / normaliser
    build.rewrite("Z is constant", "linearity", build.current, scaled)
    build.substitute("Z α = e^{s⁰}", fact(unnormalised_base))
    return build.substitute("Z", turned(NORMALISER)).done()


def weights(remainders: Remainders, unnormalised_base: Chain, key_taylor: Chain) -> Chain:
    """``ω = α (1 + t(⟨k, ξ₁⟩ + ⟨k₁, p⟩)) + O(t²)`` for scores ⟨k + t k₁ + O(t²), x⟩ + bias."""
    at_base = (base_score, Dot(base_point, query_0) + score_bias)
    query_error = remainders()
    queries = ((sympy.Integer(1), query_0), (t, query_1), (t**2, query_error))
    moved_query = (query, combination(queries))
    (keys,) = key_taylor.definitions
    (key_error,) = (symbol for symbol in keys[1].free_symbols if is_remainder(symbol))
    build = ChainBuilder(
        "weight",
        "The weights of softmax attention near a base point",
        weight,
        remainders=remainders,
        definitions=[WEIGHT, SCORE, moved_query, at_base],
        conditions=[vectors(query, query_0, query_1), remainder(query_error, t, vector=True)],
        uses=[unnormalised_base, key_taylor],
    )
    build.substitute("ω = e^s/Z", WEIGHT)
    build.substitute("scores are bilinear in query and key", SCORE)
    build.substitute("Taylor expansions", keys, moved_query)
    products = sum(a * b * dot(u, v) for a, u in queries for b, v in key_terms(key_error))
    build.rewrite("bilinearity", "bilinearity", SCORE_PRODUCT.xreplace(dict((keys, moved_query))), products)
    rise = products - dot(base_point, query_0)
    build.tidy("split off the score at t = 0", sympy.exp(at_base[1]) * sympy.exp(rise) / normaliser)
    build.substitute("the score at t = 0", turned(at_base))
    build.substitute("base weights", turned(fact(unnormalised_base)))
    return build.truncate("expand in t", build.current, t, 1).done()


def key_expansion(remainders: Remainders) -> Chain:
    """``x = p + t ξ₁ + t²/2 ξ₂ + t³/6 ξ₃ + O(t⁴)``."""
    error = remainders()
    keys = (key, combination(key_terms(error)))
    build = ChainBuilder(
        "key",
        "A key near its base point",
        key,
        definitions=[keys],
        conditions=[vectors(key, base_point, xi_1, xi_2, xi_3), remainder(error, t, vector=True)],
    )
    return build.substitute("Taylor expansion in the scale t of the displacements", keys).done()


def key_terms(error: Any) -> tuple[tuple[Any, Any], ...]:
    """The terms of the expansion of a key."""
    return (sympy.Integer(1), base_point), (t, xi_1), (t**2 / 2, xi_2), (t**3 / 6, xi_3), (t**4, error)


def combination(terms: Iterable[tuple[Any, Any]]) -> Any:
    """``Σ c v`` of pairs (c, v)."""
    return sympy.Add(*(coefficient * vector for coefficient, vector in terms))


def dot(first: Any, second: Any) -> Any:
    """The inner product of two vector symbols, in a fixed order."""
    return Dot(*sorted((first, second), key=str))
