"""What a derivation looks like on the page."""

import html

import proofs
from manifoldtheory.app.report.fragments import fragment
from proofs.majorants import BOUND


def test_formulas_say_where_they_hold_and_steps_are_typeset() -> None:
    text = str(fragment((proofs.PROVIDER, "chord-arc", ())))
    assert html.escape(BOUND, quote=False) in text
    derivation = proofs.PROVIDER.derivation("chord-arc")
    assert text.count('<div class="right">= <math') == len(derivation.steps)
    assert "all checked" in text


def test_instances_of_a_table_are_no_counterexamples() -> None:
    assert "<h3>Counterexamples</h3>" in fragment((proofs.PROVIDER, "isotropy-recovery", ()))
    assert "<h3>Counterexamples</h3>" not in fragment((proofs.PROVIDER, "chord-arc", ()))
