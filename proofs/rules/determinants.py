"""Determinants near the identity."""

from typing import TYPE_CHECKING, Any

import sympy

from proofs.expressions import Determinant, Dot
from proofs.normal_forms import equal
from proofs.rules.algebraic import expand_dots, linear_combination
from proofs.rules.common import Introduced, applied, expansion, inherited, order_of, rewriting, series_of
from proofs.scope import Scope
from proofs.wellformed import require

if TYPE_CHECKING:
    from proofs.certificate import Step


def determinant(step: "Step", scope: Scope) -> Introduced:
    """Lemma: det(I + E) = 1 + tr E + O(|E|²), tr E = ⟨I, E⟩, for E of order ``variable^k``, k ≥ 1."""
    part, into = rewriting(step, scope)
    variable, order = step.parameters["variable"], order_of(step)
    (identity,) = scope.only("identity", "which matrix is the identity")
    (matrix,) = applied(part, Determinant, "a determinant")
    excess = {symbol: coefficient for coefficient, symbol in linear_combination(matrix, scope)}
    require(equal(excess.pop(identity, sympy.Integer(0)), sympy.Integer(1), scope.nonzero), "not I plus something")
    require(bool(excess), "the determinant of the identity is no expansion")
    series = series_of(variable, 1, scope, *excess.values(), *excess)
    lowest = min(series(coefficient).valuation for coefficient in excess.values())
    require(lowest >= 1 and 2 * lowest >= order + 1, "the matrix is not near enough to the identity for this order")
    polynomial, remainder = expansion(into, variable, order, scope)
    trace: Any = sum(coefficient * Dot(identity, symbol) for symbol, coefficient in excess.items())
    expected, found = (expand_dots(side, scope) for side in (1 + trace, polynomial))
    require(equal(expected, found, scope.nonzero), "not the expansion of the lemma")
    return {remainder: inherited(matrix, variable, scope, series)}
