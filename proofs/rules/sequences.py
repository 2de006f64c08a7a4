"""Named lemmas on sequences: geometric decay, and Chung's lemma with its two borderline companions.

Each states its condition in the docstring. Sequences are `Recursion` heads whose map is x ↦ A(k) x + B(k), with A and B
polynomials in 1/k; what they do not show by themselves is for declared signs to say.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from proofs.expressions import LimitAtInfinity, Map, Recursion, is_remainder
from proofs.normal_forms import equal, expanded
from proofs.rules.common import NONE, Introduced, applied, linear_parts, rewriting
from proofs.scope import Scope
from proofs.signs import known
from proofs.wellformed import require

if TYPE_CHECKING:
    from proofs.certificate import Step


def geometric_limit(step: "Step", scope: Scope) -> Introduced:
    """Lemma: q^n → 0 as n → ∞ for 0 ≤ q < 1, so that a polynomial in q^n tends to its constant term.

    q is the sum of ``terms``, none of them negative, and 1 − q the product of ``factors``, all of them positive.
    """
    part, into = rewriting(step, scope)
    function, count = applied(part, LimitAtInfinity, "a limit at infinity")
    powers = [power for power in function.atoms(sympy.Pow) if power.exp == count]
    require(len(powers) == 1, "needs powers of one base to the {}", count)
    (power,) = powers
    _require_plain(function, scope)
    terms, factors = step.parameters["terms"], step.parameters["factors"]
    require(equal(power.base, sympy.Add(*terms), scope.nonzero), "the terms do not add up to {}", power.base)
    require(equal(1 - power.base, sympy.Mul(*factors), scope.nonzero), "the factors do not make up 1 − {}", power.base)
    for signs, expressions in (("nonnegative", terms), ("positive", factors)):
        for expression in expressions:
            require(scope.signed(expression, signs), "{} is not known to be {}", expression, signs)
    vanishing = sympy.Dummy("vanishing")
    constant = sympy.Integer(0)
    for coefficient, monomial in linear_parts(function.xreplace({power: vanishing}), (vanishing,)):
        require(not scope.depends(coefficient, count), "{} depends on {}", coefficient, count)
        constant += coefficient if monomial == 1 else sympy.Integer(0)
    require(not scope.depends(power.base, count), "{} depends on {}", power.base, count)
    require(equal(constant, into, scope.nonzero), "the limit differs")
    return NONE


def chung(step: "Step", scope: Scope) -> Introduced:
    """Lemma (Chung 1954): n^p x_n → β/(α − p) for x_k = (1 − α/k + O(k⁻²)) x_{k−1} + β k^{−p−1} + O(k^{−p−2}).

    Here α > p ≥ 1. What the sequence starts from is forgotten.
    """
    part, into = rewriting(step, scope)
    sequence = _sequence(part, scope)
    order = _order(sequence.weight, sequence.count)
    difference = sequence.decay - order
    require(scope.signed(difference, "positive"), "{} is not known to be positive", difference)
    require(equal(sequence.source(order) / difference, into, scope.nonzero), "the limit differs")
    return NONE


def chung_critical(step: "Step", scope: Scope) -> Introduced:
    """Lemma: n^p x_n/log n → β for the recursion of `chung` with α = p ≥ 1: Σ 1/k diverges like log n."""
    part, into = rewriting(step, scope)
    sequence = _sequence(part, scope)
    order = _order(sequence.weight * sympy.log(sequence.count), sequence.count)
    require(equal(sequence.decay, sympy.Integer(order)), "the rate of decay is not {}", order)
    require(equal(sequence.source(order), into, scope.nonzero), "the limit differs")
    return NONE


def chung_slow(step: "Step", scope: Scope) -> Introduced:
    """Lemma: n^α x_n → C > 0, hence log x_n/log n → −α, for the recursion of `chung` with 0 < α < p = 1.

    Here A(k) ≥ 0 and B(k) > 0 for every k ≥ 1, and the start is not negative: then C, x_n over the product of the A(k)
    in the limit, is a convergent sum of terms that are not negative, and not all zero.
    """
    part, into = rewriting(step, scope)
    sequence = _sequence(part, scope)
    logarithm = sympy.log(sequence.head)
    shape = sequence.function == logarithm / sympy.log(sequence.count)
    require(shape, "not the logarithm of a sequence over that of its index")
    sequence.source(1)  # of the order of k⁻² at most
    for expression in (sequence.decay, 1 - sequence.decay):
        require(scope.signed(expression, "positive"), "{} is not known to be positive", expression)
    for expression in (sequence.factor, sequence.start):
        require(known(expression, "nonnegative"), "{} may be negative", expression)
    for factor in sympy.Mul.make_args(sequence.addend):
        require(scope.signed(factor, "positive"), "{} is not known to be positive", factor)
    require(equal(-sequence.decay, into, scope.nonzero), "the exponent differs")
    return NONE


@dataclass(frozen=True)
class _Sequence:
    """The limit of `function`, in which the sequence `head` occurs: x_k = factor·x_{k−1} + addend, from `start`."""

    function: Any
    count: Any
    head: Any
    factor: Any
    addend: Any
    start: Any
    decay: Any
    """α of the factor 1 − α/k + O(k⁻²)."""
    index: Any

    @property
    def weight(self) -> Any:
        """What the sequence is multiplied by."""
        return self.function / self.head

    def source(self, order: int) -> Any:
        """β of the addend β k^{−p−1} + O(k^{−p−2}). Raises `Refused` where it is of a lower order."""
        coefficients = _in_inverse(self.addend, self.index)
        for power in range(order + 1):
            require(equal(coefficients(power), sympy.Integer(0)), "the addend is not of the order of k^−{}", order + 1)
        return coefficients(order + 1)


def _sequence(part: Any, scope: Scope) -> _Sequence:
    function, count = applied(part, LimitAtInfinity, "a limit at infinity")
    heads = tuple(function.atoms(Recursion))
    require(len(heads) == 1, "not the limit of one recursion")
    (head,) = heads
    mapping, index, start, last = head.args
    require(isinstance(mapping, Map), "a recursion needs a map")
    rule, unknown = mapping.args
    require(last == count and bool(count.is_positive) and bool(index.is_positive), "not indexed from 1 to {}", count)
    require(len({index, unknown, count}) == 3, "the unknown and the indices have one name")
    _require_plain(rule, scope)
    _require_plain(start, scope)
    factor, addend = sympy.diff(rule, unknown), rule.xreplace({unknown: sympy.Integer(0)})
    require(not factor.has(unknown), "the recursion is not linear")
    symbols = (rule.free_symbols | start.free_symbols) - {unknown, index}
    for symbol in symbols:
        free = scope.free(symbol)
        require(not free & {index, unknown, count}, "{} depends on an index or the unknown", symbol)
    require(not start.has(unknown, index), "the start has a bound symbol")
    coefficients = _in_inverse(factor, index)
    require(equal(coefficients(0), sympy.Integer(1)), "the factor does not tend to 1")
    return _Sequence(function, count, head, factor, addend, start, -coefficients(1), index)


def _in_inverse(expression: Any, index: Any) -> Any:
    """The coefficients of a polynomial in 1/k, by power."""
    inverse = sympy.Dummy("inverse", positive=True)
    parts = linear_parts(expanded(expression.xreplace({index: 1 / inverse})), (inverse,))
    terms = {monomial: coefficient for coefficient, monomial in parts}
    return lambda power: terms.get(inverse**power, sympy.Integer(0))


def _order(weight: Any, count: Any) -> int:
    """p of the weight n^p, a whole number from 1 on."""
    base, exponent = weight.as_base_exp()
    require(base == count and bool(exponent.is_Integer) and exponent >= 1, "{} is no power of {}", weight, count)
    return int(exponent)


def _require_plain(expression: Any, scope: Scope) -> None:
    require(not expression.atoms(AppliedUndef, sympy.Indexed), "{} is not a plain expression", expression)
    require(not any(map(is_remainder, scope.free(expression))), "{} has a remainder", expression)
