"""What a proof hands on: its checked steps and the predictions read off them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from manifoldtheory.ledger import Claim, Prediction, Statement, Verdict
from proofs.certificate import Chain, Step, check


@dataclass(frozen=True)
class Finding:
    """What a chain shows about a statement of the claim: `verdict` holds when the chain named `chain` checks."""

    chain: str
    quantity: str
    statement: Statement
    verdict: Verdict


@dataclass(frozen=True)
class Derivation:
    """A claim derived: chains of checked steps, the findings on its statements, and the predictions by name."""

    claim: Claim
    chains: tuple[Chain, ...]
    findings: tuple[Finding, ...]
    predictions: Mapping[str, Prediction] = field(default_factory=dict)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The claim's statements, as stated and repaired."""
        return self.claim.statements

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, chain after chain."""
        return tuple(step for chain in self.chains for step in chain.steps)

    @cached_property
    def refusals(self) -> tuple[str, ...]:
        """Why the certificate is refused, a line per step that does not check; empty when it holds."""
        return tuple(refusal for chain in self.chains for refusal in check(chain))

    @property
    def holds(self) -> bool:
        """Whether every step of every chain was verified again, independently of the code that produced it."""
        return bool(self.chains) and not self.refusals

    def chain(self, name: str) -> Chain:
        """The chain of that name; ``KeyError`` when there is none."""
        for chain in self.chains:
            if chain.name == name:
                return chain
        raise KeyError(f"the derivation of {self.claim.slug!r} has no chain {name!r}")
