r"""LaTeX documents, read by a strict reader; compiled where there is an engine."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import sympy

import proofs
from manifoldtheory.app.cli.latex_document import WIDTH, claim_section, display, document, formulas
from manifoldtheory.app.cli.latex_text import latex_text
from manifoldtheory.app.report.derivations import view_derivation
from manifoldtheory.ledger import Prediction

from ..latex_checking import faults

CLAIMS = tuple(proofs.PROVIDER.claims())


def claim_document(slug: str, *, steps: bool) -> str:
    provider = proofs.PROVIDER
    view = view_derivation(provider, slug)
    return document([claim_section(provider.claims()[slug], provider.predictions(slug), view, steps=steps)])


@pytest.mark.parametrize("slug", ["isotropy-recovery", "normalisation-curvature", "curvature-bias"])
def test_documents_with_steps_are_read(slug: str) -> None:
    source = claim_document(slug, steps=True)
    assert faults(source) == []
    derivation = proofs.PROVIDER.derivation(slug)
    assert source.count(r"\item") >= len(derivation.steps)
    assert source.count(r"\subsubsection*") == len(derivation.chains)
    assert "[U+" not in source
    for example in derivation.counterexamples:
        assert latex_text(example.text) in source


@pytest.mark.thorough
@pytest.mark.parametrize("slug", CLAIMS)
def test_every_document_is_read(slug: str) -> None:
    source = claim_document(slug, steps=True)
    assert faults(source) == []
    assert "[U+" not in source


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX engine is installed")
def test_a_document_compiles(tmp_path: Path) -> None:
    (tmp_path / "proof.tex").write_text(claim_document("isotropy-recovery", steps=True))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "proof.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-2000:]


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (r"\begin{align*} x^{2}^{3} \end{align*}", r"double \^"),
        (r"\begin{align*} x_1_2 \end{align*}", "double _"),
        (r"\begin{align*} \left(x \end{align*}", "is closed"),
        (r"\begin{align*} \left(a & b\right) \end{align*}", "outside an alignment"),
        (r"\begin{align*} \mathbb{R} \end{align*}", "mathbb in math"),
        (r"a_b", "outside mathematics"),
        (r"\frac{1}{2}", "frac in text"),
        ("50 % of ξ", "is not escaped"),
        ("ξ", "the character"),
        (r"\section*{a", "left open"),
        (r"\begin{gather} x \end{gather}", "unknown environment"),
        (r"$x'^2$", r"double \^"),
    ],
)
def test_the_reader_is_strict(source: str, fault: str) -> None:
    assert re.search(fault, "; ".join(faults(source)))


def test_long_formulas_are_broken_outside_brackets_and_written_in_parts() -> None:
    terms = " + ".join(rf"\left(a + b\right) x_{{{number}}}" for number in range(20))
    lines = display(terms, "y").splitlines()[1:-1]
    assert len(lines) > 3
    assert all(line.count(r"\left") == line.count(r"\right") for line in lines)
    assert max(map(len, lines)) < WIDTH + 60
    assert faults(display(terms, "y")) == []
    symbols = sympy.symbols("radius:40")
    inner = sympy.Add(*(number * symbol for number, symbol in enumerate(symbols, start=2)))
    text = formulas({"long": Prediction("long", inner / (1 + inner**2))})
    assert "where" in text
    assert "a_{1} &=" in text
    assert faults(text) == []


def test_text_has_mathematics_where_it_needs_it() -> None:
    assert latex_text("|P_T ξ| ≥ ½ x^{m−1}") == (
        r"|\ensuremath{P_{T}} \ensuremath{\xi }| \ensuremath{\geq } \ensuremath{\tfrac{1}{2}} x\ensuremath{^{m-1}}"
    )
    assert latex_text("t⁻² S₁ λ̂ γ″ ≠ ẋ") == (
        r"t\ensuremath{^{-2}} \ensuremath{S_{1}} \ensuremath{\hat{\lambda }} \ensuremath{\gamma }\ensuremath{''} "
        r"\ensuremath{\neq } \ensuremath{\dot{x}}"
    )
    assert latex_text(r"a_word {50 %} & \frac # $ ~ ^") == (
        r"\ensuremath{a_{word}} \{50 \%\} \& \textbackslash{}frac \# \$ \textasciitilde{} \textasciicircum{}"
    )
    assert latex_text("Poché – 日") == "Poché -- [U+65E5]"
