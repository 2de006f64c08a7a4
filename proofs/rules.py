"""The rules of certificates, each with the check that verifies it. See `proofs.certificate`.

Analytic rules (truncation, reversion, slope, primitive, limit) work on Laurent series over rational functions;
algebraic rules on rational functions or canonical tensor networks; the named lemmas state their condition in the
docstring, and each has a test of its own.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.function import AppliedUndef

from proofs.contractions import contracted, haar_average, same, spherical_average
from proofs.expressions import (
    At,
    Derived,
    Dot,
    Expectation,
    GramRoot,
    HaarMean,
    Inverse,
    LimitAtZero,
    Mean,
    Norm,
    Primitive,
    Slope,
    is_remainder,
)
from proofs.normal_forms import LaurentSeries, NotInNormalForm, equal

if TYPE_CHECKING:
    from proofs.certificate import Equation, Step

_SLACK = 4  # coefficients kept beyond the order, for what division by powers of the variable costs


class Refused(NotInNormalForm):
    """A step does not check; the message says why."""


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise Refused(reason)


def _rewriting(step: "Step") -> tuple[Any, Any]:
    """The part and what it becomes, after verifying that the rest of the expression is untouched."""
    part, into = step.parameters["part"], step.parameters["into"]
    _require(step.left.has(part), "the part named does not occur in the left side")
    _require(step.right == step.left.xreplace({part: into}), "the right side changes more than the part named")
    return part, into


def _applied(expression: Any, head: Any, what: str) -> tuple[Any, ...]:
    _require(isinstance(expression, head), f"the part named is not {what}")
    return expression.args


def substitution(step: "Step", known: "tuple[Equation, ...]") -> None:
    """Equals for equals: every pair in ``equations`` is a definition or a fact of a chain used."""
    equations = step.parameters["equations"]
    for number, equation in enumerate(equations, start=1):
        _require(equation in known or equation[::-1] in known, f"equation {number} is neither defined nor proved")
    _require(step.right == step.left.xreplace(dict(equations)), "the right side is not what substitution gives")


def ring_identity(step: "Step", known: Any) -> None:
    """Two sides that are the same rational function of their atoms."""
    part, into = _rewriting(step)
    _require(equal(part, into), "the sides differ as rational functions")


def _expansion(into: Any, variable: Any, order: int, left: Any) -> tuple[Any, Any]:
    """The polynomial and the remainder symbol of ``poly(t) + remainder·t^{order+1}``; the symbol must be new."""
    remainders = [symbol for symbol in into.free_symbols if is_remainder(symbol) and not left.has(symbol)]
    _require(len(remainders) == 1, "a truncation must introduce exactly one new remainder")
    (remainder,) = remainders
    polynomial = into.xreplace({remainder: sympy.Integer(0)})
    _require(
        equal(into - polynomial, remainder * variable ** (order + 1)), f"the remainder is not of order {order + 1}"
    )
    return polynomial, remainder


def _agree(exact: Any, polynomial: Any, variable: Any, order: int) -> None:
    """Whether a series agrees with a Laurent polynomial through the order, and the latter has no terms above it."""
    series = LaurentSeries(variable, order + 1 + _SLACK, exact, polynomial)
    left, right = series(exact), series(polynomial)
    for power in range(min(left.valuation, right.valuation), order + 1):
        _require(left[power] == right[power], f"the coefficients of {variable}^{power} differ")
    for power in range(max(order + 1, right.valuation), right.precision):
        _require(not right[power], f"the expansion has a term of order {power}, above {order}")


def truncation(step: "Step", known: Any) -> None:
    """Power series in ``variable`` through ``order``, the rest in a new remainder."""
    part, into = _rewriting(step)
    variable, order = step.parameters["variable"], step.parameters["order"]
    polynomial, _ = _expansion(into, variable, order, step.left)
    _agree(part, polynomial, variable, order)


def reversion(step: "Step", known: Any) -> None:
    """``Inverse(f, x, t)`` as a series in t, verified by composition; f = x + …, which makes the inverse unique."""
    part, into = _rewriting(step)
    order = step.parameters["order"]
    function, inner, variable = _applied(part, Inverse, "an inverse")
    polynomial, remainder = _expansion(into, variable, order, step.left)
    start = LaurentSeries(inner, 2, function)(function)
    _require(start.valuation == 1 and start[1] == start[1] ** 0, "the function to invert must start with its variable")
    composed = function.xreplace({inner: polynomial + remainder * variable ** (order + 1)})
    _agree(composed, variable, variable, order)


def slope(step: "Step", known: Any) -> None:
    """``Slope`` of a truncated expansion, term by term; t times the derivative of a remainder is bounded too."""
    part, into = _rewriting(step)
    order = step.parameters["order"]
    function, variable = _applied(part, Slope, "a slope")
    polynomial, _ = _expansion(into, variable, order, step.left)
    old = [symbol for symbol in function.free_symbols if is_remainder(symbol)]
    _require(len(old) == 1, "a slope needs an expansion with one remainder")
    inner = function.xreplace({old[0]: sympy.Integer(0)})
    _require(equal(function - inner, old[0] * variable ** (order + 2)), f"the remainder is not of order {order + 2}")
    _agree(sympy.diff(inner, variable), polynomial, variable, order)


def primitive(step: "Step", known: Any) -> None:
    """``Primitive`` of ``t^{a} × (a truncated expansion)`` term by term, for a > −1, verified by differentiation."""
    part, into = _rewriting(step)
    order, weight = step.parameters["order"], step.parameters["weight"]
    function, variable = _applied(part, Primitive, "a primitive")
    old = [symbol for symbol in function.free_symbols if is_remainder(symbol)]
    new = [symbol for symbol in into.free_symbols if is_remainder(symbol) and not step.left.has(symbol)]
    _require(len(new) == 1, "a primitive must introduce exactly one new remainder")
    without = dict.fromkeys((*old, *new), sympy.Integer(0))
    _require(
        equal(into - into.xreplace(without), new[0] * variable ** (weight + order + 2)),
        f"the remainder is not of relative order {order + 1}",
    )
    integrand, integral = function / variable**weight, into.xreplace(without)
    # Differentiation loses the constant of integration: every term must vanish at 0 like t^{weight+1}.
    relative = _termwise(integral, variable ** (-weight - 1))
    start = LaurentSeries(variable, 1, relative)(relative)
    _require(start.valuation >= 0, "the primitive has a term that does not vanish at 0")
    exact = _termwise(sympy.diff(integral, variable), variable**-weight)
    series = LaurentSeries(variable, order + 1 + _SLACK, integrand, exact)
    left, right = series(integrand), series(exact)
    _require(min(left.valuation, right.valuation) >= 0, "the integrand is not a power series times the weight")
    for power in range(order + 1):
        _require(left[power] == right[power], f"the derivative differs at {variable}^{power}")
    for power in range(order + 1, right.precision):
        _require(not right[power], f"the primitive has a term above order {order}")


def _termwise(expression: Any, factor: Any) -> Any:
    """The product with a factor, term by term, so that its symbolic power of the variable meets theirs."""
    return sympy.Add(*(term * factor for term in sympy.Add.make_args(expression)))


def limit(step: "Step", known: Any) -> None:
    """``LimitAtZero`` of a rational function that has one; remainders are bounded and may not survive."""
    part, into = _rewriting(step)
    function, variable = _applied(part, LimitAtZero, "a limit")
    _require(not into.has(variable), "the limit depends on its variable")
    _require(not any(is_remainder(symbol) for symbol in into.free_symbols), "a remainder survives in the limit")
    series = LaurentSeries(variable, 1 + _SLACK, function, into)
    value = series(function)
    _require(value.valuation >= 0 or not any(value.coefficients[: -value.valuation]), "the function is unbounded")
    _require(value[0] == series.fractions(into), "the limit differs")


def evaluation(step: "Step", known: Any) -> None:
    """``At(f, x, a)`` for f without heads: x replaced by a, and remainders, which may depend on x, by new ones."""
    part, into = _rewriting(step)
    function, variable, value = _applied(part, At, "an evaluation")
    _require(not function.atoms(AppliedUndef), "the function is not a plain expression")
    renamed = tuple(step.parameters["renamed"])
    old = {symbol for symbol in function.free_symbols if is_remainder(symbol)}
    new = [symbol for _, symbol in renamed]
    _require({symbol for symbol, _ in renamed} == old and len(set(new)) == len(old), "not every remainder is renamed")
    _require(all(is_remainder(s) and not step.left.has(s) for s in new), "a remainder is not renamed to a new one")
    _require(equal(into, function.xreplace(dict(renamed)).xreplace({variable: value})), "not the value there")


def _linear_parts(expression: Any, atoms: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """``[(coefficient, monomial)]`` of a polynomial in the atoms."""
    try:
        polynomial = sympy.Poly(sympy.expand(expression), *atoms)
    except sympy.PolynomialError as error:
        raise Refused(f"{expression} is not a polynomial in {', '.join(map(str, atoms))}") from error
    _require(not any(c.has(*atoms) for c in polynomial.coeffs()), "a coefficient depends on the variables")
    return [
        (coefficient, reduce(mul, (atom**power for atom, power in zip(atoms, powers, strict=True)), sympy.Integer(1)))
        for powers, coefficient in polynomial.terms()
    ]


def _expand_dots(expression: Any, vectors: tuple[Any, ...]) -> Any:
    """Every inner product of linear combinations, expanded into those of the vectors, in a fixed order."""

    def expanded(dot: Any) -> Any:
        left, right = (_linear_parts(argument, vectors) for argument in dot.args)
        _require(
            all(monomial in vectors for _, monomial in (*left, *right)),
            "an inner product is not one of linear combinations",
        )
        return sum(a * b * Dot(*sorted((u, v), key=vectors.index)) for a, u in left for b, v in right)

    return expression.replace(lambda found: isinstance(found, Dot), expanded)


def bilinearity(step: "Step", known: Any) -> None:
    """Inner products of linear combinations of ``vectors``, expanded; symmetric."""
    part, into = _rewriting(step)
    vectors = tuple(step.parameters["vectors"])
    _require(equal(_expand_dots(part, vectors), _expand_dots(into, vectors)), "the bilinear expansions differ")


def linearity(step: "Step", known: Any) -> None:
    """Averages of polynomials in ``variables`` and remainders: all else is constant; the average of 1 is 1."""
    part, into = _rewriting(step)
    random = {symbol for symbol in (part + into).free_symbols if is_remainder(symbol)}
    variables = tuple(dict.fromkeys([*step.parameters["variables"], *sorted(random, key=str)]))

    def expanded(average: Any) -> Any:
        head = type(average)
        return sum(
            coefficient * (sympy.Integer(1) if monomial == 1 else head(monomial))
            for coefficient, monomial in _linear_parts(average.args[0], variables)
        )

    def normal(expression: Any) -> Any:
        return expression.replace(lambda found: isinstance(found, (Mean, Expectation)), expanded)

    _require(equal(normal(part), normal(into)), "the linear expansions differ")


def independence(step: "Step", known: Any) -> None:
    """``E[X Y] = E[X] E[Y]`` for products of variables in different ``groups``; E⟨x, y⟩ = 0 when x is centred.

    `groups` are tuples of scalars or vectors, independent of each other; `centred` are vectors of mean zero. A scalar
    product of vectors of one group belongs to it.
    """
    part, into = _rewriting(step)
    groups, centred = step.parameters["groups"], tuple(step.parameters.get("centred", ()))
    (argument,) = _applied(part, Expectation, "an expectation")
    by_group: dict[int, Any] = {}
    for factor in sympy.Mul.make_args(argument):
        symbols = factor.free_symbols
        owners = [number for number, group in enumerate(groups) if symbols & set(group)]
        if len(owners) == 2 and isinstance(factor, Dot):
            _require(factor == argument, "a product across groups must stand alone")
            _require(any(vector in centred for vector in factor.args), "neither vector has mean zero")
            _require(into == 0, "the expectation vanishes")
            return
        _require(len(owners) == 1, "a factor does not belong to one group")
        _require(symbols <= set(groups[owners[0]]), "a factor holds what no group owns")
        by_group[owners[0]] = by_group.get(owners[0], sympy.Integer(1)) * factor
    product = reduce(mul, map(Expectation, by_group.values()), sympy.Integer(1))
    _require(equal(into, product), "not the product of expectations")


def leibniz(step: "Step", known: Any) -> None:
    """Derivatives of inner products along a curve: ``d/ds ⟨γ_i, γ_j⟩ = ⟨γ_{i+1}, γ_j⟩ + ⟨γ_i, γ_{j+1}⟩``."""
    part, into = _rewriting(step)
    jets = tuple(step.parameters["jets"])

    def once(expression: Any) -> Any:
        total = sympy.Integer(0)
        for coefficient, dot in _linear_parts(expression, tuple(expression.atoms(Dot))):
            (left, right) = _applied(dot, Dot, "an inner product")
            for u, v in ((jets.index(left) + 1, jets.index(right)), (jets.index(left), jets.index(right) + 1)):
                total += coefficient * Dot(*(jets[number] for number in sorted((u, v))))
        return total

    def expanded(derived: Any) -> Any:
        function, times = derived.args
        for _ in range(int(times)):
            function = once(function)
        return function

    def normal(expression: Any) -> Any:
        return expression.replace(lambda found: isinstance(found, Derived), expanded)

    _require(equal(normal(part), normal(into)), "the derivatives differ")


def constancy(step: "Step", known: Any) -> None:
    """A derivative of a constant is 0: ``Derived(c, n)`` for a number c and n ≥ 1."""
    part, into = _rewriting(step)
    function, times = _applied(part, Derived, "a derivative")
    _require(function.is_Rational and times.is_Integer and times >= 1, "not a derivative of a constant")
    _require(into == 0, "the derivative of a constant is 0")


def gram_determinant(step: "Step", known: Any) -> None:
    """Lemma: √det(I + JᵀJ) = 1 + ½|J|² + O(|J|⁴), for J of order ``variable^k``, k ≥ 1."""
    part, into = _rewriting(step)
    variable, order, vectors = (step.parameters[name] for name in ("variable", "order", "vectors"))
    (jacobian,) = _applied(part, GramRoot, "a Gram determinant")
    terms = _linear_parts(jacobian, tuple(vectors))
    lowest = min(LaurentSeries(variable, 1, coefficient)(coefficient).valuation for coefficient, _ in terms)
    _require(lowest >= 1 and 4 * lowest >= order + 1, "the Jacobian is not small enough for this order")
    polynomial, _ = _expansion(into, variable, order, step.left)
    _require(equal(polynomial, 1 + Dot(jacobian, jacobian) / 2), "not the expansion of the lemma")


def triangle(step: "Step", known: Any) -> None:
    """Lemma: |c v + t^k e| = c|v| + O(t^k) for a bounded e (a remainder vector) and c a positive monomial."""
    part, into = _rewriting(step)
    variable, order, vectors = (step.parameters[name] for name in ("variable", "order", "vectors"))
    (vector,) = _applied(part, Norm, "a norm")
    terms = _linear_parts(vector, tuple(vectors))
    kept = [(coefficient, v) for coefficient, v in terms if not is_remainder(v)]
    rest = [(coefficient, v) for coefficient, v in terms if is_remainder(v)]
    _require(len(kept) == 1 and len(rest) == 1, "needs one vector and one remainder vector")
    _require(equal(rest[0][0], variable ** (order + 1)), f"the remainder vector is not of order {order + 1}")
    coefficient, direction = kept[0]
    _require(bool(coefficient.is_positive), "the coefficient is not positive")
    polynomial, _ = _expansion(into, variable, order, step.left)
    _require(equal(polynomial, coefficient * Norm(direction)), "not the expansion of the lemma")


def contraction(step: "Step", known: Any) -> None:
    """The same contracted tensors under other names of the summed indices."""
    part, into = _rewriting(step)
    _require(same(contracted(part), contracted(into)), "the contractions differ")


def isserlis(step: "Step", known: Any) -> None:
    """Average over unit directions in ``dimension`` dimensions, by pairings."""
    part, into = _rewriting(step)
    (argument,) = _applied(part, Mean, "an average over directions")
    average = spherical_average(contracted(argument), step.parameters["dimension"])
    _require(same(average, contracted(into)), "the averages differ")


def invariance(step: "Step", known: Any) -> None:
    """Lemma: a rotation-invariant projector P of rank k in n dimensions has E P_ij = c δ_ij and
    E P_ij P_kl = a δ_ij δ_kl + b(δ_ik δ_jl + δ_il δ_jk); tr P = k and P² = P fix all three.
    """
    part, into = _rewriting(step)
    (argument,) = _applied(part, HaarMean, "a Haar average")
    n, rank = step.parameters["dimension"], step.parameters["rank"]
    a, b, c = moments = tuple(step.parameters["moments"])
    for found, value in ((c * n, rank), (a * n**2 + 2 * b * n, rank**2), (a * n + b * (n**2 + n), rank)):
        _require(equal(found, value), "not the moments of a projector of this rank")
    average = haar_average(contracted(argument), n, moments)
    _require(same(average, contracted(into)), "the averages differ")


Rule = Callable[["Step", "tuple[Equation, ...]"], None]

RULES: Mapping[str, Rule] = {
    "substitution": substitution,
    "ring-identity": ring_identity,
    "truncation": truncation,
    "reversion": reversion,
    "slope": slope,
    "primitive": primitive,
    "limit": limit,
    "evaluation": evaluation,
    "bilinearity": bilinearity,
    "linearity": linearity,
    "independence": independence,
    "leibniz": leibniz,
    "constancy": constancy,
    "gram-determinant": gram_determinant,
    "triangle": triangle,
    "contraction": contraction,
    "isserlis": isserlis,
    "invariance": invariance,
}
"""What `Step.rule` can name."""
