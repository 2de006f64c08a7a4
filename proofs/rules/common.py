"""What the checks of several rules share."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import sympy
from sympy.polys.polyerrors import BasePolynomialError

from proofs.expressions import Mean, Norm, is_applied, is_remainder
from proofs.normal_forms import LaurentSeries, equal, expanded
from proofs.replacement import put
from proofs.scope import Remainder, Scope
from proofs.wellformed import Refused, require

if TYPE_CHECKING:
    from proofs.certificate import Step

Introduced = Mapping[Any, Remainder]
"""The remainders that a step brings in."""

NONE: Introduced = {}
LARGEST_ORDER = 24
SLACK = 4  # coefficients kept beyond the order, for what division by powers of the variable costs


def rewriting(step: "Step", scope: Scope) -> tuple[Any, Any]:
    """The part and what it becomes, after verifying that the rest of the expression is untouched."""
    part, into = step.parameters["part"], step.parameters["into"]
    require(step.left.has(part), "the part named does not occur in the left side")
    require(
        step.right == put(step.left, {part: into}, scope.nonzero), "the right side changes more than the part named"
    )
    return part, into


def applied(expression: Any, head: Any, what: str) -> tuple[Any, ...]:
    """The arguments of a head. Raises `Refused` for anything else."""
    require(is_applied(expression, head), "the part named is not {}", what)
    return expression.args


def order_of(step: "Step") -> int:
    """The order of an expansion, within `LARGEST_ORDER`."""
    order = step.parameters["order"]
    require(-LARGEST_ORDER <= order <= LARGEST_ORDER, "an order above {}", LARGEST_ORDER)
    return order


def expansion(into: Any, variable: Any, order: int, scope: Scope) -> tuple[Any, Any]:
    """The polynomial and the remainder symbol of ``poly(t) + remainder·t^{order+1}``; the symbol must be new."""
    require(bool(variable.is_positive), "{} is not a positive number that can fall to 0", variable)
    remainder = new_remainder(into, scope)
    polynomial = into.xreplace({remainder: sympy.Integer(0)})
    require(
        equal(into - polynomial, remainder * variable ** (order + 1)), "the remainder is not of order {}", order + 1
    )
    return polynomial, remainder


def new_remainder(into: Any, scope: Scope) -> Any:
    """The only remainder symbol that is not known yet."""
    remainders = [symbol for symbol in into.free_symbols if is_remainder(symbol) and symbol not in scope.remainders]
    require(len(remainders) == 1, "the step must introduce exactly one new remainder")
    return remainders[0]


def series_of(variable: Any, length: int, scope: Scope, *expressions: Any) -> LaurentSeries:
    """Series whose coefficients are known to stay bounded as the variable falls to 0.

    No remainder is divided by: it may not vanish, and yet come as near to 0 as it likes.
    """

    def divisible(expression: Any) -> bool:
        return not any(map(is_remainder, scope.free(expression))) and scope.nonzero(expression)

    series = LaurentSeries(variable, length, *expressions, nonzero=divisible)
    for leaf in series.leaves:
        require(scope.bounded(leaf, variable), "{} is not known to be bounded as {} falls to 0", leaf, variable)
    return series


def agree(exact: Any, polynomial: Any, variable: Any, order: int, scope: Scope) -> LaurentSeries:
    """Verifies that a series agrees with a Laurent polynomial through the order, which has no terms above it."""
    series = series_of(variable, order + 1 + SLACK + max(0, -order), scope, exact, polynomial)
    left, right = series(exact), series(polynomial)
    for power in range(min(left.valuation, right.valuation), order + 1):
        require(left[power] == right[power], "the coefficients of {}^{} differ", variable, power)
    for power in range(max(order + 1, right.valuation), right.precision):
        require(not right[power], "the expansion has a term of order {}, above {}", power, order)
    return series


def inherited(part: Any, variable: Any, scope: Scope, series: LaurentSeries) -> Remainder:
    """What is known of the remainder of an expansion of a part, from the remainders in it and what it divides by."""
    old = [
        scope.remainders[symbol] for symbol in scope.free(part, frozenset((variable,))) if symbol in scope.remainders
    ]
    divides = [divisor for divisor in series.fractions.divisors if not scope.constant(Mean, divisor)]
    uniform = not divides and all(remainder.uniform for remainder in old) and all(map(scope.regular, series.leaves))
    # Lengths need not be differentiable where they vanish, nor angles where their sines are 1.
    rough = old and any(scope.unfolded(leaf).has(Norm, sympy.asin) for leaf in series.leaves)
    derivatives = 0 if rough else min((remainder.derivatives for remainder in old), default=99)
    return Remainder(variable, derivatives, uniform)


def linear_parts(expression: Any, atoms: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """``[(coefficient, monomial)]`` of a polynomial in the atoms."""
    if not atoms:
        return [(expression, sympy.Integer(1))]
    try:
        polynomial = sympy.Poly(expanded(expression), *atoms)
    except BasePolynomialError as error:
        raise Refused(f"{expression} is not a polynomial in {', '.join(map(str, atoms))}") from error
    require(not any(c.has(*atoms) for c in polynomial.coeffs()), "a coefficient depends on the variables")
    return [
        (coefficient, sympy.Mul(*(atom**power for atom, power in zip(atoms, powers, strict=True))))
        for powers, coefficient in polynomial.terms()
    ]
