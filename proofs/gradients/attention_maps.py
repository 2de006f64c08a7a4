r"""Gradients of the maps of an attention head, from softmax attention written out.

Scores ``s_j = ⟨q, W_K x_j⟩/√d_k + bias`` and values ``u_j = gᵀ(W_V x_j + b_V)``. Perturbing W_K by ε b yᵀ changes the
score at the rate ``⟨q, b⟩⟨y, x_j⟩/√d_k``, so that

    ∂L/∂W_K = Σ_j a_j (u_j − ū) q x_jᵀ/√d_k,    Σ_j a_j (u_j − ū) = 0.

With rotary positions R_j W_K x_j takes the place of W_K x_j, and R_j b that of b: the rate has a gain of its own for
every key. Perturbing W_Q by ε b yᵀ changes the score at the rate ``⟨y, x_q⟩⟨W_Kᵀ b, x_j⟩/√d_k``.
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import deterministic, finite, remainder, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Dot, Expectation, Remainders, Slope
from proofs.gradients.attention_averages import GRADIENT, RATE, base_coordinate, direction, gain, named
from proofs.gradients.attention_expansions import Common
from proofs.gradients.attention_gradient_cases import average
from proofs.gradients.softmax import (
    SCORE,
    base_point,
    base_weight,
    covariance,
    derivative,
    dot,
    epsilon,
    key,
    query,
    score,
    score_bias,
    score_rate,
    t,
    value,
    weight,
)

head_dim = sympy.Symbol("head_dim", positive=True)
head_query, image, output_direction = sympy.symbols("head_query image output_direction")
"""q, W_K x_j (or R_j W_K x_j), and b (or R_j b)."""
coordinate, query_coordinate = sympy.symbols("key_coordinate query_coordinate", real=True)
"""⟨y, x_j⟩ and ⟨y, x_q⟩."""
plane, across = sympy.symbols("plane_direction plane_direction_across")
"""b in a plane that rotary positions turn, and the direction across it in that plane."""
angle = sympy.Symbol("position_angle", real=True)
"""By which the key's position turns that plane."""
query_input, query_direction = sympy.symbols("query_input query_direction")
"""x_q, and y on the input side of W_Q."""
query_part, query_lead, query_lead_mean = sympy.symbols("query_part query_lead query_lead_mean", real=True)
"""What one query, or one of several heads, contributes to a gradient; its leading coefficient, and their mean."""
base_query_coordinate = sympy.Symbol("base_query_coordinate", real=True)
"""⟨y, p⟩ for that y."""
output_rate = sympy.Symbol("output_rate", real=True)
"""⟨g, b⟩, for the value map perturbed by ε b yᵀ."""

_ROOT = sympy.sqrt(head_dim)


def key_map(shared: Common, deviation: Chain) -> tuple[Chain, ...]:
    """∂L/∂W_K along b yᵀ: ``Σ_j a_j (u_j − ū) γ_j ⟨y, x_j⟩``, γ_j = ⟨q, b⟩/√d_k."""
    coordinates = (coordinate, dot(direction, key))
    gains = (gain, dot(head_query, output_direction) / _ROOT)
    adjoint = (Dot(key, query), dot(head_query, image) / _ROOT)
    build = ChainBuilder(
        "key-map-score",
        "The score under a perturbed key map",
        score + epsilon * score_rate,
        definitions=[SCORE, RATE, coordinates, gains],
        hypotheses=[adjoint],
        conditions=[vectors(key, query, direction, head_query, image, output_direction)],
    )
    build.substitute("score and its rate", SCORE, RATE)
    build.substitute("in terms of the query", adjoint, gains, turned(coordinates))
    perturbed = image + epsilon * coordinate * output_direction
    build.rewrite("bilinearity", "bilinearity", build.current, Dot(head_query, perturbed) / _ROOT + score_bias)
    scores = build.done()
    build = ChainBuilder(
        "key-map-gradient",
        "The gradient of the key map",
        derivative(scores.conclusion, value),
        uses=[scores, shared.derivative, deviation],
    )
    build.substitute("scores change at the rates γ_j ⟨y, x_j⟩", turned(fact(scores)))
    build.substitute("the derivative is a covariance", fact(shared.derivative))
    build.substitute("deviations from the mean", turned(fact(deviation)))
    build.substitute("the rates", RATE)
    return scores, build.done()


def rotary_gain() -> Chain:
    """⟨q, R_j b⟩/√d_k = (⟨q, b⟩ cos θ_j + ⟨q, b⊥⟩ sin θ_j)/√d_k."""
    rotated = (output_direction, sympy.cos(angle) * plane + sympy.sin(angle) * across)
    gains = (gain, dot(head_query, output_direction) / _ROOT)
    build = ChainBuilder(
        "rotary-gain",
        "Under rotary positions the gain depends on the position of the key",
        gain,
        definitions=[gains, rotated],
        conditions=[vectors(head_query, output_direction, plane, across)],
    )
    build.substitute("γ_j", gains)
    build.substitute("the rotation in the plane of b", rotated)
    into = sympy.cos(angle) * dot(head_query, plane) + sympy.sin(angle) * dot(head_query, across)
    part = dot(head_query, output_direction).xreplace(dict([rotated]))
    return build.rewrite("bilinearity", "bilinearity", part, into).done()


def query_map(shared: Common, remainders: Remainders, tangent: Chain) -> tuple[Chain, ...]:
    """∂L/∂W_Q along b yᵀ: on the output side it is like ∂L/∂W_K in W_K T, on the input side ⟨y, x_q⟩ → ⟨y, p⟩ stays."""
    gains = (gain, 1 / _ROOT)
    adjoint = (Dot(key, query), dot(head_query, image) / _ROOT)
    pulled = (dot(direction, key), dot(output_direction, image))
    build = ChainBuilder(
        "query-map-score",
        "The score under a perturbed query map",
        score + epsilon * query_coordinate * score_rate,
        definitions=[SCORE, RATE, gains],
        hypotheses=[adjoint, pulled],
        conditions=[vectors(key, query, direction, head_query, image, output_direction)],
    )
    build.substitute("score and its rate", SCORE, RATE)
    build.substitute("y = W_Kᵀ b", adjoint, gains, pulled)
    perturbed = head_query + epsilon * query_coordinate * output_direction
    build.rewrite("bilinearity", "bilinearity", build.current, Dot(perturbed, image) / _ROOT + score_bias)
    scores = build.done()
    build = ChainBuilder(
        "query-map-gradient",
        "The gradient of the query map is the coordinate of the query times that along score rates ⟨W_Kᵀ b, x_j⟩/√d_k",
        derivative(scores.conclusion, value),
        conditions=[deterministic(query_coordinate)],
        uses=[scores, shared.exponentials[0], shared.derivative],
    )
    build.substitute("rates of the scores", turned(fact(scores)))
    exponential, total = sympy.exp(score), Expectation(sympy.exp(score))
    rate = query_coordinate * score_rate
    means = Expectation(value * exponential) * Expectation(rate * exponential) / total**2
    into = Expectation(value * rate * exponential) / total - means
    build.rewrite("differentiate under the average", "finite-derivative", build.current, into)
    build.substitute("e^s = Z ω", turned(fact(shared.exponentials[0])))
    into = query_coordinate * covariance(value, score_rate)
    build.rewrite("Z is constant, and cancels", "linearity", build.current, into)
    gradient = build.substitute("a derivative along rates of the scores", turned(fact(shared.derivative))).done()
    error = remainders()
    taylor = (query_input, base_point + t * error)
    names = (base_query_coordinate, dot(base_point, query_direction))
    build = ChainBuilder(
        "query-map-input",
        "On its input side the gradient of the query map keeps the base point",
        dot(query_direction, query_input) * GRADIENT,
        remainders=remainders,
        definitions=[taylor, names],
        conditions=[vectors(query_input, query_direction), remainder(error, t, vector=True)],
        uses=[tangent],
    )
    build.substitute("the query's input is near the base point", taylor, fact(tangent))
    part = dot(query_direction, query_input).xreplace(dict([taylor]))
    into = dot(base_point, query_direction) + t * dot(query_direction, error)
    build.rewrite("bilinearity", "bilinearity", part, into)
    build.truncate("expand in t", build.current, t, 2)
    return scores, gradient, build.substitute("⟨y, p⟩", turned(names)).done()


def value_map(shared: Common, remainders: Remainders) -> Chain:
    """∂L/∂W_V along b yᵀ: ``⟨g, b⟩ Σ_j a_j ⟨y, x_j⟩ → ⟨g, b⟩⟨y, p⟩``."""
    exponential = sympy.exp(score)
    moved = value + epsilon * output_rate * dot(direction, key)
    at_t, omega, change = shared.exponentials[0], shared.weights[0], shared.changes[1][0]
    build = ChainBuilder(
        "value-map",
        "On its input side the gradient of the value map keeps the base point",
        At(Slope(Expectation(moved * exponential) / Expectation(exponential), epsilon), epsilon, 0),
        remainders=remainders,
        definitions=named(base_coordinate),
        conditions=[finite(), deterministic(t, output_rate, base_point, direction)],
        uses=[at_t, omega, change, shared.total, shared.shifts[1]],
    )
    rate = output_rate * dot(direction, key)
    into = Expectation(rate * exponential) / Expectation(exponential)
    build.rewrite("differentiate under the average", "finite-derivative", build.current, into)
    build.substitute("e^s = Z ω", turned(fact(at_t)))
    into = output_rate * Expectation(dot(direction, key) * weight) / Expectation(weight)
    build.rewrite("Z is constant, and cancels", "linearity", build.current, into)
    build.substitute("split at the base point", turned(fact(shared.shifts[1])))
    build.substitute("expansions", fact(omega), fact(change))
    for found in sorted(build.current.atoms(Expectation), key=lambda found: -found.count_ops()):
        build.truncate("to leading order", found.args[0], t, 0)
    average(build, "linearity", [base_weight])
    build.substitute("weights have mean 1", fact(shared.total))
    build.truncate("expand in t", build.current, t, 0)
    return build.substitute("⟨y, p⟩", *map(turned, named(base_coordinate))).done()


def queries(name: str, order: int, remainders: Remainders) -> Chain:
    """A sum over finitely many queries, or heads that share the map, keeps the order in t."""
    error = remainders()
    of_one: Any = (query_part, query_lead * t**order + error * t ** (order + 1))
    means = (query_lead_mean, Expectation(query_lead))
    build = ChainBuilder(
        name,
        "Averages over queries and heads keep the order of every term",
        Expectation(query_part),
        remainders=remainders,
        definitions=[means, of_one],
        conditions=[finite(), deterministic(t), remainder(error, t)],
    )
    build.substitute("the gradient that one query gives", of_one)
    average(build, "linearity", [query_lead])
    build.substitute("the mean of the leading coefficients", turned(means))
    return build.truncate("name the remainder", build.current, t, order).done()
