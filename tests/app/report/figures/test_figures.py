"""Figures are drawn from their own evidence, and only from it."""

from typing import Any

import pytest

from manifoldtheory.app.report.figures import FIGURES
from manifoldtheory.app.report.style import INK, styled
from manifoldtheory.ledger import Evidence, Kind

from ...fakes import observation_evidence, proof_evidence, record, simulation_evidence

EVIDENCE = [*simulation_evidence(subjects={"S2": 1.0, "monge-3-8": 4.0}), *observation_evidence(layers=2)]


def draw(name: str, evidence: list[Evidence]) -> Any:
    with styled():
        return FIGURES[name]._draw(evidence)


@pytest.mark.parametrize("name", FIGURES)
def test_without_its_evidence_a_figure_is_left_out(name: str) -> None:
    others = [found for found in EVIDENCE if found.claim != FIGURES[name].claim]
    assert FIGURES[name].draw([*others, *proof_evidence()]) is None
    assert FIGURES[name].draw([]) is None


def test_the_comparison_shares_its_axis_and_magnifies_the_real_part() -> None:
    synthetic, real, magnified = draw("energy-comparison", EVIDENCE).axes
    assert synthetic.get_ylim() == real.get_ylim()
    assert synthetic.get_ylim()[1] > 1e8 > magnified.get_ylim()[1]
    assert magnified.get_ylim()[0] <= 1 <= magnified.get_ylim()[1]


def test_the_comparison_draws_what_there_is() -> None:
    assert len(draw("energy-comparison", simulation_evidence(subjects={"S2": 1.0})).axes) == 1
    assert len(draw("energy-comparison", observation_evidence(layers=1)).axes) == 1


def test_predicted_lines_go_through_the_predictions() -> None:
    axes = draw("energy-comparison", EVIDENCE).axes[0]
    ladder = sorted(
        (
            found
            for found in EVIDENCE
            if found.subject == "S2" and found.quantity == "energy-ratio" and found.rung is not None
        ),
        key=lambda found: found.rung or ("", 0.0),
    )
    drawn = [list(line.get_ydata()) for line in axes.get_lines()]
    assert [found.predicted for found in ladder] in drawn
    assert [found.measured for found in ladder] in drawn


def test_the_exponents_axis_is_symmetric_about_agreement() -> None:
    _, exponents = draw("scaling", EVIDENCE).axes
    low, high = exponents.get_xlim()
    assert low == -high


def test_surfaces_have_a_panel_each_and_higher_dimensions_one() -> None:
    evidence = simulation_evidence(subjects={"S2": 1.0, "torus": 2.0, "S5": 1.0, "monge-3-8": 4.0})
    titles = [axes.get_title("left") for axes in draw("directions", evidence).axes]
    assert titles == ["A  S2", "B  torus", "C  dimension above 2, the same"]


def test_one_record_is_enough_and_nulls_are_skipped() -> None:
    one = record(subject="S2", bin="radius=0.1", measured=3.0)
    empty = record(subject="S2", bin="radius=0.2", measured=None)
    assert draw("energy-comparison", [one, empty]) is not None
    assert draw("energy-comparison", [empty]) is None
    nothing = record(kind=Kind.OBSERVATION, quantity="hidden-state-energy-ratio", checkpoint="step-1")
    assert draw("energy-comparison", [nothing]) is None


def test_the_inline_figure_follows_the_pages_colours_and_the_file_does_not() -> None:
    drawing = FIGURES["attenuation"].draw(EVIDENCE)
    assert drawing is not None
    assert drawing.inline.startswith("<svg")
    assert "currentColor" in drawing.inline
    assert INK not in drawing.inline
    assert INK in drawing.svg
    assert "<metadata>" not in drawing.svg
