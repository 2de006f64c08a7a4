"""Putting values into expressions without what SymPy does on the way going unseen.

SymPy multiplies ``x⋅x⁻¹`` to 1 whatever x is, and computes every power of a number. Here a base that cancels must be
known not to vanish, and what would be too large to compute is refused before.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import sympy

from proofs.normal_forms import Nonzero
from proofs.signs import known
from proofs.wellformed import check_number, require


def put(expression: Any, values: Mapping[Any, Any], nonzero: Nonzero) -> Any:
    """The expression with parts replaced, outer ones first. Raises `Refused` where a base that may vanish cancels."""
    if expression in values:
        return values[expression]
    if not expression.args or isinstance(expression, sympy.Indexed):
        return expression.xreplace(values)
    arguments = [put(argument, values, nonzero) for argument in expression.args]
    if all(new is old for new, old in zip(arguments, expression.args, strict=True)):
        return expression
    return built(expression.func, arguments, nonzero)


def built(function: Any, arguments: list[Any], nonzero: Nonzero) -> Any:
    """``function(*arguments)``, of new arguments. Raises `Refused` where a base that may vanish cancels."""
    if function is sympy.Mul:
        _check_cancelled(arguments, nonzero)
    check_number(function, arguments)
    return function(*arguments)


def _check_cancelled(factors: list[Any], nonzero: Nonzero) -> None:
    """``0⁻¹`` is 0 to the checker, so that powers of 0 multiply as others do, unless their exponents add up to 0."""
    exponents: dict[Any, list[Any]] = defaultdict(list)
    for factor in factors:
        for power in sympy.Mul.make_args(factor):
            if not power.is_Rational:
                base, exponent = power.as_base_exp()
                exponents[base].append(exponent)
    for base, found in exponents.items():
        if len(found) > 1:
            same_sign = any(all(known(e, sign) for e in found) for sign in ("nonnegative", "nonpositive"))
            total = sympy.Add(*found)
            cancels = not same_sign and not (total.is_Rational and total != 0)
            require(not cancels or base.is_number or nonzero(base), "{} cancels, which may be 0", base)
