"""Derivations as readers see them. A column that derives has a method ``derivation(slug)``; others have none."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from manifoldtheory.app.report.tables import number
from manifoldtheory.ledger import Evidence, Provider
from manifoldtheory.ledger.notation import symbol_text


@dataclass(frozen=True)
class StepView:
    """One step: what it does, by which rule, and what the expression has become, in LaTeX and in Unicode."""

    title: str
    rule: str = ""
    right: str = ""
    text: str = ""


@dataclass(frozen=True)
class GivenView:
    """What a chain takes for granted, a definition, hypothesis or condition: as text, and with LaTeX between ``$``."""

    kind: str
    text: str
    latex: str


@dataclass(frozen=True)
class ChainView:
    """Steps that follow from each other, and the expression they start from, in LaTeX and in Unicode."""

    title: str
    start: str
    steps: tuple[StepView, ...]
    given: tuple[GivenView, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class CounterexampleView:
    """A counterexample: the formula derived in LaTeX, and at a place the values derived and claimed.

    `claimed` is missing for an instance of a table's row, which contradicts nothing; `bound` is the remainder.
    """

    name: str
    text: str
    latex: str
    derived: float
    bound: float
    claimed: float | None = None
    place: str = ""

    @property
    def values(self) -> str:
        """``derived 0.00671, claimed 0.216, where z = 0.01``."""
        remainder = f" ± {number(self.bound)}" if self.bound else ""
        claimed = "" if self.claimed is None else f", claimed {number(self.claimed)}"
        return f"derived {number(self.derived)}{remainder}{claimed}{f', where {self.place}' if self.place else ''}"


@dataclass(frozen=True)
class DerivationView:
    """The chains of a derivation, whether its certificate was accepted, why not, and how many mutants were not."""

    chains: tuple[ChainView, ...]
    holds: bool
    refusals: tuple[str, ...] = ()
    mutations: str = ""
    counterexamples: tuple[CounterexampleView, ...] = ()

    @property
    def steps(self) -> int:
        """The number of steps."""
        return sum(len(chain.steps) for chain in self.chains)

    @property
    def summary(self) -> str:
        """``12 steps in 3 chains, all checked; 90 mutants refused …``, or that the certificate was refused."""
        chains = "" if len(self.chains) == 1 else f" in {len(self.chains)} chains"
        checked = f"{self.steps} steps{chains}, {'all checked' if self.holds else 'certificate refused'}"
        return f"{checked}; {self.mutations}" if self.mutations else checked


def view_derivation(provider: Provider, slug: str, evidence: Iterable[Evidence] = ()) -> DerivationView | None:
    """The derivation of a claim as far as the provider has one; ``None`` otherwise.

    A derivation has `steps` and `holds`; where it has them, chains, refusals and formulas are shown as well. How the
    checker fared against mutants of the proof is in the evidence.
    """
    derive: Any = getattr(provider, "derivation", None)
    derivation: Any = None if derive is None else derive(slug)
    if derivation is None:
        return None
    chains = getattr(derivation, "chains", (derivation,))
    refusals = tuple(str(refusal) for refusal in getattr(derivation, "refusals", ()))
    holds = bool(derivation.holds)
    examples = tuple(map(_counterexample, getattr(derivation, "counterexamples", ())))
    mutations = _mutations(slug, evidence)
    return DerivationView(tuple(_chain(chain) for chain in chains), holds, refusals, mutations, examples)


def _counterexample(example: Any) -> CounterexampleView:
    claimed = None if example.claimed is None else float(example.claimed(**example.at))
    return CounterexampleView(
        name=example.name,
        text=example.text,
        latex=example.holds.latex(),
        derived=float(example.holds(**example.at)),
        bound=float(example.holds.bound(**example.at)),
        claimed=claimed,
        place=", ".join(f"{symbol_text(name)} = {number(value)}" for name, value in example.at.items()),
    )


def _mutations(slug: str, evidence: Iterable[Evidence]) -> str:
    """``90 of 90 mutants refused, 2 equal to the proof skipped``, where the evidence says so."""
    for record in evidence:
        if (record.claim, record.quantity) == (slug, "mutants-refused") and record.measured is not None and record.rung:
            return (
                f"{record.measured:.0f} of {record.n} mutants refused, {record.rung[1]:.0f} equal to the proof skipped"
            )
    return ""


def _chain(chain: Any) -> ChainView:
    steps = tuple(chain.steps)
    start, text = ((getattr(steps[0], form)()[0] if steps and hasattr(steps[0], form) else "") for form in FORMS)
    title = getattr(chain, "title", "") or getattr(chain, "name", "")
    return ChainView(str(title), start, tuple(_step(step) for step in steps), _given(chain), text)


FORMS = ("latex", "text")
"""The methods by which a step writes its left and right side."""


def _given(chain: Any) -> tuple[GivenView, ...]:
    if not hasattr(chain, "given"):
        return ()
    plain, typeset = chain.given_text(), chain.given_latex()
    return tuple(GivenView(kind, text, latex) for (kind, text), (_, latex) in zip(plain, typeset, strict=True))


def _step(step: Any) -> StepView:
    right, text = (getattr(step, form)()[1] if hasattr(step, form) else "" for form in FORMS)
    return StepView(str(getattr(step, "title", step)), str(getattr(step, "rule", "")), right, text)
