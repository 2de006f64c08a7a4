"""Predictions in Unicode for a terminal."""

from textwrap import wrap
from typing import cast

from manifoldtheory.ledger import Prediction
from manifoldtheory.ledger.notation import symbol_text

TALLEST = 8
"""Lines of a formula with fraction bars; a taller one is written in one line, broken where it must."""


def pretty_formula(prediction: Prediction, width: int | None = None) -> str:
    """The prediction's expression in Unicode: with fraction bars where they fit the width, else in linear notation."""
    import sympy

    from manifoldtheory.ledger.linear_notation import linear

    expression = prediction.expression
    names = {symbol: sympy.Symbol(symbol_text(str(symbol))) for symbol in expression.free_symbols}
    tall = cast(str, sympy.pretty(expression.xreplace(names), use_unicode=True, wrap_line=False))
    lines = tall.splitlines()
    if width is None or (len(lines) <= TALLEST and max(map(len, lines)) <= width):
        return tall
    return "\n".join(wrap(linear(expression), width, break_long_words=False, break_on_hyphens=False))


def pretty_symbols(prediction: Prediction) -> str:
    """The names of the prediction's symbols in Unicode."""
    return ", ".join(map(symbol_text, prediction.symbols))
