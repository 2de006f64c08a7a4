"""Derivations of any column, with as much as it has to show."""

import re
from dataclasses import dataclass

from manifoldtheory.app.report.derivations import view_derivation
from manifoldtheory.ledger import Kind

from ..fakes import FakeColumn


@dataclass(frozen=True)
class FormulaStep:
    title: str
    rule: str

    def latex(self) -> tuple[str, str]:
        return "x", f"{self.title}^2"


@dataclass(frozen=True)
class Chain:
    title: str
    steps: tuple[FormulaStep, ...]


@dataclass(frozen=True)
class Chained:
    chains: tuple[Chain, ...]
    refusals: tuple[str, ...]
    holds: bool = False


class ChainedColumn(FakeColumn):
    def derivation(self, slug: str) -> Chained:  # type: ignore[override]
        return Chained((Chain("one", (FormulaStep("a", "ring"),)), Chain("two", (FormulaStep("b", ""),))), ("no",))


def test_a_column_without_derivations_has_no_view() -> None:
    assert view_derivation(FakeColumn(Kind.SIMULATION, {}), "energy-concentration") is None


def test_plain_steps_are_shown_by_their_titles() -> None:
    view = view_derivation(FakeColumn(Kind.PROOF, {}), "energy-concentration")
    assert view is not None
    assert [step.title for chain in view.chains for step in chain.steps] == ["by definition", "hence"]
    assert view.summary == "2 steps, all checked"


def test_chains_carry_formulas_rules_and_refusals() -> None:
    view = view_derivation(ChainedColumn(Kind.PROOF, {}), "energy-concentration")
    assert view is not None
    assert view.summary == "2 steps in 2 chains, certificate refused"
    assert view.refusals == ("no",)
    assert view.chains[0].start == "x"
    assert (view.chains[0].steps[0].rule, view.chains[0].steps[0].right) == ("ring", "a^2")


def test_mutants_and_what_is_given_are_shown() -> None:
    import proofs
    from manifoldtheory.ledger import Request
    from manifoldtheory.ledger.providers import silent

    (task,) = proofs.PROVIDER.plan(Request(claims=("curvature-bias",), size="smoke"))
    view = view_derivation(proofs.PROVIDER, "curvature-bias", task.run(silent))
    assert view is not None
    assert re.search(r"all checked; (\d+) of \1 mutants refused, \d+ equal to the proof skipped$", view.summary)
    given = [(each.kind, each.text) for chain in view.chains for each in chain.given_text]
    assert ("hypothesis", "m = 2") in given
    assert "$m$ = $2$" in [each.latex for chain in view.chains for each in chain.given]
    assert all(chain.text for chain in view.chains)
    assert any("⟨" in step.text for chain in view.chains for step in chain.steps)
    assert {kind for kind, _ in given} == {"definition", "hypothesis", "condition"}


def test_counterexamples_are_listed_with_their_values() -> None:
    import proofs

    view = view_derivation(proofs.PROVIDER, "isotropy-recovery")
    assert view is not None
    first = view.counterexamples[0]
    assert first.name == "outlier-normal"
    assert first.claimed is not None
    assert first.derived < first.claimed
    assert first.values == "derived 0.006711, claimed 0.2161, where normal_eigenvalue = 3, floor_eigenvalue = 0.01"
    noisy = view_derivation(proofs.PROVIDER, "energy-concentration")
    assert noisy is not None
    assert any(" ± " in example.values for example in noisy.counterexamples)
