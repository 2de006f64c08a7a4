"""Derivations as readers see them. A column that derives has a method ``derivation(slug)``; others have none."""

from dataclasses import dataclass
from typing import Any

from manifoldtheory.ledger import Provider


@dataclass(frozen=True)
class StepView:
    """One step: what it does, by which rule, and what the expression has become, in LaTeX."""

    title: str
    rule: str = ""
    right: str = ""


@dataclass(frozen=True)
class ChainView:
    """Steps that follow from each other, and the expression they start from, in LaTeX."""

    title: str
    start: str
    steps: tuple[StepView, ...]


@dataclass(frozen=True)
class DerivationView:
    """The chains of a derivation, whether its certificate was accepted, and why not."""

    chains: tuple[ChainView, ...]
    holds: bool
    refusals: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        """The number of steps."""
        return sum(len(chain.steps) for chain in self.chains)

    @property
    def summary(self) -> str:
        """``12 steps in 3 chains, all checked``, or that the certificate was refused."""
        chains = "" if len(self.chains) == 1 else f" in {len(self.chains)} chains"
        return f"{self.steps} steps{chains}, {'all checked' if self.holds else 'certificate refused'}"


def view_derivation(provider: Provider, slug: str) -> DerivationView | None:
    """The derivation of a claim as far as the provider has one; ``None`` otherwise.

    A derivation has `steps` and `holds`; where it has them, chains, refusals and formulas are shown as well.
    """
    derive: Any = getattr(provider, "derivation", None)
    derivation: Any = None if derive is None else derive(slug)
    if derivation is None:
        return None
    chains = getattr(derivation, "chains", (derivation,))
    refusals = tuple(str(refusal) for refusal in getattr(derivation, "refusals", ()))
    return DerivationView(tuple(_chain(chain) for chain in chains), bool(derivation.holds), refusals)


def _chain(chain: Any) -> ChainView:
    steps = tuple(chain.steps)
    start = steps[0].latex()[0] if steps and hasattr(steps[0], "latex") else ""
    title = getattr(chain, "title", "") or getattr(chain, "name", "")
    return ChainView(str(title), start, tuple(_step(step) for step in steps))


def _step(step: Any) -> StepView:
    right = step.latex()[1] if hasattr(step, "latex") else ""
    return StepView(str(getattr(step, "title", step)), str(getattr(step, "rule", "")), right)
