"""Rules of analysis: expansions in a small positive variable, with remainders whose bounds are tracked.

Series are Laurent series over rational functions. A remainder may stand in a coefficient only where it is bounded, and
is never divided by unless that is declared not to vanish.
"""

from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from proofs.expressions import At, Inverse, LimitAtZero, Primitive, Slope, is_remainder
from proofs.normal_forms import equal
from proofs.replacement import put
from proofs.rules.common import (
    NONE,
    SLACK,
    Introduced,
    agree,
    applied,
    expansion,
    inherited,
    new_remainder,
    order_of,
    rewriting,
    series_of,
)
from proofs.scope import Remainder, Scope
from proofs.signs import known
from proofs.wellformed import require

if TYPE_CHECKING:
    from proofs.certificate import Step


def truncation(step: "Step", scope: Scope) -> Introduced:
    """Power series in ``variable`` through ``order``, the rest in a new remainder."""
    part, into = rewriting(step, scope)
    variable, order = step.parameters["variable"], order_of(step)
    polynomial, remainder = expansion(into, variable, order, scope)
    series = agree(part, polynomial, variable, order, scope)
    return {remainder: inherited(part, variable, scope, series)}


def reversion(step: "Step", scope: Scope) -> Introduced:
    """``Inverse(f, x, t)`` as a series in t, verified by composition; f = x + …, which makes the inverse unique."""
    part, into = rewriting(step, scope)
    order = order_of(step)
    function, inner, variable = applied(part, Inverse, "an inverse")
    require(order >= 1, "an inverse is expanded to order 1 at least")
    require(isinstance(variable, sympy.Symbol) and variable != inner, "the inverse is not at a variable of its own")
    require(bool(inner.is_positive), "{} is not a positive number that can fall to 0", inner)
    require(not scope.depends(function, variable), "the function to invert depends on {}", variable)
    polynomial, remainder = expansion(into, variable, order, scope)
    require(not polynomial.has(inner), "the inverse depends on {}", inner)
    start = series_of(inner, 2, scope, function)(function)
    require(start.valuation == 1 and start[1] == start[1] ** 0, "the function to invert must start with its variable")
    composed = function.xreplace({inner: polynomial + remainder * variable ** (order + 1)})
    # What is bounded as x falls to 0 is so as t does, for x is small with t.
    small = scope.renamed(inner, variable, {remainder: Remainder(variable)})
    series = agree(composed, variable, variable, order, small)
    return {remainder: inherited(part.args[0], variable, small, series)}


def slope(step: "Step", scope: Scope) -> Introduced:
    """``Slope`` of a truncated expansion, term by term, where the remainder has a bounded derivative."""
    part, into = rewriting(step, scope)
    order = order_of(step)
    function, variable = applied(part, Slope, "a slope")
    polynomial, new = expansion(into, variable, order, scope)
    old = [symbol for symbol in function.free_symbols if is_remainder(symbol)]
    require(len(old) == 1, "a slope needs an expansion with one remainder")
    bounds = scope.remainders[old[0]]
    require(bounds.variable == variable, "the remainder is not one in {}", variable)
    require(bounds.derivatives >= 1, "the derivative of the remainder is not known to be bounded")
    inner = function.xreplace({old[0]: sympy.Integer(0)})
    require(equal(function - inner, old[0] * variable ** (order + 2)), "the remainder is not of order {}", order + 2)
    _require_constants(inner, variable, scope)
    agree(sympy.diff(inner, variable), polynomial, variable, order, scope)
    return {new: Remainder(variable, bounds.derivatives - 1, bounds.uniform)}


def _require_constants(expression: Any, variable: Any, scope: Scope) -> None:
    require(not expression.atoms(AppliedUndef, sympy.Indexed), "{} is not a plain expression", expression)
    for symbol in expression.free_symbols - {variable}:
        require(not scope.depends(symbol, variable), "{} depends on {}", symbol, variable)


def primitive(step: "Step", scope: Scope) -> Introduced:
    """``Primitive`` of ``t^{a} × (a truncated expansion)`` term by term, for a > −1, verified by differentiation."""
    part, into = rewriting(step, scope)
    order, weight = order_of(step), step.parameters["weight"]
    function, variable = applied(part, Primitive, "a primitive")
    require(bool(variable.is_positive), "{} is not positive", variable)
    require(order >= 0 and known(weight + 1, "positive"), "the weight is not known to be above −1")
    require(not scope.depends(weight, variable), "the weight depends on the variable")
    new = new_remainder(into, scope)
    old = [symbol for symbol in scope.free(function, frozenset((variable,))) if is_remainder(symbol)]
    integral = into.xreplace({new: sympy.Integer(0)})
    require(not any(map(is_remainder, integral.free_symbols)), "an old remainder is kept in the primitive")
    require(
        equal(into - integral, new * variable ** (weight + order + 2)),
        "the remainder is not of relative order {}",
        order + 1,
    )
    _require_constants(integral, variable, scope)
    integrand = function / variable**weight
    # Differentiation loses the constant of integration: every term must vanish at 0 like t^{weight+1}.
    relative = _termwise(integral, variable ** (-weight - 1))
    start = series_of(variable, order + SLACK, scope, relative)(relative)
    require(start.valuation >= 0, "the primitive has a term that does not vanish at 0")
    exact = _termwise(sympy.diff(integral, variable), variable**-weight)
    series = series_of(variable, order + 1 + SLACK, scope, integrand, exact)
    left, right = series(integrand), series(exact)
    require(min(left.valuation, right.valuation) >= 0, "the integrand is not a power series times the weight")
    for power in range(order + 1):
        require(left[power] == right[power], "the derivative differs at {}^{}", variable, power)
    for power in range(order + 1, right.precision):
        require(not right[power], "the primitive has a term above order {}", order)
    uniform = all(scope.remainders[symbol].uniform for symbol in old)
    return {new: Remainder(variable, min((scope.remainders[s].derivatives for s in old), default=99), uniform)}


def _termwise(expression: Any, factor: Any) -> Any:
    """The product with a factor, term by term, so that its symbolic power of the variable meets theirs."""
    return sympy.Add(*(term * factor for term in sympy.Add.make_args(expression)))


def limit(step: "Step", scope: Scope) -> Introduced:
    """``LimitAtZero`` of a rational function that has one; remainders are bounded and may not survive."""
    part, into = rewriting(step, scope)
    function, variable = applied(part, LimitAtZero, "a limit")
    require(bool(variable.is_positive), "{} is not positive", variable)
    free = scope.free(into, frozenset((variable,)))
    require(variable not in free, "the limit depends on its variable")
    require(not any(map(is_remainder, free)), "a remainder survives in the limit")
    series = series_of(variable, 1 + SLACK, scope, function, into)
    value = series(function)
    require(value.valuation >= 0 or not any(value.coefficients[: -value.valuation]), "the function is unbounded")
    require(value[0] == series.fractions(into), "the limit differs")
    return NONE


def evaluation(step: "Step", scope: Scope) -> Introduced:
    """``At(f, x, a)`` for f without heads: x replaced by a, and remainders, which may depend on x, by new ones."""
    part, into = rewriting(step, scope)
    function, variable, value = applied(part, At, "an evaluation")
    require(not function.atoms(AppliedUndef, sympy.Indexed), "the function is not a plain expression")
    for property_ in ("positive", "nonnegative"):
        fits = not getattr(variable, f"is_{property_}") or known(value, property_)
        require(fits, "{} is not known to be {}, as {} is", value, property_, variable)
    if not isinstance(value, sympy.Symbol):
        divided = frozenset[Any]().union(*map(scope.free, scope.divisors))
        require(variable not in divided, "something is divided by that depends on {}", variable)
    renamed = tuple(step.parameters["renamed"])
    old = {symbol for symbol in function.free_symbols if is_remainder(symbol)}
    new = [symbol for _, symbol in renamed]
    require(len(renamed) == len(old) == len(set(new)), "not every remainder is renamed, once")
    require({symbol for symbol, _ in renamed} == old, "not every remainder is renamed")
    for symbol in function.free_symbols - old - {variable}:
        require(not scope.depends(symbol, variable), "{} depends on {}", symbol, variable)
    there = put(function.xreplace(dict(renamed)), {variable: value}, scope.nonzero)
    require(equal(into, there), "not the value there")
    return {after: _evaluated(scope.remainders[before], variable, value, scope) for before, after in renamed}


def _evaluated(bounds: Remainder, variable: Any, value: Any, scope: Scope) -> Remainder:
    """What is known of a remainder at x = a: its variable is a, where it was x; else a must not depend on it."""
    require(
        bounds.variable == variable or not scope.depends(bounds.variable, variable), "a remainder's variable is bound"
    )
    if bounds.variable == variable:
        small = isinstance(value, sympy.Symbol) and bool(value.is_positive)
        require(small, "a remainder in a variable that is fixed here")
        return Remainder(value, bounds.derivatives, bounds.uniform)
    require(not scope.depends(value, bounds.variable), "{} depends on a remainder's variable", value)
    return Remainder(bounds.variable, bounds.derivatives, bounds.uniform)
