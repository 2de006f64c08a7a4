"""Mutants of chains: proofs with one thing wrong, which the checker must refuse.

A mutant changes a coefficient, a sign or an exponent, or drops a term or adds one. It does so to the right side of a
step and the left side of the next (the last right side is the statement), alone or together with what the step's rule
says that its part becomes; to another parameter of a step; or to an equation that a chain declares, with the steps that
use it left as they are (to change those as well may prove another theorem, which is no fault). Mutants equal to the
original in normal form are no mutants: they are skipped and counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy

from proofs.certificate import Chain, Step, Verification, verify
from proofs.contractions import contracted, same
from proofs.expressions import ELEMENTARY, canonical, is_remainder
from proofs.normal_forms import equal


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
    terms: tuple[Any, ...] = sympy.Add.make_args(expression)
    term: Any
    for number, term in enumerate(terms):
        rest = terms[:number] + terms[number + 1 :]
        for changed in (2 * term, -term, *([sympy.Integer(0)] if rest else []), *_inner(term)):
            yield canonical(sympy.Add(changed, *rest))
    yield canonical(expression + 1)


def _inner(term: Any) -> Iterator[Any]:
    """A power raised, the argument of a function scaled, and the terms of sums within the factors dropped or turned."""
    factors = sympy.Mul.make_args(term)
    for number, factor in enumerate(factors):
        base: Any
        base, exponent = factor.as_base_exp()
        changes: list[Any] = []
        if isinstance(factor, ELEMENTARY):
            (argument,) = factor.args
            changes = [factor.func(times * argument) for times in (-1, 2)]
        elif base.is_Symbol and not is_remainder(base):
            changes = [base ** (exponent + 1)]
        elif base.is_Add:
            changes = [(base - times * part) ** exponent for part in base.args for times in (1, 2)]
        for changed in changes:
            yield sympy.Mul(*factors[:number], changed, *factors[number + 1 :])


def mutants(chain: Chain) -> Iterator[Mutant]:
    """Every mutant of a chain, those equal to the original included."""
    for number, step in enumerate(chain.steps, start=1):
        for changed in mutants_of(step.right):
            yield Mutant(_with_right(chain, number, changed, {}), number, "right side", step.right, changed)
        if "into" in step.parameters:
            for into in mutants_of(step.parameters["into"]):
                right = canonical(step.left.xreplace({step.parameters["part"]: into}))
                changed = _with_right(chain, number, right, {"into": into})
                yield Mutant(changed, number, "what the part becomes", step.parameters["into"], into)
        for name, before, after in _parameters(step):
            changed = _with_right(chain, number, step.right, {name: after})
            yield Mutant(changed, number, f"parameter {name}", before, after)
    for kind in ("definitions", "hypotheses"):
        equations = getattr(chain, kind)
        for number, (left, right) in enumerate(equations):
            if not _applied(chain, (left, right)):
                continue
            for changed in mutants_of(right):
                others = (*equations[:number], (left, changed), *equations[number + 1 :])
                yield Mutant(replace(chain, **{kind: others}), 0, kind, right, changed)


def _with_right(chain: Chain, number: int, right: Any, parameters: dict[str, Any]) -> Chain:
    """The chain with another right side of a step, which is the left side of the next, and other parameters."""
    steps = list(chain.steps)
    step = steps[number - 1]
    steps[number - 1] = replace(step, right=right, parameters={**step.parameters, **parameters})
    if number < len(steps):
        steps[number] = replace(steps[number], left=right)
    return replace(chain, steps=tuple(steps))


def _parameters(step: Step) -> Iterator[tuple[str, Any, Any]]:
    for name, value in step.parameters.items():
        if isinstance(value, int):
            yield from ((name, value, value + change) for change in (-1, 1))
        elif name == "weight":
            yield from ((name, value, changed) for changed in mutants_of(value))
        elif name == "moments":
            for number, moment in enumerate(value):
                for changed in mutants_of(moment):
                    yield name, value, (*value[:number], changed, *value[number + 1 :])
        elif name == "equations":
            for number, (left, right) in enumerate(value):
                for changed in mutants_of(right):
                    yield name, value, (*value[:number], (left, changed), *value[number + 1 :])
        elif name == "renamed" and value:
            yield name, value, value[1:]


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
    every = [(verification, mutant) for verification in verifications for mutant in mutants(verification.chain)]
    stride = 1 if most is None else max(1, -(-len(every) // most))
    refused = skipped = declared = 0
    accepted: list[str] = []
    for verification, mutant in every[::stride]:
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
