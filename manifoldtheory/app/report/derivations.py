"""Derivations as readers see them. A column that derives has a method ``derivation(slug)``; others have none."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from manifoldtheory.app.report.tables import number
from manifoldtheory.ledger import Evidence, Kind, Provider, Verdict
from manifoldtheory.ledger.notation import symbol_text


@dataclass(frozen=True)
class StepView:
    """One step: what it does, by which rule, and what the expression has become, in LaTeX and in Unicode.

    Formulas are written when they are asked for: no reader needs all forms.
    """

    source: Any

    @property
    def title(self) -> str:
        return str(getattr(self.source, "title", self.source))

    @property
    def rule(self) -> str:
        return str(getattr(self.source, "rule", ""))

    @property
    def right(self) -> str:
        return _written(self.source, "latex", 1)

    @property
    def text(self) -> str:
        return _written(self.source, "text", 1)


@dataclass(frozen=True)
class GivenView:
    """What a chain takes for granted, a definition, hypothesis or condition, in words with formulas.

    They are in Unicode in a `text`, and in LaTeX between ``$`` in a `latex`.
    """

    kind: str
    text: str = ""
    latex: str = ""


@dataclass(frozen=True)
class ChainView:
    """Steps that follow from each other, and the expression they start from, in LaTeX and in Unicode."""

    source: Any

    @property
    def title(self) -> str:
        return str(getattr(self.source, "title", "") or getattr(self.source, "name", ""))

    @property
    def steps(self) -> tuple[StepView, ...]:
        return tuple(map(StepView, self.source.steps))

    @property
    def start(self) -> str:
        return _written(self.source.steps[0], "latex", 0) if self.source.steps else ""

    @property
    def text(self) -> str:
        return _written(self.source.steps[0], "text", 0) if self.source.steps else ""

    @property
    def given(self) -> tuple[GivenView, ...]:
        """With LaTeX."""
        if not hasattr(self.source, "given_latex"):
            return ()
        return tuple(GivenView(kind, latex=latex) for kind, latex in self.source.given_latex())

    @property
    def given_text(self) -> tuple[GivenView, ...]:
        """With text."""
        if not hasattr(self.source, "given_text"):
            return ()
        return tuple(GivenView(kind, text) for kind, text in self.source.given_text())


def _written(step: Any, form: str, side: int) -> str:
    """The left (0) or right (1) side of a step that has a method to write itself so."""
    return getattr(step, form)()[side] if hasattr(step, form) else ""


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
        return sum(len(chain.source.steps) for chain in self.chains)

    @property
    def summary(self) -> str:
        """``12 steps in 3 chains, all checked; 90 mutants refused …``, or that the certificate was refused."""
        chains = "" if len(self.chains) == 1 else f" in {len(self.chains)} chains"
        checked = f"{self.steps} steps{chains}, {'all checked' if self.holds else 'certificate refused'}"
        return f"{checked}; {self.mutations}" if self.mutations else checked


def view_derivation(provider: Provider, slug: str, evidence: Iterable[Evidence] = ()) -> DerivationView | None:
    """The derivation of a claim as far as the provider has one; ``None`` otherwise.

    A derivation has `steps` and `holds`; where it has them, chains, refusals and formulas are shown as well. How the
    checker fared against mutants of the proof is in the evidence, as is whether it accepted the proof.
    """
    evidence = tuple(evidence)
    derive: Any = getattr(provider, "derivation", None)
    derivation: Any = None if derive is None else derive(slug)
    if derivation is None:
        return None
    chains = getattr(derivation, "chains", (derivation,))
    checked = {record.verdict for record in evidence if (record.claim, record.kind) == (slug, Kind.PROOF)}
    holds = bool(checked and Verdict.INCONCLUSIVE not in checked) or bool(derivation.holds)
    refusals = () if holds else tuple(str(refusal) for refusal in getattr(derivation, "refusals", ()))
    examples = tuple(map(_counterexample, getattr(derivation, "counterexamples", ())))
    mutations = _mutations(slug, evidence)
    return DerivationView(tuple(map(ChainView, chains)), holds, refusals, mutations, examples)


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
