"""What a proof hands on: its checked steps and the predictions read off them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from manifoldtheory.ledger import Claim, Form, Prediction, Statement, Verdict
from proofs.certificate import Chain, Refusal, Step, check


@dataclass(frozen=True)
class Finding:
    """What checked chains show about one form of the claim: `verdict`, once every chain in `chains` checks.

    `quantity` names what was proved: a prediction of the derivation, or the statement itself.
    """

    form: Form
    verdict: Verdict
    quantity: str
    chains: tuple[str, ...]


@dataclass(frozen=True)
class Derivation:
    """A claim derived: chains of steps, the findings on its statements, and the predictions read off, by name."""

    claim: Claim
    chains: tuple[Chain, ...]
    findings: tuple[Finding, ...]
    predictions: Mapping[str, Prediction]

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The claim's statements, as stated and repaired."""
        return self.claim.statements

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, chain after chain."""
        return tuple(step for chain in self.chains for step in chain.steps)

    @cached_property
    def refusals(self) -> tuple[Refusal, ...]:
        """The steps that the checker refuses; empty when the certificate holds."""
        return check(self.chains)

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

    def support(self, finding: Finding) -> tuple[Chain, ...]:
        """The chains that a finding rests on, those they use included, in order."""
        needed = set(finding.chains)
        for chain in reversed(self.chains):
            if chain.name in needed:
                needed |= set(chain.uses)
        return tuple(chain for chain in self.chains if chain.name in needed)
