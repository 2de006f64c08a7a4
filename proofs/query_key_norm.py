r"""Query–key normalisation: scores ``⟨q, k_j/|k_j|⟩`` with k_j = W_K x_j = k₀ + t k₁ + O(t²).

Perturbing W_K by ε b yᵀ changes the score at the rate γ_j ⟨y, x_j⟩ with the gain
``γ_j = (⟨q, b⟩ − ⟨q, k̂_j⟩⟨b, k̂_j⟩)/|k_j| = γ₀ + t γ′ + O(t²)``, so that the base point stays in γ′⟨y, p⟩.
"""

from dataclasses import replace

import sympy

from proofs.attention_gradient_cases import (
    RATE,
    Common,
    Orders,
    Y,
    base_point,
    coordinate_change,
    covariance_1_1,
    covariance_gain_change,
    direction,
    expand_covariance,
    gain,
    gain_1,
    gain_change,
    value_bias,
    value_change,
    value_covector,
)
from proofs.certificate import Chain, Equation
from proofs.conditions import deterministic, finite, remainder, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Dot, Expectation, Remainders, Slope
from proofs.softmax import WEIGHT, base_score, covariance, dot, epsilon, key, normaliser, score, t, value, weight

query, output, image, image_0, image_1 = sympy.symbols("head_query output_direction image image_0 image_1")
"""q, b, and k = W_K x = k₀ + t k₁ + O(t²)."""
image_norm = sympy.Symbol("image_norm", positive=True)
"""|k₀|."""
stretch = sympy.Symbol("image_stretch", positive=True)
"""|k|/|k₀|."""
stretch_sq = sympy.Symbol("image_stretch_sq", real=True)
gain_0 = sympy.Symbol("gain_0", real=True)
"""γ₀."""
coordinate = sympy.Symbol("key_coordinate", real=True)
"""⟨y, x_j⟩."""

_LENGTH = stretch * image_norm
_SQUARE = (Dot(image, image), _LENGTH**2)
_SCORE = (score, dot(query, image) / _LENGTH)
_BASE_SCORE = (base_score, dot(query, image_0) / image_norm)
_GAIN = (gain, dot(query, output) / _LENGTH - dot(query, image) * dot(output, image) / _LENGTH**3)
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
    lengths = _stretch(remainders)
    gains = _gain(remainders, lengths)
    omega = _weight(shared, remainders, lengths)
    normalised = replace(shared, weights=(omega,))
    before = _before(shared, gradient)
    lead = Y[0] * covariance_gain_change + gain_0 * covariance_1_1
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
        hypotheses=[_SQUARE],
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
    build.substitute("|k|", _SQUARE)
    exponential, rate = sympy.exp(_SCORE[1]), coordinate * _GAIN[1]
    means = Expectation(value * exponential) * Expectation(rate * exponential) / Expectation(exponential) ** 2
    into = Expectation(value * rate * exponential) / Expectation(exponential) - means
    build.rewrite("differentiate under the average", "finite-derivative", build.current, into)
    build.substitute("score and gain", turned(_SCORE), turned(_GAIN))
    build.substitute("e^s = Z ω, and ⟨y, x⟩", turned(fact(shared.exponentials[0])), coordinates)
    into = covariance(value, RATE[1])
    return build.rewrite("Z is constant, and cancels", "linearity", build.current, into).done()


def _stretch(remainders: Remainders) -> tuple[Chain, ...]:
    """``|k|/|k₀| = 1 + t ⟨k₀, k₁⟩/|k₀|² + O(t²)``."""
    error = remainders()
    taylor = (image, image_0 + t * image_1 + t**2 * error)
    length = (Dot(image_0, image_0), image_norm**2)
    squares = (stretch_sq, Dot(image, image) / image_norm**2)
    build = ChainBuilder(
        "image-stretch-sq",
        "The squared length of the image of a key, relative to that at the base point",
        stretch_sq,
        remainders=remainders,
        definitions=[squares, taylor],
        hypotheses=[length],
        conditions=[vectors(image, image_0, image_1), remainder(error, t, vector=True)],
    )
    build.substitute("its meaning", squares)
    build.substitute("Taylor expansion", taylor)
    terms = ((sympy.Integer(1), image_0), (t, image_1), (t**2, error))
    products = sum(a * b * dot(u, v) for a, u in terms for b, v in terms)
    build.rewrite("bilinearity", "bilinearity", Dot(image, image).xreplace(dict([taylor])), products)
    build.substitute("|k₀|", length)
    square = build.truncate("expand in t", build.current, t, 1).done()
    build = ChainBuilder(
        "image-stretch-root",
        "The length is the root of its square",
        sympy.sqrt(stretch_sq),
        definitions=[squares],
        hypotheses=[_SQUARE],
        conditions=[vectors(image)],
    )
    build.substitute("its meaning", squares)
    root = build.substitute("|k|", _SQUARE).done()
    build = ChainBuilder(
        "image-stretch",
        "The length of the image of a key, relative to that at the base point",
        stretch,
        remainders=remainders,
        uses=[square, root],
    )
    build.substitute("as a root", turned(fact(root)))
    build.substitute("the squared length", fact(square))
    return square, root, build.truncate("expand in t", build.current, t, 1).done()


def _weight(shared: Common, remainders: Remainders, lengths: tuple[Chain, ...]) -> Chain:
    """``ω = α + O(t)``."""
    square, _, length = lengths
    at_base = shared.exponentials[1]
    taylor = (image, dict(square.definitions)[image])
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
    build.substitute("the length, and Taylor expansion of the image", fact(length), taylor)
    _expand_product(build, query, taylor)
    (exponent,) = (part.args[0] for part in build.current.atoms(sympy.exp))
    error = build.remainder()
    into = _BASE_SCORE[1] + error * t
    build.rewrite("expand in t", "truncation", exponent, into, variable=t, order=0)
    split = sympy.exp(_BASE_SCORE[1]) * sympy.exp(error * t) / normaliser
    build.tidy("split off the score at t = 0", split)
    build.substitute("the score at t = 0", turned(_BASE_SCORE))
    build.substitute("base weights", turned(fact(at_base)))
    return build.truncate("expand in t", build.current, t, 0).done()


def _expand_product(build: ChainBuilder, covector: sympy.Symbol, taylor: Equation) -> None:
    """⟨covector, k⟩, for the Taylor expansion of k."""
    terms = [term.as_independent(t, as_Add=False)[::-1] for term in taylor[1].args]
    product = dot(covector, image).xreplace(dict([taylor]))
    build.rewrite("bilinearity", "bilinearity", product, sum(scale * dot(covector, part) for scale, part in terms))


def _gain(remainders: Remainders, lengths: tuple[Chain, ...]) -> Chain:
    """``γ − γ₀ = t γ′ + O(t²)``."""
    change = (gain_change, gain - gain_0)
    square, _, length = lengths
    taylor = (image, dict(square.definitions)[image])
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
    build.substitute("the length, and Taylor expansion of the image", fact(length), taylor)
    for covector in (query, output):
        _expand_product(build, covector, taylor)
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
