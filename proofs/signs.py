"""Signs that follow from what symbols are assumed to be. Every symbol is real."""

from functools import lru_cache
from typing import Any

import sympy

from proofs.expressions import ARITY, Dot, Expectation, GramRoot, HaarMean, Inverse, Mean, Norm, is_applied


@lru_cache(maxsize=100_000)
def known(expression: Any, property_: str) -> bool:
    """Whether an expression is known to be ``positive``, ``nonpositive``, ``nonzero``, …."""
    return bool(getattr(_plain(expression), f"is_{property_}"))


def _plain(expression: Any) -> Any:
    """The expression with its heads replaced by symbols of the sign that they are known to have."""
    if expression.is_Rational:
        return expression
    if isinstance(expression, sympy.Symbol):
        return expression if expression.is_real else sympy.Symbol(f"{expression.name}", real=True)
    if isinstance(expression, sympy.Indexed):
        return _stand_in(expression, "real")
    if is_applied(expression, *ARITY):
        return _stand_in(expression, _sign(expression))
    return expression.func(*map(_plain, expression.args))


@lru_cache(maxsize=100_000)
def _stand_in(expression: Any, sign: str) -> Any:
    """A symbol of its own for each expression."""
    return sympy.Dummy(**{sign: True})


def _sign(expression: Any) -> str:
    if is_applied(expression, Mean, Expectation, HaarMean):
        (argument,) = expression.args
        return next((sign for sign in ("positive", "nonnegative") if known(argument, sign)), _real(expression))
    if is_applied(expression, GramRoot):
        return "positive"
    if is_applied(expression, Norm) or (is_applied(expression, Dot) and expression.args[0] == expression.args[1]):
        return "nonnegative"
    if is_applied(expression, Inverse):  # the positive solution, where the unknown is a positive number
        return "positive" if known(expression.args[1], "positive") else _real(expression)
    return _real(expression)


def _real(expression: Any) -> str:
    """Real where all that it is made of is: a head of the root of a number below 0 need not be."""
    return "real" if all(known(argument, "extended_real") for argument in expression.args) else "commutative"
