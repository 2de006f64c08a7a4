import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.ledger import Evidence, Form, Kind, Verdict, acceptance_z, agreement, rung, verdict_over

FIELDS = [
    "claim",
    "kind",
    "statement",
    "verdict",
    "quantity",
    "predicted",
    "measured",
    "stderr",
    "lower",
    "upper",
    "p_value",
    "n",
    "subject",
    "checkpoint",
    "layer",
    "bin",
    "seed",
    "device",
    "dtype",
    "seconds",
    "versions",
]


def record(verdict: Verdict = Verdict.SUPPORTS, **fields) -> Evidence:
    return Evidence(
        claim="round-earth", kind=Kind.SIMULATION, statement=Form.REPAIRED, verdict=verdict, quantity="radius", **fields
    )


def test_the_record_is_the_contract():
    plain = record(measured=1.5, versions={"torch": "2"}).to_dict()
    assert list(plain) == FIELDS
    assert plain["kind"] == "simulation"
    assert plain["layer"] is None
    assert Evidence.from_dict(json.loads(json.dumps(plain))) == record(measured=1.5, versions={"torch": "2"})


@given(value=st.floats())
def test_numbers_that_are_not_finite_are_null_in_json(value):
    assert record(measured=value).to_dict()["measured"] == (value if math.isfinite(value) else None)


def test_other_fields_are_refused():
    with pytest.raises(ValueError, match="colour"):
        Evidence.from_dict({**record().to_dict(), "colour": "blue"})


@given(value=st.floats(1e-9, 1e9))
def test_rungs_read_back(value):
    name, found = record(bin=rung("radius", value)).rung or ("", 0.0)
    assert name == "radius"
    assert found == pytest.approx(value, rel=1e-11)


def test_no_rung():
    assert record().rung is None
    assert record(bin="rare").rung is None


def test_agreement_counts_error_and_remainder():
    assert agreement(1.1, 1.0, 0.06) is Verdict.SUPPORTS
    assert agreement(1.1, 1.0, 0.04) is Verdict.REFUTES
    assert agreement(1.1, 1.0, 0.04, remainder=-0.03) is Verdict.SUPPORTS
    assert agreement(1.1, 1.0, 0.04, z=3) is Verdict.SUPPORTS
    assert agreement(math.nan, 1.0, 0.04) is Verdict.INCONCLUSIVE


def test_acceptance_is_bonferroni():
    assert acceptance_z(1, 0.05) == pytest.approx(1.959964, abs=1e-6)
    assert acceptance_z(100, 0.05) == pytest.approx(acceptance_z(1, 0.0005))
    with pytest.raises(ValueError, match="at least one"):
        acceptance_z(0)


def test_a_cell_is_refuted_by_any_record():
    supports, refutes, unclear = (record(verdict) for verdict in Verdict)
    assert verdict_over([supports, refutes, unclear]) is Verdict.REFUTES
    assert verdict_over([unclear, supports]) is Verdict.SUPPORTS
    assert verdict_over([unclear]) is Verdict.INCONCLUSIVE
    assert verdict_over([]) is None
