"""Mutants of chains: proofs with one thing wrong, which the checker must refuse.

A mutant changes a coefficient, a sign or an exponent, or drops a term or adds one. It does so to the right side of a
step and the left side of the next (the last right side is the statement), alone or together with what the step's rule
says that its part becomes; to another parameter of a step; or to an equation that a chain declares, with the steps that
use it left as they are (to change those as well may prove another theorem, which is no fault). Mutants equal to the
original in normal form are no mutants: they are skipped and counted.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import sympy

from proofs.certificate import Chain, Step, Verification, verify
from proofs.contractions import contracted, same
from proofs.expressions import ELEMENTARY, canonical, is_remainder
from proofs.normal_forms import equal
from proofs.rules import RULES

Change = Callable[[], Any]
"""Computes something changed."""


@dataclass(frozen=True)
class Mutant:
    """A chain with one thing changed: `step` is its number from 1, 0 for a declared equation; `what` says what."""

    chain: Chain
    step: int
    what: str
    before: Any
    after: Any

    @property
    def is_declaration(self) -> bool:
        """Whether a declared equation was changed."""
        return self.step == 0

    @property
    def is_equal(self) -> bool:
        """Whether the change is none in normal form."""
        return _equal(self.before, self.after)


@dataclass(frozen=True)
class MutationCount:
    """How the checker fared: mutants `refused`, `skipped` as equal to the original, and those it `accepted`.

    `declared` is how many of the refused ones changed a declared equation.
    """

    refused: int
    skipped: int
    declared: int
    accepted: tuple[str, ...]

    @property
    def tried(self) -> int:
        """The mutants that differ from the original."""
        return self.refused + len(self.accepted)


def mutants_of(expression: Any) -> Iterator[Any]:
    """Expressions with one coefficient, sign, exponent or term changed, here or in a part of a factor."""
    return (change() for change in _changes(expression))


def _changes(expression: Any) -> Iterator[Change]:
    terms: tuple[Any, ...] = sympy.Add.make_args(expression)
    for number, term in enumerate(terms):
        rest = terms[:number] + terms[number + 1 :]
        scaled = [partial(sympy.Mul, times, term) for times in (2, -1)]
        dropped = [partial(sympy.Integer, 0)] if rest else []
        for change in (*scaled, *dropped, *_inner(term)):
            yield partial(_sum, change, rest)
    yield partial(_sum, partial(sympy.Integer, 1), terms)


def _sum(change: Change, rest: tuple[Any, ...]) -> Any:
    return canonical(sympy.Add(change(), *rest))


def _inner(term: Any) -> Iterator[Change]:
    """A power raised, the argument of a function scaled, and the terms of sums within the factors dropped or turned."""
    factors = sympy.Mul.make_args(term)
    for number, factor in enumerate(factors):
        base: Any
        base, exponent = factor.as_base_exp()
        changes: list[Change] = []
        if isinstance(factor, ELEMENTARY):
            (argument,) = factor.args
            changes = [partial(_scaled_argument, factor.func, times, argument) for times in (-1, 2)]
        elif base.is_Symbol and not is_remainder(base):
            changes = [partial(sympy.Pow, base, exponent + 1)]
        elif base.is_Add:
            changes = [partial(_less, base, times, part, exponent) for part in base.args for times in (1, 2)]
        for change in changes:
            yield partial(_product, change, factors[:number] + factors[number + 1 :])


def _scaled_argument(function: Any, times: int, argument: Any) -> Any:
    return function(times * argument)


def _less(base: Any, times: int, part: Any, exponent: Any) -> Any:
    return (base - times * part) ** exponent


def _product(change: Change, rest: tuple[Any, ...]) -> Any:
    return sympy.Mul(change(), *rest)


def mutants(chain: Chain) -> Iterator[Mutant]:
    """Every mutant of a chain, those equal to the original included."""
    return (make() for make in _recipes(chain))


def _recipes(chain: Chain) -> Iterator[Callable[[], Mutant]]:
    """How to make each mutant: a sample of them is tried without making the others."""
    for number, step in enumerate(chain.steps, start=1):
        for change in _changes(step.right):
            yield partial(_other_right, chain, number, change)
        if "into" in step.parameters:
            for change in _changes(step.parameters["into"]):
                yield partial(_other_part, chain, number, change)
        for name, change in _parameters(step):
            yield partial(_other_parameter, chain, number, name, change)
    for kind in ("definitions", "hypotheses"):
        for number, (left, right) in enumerate(getattr(chain, kind)):
            if _applied(chain, (left, right)):
                for change in _changes(right):
                    yield partial(_other_equation, chain, kind, number, change)


def _other_right(chain: Chain, number: int, change: Change) -> Mutant:
    before, after = chain.steps[number - 1].right, change()
    return Mutant(_with_right(chain, number, after, {}), number, "right side", before, after)


def _other_part(chain: Chain, number: int, change: Change) -> Mutant:
    step, into = chain.steps[number - 1], change()
    right = canonical(step.left.xreplace({step.parameters["part"]: into}))
    changed = _with_right(chain, number, right, {"into": into})
    return Mutant(changed, number, "what the part becomes", step.parameters["into"], into)


def _other_parameter(chain: Chain, number: int, name: str, change: Change) -> Mutant:
    step, after = chain.steps[number - 1], change()
    changed = _with_right(chain, number, step.right, {name: after})
    return Mutant(changed, number, f"parameter {name}", step.parameters[name], after)


def _other_equation(chain: Chain, kind: str, number: int, change: Change) -> Mutant:
    equations, after = getattr(chain, kind), change()
    left, right = equations[number]
    others = _replaced(equations, number, (left, after))
    return Mutant(replace(chain, **{kind: others}), 0, kind, right, after)


def _with_right(chain: Chain, number: int, right: Any, parameters: dict[str, Any]) -> Chain:
    """The chain with another right side of a step, which is the left side of the next, and other parameters."""
    steps = list(chain.steps)
    step = steps[number - 1]
    steps[number - 1] = replace(step, right=right, parameters={**step.parameters, **parameters})
    if number < len(steps):
        steps[number] = replace(steps[number], left=right)
    return replace(chain, steps=tuple(steps))


def _parameters(step: Step) -> Iterator[tuple[str, Change]]:
    for name, value in step.parameters.items():
        kind = RULES[step.rule].parameters[name]
        if kind == "integer":
            yield from ((name, partial(int, value + change)) for change in (-1, 1))
        elif name == "weight":
            yield from ((name, change) for change in _changes(value))
        elif kind == "list":
            for number, entry in enumerate(value):
                yield from ((name, partial(_with_entry, value, number, change)) for change in _changes(entry))
        elif name == "equations":
            for number, (_, right) in enumerate(value):
                yield from ((name, partial(_with_right_side, value, number, change)) for change in _changes(right))
        elif name == "renamed" and value:
            yield name, partial(tuple, value[1:])


def _with_entry(entries: tuple[Any, ...], number: int, change: Change) -> tuple[Any, ...]:
    return _replaced(entries, number, change())


def _with_right_side(equations: tuple[Any, ...], number: int, change: Change) -> tuple[Any, ...]:
    return _replaced(equations, number, (equations[number][0], change()))


def _replaced(entries: tuple[Any, ...], number: int, entry: Any) -> tuple[Any, ...]:
    return (*entries[:number], entry, *entries[number + 1 :])


def _applied(chain: Chain, equation: tuple[Any, Any]) -> bool:
    return any(
        equation in step.parameters["equations"] or equation[::-1] in step.parameters["equations"]
        for step in chain.steps
        if step.rule == "substitution"
    )


def _equal(before: Any, after: Any) -> bool:
    if before == after:
        return True
    if isinstance(before, tuple) and isinstance(after, tuple):
        return len(before) == len(after) and all(map(_equal, before, after))
    if not isinstance(before, sympy.Expr) or not isinstance(after, sympy.Expr):
        return False
    try:
        return equal(before, after) or (
            before.has(sympy.Indexed) and after.has(sympy.Indexed) and same(contracted(before), contracted(after))
        )
    except (ValueError, ArithmeticError):  # no normal form: not known to be equal
        return False


def count(verifications: Sequence[Verification], *, most: int | None = None) -> MutationCount:
    """Tries the mutants of chains that check, or a sample of at most so many, evenly spread.

    A mutant counts as refused when the checker refuses the changed step, the step after it, or the chain. Raises
    ``ValueError`` for a chain that does not check.
    """
    for verification in verifications:
        if verification.refusals:
            raise ValueError(f"mutants are of proofs that hold, and this one does not: {verification.refusals[0]}")
    every = [(verification, make) for verification in verifications for make in _recipes(verification.chain)]
    stride = 1 if most is None else max(1, -(-len(every) // most))
    refused = skipped = declared = 0
    accepted: list[str] = []
    for verification, make in every[::stride]:
        mutant = make()
        if mutant.is_equal:
            skipped += 1
        elif _refused(mutant, verification):
            refused += 1
            declared += mutant.is_declaration
        else:
            name = verification.chain.name
            accepted.append(f"{name}, step {mutant.step}, {mutant.what}: {mutant.before} became {mutant.after}")
    return MutationCount(refused, skipped, declared, tuple(accepted))


def _refused(mutant: Mutant, verification: Verification) -> bool:
    if mutant.step:
        try:  # the steps before it are as they were
            verify(mutant.chain.steps[mutant.step - 1], verification.scopes[mutant.step - 1])
        except Exception:
            return True
    return bool(verification.checker.copy().add(mutant.chain))
