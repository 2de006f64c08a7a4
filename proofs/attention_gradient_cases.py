r"""Gradients of softmax attention around one base point: which power of t leads them, case by case.

The gradient of a key map W_K along b yᵀ is the derivative of the loss when the scores change at the rates
γ_j ⟨y, x_j⟩, γ_j = ⟨q, b⟩/√d_k (with rotary positions ⟨q, R_j b⟩/√d_k, which depends on the key). It is the covariance
of the values u_j and these rates under the attention weights. Where γ is the same for all keys the base point cancels.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from proofs.certificate import Chain, Equation
from proofs.conditions import deterministic, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Expectation, Remainders, is_remainder
from proofs.softmax import (
    base_point,
    base_weight,
    base_weights,
    covariance,
    derivative,
    dot,
    epsilon,
    key,
    key_expansion,
    key_terms,
    query_0,
    query_1,
    score,
    score_rate,
    softmax_derivative,
    t,
    unnormalised,
    value,
    weight,
    weights,
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


@dataclass(frozen=True)
class Common:
    """The chains that all cases rest on."""

    exponentials: tuple[Chain, Chain]
    """``e^s = Z ω`` and ``e^{s⁰} = Z α``."""
    total: Chain
    """``E[α] = 1``."""
    derivative: Chain
    shifts: tuple[Chain, Chain]
    """The value and ⟨y, x⟩ split into what they are at p and their changes."""
    weights: tuple[Chain, ...]
    """ω to order t⁰ and t¹."""
    changes: tuple[tuple[Chain, ...], tuple[Chain, ...]]
    """⟨v, x − p⟩ and ⟨y, x − p⟩ to order t⁰, t¹, t² and t³."""
    basis: tuple[Chain, ...]
    """What these expansions rest on."""

    @property
    def chains(self) -> tuple[Chain, ...]:
        """All of them, in order."""
        weights = sorted(self.weights, key=lambda chain: -len(chain.steps))
        changes = (chain for expansions in self.changes for chain in (expansions[-1], *expansions[:-1]))
        return (*self.exponentials, *self.basis, *weights, self.total, self.derivative, *changes, *self.shifts)


def common(remainders: Remainders) -> Common:
    """The chains that all cases rest on."""
    exponentials = unnormalised()
    taylor = key_expansion(remainders)
    omega = weights(remainders, exponentials[1], taylor)
    values, coordinates = (
        _changes(taylor, remainders, *pair) for pair in ((value_change, value_covector), (coordinate_change, direction))
    )
    build = ChainBuilder(
        "value",
        "The value of a key, split at the base point",
        V[0] + value_bias + value_change,
        definitions=[VALUE],
        uses=[values[-1]],
    )
    build.substitute("⟨v, x − p⟩", *values[-1].definitions)
    split_value = build.substitute("u", turned(VALUE)).done()
    build = ChainBuilder(
        "coordinate",
        "A coordinate of a key, split at the base point",
        Y[0] + coordinate_change,
        uses=[coordinates[-1]],
    )
    split_coordinate = build.substitute("⟨y, x − p⟩", *coordinates[-1].definitions).done()
    return Common(
        exponentials,
        base_weights(exponentials[1]),
        softmax_derivative(exponentials[0]),
        (split_value, split_coordinate),
        (_shortened(omega, remainders, 0), omega),
        (values, coordinates),
        (taylor,),
    )


def _changes(taylor: Chain, remainders: Remainders, change: sympy.Symbol, covector: sympy.Symbol) -> tuple[Chain, ...]:
    """How ⟨covector, x⟩ differs from what it is at the base point, to order t⁰, t¹, t² and t³."""
    definition = (change, dot(covector, key) - dot(covector, base_point))
    build = ChainBuilder(
        str(change).replace("_", "-"),
        f"How the {'value' if change == value_change else 'coordinate'} of a key differs from that at the base point",
        change,
        definitions=[definition],
        conditions=[vectors(covector)],
        uses=[taylor],
    )
    build.substitute("its meaning", definition)
    build.substitute("Taylor expansion of the key", fact(taylor))
    moved = dot(covector, key).xreplace(dict([fact(taylor)]))
    (error,) = (symbol for symbol in taylor.conclusion.free_symbols if is_remainder(symbol))
    into = sum(scale * dot(covector, vector) for scale, vector in key_terms(error))
    full = build.rewrite("bilinearity", "bilinearity", moved, into).done()
    return (*(_shortened(full, remainders, order) for order in range(3)), full)


def _shortened(chain: Chain, remainders: Remainders, order: int) -> Chain:
    """An expansion to a lower order."""
    build = ChainBuilder(
        f"{chain.name}-to-order-{order}", chain.title, chain.start, remainders=remainders, uses=[chain]
    )
    build.substitute("its expansion", fact(chain))
    return build.truncate("to lower order", build.current, t, order).done()


def centred(shared: Common) -> Chain:
    """Where γ is the same for all keys the base point cancels: the gradient is γ Cov(⟨v, x − p⟩, ⟨y, x − p⟩)."""
    build = ChainBuilder(
        "base-point-cancels",
        "With one gain and one base point for all keys, the base point cancels from the gradient",
        GRADIENT,
        definitions=[RATE],
        conditions=[deterministic(gain, base_point, value_covector, value_bias, direction)],
        uses=[shared.derivative, *shared.shifts],
    )
    build.substitute("the derivative is a covariance", fact(shared.derivative))
    build.substitute("rates of the scores", RATE)
    build.substitute("split at the base point", *(turned(fact(chain)) for chain in shared.shifts))
    into = gain * covariance(value_change, coordinate_change)
    return build.rewrite("what is the same for all keys cancels", "linearity", build.current, into).done()


@dataclass(frozen=True)
class Orders:
    """The orders in t that the values' and the rates' changes start with, and how far beyond them to expand."""

    values: int
    rates: int
    beyond: int = 0

    @property
    def total(self) -> int:
        """The order of the covariance."""
        return self.values + self.rates + self.beyond


def expand_covariance(
    name: str,
    title: str,
    before: Chain,
    shared: Common,
    remainders: Remainders,
    orders: Orders,
    lead: Any,
    *,
    first: Any = value_change,
    second: Any = coordinate_change,
    expansions: Sequence[Chain] = (),
    vanishing: Sequence[Equation] = (),
    moments: Sequence[Equation] = (),
    fixed: Sequence[Any] = (),
    varying: Iterable[Any] = (),
) -> Chain:
    """A case: `before` states the gradient as the covariance of `first` and `second`, which is expanded in t.

    `lead` is the leading coefficient, in names of `AVERAGES` and what is the same for all keys; `expansions` are those
    of symbols in `first` and `second` beside the changes; `vanishing` is what vanishes for every key, `moments` what
    vanishes on average; `fixed` is the same for all keys, and `varying` is not, beside `VARYING`.
    """
    names = named(*sorted(lead.free_symbols & AVERAGES.keys(), key=str))
    weights_to = shared.weights[orders.beyond]
    expanded = (
        weights_to,
        shared.changes[0][orders.values + orders.beyond],
        shared.changes[1][orders.rates + orders.beyond],
        *expansions,
    )
    build = ChainBuilder(
        name,
        title,
        before.start,
        remainders=remainders,
        definitions=names,
        hypotheses=[*vanishing, *moments],
        conditions=[deterministic(t, *fixed)],
        uses=[before, shared.total, *expanded],
    )
    build.substitute("the gradient as a covariance", fact(before))
    build.substitute("expansions", *map(fact, expanded))
    if vanishing:
        build.substitute("what vanishes", *vanishing)
    for argument, order in (
        (weight * first * second, orders.total),
        (weight * first, orders.values + orders.beyond),
        (weight * second, orders.rates + orders.beyond),
    ):
        moved = argument.xreplace(dict(map(fact, expanded))).xreplace(dict(vanishing))
        build.truncate("expand in t", moved, t, order)
    average(build, "linearity", {*VARYING, *varying})
    build.substitute("averages at t = 0", fact(shared.total), *moments)
    into = lead.xreplace(dict(names)) * t**orders.total + build.remainder() * t ** (orders.total + 1)
    build.rewrite("expand in t", "truncation", build.current, into, variable=t, order=orders.total)
    return build.substitute("names of averages", *map(turned, names)).done()


def average(build: ChainBuilder, title: str, varying: Iterable[Any]) -> None:
    """Writes averages by linearity as combinations of averages of products of what varies, one by one."""
    atoms = set(varying)

    def split(argument: Any) -> Any:
        total = sympy.Integer(0)
        for term in sympy.Add.make_args(sympy.expand(argument)):
            moving, constant = [], []
            for factor in sympy.Mul.make_args(term):
                varies = any(symbol in atoms or is_remainder(symbol) for symbol in factor.free_symbols)
                (moving if varies else constant).append(factor)
            total += sympy.Mul(*constant) * (Expectation(sympy.Mul(*moving)) if moving else 1)
        return total

    for found in sorted(build.current.atoms(Expectation), key=str):
        into = split(found.args[0])
        if into != found:
            build.rewrite(title, "linearity", found, into)


def cases(shared: Common, remainders: Remainders) -> tuple[Chain, ...]:
    """One gain and one base point for all keys."""
    before = centred(shared)
    rest = (before, shared, remainders)
    return (
        before,
        expand_covariance(
            "tangent",
            "On its input side the gradient is of order t²",
            *rest,
            Orders(1, 1),
            gain * covariance_1_1,
        ),
        expand_covariance(
            "normal",
            "In normal directions it is of order t³",
            *rest,
            Orders(1, 2),
            gain * covariance_1_2 / 2,
            vanishing=[NORMAL_DIRECTION],
        ),
        expand_covariance(
            "normal-symmetric",
            "For keys that are symmetric about the base point it is of order t⁴ in normal directions",
            *rest,
            Orders(1, 2, 1),
            gain * symmetric_normal,
            vanishing=[NORMAL_DIRECTION],
            moments=[(moment(V[1]), ZERO), (moment(V[1], Y[2]), ZERO)],
            fixed=[query_1],
        ),
        expand_covariance(
            "tangent-normal-values",
            "Where P_T W_Vᵀ g = 0 the gradient is of order t³ in tangent directions",
            *rest,
            Orders(2, 1),
            gain * covariance_2_1 / 2,
            vanishing=[NORMAL_VALUES],
        ),
        expand_covariance(
            "normal-normal-values",
            "Where P_T W_Vᵀ g = 0 the gradient is of order t⁴ in normal directions",
            *rest,
            Orders(2, 2),
            gain * covariance_2_2 / 4,
            vanishing=[NORMAL_VALUES, NORMAL_DIRECTION],
        ),
        expand_covariance(
            "tangent-normal-values-symmetric",
            "Where P_T W_Vᵀ g = 0 and keys are symmetric the gradient is of order t⁴ in tangent directions",
            *rest,
            Orders(2, 1, 1),
            gain * symmetric_tangent,
            vanishing=[NORMAL_VALUES, TANGENT_DIRECTION],
            moments=[(moment(Y[1]), ZERO), (moment(V[2], Y[1]), ZERO)],
            fixed=[query_1],
        ),
    )
