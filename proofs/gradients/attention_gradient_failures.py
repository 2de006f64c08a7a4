r"""Where the base point stays: other gains, base points or weights than in `proofs.gradients.attention_gradient_cases`.

- Rotary positions: a gain γ_j of its own for every key; ⟨y, p⟩ Cov(⟨v, ξ₁⟩, γ) t is left, unless p ⊥ y.
- Several base points, absolute positions added to the keys among them: Cov(⟨v, p_j⟩, ⟨y, p_j⟩) is left.
- Query–key normalisation: the gain changes with the key, to order t; ⟨y, p⟩ Cov(⟨v, ξ₁⟩, γ′) t² is left.
- Sigmoid attention: the weights are not normalised, and Σ_j a_j (u_j − ū) = 0 is lost.
- A null key, such as a learned sink: it is a second base point, at 0.
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import deterministic, finite
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Expectation, Remainders, Slope
from proofs.gradients.attention_averages import (
    GRADIENT,
    RATE,
    VARYING,
    V,
    Y,
    base_coordinate,
    base_value,
    coordinate_change,
    covariance_base,
    covariance_gain,
    covariance_gain_1,
    direction,
    gain,
    gate,
    gate_slope,
    named,
    value_bias,
    value_change,
    value_covector,
)
from proofs.gradients.attention_expansions import Common
from proofs.gradients.attention_gradient_cases import Orders, average, base_point, expand_covariance
from proofs.gradients.softmax import (
    base_weight,
    covariance,
    dot,
    epsilon,
    key,
    normaliser,
    score,
    score_rate,
    t,
    value,
    weight,
)

null_weight = sympy.Symbol("null_weight", positive=True)
"""z: the weight of a null key relative to the mean weight at t = 0."""
GATE = (gate, (1 + normaliser * base_weight) ** -2)
"""1/(1 + e^{s⁰})²."""
_AT_BASE = (base_coordinate, base_value)


def one_base_point(shared: Common) -> Chain:
    """Gains that differ from key to key, one base point: ``Cov(⟨v, x − p⟩, γ_j ⟨y, x_j⟩)``."""
    build = ChainBuilder(
        "gain-of-every-key",
        "With a gain of its own for every key, the base point stays in the rates",
        GRADIENT,
        definitions=[RATE],
        conditions=[deterministic(base_point, value_covector, value_bias, direction)],
        uses=[shared.derivative, *shared.shifts],
    )
    build.substitute("the derivative is a covariance", fact(shared.derivative))
    build.substitute("rates of the scores", RATE)
    build.substitute("split at the base point", *(turned(fact(chain)) for chain in shared.shifts))
    into = covariance(value_change, gain * (Y[0] + coordinate_change))
    return build.rewrite("the value at the base point cancels", "linearity", build.current, into).done()


def rotary(shared: Common, remainders: Remainders) -> tuple[Chain, ...]:
    """Exponent 1, or 2 in directions to which the base point is orthogonal."""
    before = one_base_point(shared)
    rest = (before, shared, remainders)
    second = gain * (Y[0] + coordinate_change)
    return (
        before,
        expand_covariance(
            "rotary",
            "Under rotary positions the base point stays, and the gradient is of order t in every direction",
            *rest,
            Orders(1, 0),
            base_coordinate * covariance_gain,
            second=second,
            varying=[gain],
        ),
        expand_covariance(
            "rotary-orthogonal",
            "Under rotary positions the gradient is of order t² in directions orthogonal to the base point",
            *rest,
            Orders(1, 1),
            covariance_gain_1,
            second=second,
            vanishing=[(Y[0], sympy.Integer(0))],
            varying=[gain],
        ),
    )


def several_base_points(shared: Common, remainders: Remainders) -> tuple[Chain, ...]:
    """Base points that differ from key to key: exponent 0."""
    build = ChainBuilder(
        "base-point-of-every-key",
        "With a base point of its own for every key, base points stay in the values and in the rates",
        GRADIENT,
        definitions=[RATE],
        conditions=[deterministic(gain, value_bias)],
        uses=[shared.derivative, *shared.shifts],
    )
    build.substitute("the derivative is a covariance", fact(shared.derivative))
    build.substitute("rates of the scores", RATE)
    build.substitute("split at the base points", *(turned(fact(chain)) for chain in shared.shifts))
    first, second = V[0] + value_change, Y[0] + coordinate_change
    build.rewrite("the bias cancels", "linearity", build.current, gain * covariance(first, second))
    before = build.done()
    return before, expand_covariance(
        "base-points",
        "With several base points in one context the gradient does not vanish with t",
        before,
        shared,
        remainders,
        Orders(0, 0),
        gain * covariance_base,
        first=first,
        second=second,
        varying=[base_point],
    )


def sigmoid(shared: Common, remainders: Remainders) -> Chain:
    """Weights e^s/(1 + e^s) of every key by itself: exponent 0."""
    exponential = sympy.exp(score + epsilon * score_rate)
    build = ChainBuilder(
        "sigmoid",
        "Without a sum to normalise by the gradient does not vanish with t (per key)",
        At(Slope(Expectation(value * exponential / (1 + exponential)), epsilon), epsilon, 0),
        remainders=remainders,
        definitions=[RATE, GATE, *named(gate_slope, *_AT_BASE)],
        conditions=[finite(), deterministic(t, gain, base_point, value_covector, value_bias, direction)],
        uses=[shared.exponentials[0], shared.total, *shared.shifts, *_leading(shared)],
    )
    exponential = sympy.exp(score)
    into = Expectation(value * score_rate * exponential / (1 + exponential) ** 2)
    build.rewrite("differentiate under the average", "finite-derivative", build.current, into)
    build.substitute("e^s = Z ω", turned(fact(shared.exponentials[0])), RATE)
    _split(build, shared)
    (argument,) = build.current.args
    lead = (V[0] + value_bias) * gain * Y[0] * normaliser
    into = lead * base_weight * GATE[1] + build.remainder() * t
    build.rewrite("to leading order", "truncation", argument, into, variable=t, order=0)
    build.substitute("the slope of the gate", turned(GATE))
    average(build, "linearity", {*VARYING, gate})
    build.truncate("name the remainder", build.current, t, 0)
    return build.substitute("names", *map(turned, named(gate_slope, *_AT_BASE))).done()


def null_key(shared: Common, remainders: Remainders) -> Chain:
    """A further key of weight Z z whose value is 0 and whose score W_K does not change: exponent 0."""
    null = normaliser * null_weight
    exponential = sympy.exp(score + epsilon * score_rate)
    build = ChainBuilder(
        "null-key",
        "With a key of value 0 in the softmax the gradient does not vanish with t",
        At(Slope(Expectation(value * exponential) / (Expectation(exponential) + null), epsilon), epsilon, 0),
        remainders=remainders,
        definitions=[RATE, *named(*_AT_BASE)],
        conditions=[finite(), deterministic(t, gain, base_point, value_covector, value_bias, direction)],
        uses=[shared.exponentials[0], shared.total, *shared.shifts, *_leading(shared)],
    )
    exponential = sympy.exp(score)
    whole = Expectation(exponential) + null
    means = Expectation(value * exponential) * Expectation(score_rate * exponential) / whole**2
    into = Expectation(value * score_rate * exponential) / whole - means
    build.rewrite("differentiate under the average", "finite-derivative", build.current, into)
    build.substitute("e^s = Z ω", turned(fact(shared.exponentials[0])), RATE)
    whole = Expectation(weight) + null_weight
    rate = gain * dot(direction, key)
    means = Expectation(value * weight) * Expectation(rate * weight) / whole**2
    into = Expectation(value * rate * weight) / whole - means
    build.rewrite("Z is constant, and cancels", "linearity", build.current, into)
    _split(build, shared)
    for found in sorted(build.current.atoms(Expectation), key=lambda found: -found.count_ops()):
        build.truncate("to leading order", found.args[0], t, 0)
    average(build, "linearity", VARYING)
    build.substitute("weights have mean 1", fact(shared.total))
    into = gain * (V[0] + value_bias) * Y[0] * null_weight / (1 + null_weight) ** 2 + build.remainder() * t
    build.rewrite("expand in t", "truncation", build.current, into, variable=t, order=0)
    return build.substitute("names", *map(turned, named(*_AT_BASE))).done()


def _split(build: ChainBuilder, shared: Common) -> None:
    """Values, coordinates and weights, expanded."""
    build.substitute("split at the base point", *(turned(fact(chain)) for chain in shared.shifts))
    build.substitute("expansions", *map(fact, _leading(shared)))


def _leading(shared: Common) -> tuple[Chain, ...]:
    """ω and the changes to order t⁰."""
    return shared.weights[0], *(expansions[0] for expansions in shared.changes)
