r"""Softmax averages over the keys of a context, for any number of keys: derivatives and expansions.

An expectation is the plain average over the n keys, ``E[f] = (1/n) Σ_j f_j``; then softmax attention with scores s_j
gives ``Σ_j a_j u_j = E[u e^s]/E[e^s]``. Along a perturbation s + ε g of the scores its derivative is the covariance of
u and g under the weights a_j,

    Σ_j a_j (u_j − ū) g_j = E[ω u g]/E[ω] − E[ω u] E[ω g]/E[ω]²,    n a_j = ω_j/E[ω].

Weights are written relative to those at t = 0, where keys are at their base points: ω = e^s/Z with Z = E[e^{s⁰}], and
α = e^{s⁰}/Z, so that E[α] = 1 and ω → α.
"""

from typing import Any

import sympy

from proofs.certificate import Chain, Equation
from proofs.conditions import finite, remainder, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Dot, Expectation, Remainders, Slope
from proofs.symbols import radius

t = radius
epsilon = sympy.Symbol("epsilon", real=True)
"""Along which a map of the attention layer is perturbed."""

value, value_mean, score, score_rate = sympy.symbols("value value_mean score score_rate", real=True)
"""u_j, ū, s_j, and g_j = ds_j/dε."""
base_score, score_bias = sympy.symbols("base_score score_bias", real=True)
"""s⁰_j, the score at t = 0, and what the score holds beside ⟨query_covector, x_j⟩: biases, relative positions."""
weight, base_weight, normaliser = sympy.symbols("weight base_weight normaliser", positive=True)
"""ω, α and Z."""

key, base_point, xi_1, xi_2, xi_3 = sympy.symbols("key base_point xi_1 xi_2 xi_3")
"""x_j = p + t ξ₁ + t²/2 ξ₂ + t³/6 ξ₃ + O(t⁴); on a graph over T, ξ₁ is tangent, ξ₂ = II(ξ₁, ξ₁) and ξ₃ are normal."""
query, query_1 = sympy.symbols("query_covector query_covector_1")
"""W_Kᵀq/√d_k at t = 0 and its derivative in t, where the query itself is near p; for rotary positions with R_j in it."""

NORMALISER = (normaliser, Expectation(sympy.exp(base_score)))
BASE_WEIGHT = (base_weight, sympy.exp(base_score) / normaliser)
WEIGHT = (weight, sympy.exp(score) / normaliser)


def covariance(first: Any, second: Any) -> Any:
    """The covariance under the weights ω."""
    product = Expectation(weight * first * second) / Expectation(weight)
    return product - Expectation(weight * first) * Expectation(weight * second) / Expectation(weight) ** 2


def derivative(score_of: Any, value_of: Any, null: Any = 0) -> Any:
    """d/dε at ε = 0 of the softmax average, with the weight `null` of a further key of value 0."""
    exponential = sympy.exp(score_of)
    return At(Slope(Expectation(value_of * exponential) / (Expectation(exponential) + null), epsilon), epsilon, 0)


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


def centred_rates() -> Chain:
    """``Σ_j a_j (u_j − ū) = 0``: perturbing all scores alike changes nothing."""
    mean = (value_mean, Expectation(weight * value) / Expectation(weight))
    build = ChainBuilder(
        "centred-rates",
        "The weights a_j (u_j − ū) of the keys sum to zero",
        Expectation(weight * (value - value_mean)) / Expectation(weight),
        definitions=[mean],
    )
    difference = Expectation(weight * value) - value_mean * Expectation(weight)
    build.rewrite("linearity", "linearity", Expectation(weight * (value - value_mean)), difference)
    build.substitute("ū", mean)
    return build.tidy("cancel", sympy.Integer(0)).done()


def base_weights(unnormalised_base: Chain) -> Chain:
    """``E[α] = 1``."""
    build = ChainBuilder(
        "base-weights", "The relative weights at t = 0 have mean 1", Expectation(base_weight), uses=[unnormalised_base]
    )
    scaled = Expectation(normaliser * base_weight) / normaliser
    build.rewrite("Z is constant", "linearity", build.current, scaled)
    build.substitute("Z α = e^{s⁰}", fact(unnormalised_base))
    return build.substitute("Z", turned(NORMALISER)).done()


def weights(remainders: Remainders, unnormalised_base: Chain) -> Chain:
    """``ω = α (1 + t(⟨k, ξ₁⟩ + ⟨k₁, p⟩)) + O(t²)`` for scores ⟨k + t k₁ + O(t²), x⟩ + bias."""
    at_base = (base_score, Dot(base_point, query) + score_bias)
    key_error, query_error = remainders(), remainders()
    keys = key_expansion(key_error)
    moved_query = query + t * query_1 + t**2 * query_error
    scores = (score, Dot(moved_query, key) + score_bias)
    build = ChainBuilder(
        "weight",
        "The weights of softmax attention near a base point",
        weight,
        remainders=remainders,
        definitions=[WEIGHT, keys, scores, at_base],
        conditions=[
            vectors(key, base_point, xi_1, xi_2, xi_3, query, query_1),
            remainder(key_error, t, vector=True),
            remainder(query_error, t, vector=True),
        ],
        uses=[unnormalised_base],
    )
    build.substitute("ω = e^s/Z", WEIGHT)
    build.substitute("scores are bilinear in query and key", scores)
    build.substitute("Taylor expansion of the key", keys)
    queries = ((sympy.Integer(1), query), (t, query_1), (t**2, query_error))
    products = sum(a * b * Dot(*sorted((u, v), key=str)) for a, u in queries for b, v in key_terms(key_error))
    build.rewrite("bilinearity", "bilinearity", Dot(moved_query, keys[1]), products)
    rise = products - Dot(base_point, query)
    build.tidy("split off the score at t = 0", sympy.exp(at_base[1]) * sympy.exp(rise) / normaliser)
    build.substitute("the score at t = 0", turned(at_base))
    build.substitute("base weights", turned(fact(unnormalised_base)))
    return build.truncate("expand in t", build.current, t, 1).done()


def key_terms(error: Any) -> tuple[tuple[Any, Any], ...]:
    """The terms of the Taylor expansion of a key in the scale t of its displacement."""
    return (sympy.Integer(1), base_point), (t, xi_1), (t**2 / 2, xi_2), (t**3 / 6, xi_3), (t**4, error)


def key_expansion(error: Any) -> Equation:
    """``x = p + t ξ₁ + t²/2 ξ₂ + t³/6 ξ₃ + t⁴ R``."""
    return key, sympy.Add(*(coefficient * vector for coefficient, vector in key_terms(error)))
