"""How symbols and formulas are written: LaTeX and Unicode for every symbol, MathML for LaTeX."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from manifoldtheory.ledger.predictions import NOTATION


def symbol_latex(name: str) -> str:
    r"""LaTeX of a symbol: as in `NOTATION`, else a letter with subscripts (``mu_2``: ``\mu_{2}``) or an operator."""
    if name in NOTATION:
        return NOTATION[name]
    import sympy
    from sympy.core.alphabets import greeks

    head, *subscripts = name.split("_")
    if len(head) == 1 or head.lower() in (*greeks, "lambda"):
        letter = sympy.latex(sympy.Symbol(head))
        return f"{letter}_{{{','.join(map(_word, subscripts))}}}" if subscripts else letter
    words = name.replace("_", r"\ ")
    return rf"\operatorname{{{words}}}"


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNICODE: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\\(?:operatorname|mathrm|text|textstyle)\b ?", ""),
    (r"\\[ ,;]", " "),
    (r"\\langle ?", "⟨"),
    (r"\\rangle ?", "⟩"),
    (r"\\(hat|bar|dot|tilde) ?\{?(\\[A-Za-z]+|\w)\}?", lambda match: f"{match[2]}{_ACCENTS[match[1]]}"),
    (r"\\(?:mathcal|mathbf) ?", ""),
    (r"\^\{?((?:\\prime ?)+)\}?", lambda match: "′" * match[1].count("prime")),
    (r"\^\{?(-?\d+)\}?", lambda match: match[1].translate(SUPERSCRIPTS)),
    (r"\^\\top", "ᵀ"),
    (r"\\partial ?", "∂"),
    (r"\\infty", "∞"),
    (r"\\(?:ast|star)", "∗"),
    (r"\\perp", "⊥"),
    (r"\\sum", "Σ"),
    (r"\\(?:var)?([A-Za-z]+) ?", lambda match: _greek(match[1])),
    (r"[{}\\]", ""),
)
_ACCENTS = {"hat": "\u0302", "bar": "\u0304", "dot": "\u0307", "tilde": "\u0303"}


@cache
def symbol_text(name: str) -> str:
    """A symbol in Unicode for a terminal: `symbol_latex` without its markup, ``⟨F⟩`` or ``E[t²]``; words unchanged."""
    text = latex_to_text(symbol_latex(name))
    return text if name in NOTATION else text.replace(" ", "_")


def latex_to_text(latex: str) -> str:
    """The LaTeX of a symbol without its markup."""
    text = latex
    for pattern, replacement in _UNICODE:
        text = re.sub(pattern, replacement, text)
    return text


def _greek(command: str) -> str:
    """The letter of a LaTeX command, or its name (``max``)."""
    kind = "CAPITAL" if command[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {kind} LETTER {command.upper().replace('LAMBDA', 'LAMDA')}")
    except KeyError:
        return command


def _word(text: str) -> str:
    """Indices in italics, words upright."""
    return rf"\mathrm{{{text}}}" if len(text) > 2 and text.isalpha() else text


@cache
def mathml(latex: str) -> str:
    """LaTeX as presentation MathML, one ``<math>`` element in display style. Raises the converter's errors."""
    from latex2mathml.converter import convert

    return convert(latex).replace("<math ", '<math displaystyle="true" ', 1)
