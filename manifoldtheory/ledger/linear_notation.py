"""Expressions on one line of Unicode, as one would type them: ``√F·t²/2``."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import sympy
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from manifoldtheory.ledger.notation import SUPERSCRIPTS, symbol_text


def linear(expression: Any, name: Callable[[str], str] = symbol_text, heads: Mapping[str, str] | None = None) -> str:
    """The expression on one line; `name` writes symbols, `heads` are patterns for functions of those names."""
    return _Printer(name, heads or {}).doprint(expression)


_COMPOSED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹′^ ]")
"""What a name has that can't be raised to a power as it is."""


class _Printer(StrPrinter):
    def __init__(self, name: Callable[[str], str], heads: Mapping[str, str]) -> None:
        super().__init__()
        self._name = name
        self._heads = heads

    def _print_Symbol(self, expr: Any) -> str:
        return self._name(expr.name)

    def _print_Indexed(self, expr: Any) -> str:
        return f"{self._print(expr.base)}_{''.join(self._print(index) for index in expr.indices)}"

    def _print_IndexedBase(self, expr: Any) -> str:
        return str(expr.label)

    def _print_Pi(self, expr: Any) -> Any:
        return "π"

    def _print_Mul(self, expr: Any) -> str:
        return super()._print_Mul(expr).replace("*", "·")

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, exponent = expr.args
        if exponent.is_Rational and exponent < 0:
            return f"1/{self.parenthesize(sympy.Pow(base, -exponent), PRECEDENCE['Pow'], strict=True)}"
        inner = self.parenthesize(base, PRECEDENCE["Pow"], strict=False)
        if base.is_Symbol and _COMPOSED.search(inner):
            inner = f"({inner})"
        if exponent == sympy.Rational(1, 2):
            return f"√{inner}"
        if exponent.is_Integer:
            return f"{inner}{str(exponent).translate(SUPERSCRIPTS)}"
        return f"{inner}^{self.parenthesize(exponent, PRECEDENCE['Atom'], strict=True)}"

    def _print_Function(self, expr: Any) -> str:
        pattern = self._heads.get(type(expr).__name__)
        if pattern is None:
            return super()._print_Function(expr)
        return pattern.format(*(self._print(argument) for argument in expr.args))
