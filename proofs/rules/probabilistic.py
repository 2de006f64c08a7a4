"""Averages: over directions, over random variables, over projectors. What is constant is declared, else it varies."""

from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from proofs.contractions import Contracted, contracted, haar_average, same, spherical_average
from proofs.expressions import ELEMENTARY, Dot, Expectation, HaarMean, Mean, is_applied, rewritten
from proofs.normal_forms import equal
from proofs.rules.common import NONE, Introduced, applied, linear_parts, rewriting
from proofs.scope import Scope
from proofs.wellformed import Refused, require

if TYPE_CHECKING:
    from proofs.certificate import Step


def linearity(step: "Step", scope: Scope) -> Introduced:
    """Averages of polynomials in what varies, with coefficients that are declared constant; the average of 1 is 1."""
    part, into = rewriting(step, scope)

    def expanded(average: Any) -> Any:
        head, (argument,) = type(average), average.args
        atoms = tuple(sorted(_varying(argument, head, scope), key=str))
        total = sympy.Integer(0)
        for coefficient, monomial in linear_parts(argument, atoms):
            require(scope.constant(head, coefficient), "{} is not known to be constant", coefficient)
            total += coefficient * (sympy.Integer(1) if monomial == 1 else head(monomial))
        return total

    def normal(expression: Any) -> Any:
        return rewritten(expression, expanded, Mean, Expectation)

    require(equal(normal(part), normal(into), scope.nonzero), "the linear expansions differ")
    return NONE


def _varying(expression: Any, head: Any, scope: Scope) -> set[Any]:
    """The atoms of a polynomial that may vary under the average: symbols, tensors, functions and applied heads."""
    if scope.constant(head, expression):
        return set()
    if expression.is_Add or expression.is_Mul:
        return set().union(*(_varying(argument, head, scope) for argument in expression.args))
    if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
        return _varying(expression.base, head, scope)
    plain = expression.is_Symbol or isinstance(expression, (AppliedUndef, *ELEMENTARY))
    require(plain, "{} is not a polynomial in what varies", expression)
    return {expression}


def independence(step: "Step", scope: Scope) -> Introduced:
    """``E[X Y] = E[X] E[Y]`` for products of variables in different groups that are declared independent.

    E⟨x, y⟩ = 0 when x and y are of different groups and one is declared to have mean zero. A scalar product of vectors
    of one group belongs to it.
    """
    part, into = rewriting(step, scope)
    (argument,) = applied(part, Expectation, "an expectation")
    reasons = []
    for groups in scope.groupings:
        try:
            value = _independent(argument, groups, scope)
            require(equal(into, value, scope.nonzero), "not the product of expectations")
            return NONE
        except ValueError as reason:
            reasons.append(str(reason))
    raise Refused("; ".join(reasons) or "the chain declares nothing independent")


def _independent(argument: Any, groups: tuple[Any, ...], scope: Scope) -> Any:
    if is_applied(argument, Dot) and all(isinstance(vector, sympy.Symbol) for vector in argument.args):
        owners = {number for number, group in enumerate(groups) for vector in argument.args if vector in group}
        if len(owners) == 2:
            require(any(vector in scope.centred for vector in argument.args), "neither vector has mean zero")
            return sympy.Integer(0)
    by_group: dict[int, Any] = {}
    for factor in sympy.Mul.make_args(argument):
        require(not factor.has(sympy.Indexed), "tensors belong to no group")
        owners = [number for number, group in enumerate(groups) if factor.free_symbols & set(group)]
        require(len(owners) == 1, "{} does not belong to one group", factor)
        require(factor.free_symbols <= set(groups[owners[0]]), "{} holds what no group owns", factor)
        by_group[owners[0]] = by_group.get(owners[0], sympy.Integer(1)) * factor
    return reduce(mul, map(Expectation, by_group.values()), sympy.Integer(1))


def isserlis(step: "Step", scope: Scope) -> Introduced:
    """Average over the unit directions of the sphere that is declared, by pairings."""
    part, into = rewriting(step, scope)
    (argument,) = applied(part, Mean, "an average over directions")
    (dimension,) = scope.only("sphere", "what dimension its directions have")
    require(scope.constant(Mean, dimension), "the dimension is not known to be constant")
    form = contracted(argument)
    _require_constants(form, Mean, scope)
    require(same(spherical_average(form, dimension), contracted(into), scope.nonzero), "the averages differ")
    return NONE


def _require_constants(form: Contracted, head: Any, scope: Scope) -> None:
    for scalar in form.values():
        require(scope.constant(head, scalar), "{} is not known to be constant", scalar)


def invariance(step: "Step", scope: Scope) -> Introduced:
    """Lemma: a rotation-invariant projector P of rank k in n dimensions has E P_ij = c δ_ij and
    E P_ij P_kl = a δ_ij δ_kl + b(δ_ik δ_jl + δ_il δ_jk); tr P = k and P² = P fix all three.
    """
    part, into = rewriting(step, scope)
    (argument,) = applied(part, HaarMean, "a Haar average")
    n, rank = scope.only("projectors", "in how many dimensions its projectors are, and of which rank")
    moments = tuple(step.parameters["moments"])
    require(len(moments) == 3, "an invariant projector has three moments")
    a, b, c = moments
    for found, value in ((c * n, rank), (a * n**2 + 2 * b * n, rank**2), (a * n + b * (n**2 + n), rank)):
        require(equal(found, value, scope.nonzero), "not the moments of a projector of this rank")
    for known in ((n - 1) * (n + 2), n):  # the determinants of the equations for (a, b) and c
        require(scope.nonzero(known), "{} may vanish, and then the moments are not determined", known)
    form = contracted(argument)
    for scalar in (*form.values(), n, rank, *moments):
        require(sympy.Symbol("P") not in scope.free(scalar), "{} depends on the projector", scalar)
    require(same(haar_average(form, n, moments), contracted(into), scope.nonzero), "the averages differ")
    return NONE
