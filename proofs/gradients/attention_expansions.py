"""What all cases of attention gradients rest on: weights, values and coordinates of keys, expanded in t."""

from dataclasses import dataclass

import sympy

from proofs.certificate import Chain
from proofs.conditions import vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Remainders, is_remainder
from proofs.gradients.attention_averages import (
    VALUE,
    V,
    Y,
    coordinate_change,
    direction,
    value_bias,
    value_change,
    value_covector,
)
from proofs.gradients.softmax import (
    base_point,
    base_weights,
    dot,
    key,
    key_expansion,
    key_terms,
    softmax_derivative,
    t,
    unnormalised,
    weights,
)


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
