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
from proofs.conditions import deterministic
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Expectation, Remainders, is_remainder
from proofs.gradients.attention_averages import (
    AVERAGES,
    GRADIENT,
    NORMAL_DIRECTION,
    NORMAL_VALUES,
    RATE,
    TANGENT_DIRECTION,
    VARYING,
    ZERO,
    V,
    Y,
    coordinate_change,
    covariance_1_1,
    covariance_1_2,
    covariance_2_1,
    covariance_2_2,
    direction,
    gain,
    moment,
    named,
    symmetric_normal,
    symmetric_tangent,
    value_bias,
    value_change,
    value_covector,
)
from proofs.gradients.attention_expansions import Common
from proofs.gradients.softmax import (
    base_point,
    covariance,
    query_1,
    t,
    weight,
)


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
