"""Rules of algebra: equals for equals, rational functions, inner products, contracted tensors."""

from typing import TYPE_CHECKING, Any

import sympy

from proofs.contractions import contracted, same
from proofs.expressions import At, Dot, LimitAtInfinity, Primitive, Slope, is_applied, is_binder, rewritten
from proofs.normal_forms import Nonzero, equal
from proofs.replacement import built
from proofs.rules.common import NONE, Introduced, linear_parts, rewriting
from proofs.scope import Scope
from proofs.wellformed import Refused, require

if TYPE_CHECKING:
    from proofs.certificate import Step

_NOTHING: frozenset[Any] = frozenset()

Replacement = tuple[Any, frozenset[Any], frozenset[Any], frozenset[Any]]
"""What an expression becomes; the symbols that the equation gives a meaning to, that it divides by, that are whole."""


def substitution(step: "Step", scope: Scope) -> Introduced:
    """Equals for equals: every pair in ``equations`` is a definition, a hypothesis or a fact of a chain used.

    Under a binder of x no equation is substituted that holds only for a certain x.
    """
    replacements: dict[Any, Replacement] = {}
    for number, (left, right) in enumerate(step.parameters["equations"], start=1):
        require(left not in replacements, "two equations for the same expression")
        replacements[left] = (right, *_meanings(left, right, number, scope))
    require(
        step.right == _replaced(step.left, replacements, (), scope.nonzero),
        "the right side is not what substitution gives",
    )
    return NONE


def _meanings(
    left: Any, right: Any, number: int, scope: Scope
) -> tuple[frozenset[Any], frozenset[Any], frozenset[Any]]:
    for a, b in ((left, right), (right, left)):
        for known in (scope.definitions, scope.hypotheses):
            if a in known and known[a] == b:
                return frozenset((a,)) if isinstance(a, sympy.Symbol) else _NOTHING, _NOTHING, _NOTHING
        for fact in scope.facts:
            if (fact.start, fact.conclusion) == (a, b):
                divided = _NOTHING.union(*map(fact.scope.free, fact.scope.divisors))
                whole = _NOTHING.union(*(trace.whole for trace in fact.traces))
                return frozenset(fact.scope.meanings), divided, whole
    raise Refused(f"equation {number} is neither defined nor proved")


def _replaced(expression: Any, replacements: dict[Any, Replacement], binders: tuple[Any, ...], nonzero: Nonzero) -> Any:
    if expression in replacements:
        result, meanings, divided, whole = replacements[expression]
        for head, variable in binders:
            require(
                variable not in meanings, "the equation for {} holds only for one {}, bound here", expression, variable
            )
            require(
                head is not At or variable not in divided, "the equation for {} divides by {}", expression, variable
            )
            require(
                head is LimitAtInfinity or variable not in whole,
                "the equation for {} needs {} whole",
                expression,
                variable,
            )
        return result
    if not expression.args or isinstance(expression, sympy.Indexed):
        return expression
    if is_binder(expression):
        function, variable, *rest = expression.args
        if is_applied(expression, Slope, Primitive):
            require(variable not in replacements, "{} is a bound variable here", variable)
        function = _replaced(function, replacements, (*binders, (type(expression), variable)), nonzero)
        return expression.func(function, variable, *(_replaced(part, replacements, binders, nonzero) for part in rest))
    arguments = [_replaced(argument, replacements, binders, nonzero) for argument in expression.args]
    return expression if tuple(arguments) == expression.args else built(expression.func, arguments, nonzero)


def ring_identity(step: "Step", scope: Scope) -> Introduced:
    """Two sides that are the same rational function of their atoms, and divide by nothing that may vanish."""
    part, into = rewriting(step, scope)
    require(not part.has(sympy.Indexed) and not into.has(sympy.Indexed), "tensors are compared by contraction")
    require(equal(part, into, scope.nonzero), "the sides differ as rational functions")
    return NONE


def bilinearity(step: "Step", scope: Scope) -> Introduced:
    """Inner products of linear combinations of the vectors declared, expanded; symmetric."""
    part, into = rewriting(step, scope)
    require(equal(expand_dots(part, scope), expand_dots(into, scope), scope.nonzero), "the bilinear expansions differ")
    return NONE


def expand_dots(expression: Any, scope: Scope) -> Any:
    """Every inner product of linear combinations, expanded into those of vectors in a fixed order."""

    def expanded(dot: Any) -> Any:
        left, right = (linear_combination(argument, scope) for argument in dot.args)
        return sum(a * b * Dot(*sorted((u, v), key=str)) for a, u in left for b, v in right)

    return rewritten(expression, expanded, Dot)


def linear_combination(expression: Any, scope: Scope) -> list[tuple[Any, Any]]:
    """``[(coefficient, vector)]`` of a linear combination of vectors."""
    vectors = tuple(sorted(scope.vectors & expression.free_symbols, key=str))
    terms = linear_parts(expression, vectors)
    require(all(monomial in vectors for _, monomial in terms), "{} is no linear combination of vectors", expression)
    return terms


def contraction(step: "Step", scope: Scope) -> Introduced:
    """The same contracted tensors under other names of the summed indices."""
    part, into = rewriting(step, scope)
    require(same(contracted(part), contracted(into), scope.nonzero), "the contractions differ")
    return NONE
