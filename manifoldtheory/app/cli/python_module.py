"""Predictions as the text of a Python module: functions of named floats that need only the standard library."""

import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from manifoldtheory.app.cli.parts import in_parts
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Prediction
from manifoldtheory.ledger.notation import symbol_text

WIDTH = 100


@dataclass(frozen=True)
class FormulaGroup:
    """Predictions that belong together, under the slug and title of their claim and what it states."""

    slug: str
    title: str
    text: str
    predictions: Mapping[str, Prediction]


def python_module(groups: Sequence[FormulaGroup]) -> str:
    """The module: a function for each prediction, and ``…_remainder`` for what it leaves out.

    Functions are named after their predictions; where there are several groups, after their slugs too. Raises
    `InputError` when a prediction can't be a function of floats.
    """
    functions = [function for group in groups for function in _functions(group, prefixed=len(groups) > 1)]
    about = "\n\n".join(_about(group) for group in groups)
    code = "\n\n\n".join(functions)
    imports = "import math\n\n\n" if "math." in code else "\n"
    return f'"""{about}\n"""\n\n{imports}{code}\n'


def _about(group: FormulaGroup) -> str:
    return "\n\n".join(fill(_safe(text), WIDTH - 3) for text in (f"{group.title} ({group.slug}).", group.text))


def _functions(group: FormulaGroup, *, prefixed: bool) -> Iterator[str]:
    for name, prediction in group.predictions.items():
        function = identifier(f"{group.slug}_{name}" if prefixed else name)
        kind = "exact" if prediction.remainder is None else f"up to `{function}_remainder`"
        note = f"; {prediction.note}" if prediction.note else ""
        yield _function(function, f"{name} of {group.slug}, {kind}{note}.", prediction, prediction.expression)
        if prediction.remainder is not None:
            what = prediction.remainder.note or "a bound or the next terms"
            summary = f"What `{function}` leaves out, in size: {what}."
            yield _function(
                f"{function}_remainder", summary, prediction.remainder, prediction.remainder.expression, size=True
            )


def _function(name: str, summary: str, prediction: Prediction, expression: Any, *, size: bool = False) -> str:
    import sympy
    from sympy.printing.pycode import PythonCodePrinter

    symbols = {symbol: sympy.Symbol(identifier(str(symbol))) for symbol in expression.free_symbols}
    if len(set(symbols.values())) < len(symbols):
        raise InputError(f"two symbols of {prediction.name!r} have the same name as Python identifiers: rename one")
    expression = expression.xreplace(symbols)
    parts, expression = in_parts(expression, "part", {str(symbol) for symbol in symbols.values()})
    printer = PythonCodePrinter({"fully_qualified_modules": True, "allow_unknown_functions": False})
    try:
        lines = [_wrapped(f"{part} = ", str(printer.doprint(value))) for part, value in parts]
        result = str(printer.doprint(expression))
    except (NotImplementedError, ValueError) as error:
        raise InputError(f"{prediction.name!r} can't be written in Python ({error}): leave --python out") from error
    arguments = [identifier(symbol) for symbol in prediction.symbols]
    signature = f"def {name}({', '.join(['*', *(f'{argument}: float' for argument in arguments)])}) -> float:"
    if not arguments:
        signature = f"def {name}() -> float:"
    elif len(signature) > WIDTH:
        signature = "\n".join(
            [
                f"def {name}(",
                *(f"    {each}," for each in ["*", *(f"{argument}: float" for argument in arguments)]),
                ") -> float:",
            ]
        )
    meanings = [
        f"    {argument}: {_safe(symbol_text(symbol))}"
        for argument, symbol in zip(arguments, prediction.symbols, strict=True)
    ]
    opening = fill(_safe(summary), WIDTH, initial_indent='    """', subsequent_indent="    ")
    docstring = "\n".join([opening, *(["", *meanings] if meanings else []), '    """'])
    body = "\n".join([*lines, _wrapped("return ", f"abs({result})" if size else result)])
    return f"{signature}\n{docstring}\n{body}"


def _wrapped(start: str, code: str) -> str:
    """An indented line of code; in parentheses, broken at spaces, where it is too long."""
    line = f"    {start}{code}"
    if len(line) <= WIDTH:
        return line
    inner = fill(code, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8, **_UNBROKEN)
    return f"    {start}(\n{inner}\n    )"


_UNBROKEN: Any = {"break_long_words": False, "break_on_hyphens": False}


def identifier(name: str) -> str:
    """A name as a Python identifier: ``geodesic-polar`` as ``geodesic_polar``."""
    word = re.sub(r"\W", "_", name)
    return f"{word}_" if keyword.iskeyword(word) else f"_{word}" if not word or word[0].isdigit() else word


def _safe(text: str) -> str:
    """Text that can stand in a docstring."""
    return text.replace("\\", "\\\\").replace('"""', "'''")
