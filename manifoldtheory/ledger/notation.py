"""How symbols and formulas are written: LaTeX for every symbol, MathML for LaTeX."""

from functools import cache

from manifoldtheory.ledger.predictions import NOTATION


def symbol_latex(name: str) -> str:
    r"""LaTeX of a symbol: as in `NOTATION`, else a letter with subscripts (``mu_2``: ``\mu_{2}``) or upright words."""
    if name in NOTATION:
        return NOTATION[name]
    import sympy
    from sympy.core.alphabets import greeks

    head, *subscripts = name.split("_")
    if len(head) == 1 or head.lower() in (*greeks, "lambda"):
        letter = sympy.latex(sympy.Symbol(head))
        return f"{letter}_{{{','.join(map(_word, subscripts))}}}" if subscripts else letter
    words = name.replace("_", r"\ ")
    return rf"\mathrm{{{words}}}"


def _word(text: str) -> str:
    """Indices in italics, words upright."""
    return rf"\mathrm{{{text}}}" if len(text) > 2 and text.isalpha() else text


@cache
def mathml(latex: str) -> str:
    """LaTeX as presentation MathML, one ``<math>`` element in display style. Raises the converter's errors."""
    from latex2mathml.converter import convert

    return convert(latex).replace("<math ", '<math displaystyle="true" ', 1)
