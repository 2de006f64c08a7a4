"""Certificates: chains of small steps that anyone can check again, and the checker.

A chain starts from an expression in declared definitions. Each step rewrites a part of its left side by one rule (see
`proofs.rules`); the right side of a step is the left side of the next one. The last right side is the conclusion: a
*fact* ``start = conclusion`` that later chains may substitute. What a chain takes for granted is declared on it —
hypotheses as equations, and `proofs.conditions` — and goes with the fact. The checker trusts nothing the producer
computed: it verifies every rewriting by normal forms of its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proofs.conditions import Condition
from proofs.expressions import is_remainder, latex, text

if TYPE_CHECKING:
    from proofs.facts import Fact
    from proofs.scope import Scope

Equation = tuple[Any, Any]
"""A left and a right side, as SymPy expressions."""


@dataclass(frozen=True)
class Step:
    """``left = right`` by a named rule.

    Parameters are plain: names to integers, expressions, or tuples of these, as `proofs.rules.PARAMETERS` says. Every
    rule but ``substitution`` takes ``part``, the subexpression that it rewrites, and ``into``, what it becomes.
    """

    title: str
    left: Any
    right: Any
    rule: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def latex(self) -> tuple[str, str]:
        """The left and the right side in LaTeX."""
        return latex(self.left), latex(self.right)

    def text(self) -> tuple[str, str]:
        """The same on one line of Unicode each."""
        return text(self.left), text(self.right)


@dataclass(frozen=True)
class Chain:
    """Steps from `start` to `conclusion`.

    - `definitions` give each a new symbol its meaning, ``symbol = expression``: they assume nothing.
    - `hypotheses` are equations and `conditions` other facts that are taken for granted.
    - `uses` names earlier chains whose facts it may substitute, with all that they take for granted.
    """

    name: str
    title: str
    start: Any
    steps: tuple[Step, ...]
    definitions: tuple[Equation, ...] = ()
    hypotheses: tuple[Equation, ...] = ()
    conditions: tuple[Condition, ...] = ()
    uses: tuple[str, ...] = ()

    @property
    def conclusion(self) -> Any:
        """The last right side."""
        return self.steps[-1].right if self.steps else self.start

    def expressions(self) -> Iterator[Any]:
        """Every expression that the chain states: its start, its equations and the right sides of its steps."""
        yield self.start
        for equation in (*self.definitions, *self.hypotheses):
            yield from equation
        for step in self.steps:
            yield step.right

    def given(self, written: Callable[[Any], str] = str) -> tuple[tuple[str, str], ...]:
        """What the chain declares: ``definition``, ``hypothesis`` or ``condition``, and its text.

        `written` gives the text of an expression.
        """
        equations = (("definition", self.definitions), ("hypothesis", self.hypotheses))
        return (
            *((kind, f"{written(left)} = {written(right)}") for kind, found in equations for left, right in found),
            *(("condition", condition.describe(written)) for condition in self.conditions),
        )

    def given_text(self) -> tuple[tuple[str, str], ...]:
        """The same, with expressions in Unicode."""
        return self.given(text)

    def given_latex(self) -> tuple[tuple[str, str], ...]:
        """The same, with expressions in LaTeX between ``$``."""
        return self.given(lambda expression: f"${latex(expression)}$")


@dataclass(frozen=True)
class Refusal:
    """A step that the checker refuses: chain, number of the step from 1 (0 for the chain itself), and why."""

    chain: str
    step: int
    reason: str

    def __str__(self) -> str:
        return f"chain {self.chain!r}, step {self.step}: {self.reason}"


def check(chains: Sequence[Chain]) -> tuple[Refusal, ...]:
    """Verifies chains in order, and refuses what does not check; empty when everything does.

    A chain may use only facts of chains before it that checked themselves.
    """
    return tuple(refusal for verification in trace(chains) for refusal in verification.refusals)


@dataclass(frozen=True)
class Verification:
    """A chain as it was verified: by which checker, with what known before each step and after the last."""

    chain: Chain
    checker: "Checker"
    """As it was before the chain."""
    scopes: "tuple[Scope, ...]"
    refusals: tuple[Refusal, ...]


def trace(chains: Sequence[Chain]) -> tuple[Verification, ...]:
    """Verifies chains in order, as `check` does, and keeps what the checker knew on the way."""
    checker = Checker()
    verifications = []
    for chain in chains:
        before = checker.copy()
        scopes: list[Scope] = []
        refusals = checker.add(chain, scopes)
        verifications.append(Verification(chain, before, tuple(scopes), refusals))
    return tuple(verifications)


class Checker:
    """Verifies one chain after the other, and keeps the facts they prove."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self._seen: set[str] = set()
        self._remainders: set[Any] = set()
        self._names: dict[str, Any] = {}

    def copy(self) -> "Checker":
        """A checker that has verified the same chains so far."""
        other = Checker()
        other.facts, other._seen, other._remainders = dict(self.facts), set(self._seen), set(self._remainders)
        other._names = dict(self._names)
        return other

    def scope(self, chain: Chain) -> "Scope":
        """What is known in a chain before its first step. Raises `Refused` where that is not sound."""
        from proofs.facts import open_scope

        return open_scope(chain, self.facts, frozenset(self._remainders))

    def add(self, chain: Chain, scopes: "list[Scope] | None" = None) -> tuple[Refusal, ...]:
        """Verifies a chain; its fact can be used by later ones when nothing is refused.

        What is known before each step, and after the last, is appended to `scopes`.
        """
        from proofs.facts import prove_fact
        from proofs.wellformed import Refused

        if chain.name in self._seen:
            return (Refusal(chain.name, 0, "two chains of the same name"),)
        self._seen.add(chain.name)
        try:
            if not chain.steps:
                raise Refused("has no steps")
            self._check_names(chain)
            scope = self.scope(chain)
        except Exception as refusal:
            return (Refusal(chain.name, 0, _reason(refusal)),)
        refusals: list[Refusal] = []
        scopes = [] if scopes is None else scopes
        scopes.append(scope)
        for number, step in enumerate(chain.steps, start=1):
            expected = chain.start if number == 1 else chain.steps[number - 2].right
            if step.left != expected:
                refusals.append(Refusal(chain.name, number, "its left side is not the right side before it"))
            try:
                scope = verify(step, scope)
            except Exception as refusal:
                refusals.append(Refusal(chain.name, number, f"{step.rule}: {_reason(refusal)}"))
            scopes.append(scope)
        self._remainders |= scope.remainders.keys()
        if not refusals:
            self.facts[chain.name] = prove_fact(chain, scope, [self.facts[name] for name in chain.uses])
        return tuple(refusals)

    def _check_names(self, chain: Chain) -> None:
        """One name, one symbol, in all chains together."""
        from proofs.wellformed import check_grammar, require

        for expression in chain.expressions():
            check_grammar(expression)
            for symbol in expression.free_symbols:
                if symbol.is_Symbol:
                    known = self._names.setdefault(symbol.name, symbol)
                    require(known == symbol, f"two symbols of the name {symbol.name}")


def _reason(error: Exception) -> str:
    """Why a step is refused: whatever a rule or SymPy raises on it, it does not check."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"


def verify(step: Step, scope: "Scope") -> "Scope":
    """Verifies a step, given that its left side holds; what is known after it. Raises ``ValueError`` if refused."""
    from proofs.rules import RULES, check_parameters
    from proofs.scope import with_remainders
    from proofs.wellformed import check_grammar, is_vector, require

    check_parameters(step)
    check_grammar(step.left)
    check_grammar(step.right)
    new = RULES[step.rule].check(step, scope)
    after = with_remainders(scope, new)
    unknown = [s for s in step.right.free_symbols if is_remainder(s) and s not in after.remainders]
    require(not unknown, "a remainder comes from nowhere")
    require(is_vector(step.right, after.vectors) == is_vector(step.left, after.vectors), "a vector is a number")
    return after
