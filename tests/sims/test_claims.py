"""Every simulation supports what is proved, refutes a wrong prediction, and is silent where there is nothing to see."""

from dataclasses import replace
from importlib import import_module
from typing import cast

import pytest
import sympy

from manifoldtheory.ledger import Evidence, Form, Prediction, Verdict
from proofs import PROVIDER as PROOFS
from sims.simulation import Simulation

SLUGS = ("tangent-normal-scaling", "curvature-bias", "bias-attenuation", "energy-concentration")
QUICK = ("S2", "cylinder", "monge-3-8")


def simulate(slug: str, manifold: str, seed: int = 0) -> list[Evidence]:
    module = import_module(f"sims.{slug.replace('-', '_')}")
    return module.simulate(Simulation(slug, manifold, size="smoke", seed=seed))


def repaired(evidence: list[Evidence]) -> set[Verdict]:
    return {record.verdict for record in evidence if record.statement is Form.REPAIRED}


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("manifold", QUICK)
def test_what_is_proved_is_not_contradicted(slug, manifold):
    evidence = simulate(slug, manifold, seed=1)
    verdicts = repaired(evidence)
    assert Verdict.SUPPORTS in verdicts
    assert Verdict.REFUTES not in verdicts
    assert all(record.claim == slug and record.subject == manifold for record in evidence)
    assert all(record.lower is not None and record.upper is not None for record in evidence)


@pytest.mark.parametrize("manifold", ["cylinder", "monge-3-8"])
@pytest.mark.parametrize(
    ("slug", "name", "factor", "refuted"),
    [
        ("tangent-normal-scaling", "normal_norm", 1.05, "normal-norm"),
        ("tangent-normal-scaling", "tangent_norm", 1.001, "tangent-norm"),
        ("curvature-bias", "projected-volume", 1.05, "projected-volume"),
        ("curvature-bias", "projected-volume", -1.0, "projected-volume"),
        ("bias-attenuation", "direction-density", None, "direction-bias"),
        ("bias-attenuation", "kl-divergence", 1.6, "kl-divergence"),
        ("curvature-bias", "ball-volume", None, "ball-volume"),
        ("energy-concentration", "energy-ratio", 1.9, "energy-ratio"),
        ("energy-concentration", "energy-ratio", 1.9, "noisy-energy-ratio"),
    ],
)
def test_a_wrong_prediction_is_refuted(monkeypatch, manifold, slug, name, factor, refuted):
    """The seeded bugs: a formula off by a factor (``None``: its excess over 1 doubled)."""
    true = PROOFS.predictions

    def wrong(wanted: str) -> dict[str, Prediction]:
        found = dict(true(wanted))
        if wanted == slug:
            law = found[name].expression
            found[name] = replace(found[name], expression=2 * law - 1 if factor is None else factor * law)
        return found

    monkeypatch.setattr(PROOFS, "predictions", wrong)
    evidence = simulate(slug, manifold, seed=1)
    assert any(record.quantity == refuted and record.verdict is Verdict.REFUTES for record in evidence)


def test_a_wrong_exponent_is_refuted(monkeypatch):
    true = PROOFS.predictions

    def wrong(wanted: str) -> dict[str, Prediction]:
        found = dict(true(wanted))
        if "normal_norm" in found:
            (radius,) = (s for s in found["normal_norm"].expression.free_symbols if str(s) == "radius")
            found["normal_norm"] = replace(
                found["normal_norm"],
                expression=found["normal_norm"].expression * cast("sympy.Symbol", radius) ** 0.01,
            )
        return found

    monkeypatch.setattr(PROOFS, "predictions", wrong)
    evidence = simulate("tangent-normal-scaling", "cylinder")
    assert any(record.quantity == "normal-exponent" and record.verdict is Verdict.REFUTES for record in evidence)


def test_high_curvature_is_under_represented_among_projected_directions_of_a_cylinder():
    """c = cos²θ sin²θ/2 against F = cos⁴θ: the covariance over the circle is 5/256 − 3/128 < 0."""
    (record,) = (e for e in simulate("curvature-bias", "cylinder") if e.quantity == "curvature-association")
    assert record.statement is Form.AS_STATED
    assert record.verdict is Verdict.REFUTES


def test_a_sphere_has_no_bias():
    evidence = simulate("bias-attenuation", "S2")
    assert {record.quantity for record in evidence} == {"direction-bias", "kl-divergence"}
    assert all(record.predicted == 0 and record.verdict is Verdict.SUPPORTS for record in evidence)
    assert all(e.quantity != "curvature-association" for e in simulate("curvature-bias", "S2"))


def test_runs_repeat_from_their_seed():
    first, again, other = (
        [record.measured for record in simulate("energy-concentration", "cylinder", seed)] for seed in (3, 3, 4)
    )
    assert first == pytest.approx(again, rel=1e-12)
    assert first != pytest.approx(other, rel=1e-3)
