"""Signs that follow from what symbols are assumed to be. Every symbol is real."""

from typing import Any

import sympy

from proofs.expressions import ARITY, Dot, Expectation, GramRoot, HaarMean, Inverse, Mean, Norm


def known(expression: Any, property_: str) -> bool:
    """Whether an expression is known to be ``positive``, ``nonnegative``, ``negative`` or ``nonzero``."""
    return bool(getattr(_plain(expression), f"is_{property_}"))


def _plain(expression: Any) -> Any:
    """The expression with its heads replaced by symbols of the sign that they are known to have."""
    if expression.is_Rational:
        return expression
    if isinstance(expression, sympy.Symbol):
        return expression if expression.is_real else sympy.Symbol(f"{expression.name}", real=True)
    if isinstance(expression, sympy.Indexed):
        return sympy.Symbol(f"[{expression}]", real=True)
    if type(expression) in ARITY:
        return sympy.Symbol(f"[{expression}]", **{_sign(expression): True})
    return expression.func(*map(_plain, expression.args))


def _sign(expression: Any) -> str:
    if isinstance(expression, Mean | Expectation | HaarMean):
        (argument,) = expression.args
        return next((sign for sign in ("positive", "nonnegative") if known(argument, sign)), "real")
    if isinstance(expression, GramRoot):
        return "positive"
    if isinstance(expression, Norm) or (isinstance(expression, Dot) and expression.args[0] == expression.args[1]):
        return "nonnegative"
    if isinstance(expression, Inverse):  # the positive solution, where the unknown is a positive number
        return "positive" if known(expression.args[1], "positive") else "real"
    return "real"
