"""What a proof hands on: its checked steps and the predictions read off them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Prediction, Statement, Verdict
from proofs.certificate import Chain, Refusal, Step, Verification, trace
from proofs.conditions import Condition
from proofs.counterexample import Counterexample
from proofs.expressions import Remainders, is_remainder
from proofs.mutation import MutationCount, count
from proofs.provider import PROVIDER
from proofs.serialisation import Certificate


@dataclass(frozen=True)
class Finding:
    """What checked chains show about one form of the claim: `verdict`, once every chain in `chains` checks.

    `quantity` names what was proved: a prediction of the derivation, or the statement itself.
    """

    form: Form
    verdict: Verdict
    quantity: str
    chains: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Derivation:
    """A claim derived: chains of steps, the findings on its statements, and the predictions read off, by name."""

    claim: Claim
    chains: tuple[Chain, ...]
    findings: tuple[Finding, ...]
    predictions: Mapping[str, Prediction]
    imports: tuple[Chain, ...] = ()
    """Chains of other claims that these rest on, named ``slug/chain``: checked here again (see `imported`)."""
    counterexamples: tuple[Counterexample, ...] = ()
    """An instance for every finding that refutes, under its name, and for every row of a table."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The claim's statements, as stated and repaired."""
        return self.claim.statements

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, chain after chain."""
        return tuple(step for chain in self.chains for step in chain.steps)

    @cached_property
    def verifications(self) -> tuple[Verification, ...]:
        """How the checker came through the chains, those of other claims first."""
        return trace((*self.imports, *self.chains))

    @cached_property
    def refusals(self) -> tuple[Refusal, ...]:
        """The steps that the checker refuses; empty when the certificate holds."""
        return tuple(refusal for verification in self.verifications for refusal in verification.refusals)

    @property
    def holds(self) -> bool:
        """Whether every step of every chain was verified again, independently of the code that produced it."""
        return bool(self.chains) and not self.refusals

    @property
    def certificate(self) -> Certificate:
        """All that another process needs to check the derivation again."""
        return Certificate(self.claim.slug, (*self.imports, *self.chains))

    @cache  # noqa: B019  (one per claim and process)
    def mutations(self, most: int | None = None) -> MutationCount:
        """How the checker fares against mutants of the chains, all or a sample; see `proofs.mutation`."""
        return count(self.verifications[len(self.imports) :], most=most)

    def chain(self, name: str) -> Chain:
        """The chain of that name; ``KeyError`` when there is none."""
        for chain in (*self.chains, *self.imports):
            if chain.name == name:
                return chain
        raise KeyError(f"the derivation of {self.claim.slug!r} has no chain {name!r}")

    def support(self, finding: Finding) -> tuple[Chain, ...]:
        """The chains that a finding rests on, those they use and those of other claims included, in order."""
        return _resting((*self.imports, *self.chains), finding.chains)


def _resting(chains: tuple[Chain, ...], names: Iterable[str]) -> tuple[Chain, ...]:
    needed = set(names)
    for chain in reversed(chains):
        if chain.name in needed:
            needed |= set(chain.uses)
    return tuple(chain for chain in chains if chain.name in needed)


def imported(name: str, remainders: Remainders) -> tuple[Chain, ...]:
    """The chain ``slug/chain`` of another claim with all that it rests on, its remainders named anew; it comes last.

    Put them into `Derivation.imports`: a chain then uses their facts like those of chains of its own.
    """
    slug, _, own_name = name.partition("/")
    derivation = PROVIDER.derivation(slug)
    chains = _resting((*derivation.imports, *derivation.chains), [own_name])
    symbols = {s for chain in chains for e in chain.expressions() for s in e.free_symbols if is_remainder(s)}
    names = {symbol: remainders() for symbol in sorted(symbols, key=lambda symbol: (len(symbol.name), symbol.name))}
    return tuple(_moved(chain, slug, names) for chain in chains)


def _moved(chain: Chain, slug: str, names: Mapping[Any, Any]) -> Chain:
    def qualified(name: str) -> str:
        return name if "/" in name else f"{slug}/{name}"

    def renamed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(renamed, value))
        if isinstance(value, Condition):
            return replace(value, arguments=renamed(value.arguments))
        return value.xreplace(names) if isinstance(value, sympy.Basic) else value

    steps = (
        replace(
            step,
            left=renamed(step.left),
            right=renamed(step.right),
            parameters={name: renamed(value) for name, value in step.parameters.items()},
        )
        for step in chain.steps
    )
    return Chain(
        qualified(chain.name),
        chain.title,
        renamed(chain.start),
        tuple(steps),
        renamed(chain.definitions),
        renamed(chain.hypotheses),
        renamed(chain.conditions),
        tuple(map(qualified, chain.uses)),
    )
