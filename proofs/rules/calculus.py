"""Rules of exact calculus: derivatives, closed forms of recursions and of differential equations.

What they treat are plain expressions: no heads, no tensors, no remainders.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from proofs.expressions import Flow, Iterate, LimitAtInfinity, Slope, is_applied, is_binder, is_remainder
from proofs.normal_forms import equal
from proofs.replacement import put
from proofs.rules.common import NONE, Introduced, applied, rewriting
from proofs.scope import Scope
from proofs.signs import known
from proofs.wellformed import is_whole, require

if TYPE_CHECKING:
    from proofs.certificate import Step


def differentiation(step: "Step", scope: Scope) -> Introduced:
    """``Slope(f, x)`` of a plain expression; what its derivative divides by does not vanish."""
    part, into = rewriting(step, scope)
    function, variable = applied(part, Slope, "a slope")
    _require_plain(function, (variable,), scope)
    # A root or logarithm is differentiable only where its argument does not vanish.
    require(equal(sympy.diff(function, variable), into, scope.nonzero), "the derivative differs")
    return NONE


def induction(step: "Step", scope: Scope) -> Introduced:
    """``Iterate(f, x, a, n)`` in closed form g(n): g(0) = a, and g(n + 1) is f at x = g(n)."""
    part, into = rewriting(step, scope)
    function, variable, start, count = applied(part, Iterate, "an iterate")
    require(isinstance(count, sympy.Symbol), "the number of iterations is no symbol")
    # What is true of all whole numbers need not be of other numbers.
    require(is_whole(scope.meanings.get(count, sympy.Integer(0))), "{} is not known to be whole", count)
    for found in sympy.preorder_traversal(step.left):
        if is_binder(found) and found.args[1] == count and found.args[0].has(part):
            require(is_applied(found, LimitAtInfinity), "{} is bound as a number that need not be whole", count)
    _require_closed_form(function, variable, start, count, into, scope)
    nonzero = _throughout(count, scope)
    require(
        equal(put(into, {count: sympy.Integer(0)}, nonzero), start, nonzero), "the closed form does not start there"
    )
    following = put(into, {count: count + 1}, nonzero)
    require(
        equal(following, put(function, {variable: into}, nonzero), nonzero),
        "the closed form does not follow the recursion",
    )
    return NONE


def flow(step: "Step", scope: Scope) -> Introduced:
    """``Flow(f, x, a, τ)`` in closed form g(τ): g(0) = a, and dg/dτ is f at x = g; f is polynomial in x.

    A polynomial is locally Lipschitz, so that there is no other solution.
    """
    part, into = rewriting(step, scope)
    function, variable, start, time = applied(part, Flow, "a flow")
    require(isinstance(time, sympy.Symbol), "the time is no symbol")
    _require_closed_form(function, variable, start, time, into, scope)
    require(function.is_polynomial(variable), "{} is no polynomial in {}", function, variable)
    nonzero = _throughout(time, scope)
    require(equal(put(into, {time: sympy.Integer(0)}, nonzero), start, nonzero), "the closed form does not start there")
    rate = sympy.diff(into, time)
    require(
        equal(rate, put(function, {variable: into}, nonzero), nonzero), "the closed form does not follow the equation"
    )
    return NONE


def _require_plain(expression: Any, variables: tuple[Any, ...], scope: Scope) -> None:
    """Nothing in the expression depends on the variables but themselves."""
    require(not expression.atoms(AppliedUndef, sympy.Indexed), "{} is not a plain expression", expression)
    for symbol in expression.free_symbols - set(variables):
        require(not is_remainder(symbol), "{} has a remainder", expression)
        for variable in variables:
            require(not scope.depends(symbol, variable), "{} depends on {}", symbol, variable)


def _require_closed_form(function: Any, variable: Any, start: Any, count: Any, into: Any, scope: Scope) -> None:
    require(variable != count, "the unknown and the variable it depends on are the same")
    _require_plain(function, (variable,), scope)
    _require_plain(into, (count,), scope)
    require(not scope.depends(function, count), "the equation depends on {}", count)
    require(not start.has(variable) and not into.has(variable), "{} is bound here", variable)
    require(not scope.depends(start, count), "the start depends on {}", count)
    divided = frozenset[Any]().union(*map(scope.free, scope.divisors))
    require(variable not in divided, "something is divided by that depends on {}", variable)
    for property_ in ("positive", "nonnegative"):
        fits = not getattr(variable, f"is_{property_}") or all(known(value, property_) for value in (start, into))
        require(fits, "not known to be {} from the start on, as {} is", property_, variable)


def _throughout(count: Any, scope: Scope) -> Callable[[Any], bool]:
    """What does not vanish from 0 on, 0 included: for what depends on the variable, signs must show it."""
    from_start = sympy.Dummy(nonnegative=True) if known(count, "nonnegative") else count

    def nonzero(expression: Any) -> bool:
        return known(expression.xreplace({count: from_start}), "nonzero") or (
            not scope.depends(expression, count) and scope.nonzero(expression)
        )

    return nonzero
