"""Every counterexample: what is measured on it is what its proof derives, and not what is claimed."""

import pytest

import proofs
from manifoldtheory.ledger import Form, Verdict
from proofs.counterexample import Measured

CLAIMS = tuple(proofs.PROVIDER.claims())
INSTANCES = [
    pytest.param(instance, id=f"{slug}/{instance.name}")
    for slug in CLAIMS
    for instance in proofs.PROVIDER.derivation(slug).counterexamples
]


@pytest.mark.parametrize("slug", CLAIMS)
def test_every_refuted_statement_has_one(slug: str) -> None:
    derivation = proofs.PROVIDER.derivation(slug)
    names = [instance.name for instance in derivation.counterexamples]
    assert len(set(names)) == len(names)
    for instance in derivation.counterexamples:
        derivation.chain(instance.chain)  # the chain that it is read from
    refuted = {finding.quantity for finding in derivation.findings if finding.verdict is Verdict.REFUTES}
    contradicting = {instance.name for instance in derivation.counterexamples if instance.claimed is not None}
    assert refuted <= contradicting
    stated = [f for f in derivation.findings if f.form is Form.AS_STATED and f.verdict is Verdict.REFUTES]
    assert bool(stated) <= bool(contradicting)


@pytest.mark.parametrize("instance", INSTANCES)
def test_measured_is_derived_and_not_claimed(instance) -> None:
    measured = instance.measure()
    assert measured.agrees, measured
    if instance.claimed is None:
        assert not measured.contradicts
        assert measured.error + measured.remainder < (abs(measured.derived) or 1) / 4, measured  # it says something
    else:
        assert measured.contradicts, measured
        assert not Measured(measured.claimed, measured.error, measured.derived, measured.remainder, None).agrees


@pytest.mark.parametrize("instance", INSTANCES)
def test_parts_are_built_anew(instance) -> None:
    parts = instance.build()
    assert parts
    assert parts.keys() <= {"manifold", "law", "loss", "architecture", "optimizer"}


def test_a_wrong_derivation_is_noticed() -> None:
    wrong = Measured(value=2.0, error=0.1, derived=3.0, remainder=0.5, claimed=2.05)
    assert not wrong.agrees
    assert not wrong.contradicts
