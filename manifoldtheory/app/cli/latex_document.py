r"""Claims, formulas and derivations as a LaTeX document that needs no package but amsmath."""

import re
from collections.abc import Iterable, Iterator, Mapping

from manifoldtheory.app.cli.latex_text import latex_text
from manifoldtheory.app.cli.parts import in_parts
from manifoldtheory.app.report.derivations import ChainView, CounterexampleView, DerivationView
from manifoldtheory.ledger import Claim, Prediction
from manifoldtheory.ledger.notation import symbol_latex

WIDTH = 90
"""Characters of LaTeX after which a display is broken, at the next sign outside all brackets."""

LONG = 250
"""Characters of LaTeX above which a formula is written in parts."""

_BRACKETS = re.compile(r"\\(?:left|right)(?![a-z])|\\[{}\\]|[{}]| [+-] ")


def document(sections: Iterable[str]) -> str:
    """The sections as a whole document."""
    body = "\n\n".join(sections)
    return (
        "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n"
        f"\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"
    )


def claim_section(
    claim: Claim, predictions: Mapping[str, Prediction], derivation: DerivationView | None, *, steps: bool = False
) -> str:
    """A claim: its statements with their hypotheses, the predictions, counterexamples, and the steps if asked for."""
    parts = [rf"\section*{{{latex_text(claim.title)}}}", rf"\texttt{{{latex_text(claim.slug)}}}"]
    for statement in claim.statements:
        parts.append(rf"\paragraph{{{latex_text(str(statement.form).capitalize())}.}} {latex_text(statement.text)}")
        if statement.hypotheses:
            parts.append(_items(f"{each.name}: {each.text}" for each in statement.hypotheses))
    if predictions:
        parts += [r"\subsection*{Predictions}", formulas(predictions)]
    if derivation is not None:
        if derivation.counterexamples:
            parts.append(r"\subsection*{Counterexamples}")
            parts += map(_counterexample, derivation.counterexamples)
        if steps:
            parts += [
                r"\subsection*{Derivation}",
                latex_text(f"{derivation.summary}."),
                *map(_chain, derivation.chains),
            ]
    return "\n\n".join(parts)


def formula_section(title: str, text: str, predictions: Mapping[str, Prediction]) -> str:
    """Formulas under a title of their own."""
    heading = title[:1].upper() + title[1:]
    return "\n\n".join([rf"\section*{{{latex_text(heading)}}}", latex_text(text), formulas(predictions)])


def formulas(predictions: Mapping[str, Prediction]) -> str:
    """Named formulas in displays, each with its remainder or as exact."""
    return "\n\n".join(_formula(name, prediction) for name, prediction in predictions.items())


def _formula(name: str, prediction: Prediction) -> str:
    text = _in_parts(prediction, left=rf"\text{{{latex_text(name)}}}", letter="a")
    text += f"\n{latex_text(prediction.note)}," if prediction.note else ""
    if prediction.remainder is None:
        return f"{text}\nexactly."
    remainder = _in_parts(prediction.remainder, left="", letter="b")
    note = f"\n{latex_text(prediction.remainder.note)}." if prediction.remainder.note else ""
    return f"{text}\nup to a remainder of\n{remainder}{note}"


def _in_parts(prediction: Prediction, *, left: str, letter: str) -> str:
    """The formula, and what its parts stand for where it is too long for a line."""
    if len(prediction.latex()) <= LONG:
        return display(prediction.latex(), left)
    parts, rest = in_parts(prediction.expression, letter, prediction.symbols)
    whole = display(Prediction(prediction.name, rest).latex(), left)
    if not parts:
        return whole
    meanings = (display(Prediction(str(part), value).latex(), symbol_latex(str(part))) for part, value in parts)
    return "\n".join([whole, "where", *meanings])


def display(latex: str, left: str = "") -> str:
    """A displayed formula, ``left = …`` where a left side is given, on as many lines as it needs."""
    first, *rest = _broken(latex)
    lines = [f"{left} &= {first}" if left else f"& {first}", *(rf"&\quad {{}}{line}" for line in rest)]
    body = " \\\\\n".join(lines)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


def _broken(latex: str) -> Iterator[str]:
    """The lines of a formula: broken before a sign outside all brackets, once a line is wide."""
    depth, start = 0, 0
    for found in _BRACKETS.finditer(latex):
        token = found.group()
        if token in ("{", r"\left"):
            depth += 1
        elif token in ("}", r"\right"):
            depth -= 1
        elif token in (" + ", " - ") and depth == 0 and found.start() - start > WIDTH:
            yield latex[start : found.start()]
            start = found.start() + 1
    yield latex[start:]


def _items(texts: Iterable[str]) -> str:
    lines = "\n".join(rf"\item {latex_text(text)}" for text in texts)
    return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}"


def _chain(chain: ChainView) -> str:
    parts = [rf"\subsubsection*{{{latex_text(chain.title)}}}"]
    if chain.given:
        lines = "\n".join(rf"\item {given.kind}: {_mixed(given.latex)}" for given in chain.given)
        parts.append(f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}")
    if chain.start:
        parts.append(display(chain.start))
    if chain.steps:
        steps = "\n".join(
            rf"\item {latex_text(step.title)}{latex_text(f' ({step.rule})') if step.rule else ''}"
            + (f"\n{display(step.right, left='{}')}" if step.right else "")
            for step in chain.steps
        )
        parts.append(f"\\begin{{enumerate}}\n{steps}\n\\end{{enumerate}}")
    return "\n\n".join(parts)


def _mixed(text: str) -> str:
    """Text with LaTeX between ``$``."""
    pieces = text.split("$")
    return "".join(f"${piece}$" if index % 2 else latex_text(piece) for index, piece in enumerate(pieces))


def _counterexample(example: CounterexampleView) -> str:
    heading = rf"\paragraph{{{latex_text(example.name)}.}} {latex_text(example.text)}:"
    return f"{heading}\n{display(example.latex)}\n{latex_text(example.values)}."
