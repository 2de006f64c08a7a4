"""Predictions as text: LaTeX as the ledger has it, or Unicode for a terminal."""

import re
from collections.abc import Callable
from typing import cast

from manifoldtheory.ledger import Prediction
from manifoldtheory.ledger.predictions import NOTATION

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_UNICODE: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\\operatorname\{(\w+)\}", r"\1"),
    (r"\\langle ?", "⟨"),
    (r"\\rangle ?", "⟩"),
    (r"\\sigma", "σ"),
    (r"\\eta", "η"),
    (r"\\lambda", "λ"),
    (r"\\tr", "tr"),
    (r"\^\{?(\d+)\}?", lambda match: match[1].translate(_SUPERSCRIPTS)),
    (r"[{}]", ""),
)


def latex_formula(prediction: Prediction) -> str:
    """The prediction's expression in LaTeX."""
    return prediction.latex()


def pretty_formula(prediction: Prediction) -> str:
    """The prediction's expression in Unicode, on as many lines as its fractions need."""
    import sympy

    expression = prediction.expression
    names = {symbol: sympy.Symbol(_unicode(str(symbol))) for symbol in expression.free_symbols}
    return cast(str, sympy.pretty(expression.xreplace(names), use_unicode=True, wrap_line=False))


def pretty_symbols(prediction: Prediction) -> str:
    """The names of the prediction's symbols in Unicode."""
    return ", ".join(_unicode(name) for name in prediction.symbols)


def _unicode(name: str) -> str:
    text = NOTATION.get(name, name)
    for pattern, replacement in _UNICODE:
        text = re.sub(pattern, replacement, text)
    return text
