"""Certificates: chains of small steps that anyone can check again, and the checker.

A chain starts from an expression in declared definitions. Each step rewrites a part of its left side by one rule (see
`proofs.rules`); the right side of a step is the left side of the next one. The last right side is the conclusion: a
*fact* ``start = conclusion`` that later chains may substitute. The checker trusts nothing the producer computed: it
verifies every rewriting by normal forms of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proofs.expressions import is_remainder, latex

Equation = tuple[Any, Any]
"""A left and a right side, as SymPy expressions."""


@dataclass(frozen=True)
class Step:
    """``left = right`` by a named rule.

    Parameters are plain: names to integers, expressions, or tuples of these. Every rule but ``substitution`` takes
    ``part``, the subexpression that it rewrites, and ``into``, what it becomes.
    """

    title: str
    left: Any
    right: Any
    rule: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def latex(self) -> tuple[str, str]:
        """The left and the right side in LaTeX."""
        return latex(self.left), latex(self.right)


@dataclass(frozen=True)
class Chain:
    """Steps from `start` to `conclusion`, under definitions and hypotheses given as equations.

    `definitions` are the equations that the chain may substitute as they stand: definitions and the claim's hypotheses.
    `uses` names earlier chains of the derivation whose facts it may substitute.
    """

    name: str
    title: str
    start: Any
    steps: tuple[Step, ...]
    definitions: tuple[Equation, ...] = ()
    uses: tuple[str, ...] = ()

    @property
    def conclusion(self) -> Any:
        """The last right side."""
        return self.steps[-1].right if self.steps else self.start


@dataclass(frozen=True)
class Refusal:
    """A step that the checker refuses: chain, number of the step from 1, and why."""

    chain: str
    step: int
    reason: str

    def __str__(self) -> str:
        return f"chain {self.chain!r}, step {self.step}: {self.reason}"


def check(chains: Sequence[Chain]) -> tuple[Refusal, ...]:
    """Verifies chains in order, and refuses what does not check; empty when everything does.

    A chain may use only facts of chains before it that checked themselves.
    """
    facts: dict[str, Equation] = {}
    introduced: set[Any] = set()
    refusals: list[Refusal] = []
    for chain in chains:
        found = _check_chain(chain, facts)
        own = _introduced(chain)
        if own & introduced:
            found = (*found, Refusal(chain.name, 0, "introduces a remainder that another chain introduced"))
        introduced |= own
        if chain.name in facts:
            found = (*found, Refusal(chain.name, 0, "two chains of the same name"))
        if not found:
            facts[chain.name] = (chain.start, chain.conclusion)
        refusals += found
    return tuple(refusals)


def _introduced(chain: Chain) -> set[Any]:
    """Remainder symbols that the chain's definitions or steps bring in, not the facts it uses."""
    symbols: set[Any] = set()
    for _, right in chain.definitions:
        symbols |= right.free_symbols
    for step in chain.steps:
        if step.rule != "substitution":
            symbols |= step.right.free_symbols - step.left.free_symbols
    return {symbol for symbol in symbols if is_remainder(symbol)}


def _check_chain(chain: Chain, facts: Mapping[str, Equation]) -> tuple[Refusal, ...]:
    from proofs.rules import RULES

    missing = [name for name in chain.uses if name not in facts]
    if missing:
        return (Refusal(chain.name, 0, f"uses {', '.join(missing)}, not proved before it"),)
    if not chain.steps:
        return (Refusal(chain.name, 0, "has no steps"),)
    known = (*chain.definitions, *(facts[name] for name in chain.uses))
    refusals: list[Refusal] = []
    expected = chain.start
    for number, step in enumerate(chain.steps, start=1):
        if step.left != expected:
            refusals.append(Refusal(chain.name, number, "its left side is not the right side before it"))
        expected = step.right
        rule = RULES.get(step.rule)
        if rule is None:
            refusals.append(Refusal(chain.name, number, f"unknown rule {step.rule!r}"))
            continue
        try:
            rule(step, known)
        except (ValueError, KeyError) as refusal:  # ill-formed sides or missing parameters are refused too
            refusals.append(Refusal(chain.name, number, f"{step.rule}: {refusal}"))
    return tuple(refusals)
