"""Rules for exact solutions: logarithms of products, and the zero of a function that has only one."""

from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from proofs.expressions import Zero, is_remainder
from proofs.normal_forms import equal, expanded
from proofs.rules.common import NONE, Introduced, applied, rewriting
from proofs.scope import Scope
from proofs.signs import known
from proofs.wellformed import require

if TYPE_CHECKING:
    from proofs.certificate import Step


def logarithm(step: "Step", scope: Scope) -> Introduced:
    """Logarithms of products, powers and exponentials, for factors that are known to be positive."""
    part, into = rewriting(step, scope)
    require(equal(_split(part), _split(into), scope.nonzero), "the logarithms differ")
    return NONE


def _split(expression: Any) -> Any:
    """Every logarithm as a sum over the factors of its argument."""
    return expression.replace(lambda found: isinstance(found, sympy.log), lambda found: _log(found.args[0]))


def _log(argument: Any) -> Any:
    if isinstance(argument, sympy.exp):
        return argument.args[0]
    factors = sympy.Mul.make_args(argument) if argument.is_Mul else (argument.base,) if argument.is_Pow else ()
    if not factors or not all(known(factor, "positive") for factor in factors):
        return sympy.log(argument)
    return sympy.Add(*map(_log, factors)) if argument.is_Mul else argument.exp * _log(argument.base)


def zero(step: "Step", scope: Scope) -> Introduced:
    """``Zero(f, x)`` for f a polynomial in x, over factors that can't vanish: where f is 0, and its slope has one sign.

    The slope is free of x and not 0, or has the same sign for all x that x's assumptions allow: no other x will do.
    """
    part, into = rewriting(step, scope)
    function, variable = applied(part, Zero, "a zero")
    require(not function.atoms(AppliedUndef, sympy.Indexed), "{} is not a plain expression", function)
    require(not any(map(is_remainder, function.free_symbols | into.free_symbols)), "a remainder")
    for symbol in function.free_symbols - {variable}:
        require(not scope.depends(symbol, variable), "{} depends on {}", symbol, variable)
    require(not scope.depends(into, variable), "the zero depends on {}", variable)
    divided = frozenset[Any]().union(*map(scope.free, scope.divisors))
    require(variable not in divided, "something is divided by that depends on {}", variable)
    for property_ in ("positive", "nonnegative"):
        fits = not getattr(variable, f"is_{property_}") or known(into, property_)
        require(fits, "{} is not known to be {}, as {} is", into, property_, variable)
    vanishing = [factor for factor in sympy.Mul.make_args(function) if not known(factor, "nonzero")]
    rest = sympy.Mul(*vanishing)
    require(bool(rest.is_polynomial(variable)), "{} is no polynomial in {}", rest, variable)
    slope = sympy.diff(rest, variable)
    constant = not slope.has(variable) and scope.nonzero(slope)
    signed = known(slope, "positive") or known(-slope, "positive")
    require(constant or signed, "{} may vanish more than once", function)
    numerator, denominator = sympy.fraction(into)
    require(scope.nonzero(denominator), "division by {}, which is not known to differ from 0", denominator)
    # Multiplied out: the square of a root of a sum is then that sum.
    coefficients = sympy.Poly(rest, variable).all_coeffs()[::-1]
    degree = len(coefficients) - 1
    value = sum(c * numerator**k * denominator ** (degree - k) for k, c in enumerate(coefficients))
    require(equal(expanded(value), sympy.Integer(0), scope.nonzero), "the function does not vanish there")
    return NONE
