"""Predictions in Unicode for a terminal."""

from textwrap import wrap
from typing import Any, cast

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


def expansion_lines(prediction: Prediction, variable: str = "radius") -> list[str]:
    """A polynomial in a variable, a power on each line, and O(…) of what its remainder starts with."""
    from manifoldtheory.ledger.linear_notation import linear

    symbols: list[Any] = [each for each in prediction.expression.free_symbols if str(each) == variable]
    if not symbols:
        return [linear(prediction.expression)]
    (symbol,) = symbols
    terms = [linear(term) for term in _by_power(prediction.expression, symbol).values()]
    if prediction.remainder is not None and (rest := _by_power(prediction.remainder.expression, symbol)):
        terms.append(f"O({linear(symbol ** min(rest))})")
    first, *others = terms
    return [first, *(f"- {term[1:]}" if term.startswith("-") else f"+ {term}" for term in others)]


def _by_power(expression: Any, symbol: Any) -> dict[int, Any]:
    """The terms of a polynomial by their powers, from the lowest on."""
    import sympy

    found: dict[int, Any] = {}
    for term in sympy.Add.make_args(expression):
        power = int(term.as_independent(symbol, as_Add=False)[1].as_base_exp()[1]) if term.has(symbol) else 0
        found[power] = found.get(power, 0) + term
    return {power: term for power, term in sorted(found.items()) if term != 0}
