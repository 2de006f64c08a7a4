"""What an expression of a certificate may be: the grammar that the checker accepts before it looks at any rule.

Nodes are rational numbers and π, symbols, sums, products, powers, the elementary functions and heads of
`proofs.expressions`, and indexed tensors; every node is in SymPy's canonical form; vectors and numbers are kept apart.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy

from proofs.contractions import TENSORS
from proofs.expressions import (
    ARITY,
    ELEMENTARY,
    Derived,
    Determinant,
    Dot,
    GramRoot,
    Norm,
    NormalPart,
    is_applied,
    is_binder,
    is_remainder,
)
from proofs.normal_forms import NotInNormalForm

ASSUMPTIONS = ("", "real", "nonnegative", "positive")
"""What a symbol can be assumed to be; every symbol is real, whether it says so or not."""
LARGEST_EXPONENT = 64
MOST_DERIVATIVES = 16


class Refused(NotInNormalForm):
    """A step does not check; the message says why."""


def require(condition: bool, reason: str, *about: Any) -> None:
    """Raises `Refused` with the reason unless the condition holds; ``{}`` in it stands for what it is about."""
    if not condition:
        raise Refused(reason.format(*about))


def assumption(symbol: Any) -> str:
    """What a symbol is assumed to be, one of `ASSUMPTIONS`. Raises `Refused` for any other."""
    for name in ASSUMPTIONS:
        if symbol == make_symbol(symbol.name, name):
            return name
    raise Refused(f"the symbol {symbol} has assumptions other than {', '.join(filter(None, ASSUMPTIONS))}")


def make_symbol(name: str, assumed: str) -> sympy.Symbol:
    """The symbol of that name under one of `ASSUMPTIONS`."""
    return sympy.Symbol(name, **({assumed: True} if assumed else {}))


@lru_cache(maxsize=100_000)
def check_grammar(expression: Any) -> None:
    """Raises `Refused` where an expression is not of the grammar."""
    if isinstance(expression, sympy.Symbol):
        assumed = assumption(expression)
        require(not (assumed and is_remainder(expression)), "a remainder has no assumptions")
        require(expression.name not in TENSORS, "{} is the name of a tensor", expression)
        return
    if isinstance(expression, sympy.Indexed):
        slots = TENSORS.get(str(expression.base))
        require(slots is not None and len(expression.indices) == len(slots), "unknown tensor {}", expression)
        plain = all(isinstance(index, sympy.Symbol) and not assumption(index) for index in expression.indices)
        require(plain, "the indices of {} are not plain symbols", expression)
        return
    if isinstance(expression, sympy.Rational) or expression is sympy.pi:
        return  # not NaN or infinite, which are numbers of other classes
    head: Any = type(expression)
    arguments: tuple[Any, ...] = expression.args
    require(
        isinstance(expression, (sympy.Add, sympy.Mul, sympy.Pow, *ELEMENTARY)) or head in ARITY,
        "{} is not in the grammar",
        head.__name__,
    )
    for argument in arguments:
        check_grammar(argument)
    check_number(head, arguments)
    require(expression.func(*expression.args) == expression, "not in canonical form")
    if isinstance(expression, sympy.Pow):
        power: Any = expression.exp
        require(
            not power.is_Rational or max(abs(power.p), power.q) <= LARGEST_EXPONENT,
            "an exponent is above {}",
            LARGEST_EXPONENT,
        )
    elif head in ARITY:
        require(len(arguments) == ARITY[head], "{} takes {} arguments", head.__name__, ARITY[head])
        if is_binder(expression):
            bound = arguments[1]
            require(isinstance(bound, sympy.Symbol) and not is_remainder(bound), "{} binds no symbol", head.__name__)
        if isinstance(expression, Derived):
            times = arguments[1]
            require(bool(times.is_Integer) and 0 <= times <= MOST_DERIVATIVES, "not a number of derivatives")


def is_whole(expression: Any) -> bool:
    """Whether an expression is a whole number, 0 or more."""
    return bool(expression.is_Integer and expression >= 0)


def check_number(function: Any, arguments: Sequence[Any]) -> None:
    """Raises `Refused` where SymPy would compute, or estimate, numbers too large to be worth it."""
    if function is sympy.Pow:
        exponents = _rationals(arguments[1]) if arguments[0].is_number else [arguments[1]]
    elif function in ELEMENTARY:
        argument = arguments[0]
        require(not (argument.is_number and argument.has(*ELEMENTARY)), "a function of a function of numbers")
        powers = function is sympy.exp and (argument.is_number or argument.has(sympy.log))
        exponents = _rationals(argument) if powers else []
    else:
        return
    for exponent in exponents:
        fits = not exponent.is_Rational or max(abs(exponent.p), exponent.q) <= LARGEST_EXPONENT
        require(fits, "an exponent is above {}", LARGEST_EXPONENT)


def _rationals(expression: Any) -> list[Any]:
    return [part for part in sympy.preorder_traversal(expression) if part.is_Rational]


@lru_cache(maxsize=100_000)
def is_vector(expression: Any, vectors: frozenset[Any]) -> bool:
    """Whether an expression is a vector, given which symbols are. Raises `Refused` where the two kinds are mixed."""
    if isinstance(expression, sympy.Symbol):
        return expression in vectors
    if isinstance(expression, sympy.Indexed) or expression.is_Rational:
        return False
    kinds = [is_vector(argument, vectors) for argument in expression.args]
    if expression.is_Add:
        require(len(set(kinds)) == 1, "a vector is added to a number")
        return kinds[0]
    if expression.is_Mul:
        require(sum(kinds) <= 1, "two vectors are multiplied")
        return any(kinds)
    if is_applied(expression, Dot, Norm, NormalPart, GramRoot, Determinant):
        require(all(kinds), "{} takes vectors", type(expression).__name__)
        return is_applied(expression, NormalPart)
    require(not any(kinds), "{} uses a vector as a number", expression)
    return False
