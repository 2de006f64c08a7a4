r"""Query–key normalisation: scores ``⟨q, k_j/|k_j|⟩`` with k_j = W_K x_j = k₀ + t k₁ + O(t²).

Perturbing W_K by ε b yᵀ changes the score at the rate γ_j ⟨y, x_j⟩ with the gain
``γ_j = (⟨q, b⟩ − ⟨q, k̂_j⟩⟨b, k̂_j⟩)/|k_j| = γ₀ + t γ′ + O(t²)``, so that the base point stays in γ′⟨y, p⟩.
"""

from dataclasses import replace

import sympy

from proofs.certificate import Chain
from proofs.conditions import deterministic, finite, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Dot, Expectation, Remainders, Slope
from proofs.gradients.attention_averages import (
    RATE,
    Y,
    base_coordinate,
    coordinate_change,
    covariance_1_1,
    covariance_gain_change,
    direction,
    gain,
    gain_1,
    gain_change,
    value_bias,
    value_change,
    value_covector,
)
from proofs.gradients.attention_expansions import Common
from proofs.gradients.attention_gradient_cases import Orders, base_point, expand_covariance
from proofs.gradients.relative_length import RelativeLength
from proofs.gradients.softmax import (
    WEIGHT,
    base_score,
    covariance,
    dot,
    epsilon,
    key,
    normaliser,
    score,
    t,
    value,
    weight,
)

query, output = sympy.symbols("head_query output_direction")
"""q and b."""
IMAGE = RelativeLength("image", sympy.Integer(0))
"""k = W_K x = k₀ + t k₁ + O(t²); its remainder is given with a derivation."""
image, image_0, image_1, image_norm = IMAGE.vector, IMAGE.vector_0, IMAGE.vector_1, IMAGE.norm
gain_0 = sympy.Symbol("score_gain_0", real=True)
"""γ₀."""
coordinate = sympy.Symbol("key_coordinate", real=True)
"""⟨y, x_j⟩."""

_SCORE = (score, dot(query, image) / IMAGE.length)
_BASE_SCORE = (base_score, dot(query, image_0) / image_norm)
_GAIN = (gain, dot(query, output) / IMAGE.length - dot(query, image) * dot(output, image) / IMAGE.length**3)
_Q_B, _Q_K, _B_K, _K_K = dot(query, output), dot(query, image_0), dot(output, image_0), dot(image_0, image_1)
_GAIN_0 = (gain_0, _Q_B / image_norm - _Q_K * _B_K / image_norm**3)
_GAIN_1 = (
    gain_1,
    3 * _Q_K * _B_K * _K_K / image_norm**5
    - (_Q_B * _K_K + dot(query, image_1) * _B_K + _Q_K * dot(output, image_1)) / image_norm**3,
)


_FIXED = (gain_0, query, output, image_0, image_norm)


def query_key_norm(shared: Common, remainders: Remainders) -> tuple[Chain, ...]:
    """Exponent 2 in every direction."""
    gradient = _gradient(shared)
    moved = replace(IMAGE, error=remainders())
    lengths = moved.chains(remainders)
    gains = _gain(moved, lengths, remainders)
    omega = _weight(shared, moved, lengths, remainders)
    normalised = replace(shared, weights=(omega,))
    before = _before(shared, gradient)
    lead = base_coordinate * covariance_gain_change + gain_0 * covariance_1_1
    return (
        gradient,
        *lengths,
        gains,
        omega,
        *before,
        expand_covariance(
            "query-key-norm",
            "With normalised keys the base point stays in the change of the gain, and the gradient is of order t²",
            before[-1],
            normalised,
            remainders,
            Orders(1, 1),
            lead,
            second=gain_change * (Y[0] + coordinate_change) + gain_0 * coordinate_change,
            expansions=[gains],
            varying=[gain_1],
        ),
    )


def _gradient(shared: Common) -> Chain:
    """The gradient along b yᵀ is the derivative along the rates γ_j ⟨y, x_j⟩, as for other scores."""
    coordinates = (coordinate, dot(direction, key))
    perturbed = image + epsilon * coordinate * output
    exponential = sympy.exp(Dot(query, perturbed) / sympy.sqrt(Dot(perturbed, perturbed)))
    build = ChainBuilder(
        "query-key-norm-gradient",
        "The gradient of the key map where keys are normalised",
        At(Slope(Expectation(value * exponential) / Expectation(exponential), epsilon), epsilon, 0),
        definitions=[_SCORE, _GAIN, coordinates, RATE],
        hypotheses=[IMAGE.square],
        conditions=[vectors(query, output, image, direction, key), finite()],
        uses=[shared.exponentials[0], shared.derivative],
    )
    product = dot(query, image) + epsilon * coordinate * _Q_B
    build.rewrite("bilinearity", "bilinearity", Dot(query, perturbed), product)
    moved = (
        Dot(image, image)
        + 2 * epsilon * coordinate * dot(output, image)
        + epsilon**2 * coordinate**2 * Dot(output, output)
    )
    build.rewrite("bilinearity", "bilinearity", Dot(perturbed, perturbed), moved)
    build.substitute("|k|", IMAGE.square)
    exponential, rate = sympy.exp(_SCORE[1]), coordinate * _GAIN[1]
    means = Expectation(value * exponential) * Expectation(rate * exponential) / Expectation(exponential) ** 2
    into = Expectation(value * rate * exponential) / Expectation(exponential) - means
    build.rewrite("differentiate under the average", "finite-derivative", build.current, into)
    build.substitute("score and gain", turned(_SCORE), turned(_GAIN))
    build.substitute("e^s = Z ω, and ⟨y, x⟩", turned(fact(shared.exponentials[0])), coordinates)
    into = covariance(value, RATE[1])
    return build.rewrite("Z is constant, and cancels", "linearity", build.current, into).done()


def _weight(shared: Common, moved: RelativeLength, lengths: tuple[Chain, ...], remainders: Remainders) -> Chain:
    """``ω = α + O(t)``."""
    square, _, length = lengths
    at_base = shared.exponentials[1]
    build = ChainBuilder(
        "normalised-weight",
        "The weights of attention with normalised keys near a base point",
        weight,
        remainders=remainders,
        definitions=[WEIGHT, _SCORE, _BASE_SCORE],
        conditions=[vectors(query)],
        uses=[at_base, square, length],
    )
    build.substitute("ω = e^s/Z", WEIGHT)
    build.substitute("scores of normalised keys", _SCORE)
    build.substitute("the length, and Taylor expansion of the image", fact(length), moved.taylor)
    moved.expand(build, query)
    (exponent,) = (part.args[0] for part in build.current.atoms(sympy.exp))
    error = build.remainder()
    into = _BASE_SCORE[1] + error * t
    build.rewrite("expand in t", "truncation", exponent, into, variable=t, order=0)
    split = sympy.exp(_BASE_SCORE[1]) * sympy.exp(error * t) / normaliser
    build.tidy("split off the score at t = 0", split)
    build.substitute("the score at t = 0", turned(_BASE_SCORE))
    build.substitute("base weights", turned(fact(at_base)))
    return build.truncate("expand in t", build.current, t, 0).done()


def _gain(moved: RelativeLength, lengths: tuple[Chain, ...], remainders: Remainders) -> Chain:
    """``γ − γ₀ = t γ′ + O(t²)``."""
    change = (gain_change, gain - gain_0)
    square, _, length = lengths
    build = ChainBuilder(
        "gain-change",
        "How the gain of a normalised key changes",
        gain_change,
        remainders=remainders,
        definitions=[change, _GAIN, _GAIN_0, _GAIN_1],
        conditions=[vectors(query, output)],
        uses=[square, length],
    )
    build.substitute("its meaning", change)
    build.substitute("the gains", _GAIN, _GAIN_0)
    build.substitute("the length, and Taylor expansion of the image", fact(length), moved.taylor)
    for covector in (query, output):
        moved.expand(build, covector)
    into = t * _GAIN_1[1] + build.remainder() * t**2
    build.rewrite("expand in t", "truncation", build.current, into, variable=t, order=1)
    return build.substitute("its derivative", turned(_GAIN_1)).done()


def _before(shared: Common, gradient: Chain) -> tuple[Chain, Chain]:
    """``Cov(⟨v, x − p⟩, (γ − γ₀)⟨y, x⟩ + γ₀ ⟨y, x − p⟩)``."""
    change = (gain_change, gain - gain_0)
    build = ChainBuilder(
        "gain-of-normalised-keys", "The gain split at the base point", gain_0 + gain_change, definitions=[change]
    )
    split = build.substitute("its meaning", change).done()
    build = ChainBuilder(
        "normalised-keys",
        "The base point stays with the change of the gain",
        gradient.start,
        conditions=[deterministic(base_point, value_covector, value_bias, direction, *_FIXED)],
        uses=[gradient, split, *shared.shifts],
    )
    build.substitute("the gradient as a covariance", fact(gradient))
    parts = (*shared.shifts, split)
    build.substitute("split at the base point", *(turned(fact(chain)) for chain in parts))
    into = covariance(value_change, gain_change * (Y[0] + coordinate_change) + gain_0 * coordinate_change)
    return split, build.rewrite("what is the same for all keys cancels", "linearity", build.current, into).done()
