"""Averages over finitely many cases, such as the keys of an attention context: derivatives pass under them."""

from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from proofs.expressions import At, Expectation, Slope, is_binder, is_remainder
from proofs.normal_forms import equal
from proofs.replacement import put
from proofs.rules.common import NONE, Introduced, applied, rewriting
from proofs.scope import Scope
from proofs.wellformed import require

if TYPE_CHECKING:
    from proofs.certificate import Step


def finite_derivative(step: "Step", scope: Scope) -> Introduced:
    """Lemma: ``At(Slope(f, x), x, a)`` for a plain function f of averages over finitely many cases.

    ``d E[g]/dx = E[dg/dx]``, by linearity of a finite sum; the chain declares that it is one. What the derivative
    divides by does not vanish at a.
    """
    part, into = rewriting(step, scope)
    slope, variable, point = applied(part, At, "a derivative at a point")
    function, along = applied(slope, Slope, "a derivative at a point")
    require(along == variable, "the derivative is along another variable than is set")
    require(bool(point.is_Rational), "the point is no rational number")
    require(scope.finite, "the chain does not say that its averages are over finitely many cases")
    derivative = _derivative(function, variable, scope)
    value = put(derivative, {variable: point}, scope.nonzero)
    require(not into.has(variable), "{} is bound here", variable)
    names = _names((value, into), scope)
    require(equal(value.xreplace(names), into.xreplace(names), scope.nonzero), "the derivative differs")
    return NONE


def _derivative(function: Any, variable: Any, scope: Scope) -> Any:
    """The derivative of a function of averages, by the chain rule."""
    averages = sorted((part for part in function.atoms(Expectation) if not _within(part, function)), key=str)
    names = {average: sympy.Dummy() for average in averages}
    outer = function.xreplace(names)
    _require_plain(outer, variable, scope)
    back = {name: average for average, name in names.items()}
    total = sympy.diff(outer, variable)
    for average, name in names.items():
        (argument,) = average.args
        _require_plain(argument, variable, scope)
        inner = sympy.diff(argument, variable)
        if inner != 0:
            total += sympy.diff(outer, name) * Expectation(inner)
    return total.xreplace(back)


def _within(average: Any, function: Any) -> bool:
    return any(average != other and other.has(average) for other in function.atoms(Expectation))


def _require_plain(expression: Any, variable: Any, scope: Scope) -> None:
    """Nothing depends on the variable but itself, where SymPy sees it: not within heads, not by a definition."""
    for part in expression.atoms(AppliedUndef):
        require(not is_binder(part) and not scope.depends(part, variable), "{} depends on {}", part, variable)
    for symbol in expression.free_symbols - {variable}:
        if not isinstance(symbol, sympy.Dummy):
            require(not is_remainder(symbol), "{} has a remainder", expression)
            require(not scope.depends(symbol, variable), "{} depends on {}", symbol, variable)


def _names(expressions: tuple[Any, ...], scope: Scope) -> dict[Any, Any]:
    """One of the averages in expressions for each of them, the same for averages of what is equal."""
    names: dict[Any, Any] = {}
    for average in sorted({part for expression in expressions for part in expression.atoms(Expectation)}, key=str):
        (argument,) = average.args
        like = (name for name in names.values() if equal(argument, name.args[0], scope.nonzero))
        names[average] = next(like, average)
    return names
