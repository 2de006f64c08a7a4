"""The named lemmas, each with its condition; each has a test of its own."""

from typing import TYPE_CHECKING, Any

import sympy

from proofs.expressions import Derived, Dot, GramRoot, Norm, is_remainder, rewritten
from proofs.normal_forms import equal
from proofs.rules.algebraic import linear_combination
from proofs.rules.common import (
    NONE,
    Introduced,
    applied,
    expansion,
    inherited,
    linear_parts,
    order_of,
    rewriting,
    series_of,
)
from proofs.scope import Remainder, Scope
from proofs.signs import known
from proofs.wellformed import require

if TYPE_CHECKING:
    from proofs.certificate import Step


def leibniz(step: "Step", scope: Scope) -> Introduced:
    """Derivatives of inner products along the curve: ``d/ds ⟨γ_i, γ_j⟩ = ⟨γ_{i+1}, γ_j⟩ + ⟨γ_i, γ_{j+1}⟩``."""
    part, into = rewriting(step, scope)
    jets = scope.only("curve", "which vectors are the derivatives of its curve")

    def once(expression: Any) -> Any:
        total = sympy.Integer(0)
        dots = tuple(sorted(expression.atoms(Dot), key=str))
        require(bool(dots), "{} is no combination of inner products", expression)
        for coefficient, dot in linear_parts(expression, dots):
            require(bool(coefficient.is_Rational) and dot in dots, "{} is no combination of inner products", expression)
            require(all(vector in jets[:-1] for vector in dot.args), "{} is not one of known derivatives", dot)
            i, j = map(jets.index, dot.args)
            for u, v in ((i + 1, j), (i, j + 1)):
                total += coefficient * Dot(*(jets[number] for number in sorted((u, v))))
        return total

    def expanded(derived: Any) -> Any:
        function, times = derived.args
        for _ in range(int(times)):
            function = once(function)
        return function

    def normal(expression: Any) -> Any:
        return rewritten(expression, expanded, Derived)

    require(equal(normal(part), normal(into), scope.nonzero), "the derivatives differ")
    return NONE


def constancy(step: "Step", scope: Scope) -> Introduced:
    """A derivative of a constant is 0: ``Derived(c, n)`` for a number c and n ≥ 1."""
    part, into = rewriting(step, scope)
    function, times = applied(part, Derived, "a derivative")
    require(function.is_Rational and times.is_Integer and times >= 1, "not a derivative of a constant")
    require(into == 0, "the derivative of a constant is 0")
    return NONE


def gram_determinant(step: "Step", scope: Scope) -> Introduced:
    """Lemma: √det(I + JᵀJ) = 1 + ½|J|² + O(|J|⁴), for J of order ``variable^k``, k ≥ 1."""
    part, into = rewriting(step, scope)
    variable, order = step.parameters["variable"], order_of(step)
    (jacobian,) = applied(part, GramRoot, "a Gram determinant")
    coefficients, rows = zip(*linear_combination(jacobian, scope), strict=True)
    series = series_of(variable, 1, scope, *coefficients, *rows)
    lowest = min(series(coefficient).valuation for coefficient in coefficients)
    require(lowest >= 1 and 4 * lowest >= order + 1, "the Jacobian is not small enough for this order")
    polynomial, remainder = expansion(into, variable, order, scope)
    require(equal(polynomial, 1 + Dot(jacobian, jacobian) / 2), "not the expansion of the lemma")
    return {remainder: inherited(jacobian, variable, scope, series)}


def triangle(step: "Step", scope: Scope) -> Introduced:
    """Lemma: |c v + t^k e| = c|v| + O(t^k) for a bounded e (a remainder vector) and c positive."""
    part, into = rewriting(step, scope)
    variable, order = step.parameters["variable"], order_of(step)
    (vector,) = applied(part, Norm, "a norm")
    terms = linear_combination(vector, scope)
    kept = [(coefficient, v) for coefficient, v in terms if not is_remainder(v)]
    rest = [(coefficient, v) for coefficient, v in terms if is_remainder(v)]
    require(len(kept) == 1 and len(rest) == 1, "needs one vector and one remainder vector")
    require(equal(rest[0][0], variable ** (order + 1)), "the remainder vector is not of order {}", order + 1)
    require(scope.bounded(rest[0][1], variable), "{} is not known to be bounded as {} falls to 0", rest[0][1], variable)
    coefficient, direction = kept[0]
    require(known(coefficient, "positive"), "the coefficient is not positive")
    polynomial, remainder = expansion(into, variable, order, scope)
    require(equal(polynomial, coefficient * Norm(direction)), "not the expansion of the lemma")
    # A norm need not be differentiable where its vector vanishes.
    return {remainder: Remainder(variable, 0, scope.remainders[rest[0][1]].uniform)}
