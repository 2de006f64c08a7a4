"""The symbols of attention gradients, and the averages over keys that their leading coefficients are made of."""

from typing import Any

import sympy

from proofs.certificate import Equation
from proofs.expressions import Expectation
from proofs.gradients.softmax import (
    base_point,
    base_weight,
    derivative,
    dot,
    epsilon,
    key,
    query_0,
    score,
    score_rate,
    value,
    weight,
    xi_1,
    xi_2,
    xi_3,
)

gain = sympy.Symbol("score_gain", real=True)
"""γ_j, or γ where it is the same for all keys."""
value_covector, direction = sympy.symbols("value_covector input_direction")
"""v = W_Vᵀ g, and y, the direction on the input side of the key map."""
value_bias, value_change, coordinate_change = sympy.symbols("value_bias value_change coordinate_change", real=True)
"""gᵀb_V, ⟨v, x_j − p⟩ and ⟨y, x_j − p⟩."""
gain_change, gain_1 = sympy.symbols("score_gain_change score_gain_1", real=True)
"""How γ_j differs from what it is at the base point, and the derivative of that in t."""
gate = sympy.Symbol("gate", positive=True)
"""1/(1 + e^{s⁰})², for sigmoid attention."""

VALUE = (value, dot(value_covector, key) + value_bias)
RATE = (score_rate, gain * dot(direction, key))
GRADIENT = derivative(score + epsilon * score_rate, value)
"""What all cases of softmax attention start from."""

VARYING = frozenset((base_weight, weight, value, key, value_change, coordinate_change, gain_change, xi_1, xi_2, xi_3))
"""What differs from key to key, in all cases (the gain in some)."""

ZERO = sympy.Integer(0)
V = {order: dot(value_covector, vector) for order, vector in enumerate((base_point, xi_1, xi_2, xi_3))}
"""⟨v, p⟩, ⟨v, ξ₁⟩, ⟨v, ξ₂⟩, ⟨v, ξ₃⟩."""
Y = {order: dot(direction, vector) for order, vector in enumerate((base_point, xi_1, xi_2, xi_3))}
"""⟨y, p⟩, ⟨y, ξ₁⟩, ⟨y, ξ₂⟩, ⟨y, ξ₃⟩."""
NORMAL_VALUES = (V[1], ZERO)
"""P_T v = 0."""
NORMAL_DIRECTION = (Y[1], ZERO)
"""y ∈ N."""
TANGENT_DIRECTION = (Y[2], ZERO)
"""y ∈ T: on a graph over T only ξ₁ is tangent."""


def moment(*factors: Any) -> Any:
    """``E[α …]``."""
    return Expectation(sympy.Mul(base_weight, *factors))


def base_covariance(first: Any, second: Any) -> Any:
    """The covariance under the weights α at t = 0."""
    return moment(first, second) - moment(first) * moment(second)


K1 = dot(query_0, xi_1)
covariance_1_1, covariance_1_2, covariance_2_1, covariance_2_2, covariance_base = sympy.symbols(
    "covariance_1_1 covariance_1_2 covariance_2_1 covariance_2_2 covariance_base", real=True
)
covariance_gain, covariance_gain_1, covariance_gain_change = sympy.symbols(
    "covariance_gain covariance_gain_1 covariance_gain_change", real=True
)
gate_slope, symmetric_normal, symmetric_tangent = sympy.symbols(
    "gate_slope symmetric_normal symmetric_tangent", real=True
)
base_coordinate, base_value = sympy.symbols("base_coordinate base_value", real=True)
AVERAGES: dict[Any, Any] = {
    covariance_1_1: base_covariance(V[1], Y[1]),
    covariance_1_2: base_covariance(V[1], Y[2]),
    covariance_2_1: base_covariance(V[2], Y[1]),
    covariance_2_2: base_covariance(V[2], Y[2]),
    covariance_base: base_covariance(V[0], Y[0]),
    covariance_gain: base_covariance(V[1], gain),
    covariance_gain_1: base_covariance(V[1], gain * Y[1]),
    covariance_gain_change: base_covariance(V[1], gain_1),
    gate_slope: moment(gate),
    base_coordinate: Y[0],
    base_value: V[0] + value_bias,
    symmetric_normal: (moment(K1, V[1], Y[2]) - moment(K1, V[1]) * moment(Y[2])) / 2
    + base_covariance(V[2], Y[2]) / 4
    + moment(V[1], Y[3]) / 6,
    symmetric_tangent: moment(V[3], Y[1]) / 6 + (moment(K1, V[2], Y[1]) - moment(V[2]) * moment(K1, Y[1])) / 2,
}
"""What leading coefficients are made of: averages over keys under the weights at t = 0, and what p itself has."""


def named(*symbols: Any) -> tuple[Equation, ...]:
    """The definitions of names in `AVERAGES`."""
    return tuple((symbol, AVERAGES[symbol]) for symbol in symbols)
