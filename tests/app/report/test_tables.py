"""Tables: numbers, cells of the ledger, summaries, and the comparison of synthetic with real."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.app.report.tables import (
    Cell,
    Comparison,
    compare,
    interval,
    ledger,
    number,
    probability,
    step_of,
    summarise,
)
from manifoldtheory.ledger import Form, Kind, Verdict, rung

from ..fakes import observation_evidence, proof_evidence, record, simulation_evidence

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_to_four_digits(value: float) -> None:
    digits, exponential, exponent = number(value).partition("×10")
    read = float(f"{digits}e{exponent.translate(SUPERSCRIPTS)}") if exponential else float(digits)
    assert math.isclose(read, value, rel_tol=5e-4) or math.isinf(read)  # the largest double rounds up beyond itself


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_no_number_is_a_dash(value: float | None) -> None:
    assert number(value) == "–"


def test_a_probability_is_never_zero() -> None:
    assert probability(0.0) == "<10⁻³⁰⁰"
    assert probability(1e-166) == "1×10⁻¹⁶⁶"
    assert probability(None) == "–"


@given(st.integers(min_value=0, max_value=10**9))
def test_checkpoints_name_their_step(step: int) -> None:
    assert step_of(f"step-{step}") == step
    assert step_of(f"step{step}") == step


@pytest.mark.parametrize("checkpoint", [None, "", "final", "step-", "step-x", "before-step-4"])
def test_a_checkpoint_without_a_step_has_none(checkpoint: str | None) -> None:
    assert step_of(checkpoint) is None


def test_the_interval_is_the_bounds_or_else_two_standard_errors() -> None:
    assert interval(record(measured=1.0, stderr=1.0, lower=0.9, upper=1.2)) == (0.9, 1.2)
    assert interval(record(measured=1.0, stderr=0.1)) == pytest.approx((0.804, 1.196), abs=1e-3)
    assert interval(record(measured=1.0)) is None


def test_one_refutation_refutes_a_cell_and_forms_are_kept_apart() -> None:
    evidence = [
        *(record(verdict=Verdict.SUPPORTS) for _ in range(9)),
        record(verdict=Verdict.REFUTES),
        *proof_evidence(),
    ]
    rows = ledger(evidence, ["energy-concentration", "without-evidence"])
    assert [(row.claim, row.form) for row in rows] == [
        ("energy-concentration", Form.AS_STATED),
        ("energy-concentration", Form.REPAIRED),
    ]
    stated, repaired = rows
    assert [cell.text for cell in stated.cells] == ["✗ refuted", "–", "–"]
    assert [cell.text for cell in repaired.cells] == ["✓ supported", "✗ refuted", "–"]
    assert repaired.cells[1].records == 10


def test_summaries_keep_every_record_once() -> None:
    evidence = [*simulation_evidence(), *observation_evidence(), *proof_evidence()]
    summaries = summarise(evidence)
    assert sum(len(summary.records) for summary in summaries) == len(evidence)
    assert len({(s.kind, s.form, s.quantity, s.subject, s.records[0].claim) for s in summaries}) == len(summaries)


def test_a_summary_says_how_far_the_worst_record_is_off() -> None:
    (summary,) = summarise(
        [
            record(measured=1.0, predicted=1.0, stderr=0.1, bin="radius=1"),
            record(measured=2.5, predicted=2.0, stderr=0.1, bin="radius=2", verdict=Verdict.REFUTES),
        ]
    )
    assert summary.interval == "within 5.0 SE"
    assert summary.measured == "1 … 2.5"
    assert summary.verdicts == [(Verdict.SUPPORTS, 1), (Verdict.REFUTES, 1)]


def test_each_ratio_stands_beside_the_activations_and_the_cap_of_its_own_cell() -> None:
    evidence = observation_evidence(layers=2, steps=(0, 8))
    rows = compare(evidence).of("hidden-state-energy-ratio")
    assert len(rows) == 4
    for row in rows:
        assert row.evidence.measured is not None
        assert row.cap == pytest.approx(4 * row.evidence.measured)
        (activation,) = (
            other.measured
            for other in evidence
            if other.quantity == "activation-energy-ratio"
            and (other.layer, other.checkpoint) == (row.evidence.layer, row.evidence.checkpoint)
        )
        assert row.activation == activation


def test_the_confound_of_a_weight_gradient_is_its_own_maps_input() -> None:
    evidence = observation_evidence(layers=1, steps=(8,))
    values = {found.quantity: found.measured for found in evidence}
    rows = {row.evidence.quantity.partition(":")[2]: row for row in compare(evidence).of("weight-energy-ratio:")}
    name = "attention.query_key_value"
    assert rows[name].activation == values[f"activation-energy-ratio:{name}"]
    assert rows["mlp.dense_h_to_4h"].activation == values["activation-energy-ratio"]


def test_caps_nulls_and_other_claims_are_not_ratios() -> None:
    stray = [
        record(kind=Kind.OBSERVATION, quantity="hidden-state-energy-ratio-cap", measured=1.0),
        record(kind=Kind.OBSERVATION, quantity="weight-energy-ratio:mlp-cap", measured=1.0),
        record(kind=Kind.OBSERVATION, quantity="hidden-state-covariance-matched", measured=1.0),
        record(quantity="energy-ratio-exponent", measured=-2.0),
        record(quantity="energy-ratio", claim="another", measured=1.0),
    ]
    assert compare(stray) == Comparison(())


def test_the_headline_has_the_ends_of_ladders_and_the_highest_step() -> None:
    ladder = [record(subject="S2", bin=rung("radius", t), measured=1 / t, predicted=1 / t) for t in (0.1, 0.01, 0.001)]
    observed = observation_evidence(layers=3, steps=(0, 8, 64, 400))
    comparison = compare([*ladder, *observed])
    simulated = [(line.place, line.ratio) for line in comparison.headline() if line.kind == Kind.SIMULATION]
    assert simulated == [("t = 0.1", 10.0), ("t = 0.001", 1000.0)]
    ((_, _, hidden), *_) = (series for series in comparison.series(Kind.OBSERVATION) if series[1].startswith("hidden"))
    assert [line.place for line in hidden] == ["step 0", "step 64 (highest)", "step 400"]
    for line in hidden:
        assert line.low is not None
        assert line.high is not None
        assert line.low <= line.ratio <= line.high


def test_cells_that_were_not_finite_are_listed_but_not_averaged() -> None:
    broken = record(
        kind=Kind.OBSERVATION, quantity="hidden-state-energy-ratio", checkpoint="step-8", verdict=Verdict.INCONCLUSIVE
    )
    comparison = compare([broken])
    assert len(comparison.rows) == 1
    assert comparison.headline() == []


def test_cells_say_how_many_records_agree() -> None:
    assert Cell(Verdict.SUPPORTS, 4, 4).counts == "4"
    assert Cell(Verdict.SUPPORTS, 4, 3).counts == "3 of 4"
    mixed = [record(verdict=Verdict.SUPPORTS), record(verdict=Verdict.INCONCLUSIVE), record(verdict=Verdict.SUPPORTS)]
    (row,) = ledger(mixed)
    assert max(row.cells, key=lambda cell: cell.records) == Cell(Verdict.SUPPORTS, 3, 2)
