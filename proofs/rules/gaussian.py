"""Lemmas on two jointly Gaussian numbers of mean zero. The sign of x is written ``x/√(x²)``, its size ``√(x²)``.

Almost surely neither is 0: their variances are known not to vanish.
"""

from typing import TYPE_CHECKING, Any

import sympy

from proofs.expressions import Expectation, Flow
from proofs.normal_forms import equal
from proofs.rules.common import NONE, Introduced, applied, rewriting
from proofs.scope import Scope
from proofs.wellformed import require

if TYPE_CHECKING:
    from proofs.certificate import Step


def sign(number: Any) -> Any:
    """``x/√(x²)``."""
    return number / sympy.sqrt(number**2)


def size(number: Any) -> Any:
    """``√(x²)``."""
    return sympy.sqrt(number**2)


def price(step: "Step", scope: Scope) -> Introduced:
    """Lemma (Price 1958, for two signs): E[sgn x sgn y] is ``Flow(2/π, e, 0, α)``, sin α the correlation of x and y.

    At unit variances and correlation ρ their density φ obeys Plackett's identity ∂φ/∂ρ = ∂²φ/∂x∂y, and E[sgn x sgn y]
    is the integral of φ over two quadrants less that over the two others: d/dρ of it is 4 φ(0, 0) = 2/(π√(1 − ρ²)), so
    d/dα of it is 2/π, and it is 0 where x and y are independent, at α = 0.
    """
    part, into = rewriting(step, scope)
    x, y = _pair(part, sign, scope)
    rate, value, start, angle = applied(into, Flow, "a flow")
    require(start == 0, "the expectation does not start at 0")
    require(not scope.depends(rate, value) and equal(rate, 2 / sympy.pi), "the rate is not 2/π")
    require(isinstance(angle, sympy.Symbol), "the angle is no symbol")
    correlation = Expectation(x * y) / (_deviation(x) * _deviation(y))
    meaning, expected = (scope.unfolded(found) for found in (angle, sympy.asin(correlation)))
    require(isinstance(meaning, sympy.asin), "{} is not defined as an angle", angle)
    require(equal(meaning.args[0], expected.args[0]), "the sine of {} is not the correlation", angle)
    return NONE


def half_normal(step: "Step", scope: Scope) -> Introduced:
    """Lemma: ``E[|x| |y|] = (2/π) √(E x² E y²)`` where E xy = 0.

    Then x and y are independent, and E|x| = 2 ∫₀^∞ x φ(x) dx = 2 E[x²] φ(0) = √(2 E[x²]/π).
    """
    part, into = rewriting(step, scope)
    x, y = _pair(part, size, scope)
    require(scope.hypotheses.get(Expectation(x * y)) == 0, "{} and {} are not known to be uncorrelated", x, y)
    require(equal(into, 2 / sympy.pi * _deviation(x) * _deviation(y), scope.nonzero), "not the mean of the lemma")
    return NONE


def _deviation(number: Any) -> Any:
    return sympy.sqrt(Expectation(number**2))


def _pair(part: Any, function: Any, scope: Scope) -> tuple[Any, Any]:
    """The two Gaussian numbers of whose signs, or sizes, the expectation of the product is taken."""
    (argument,) = applied(part, Expectation, "an expectation")
    pair = sorted(argument.free_symbols, key=str)
    jointly = any(numbers.issuperset(pair) for numbers in scope.gaussian)
    require(len(pair) == 2 and jointly, "not of two numbers declared jointly Gaussian")
    x, y = pair
    require(argument == function(x) * function(y), "not the product of their {}s", function.__name__)
    for number in pair:
        require(number not in scope.vectors, "{} is a vector", number)
        require(scope.nonzero(Expectation(number**2)), "the variance of {} may vanish", number)
    return x, y
