import subprocess
import sys

import pytest

import proofs
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Form, Kind, Request, Verdict
from manifoldtheory.ledger.providers import silent
from proofs import provider

SLUGS = {"tangent-normal-scaling", "curvature-bias", "bias-attenuation", "energy-concentration"}


def test_claims_are_found_by_scanning() -> None:
    claims = proofs.PROVIDER.claims()
    assert set(claims) >= SLUGS
    assert all(claim.slug == slug for slug, claim in claims.items())


def test_evidence_of_a_plan() -> None:
    tasks = proofs.PROVIDER.plan(Request(claims=("curvature-bias",), size="smoke"))
    assert [task.name for task in tasks] == ["curvature-bias"]
    seen = []
    evidence = tasks[0].run(lambda message, done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert {record.kind for record in evidence} == {Kind.PROOF}
    by_form = {form: {r.verdict for r in evidence if r.statement == form} for form in Form}
    mixed = {Verdict.SUPPORTS, Verdict.REFUTES}  # it depends on the measure, and on what is called a direction
    assert by_form == {Form.AS_STATED: mixed, Form.REPAIRED: {Verdict.SUPPORTS}}
    assert all(record.n and record.n > 0 for record in evidence)


def test_every_claim_speaks_of_each_form_it_has() -> None:
    for task in proofs.PROVIDER.plan(Request(size="smoke")):
        evidence = task.run(silent)
        (mutants,) = (record for record in evidence if record.quantity == "mutants-refused")
        assert mutants.n is not None
        assert mutants.rung is not None
        assert mutants.n == mutants.predicted == mutants.measured
        most = provider.MUTANTS["smoke"]
        assert most is not None
        assert most / 2 <= mutants.n + mutants.rung[1] <= most  # one in a whole number of all
        stated = {statement.form for statement in proofs.PROVIDER.claims()[task.name].statements}
        assert Form.REPAIRED in stated
        assert {record.statement for record in evidence} == stated
        assert all(r.verdict == Verdict.SUPPORTS for r in evidence if r.statement == Form.REPAIRED)


def test_a_refused_certificate_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    def broken(chain):
        step = chain.steps[-1]
        return replace(chain, steps=(*chain.steps[:-1], replace(step, right=step.right + 1)))

    derivation = proofs.derive("tangent-normal-scaling")
    forged = replace(derivation, chains=tuple(map(broken, derivation.chains)))
    column = provider.ProofProvider()
    monkeypatch.setattr(column, "derivation", lambda slug: forged)
    (task,) = column.plan(Request(claims=("tangent-normal-scaling",)))
    assert not forged.holds
    assert {record.verdict for record in task.run(silent)} == {Verdict.INCONCLUSIVE}


def test_certificates_are_checked_without_their_derivation() -> None:
    text = proofs.PROVIDER.certificate("energy-concentration")
    checked = proofs.PROVIDER.check_certificate(text)
    assert (checked.claim, checked.refusals) == ("energy-concentration", ())
    assert checked.steps > len(proofs.derive("energy-concentration").steps)
    code = (
        "import sys\nimport proofs\n"
        "assert not proofs.PROVIDER.check_certificate(sys.stdin.read()).refusals\n"
        "derivations = {'curvature_bias', 'bias_attenuation', 'energy_concentration', 'expansion', 'series'}\n"
        "assert not {f'proofs.{name}' for name in derivations} & set(sys.modules)"
    )
    fresh = subprocess.run([sys.executable, "-c", code], input=text, text=True, capture_output=True, check=False)
    assert fresh.returncode == 0, fresh.stderr
    with pytest.raises(InputError, match="not a certificate"):
        proofs.PROVIDER.check_certificate("{}")


def test_bad_input() -> None:
    with pytest.raises(InputError, match="unknown claim 'nope'"):
        proofs.derive("nope")
    with pytest.raises(InputError, match="unknown option 'route'"):
        proofs.derive("curvature-bias", route="x")
    with pytest.raises(InputError, match="unknown claim"):
        proofs.PROVIDER.plan(Request(claims=("nope",)))


def test_identity_and_predictions() -> None:
    assert proofs.PROVIDER.identity(Request()) == {}
    assert proofs.PROVIDER.predictions("curvature-bias") is proofs.derive("curvature-bias").predictions
    for slug in proofs.PROVIDER.claims():
        for name, prediction in proofs.PROVIDER.predictions(slug).items():
            assert prediction.name == name
            assert "remainder" not in " ".join(prediction.symbols)
            assert prediction.latex()


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, proofs; sys.exit(bool({'sympy', 'torch', 'numpy', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
