"""Formulas on a terminal."""

import sympy

from manifoldtheory.app.cli.formulas import pretty_formula, pretty_symbols
from manifoldtheory.ledger import Prediction

SQUARE, FOURTH, MEAN = sympy.symbols("radius_sq_mean radius_4_mean curvature_sq_mean")
RATIO = Prediction("ratio", SQUARE / (MEAN * FOURTH))


def test_symbols_are_those_of_the_theory() -> None:
    assert pretty_symbols(RATIO) == "⟨F⟩, E[t⁴], E[t²]"
    assert pretty_symbols(Prediction("free", sympy.Symbol("radius") * sympy.Symbol("unheard_of"))) == "t, unheard_of"


def test_fractions_take_three_lines() -> None:
    above, bar, below = pretty_formula(RATIO).splitlines()
    assert above.strip() == "E[t²]"
    assert set(bar.strip()) == {"─"}
    assert set(below.strip().split("⋅")) == {"E[t⁴]", "⟨F⟩"}


def test_what_is_too_wide_or_tall_is_written_in_lines() -> None:
    terms = sympy.Add(*(sympy.Symbol("radius") ** number / number for number in range(2, 40)))
    lines = pretty_formula(Prediction("wide", 1 / terms), 60).splitlines()
    assert 3 < len(lines) < 12
    assert max(map(len, lines)) <= 60
    assert lines[0].startswith("1/(t³⁹/39 + t³⁸/38 + ")
    assert pretty_formula(RATIO, 60) == pretty_formula(RATIO)
