"""Derivations as readers see them. A column that derives has a method ``derivation(slug)``; others have none."""

from dataclasses import dataclass
from typing import Any

from manifoldtheory.ledger import Provider


@dataclass(frozen=True)
class StepView:
    """One step: what it says, and its mathematics in a form for monospaced text."""

    text: str
    detail: str = ""


@dataclass(frozen=True)
class ChainView:
    """Steps that follow from each other."""

    name: str
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


def view_derivation(provider: Provider, slug: str) -> DerivationView | None:
    """The derivation of a claim as far as the provider has one; ``None`` otherwise."""
    derive: Any = getattr(provider, "derivation", None)
    if derive is None:
        return None
    derivation: Any = derive(slug)
    if derivation is None:
        return None
    chains = getattr(derivation, "chains", None)
    views = (
        [ChainView("", tuple(_view(step) for step in derivation.steps))]
        if chains is None
        else [ChainView(str(chain.name), tuple(_view(step) for step in chain.steps)) for chain in chains]
    )
    return DerivationView(tuple(views), bool(derivation.holds), tuple(getattr(derivation, "refusals", ())))


def _view(step: Any) -> StepView:
    for name in ("text", "title", "name"):
        text = getattr(step, name, None)
        if isinstance(text, str):
            return StepView(text)
    return StepView(str(step))
