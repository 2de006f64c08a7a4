"""Symbols and formulas in LaTeX, in Unicode and in MathML."""

from xml.etree import ElementTree

import pytest
import sympy

import proofs
from manifoldtheory.ledger import Prediction
from manifoldtheory.ledger.linear_notation import linear
from manifoldtheory.ledger.notation import mathml, symbol_latex, symbol_text
from manifoldtheory.ledger.predictions import NOTATION
from proofs.expressions import ARITY, HEADS, text
from proofs.expressions import mathml as mathml_of

CORE = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mstyle", "msup", "msub", "msubsup", "mfrac", "msqrt"),
    *("mroot", "mover", "munder", "munderover"),
}
x, t, s = sympy.symbols("x t s")


@pytest.mark.parametrize(
    ("name", "latex", "unicode"),
    [
        ("curvature_sq_mean", r"\langle F\rangle", "⟨F⟩"),
        ("radius_sq_mean", "E[t^2]", "E[t²]"),
        ("trace_of_square", r"\operatorname{tr}(B^2)", "tr(B²)"),
        ("mu_2", r"\mu_{2}", "μ_2"),
        ("x_T", "x_{T}", "x_T"),
        ("lambda", r"\lambda", "λ"),
        ("mu_noise", r"\mu_{\mathrm{noise}}", "μ_noise"),
        ("unheard_of", r"\operatorname{unheard\ of}", "unheard_of"),
        ("initial_centroid", r"\bar e_i", "e\u0304_i"),
    ],
)
def test_symbols(name: str, latex: str, unicode: str) -> None:
    assert symbol_latex(name) == latex
    assert symbol_text(name) == unicode


def test_no_markup_is_left_of_any_symbol() -> None:
    assert not [name for name in NOTATION if set(symbol_text(name)) & set("\\{}")]


def test_powers_of_names_that_are_powers() -> None:
    square = sympy.Symbol("noise_variance")
    assert Prediction("p", square**2).latex() == r"\left(\sigma^2\right)^{2}"
    trace = sympy.Symbol("trace")
    assert Prediction("p", trace**2).latex() == r"\operatorname{tr}(B)^{2}"
    assert linear(square**2 / trace**2) == "(σ²)²/tr(B)²"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sympy.sqrt(x) * t**2 / 2, "t²·√x/2"),
        ((x + t) ** -2, "1/(t + x)²"),
        (x ** (t + 1), "x^(t + 1)"),
        (sympy.exp(-x * t) * sympy.pi, "π·exp(-t·x)"),
        (sympy.sqrt(x + t) ** 3 - t, "-t + (t + x)^(3/2)"),
        (1 / sympy.sqrt(x), "1/√x"),
        (1 / (x + t), "1/(t + x)"),
        ((x + t) ** -x, "(t + x)^(-x)"),
        (s / (x * t) - x**-2, "s/(t·x) - 1/x²"),
    ],
)
def test_linear_notation(expression: sympy.Expr, expected: str) -> None:
    assert linear(expression) == expected


@pytest.mark.parametrize("name", HEADS)
def test_every_head_has_a_notation(name: str) -> None:
    head = HEADS[name]
    expression = head(*sympy.symbols("x t s n")[: ARITY[head]])
    assert name not in text(expression)
    root = ElementTree.fromstring(mathml_of(expression))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= CORE
    words = "".join(root.itertext())
    assert "\\" not in words
    assert name not in words


def test_mathml_of_predictions() -> None:
    for slug in ("isotropy-recovery", "normalisation-curvature"):
        for prediction in proofs.derive(slug).predictions.values():
            root = ElementTree.fromstring(prediction.mathml())
            assert root.attrib["displaystyle"] == "true"
            assert {element.tag.rpartition("}")[2] for element in root.iter()} <= CORE
    fraction = ElementTree.fromstring(mathml(r"\frac{1}{2}"))
    assert [element.tag.rpartition("}")[2] for element in fraction.iter()].count("mn") == 2
