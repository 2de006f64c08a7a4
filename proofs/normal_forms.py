"""Normal forms by which the checker compares expressions: rational functions, and Laurent series over them.

Nothing here shares code with `proofs.series`, which produces the expansions: powers are binomial sums over
coefficients in a fraction field, not Euler recurrences over graded parts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import comb, factorial, prod
from typing import Any

import sympy

from proofs.expressions import ELEMENTARY
from proofs.ratios import Ratio, RatioField, check_size


class NotInNormalForm(ValueError):
    """The expression can't be brought to the normal form asked for."""


Nonzero = Callable[[Any], bool]
"""Whether an expression is known not to vanish, so that it may be divided by."""


class Fractions:
    """The field of rational functions in the atoms of some expressions.

    Atoms are what is neither a sum, a product, a rational number nor an integer power: symbols, indexed tensors,
    applied heads, π, roots, and powers and exponentials with symbolic exponents (whose integer parts are split off).
    An atom whose root is an atom too is that root's power. Sines and cosines are rational in the tangent of half the
    angle. What is divided by must satisfy `nonzero`, where that is given.
    """

    def __init__(self, *expressions: Any, nonzero: Nonzero | None = None) -> None:
        atoms: dict[Any, None] = {}
        for expression in expressions:
            _collect(sympy.sympify(expression), atoms)
        self.atoms = tuple(atoms)
        self.field = RatioField(len(self.atoms))
        self._generators = dict(zip(self.atoms, self.field.gens, strict=False))
        for atom in self.atoms:
            if atom.is_Pow and atom.exp.is_Rational and atom.base in self._generators:
                self._generators[atom.base] = self._generators[atom] ** int(atom.exp.q)
        self._nonzero = nonzero
        self._divisors: dict[Any, bool] = {}

    @property
    def divisors(self) -> tuple[Any, ...]:
        """The expressions divided by so far."""
        return tuple(self._divisors)

    def divide_by(self, expression: Any) -> None:
        """Raises `NotInNormalForm` unless the expression is known not to vanish."""
        if expression not in self._divisors:
            self._divisors[expression] = self._nonzero is None or self._nonzero(expression)
        if not self._divisors[expression]:
            raise NotInNormalForm(f"division by {expression}, which is not known to differ from 0")

    def expression(self, ratio: Ratio) -> Any:
        """An element of the field in terms of the atoms."""
        names = dict(zip(ratio.numerator.ring.symbols, self.atoms, strict=False))
        return (ratio.numerator.as_expr() / ratio.denominator.as_expr()).xreplace(names)

    def __call__(self, expression: Any) -> Ratio:
        """The element of the field."""
        if expression.is_Rational:
            return self.field(int(expression.p), int(expression.q))
        if expression.is_Add or expression.is_Mul:
            parts = [self(argument) for argument in expression.args]
            total = self.field.zero if expression.is_Add else self.field.one
            for part in parts:
                total = total + part if expression.is_Add else total * part
            return total
        if expression.is_Pow:
            base, whole, rest = _split_power(expression)
            value = self.field.one
            if rest.is_Rational and rest:
                value, rest = self._generators[_root(base, rest)] ** int(rest.p), sympy.Integer(0)
            if whole:
                inner = self(base)
                if whole < 0:
                    if not inner:
                        raise NotInNormalForm(f"division by zero in {expression}")
                    self.divide_by(base)
                value = value * inner**whole
            for exponent, times in _exponents(rest):
                if times < 0:
                    self.divide_by(base)
                value = value * self._generators[sympy.Pow(base, exponent)] ** times
            return value
        if isinstance(expression, sympy.exp):
            value = self.field.one
            for exponent, times in _exponents(expression.args[0]):
                value = value * self._generators[sympy.exp(exponent)] ** times
            return value
        if isinstance(expression, sympy.sin | sympy.cos):
            half = self._generators[_half_angle(expression)]
            square = half * half
            numerator = half + half if isinstance(expression, sympy.sin) else self.field.one - square
            return numerator * (self.field.one + square).inverse()
        return self._generators[expression]


def _split_power(power: Any) -> tuple[Any, int, Any]:
    """``base, n, e`` with ``power = base^n base^e`` and n an integer; e = 0 when the exponent is an integer."""
    base, exponent = power.args
    whole, rest = exponent.as_coeff_Add() if not exponent.is_Rational else (exponent, sympy.Integer(0))
    integer = sympy.floor(whole)
    return base, int(integer), rest + whole - integer


def _exponents(exponent: Any) -> list[tuple[Any, int]]:
    """A symbolic exponent as a sum of integer multiples ``Σ n e``: ``base^{2m} = (base^m)^2``."""
    parts = []
    for term in sympy.Add.make_args(expanded(exponent)):
        times, rest = term.as_coeff_Mul()
        if term != 0:
            parts.append((rest, int(times)) if times.is_Integer else (term, 1))
    return parts


def _half_angle(wave: Any) -> Any:
    """tan(θ/2), in which sin θ and cos θ are rational."""
    return sympy.tan(wave.args[0] / 2)


def _root(base: Any, exponent: Any) -> Any:
    """``base^{1/q}``, the atom of which ``base^{p/q}`` is a power."""
    return sympy.Pow(base, sympy.Rational(1, exponent.q))


def _collect(expression: Any, atoms: dict[Any, None]) -> None:
    if expression.is_Rational:
        return
    if expression.is_Add or expression.is_Mul:
        for argument in expression.args:
            _collect(argument, atoms)
    elif expression.is_Pow:
        base, whole, rest = _split_power(expression)
        if whole:
            _collect(base, atoms)
        if rest.is_Rational and rest:
            atoms[_root(base, rest)] = None
        elif rest:
            atoms.update({sympy.Pow(base, exponent): None for exponent, _ in _exponents(rest)})
    elif isinstance(expression, sympy.exp):
        atoms.update({sympy.exp(exponent): None for exponent, _ in _exponents(expression.args[0])})
    elif isinstance(expression, sympy.sin | sympy.cos):
        atoms[_half_angle(expression)] = None
    else:
        atoms[expression] = None


def equal(left: Any, right: Any, nonzero: Nonzero | None = None) -> bool:
    """Whether two expressions are the same rational function of their atoms.

    With `nonzero` given, what they divide by must satisfy it; else `NotInNormalForm` is raised.
    """
    fractions = Fractions(left, right, nonzero=nonzero)
    return fractions(left) == fractions(right)


def proportional(left: Any, right: Any) -> bool:
    """Whether two expressions differ by a rational factor, not 0."""
    fractions = Fractions(left, right)
    a, b = fractions(left), fractions(right)
    if not a or not b:
        return False
    across, along = a.numerator * b.denominator, b.numerator * a.denominator
    return across.mul_ground(along.LC) == along.mul_ground(across.LC)


def expanded(expression: Any) -> Any:
    """The expression multiplied out. Raises `TooLarge` where that would take too many terms."""
    check_size(terms(expression))
    return sympy.expand(expression)


def terms(expression: Any) -> int:
    """A bound on the number of terms of the expression multiplied out."""
    if expression.is_Add:
        return sum(map(terms, expression.args))
    if expression.is_Mul:
        return prod(map(terms, expression.args))
    if expression.is_Pow and expression.exp.is_Integer:
        inner, times = terms(expression.base), abs(int(expression.exp))
        return comb(inner + times - 1, times)
    return 1


@dataclass(frozen=True)
class Laurent:
    """``t^valuation (c_0 + c_1 t + …)``, known to as many coefficients as are kept."""

    valuation: int
    coefficients: tuple[Any, ...]

    @property
    def precision(self) -> int:
        """The first power of t whose coefficient is not known."""
        return self.valuation + len(self.coefficients)

    def __getitem__(self, power: int) -> Any:
        if power >= self.precision:
            raise NotInNormalForm(f"the coefficient of t^{power} is beyond what is known, t^{self.precision - 1}")
        first = self.coefficients[0]
        return self.coefficients[power - self.valuation] if power >= self.valuation else first - first


class LaurentSeries:
    """Evaluates expressions as Laurent series in one variable, with `length` coefficients in a field of fractions.

    The variable is a small positive number; leading coefficients that are divided by must satisfy `nonzero`.
    """

    def __init__(self, variable: sympy.Symbol, length: int, *expressions: Any, nonzero: Nonzero | None = None) -> None:
        self.variable = variable
        self.length = length
        inner: list[Any] = []
        for expression in expressions:
            _leaves(sympy.sympify(expression), variable, inner)
        self.fractions = Fractions(*inner, nonzero=nonzero)
        self.leaves = tuple(inner)
        self.field = self.fractions.field

    def _normal(self, valuation: int, coefficients: Iterable[Any]) -> Laurent:
        values = list(coefficients)
        while len(values) > 1 and not values[0]:
            values.pop(0)
            valuation += 1
        return Laurent(valuation, tuple(values[: self.length]))

    def _exact(self, value: Any, power: int = 0) -> Laurent:
        return Laurent(power, (value,) + (self.field.zero,) * (self.length - 1))

    def __call__(self, expression: Any) -> Laurent:
        """The series of an expression. Raises `NotInNormalForm` where it has none."""
        if not expression.has(self.variable):
            return self._exact(self.fractions(expression))
        if expression.is_Mul:
            expression = self._gathered(expression)
            if not expression.has(self.variable):
                return self._exact(self.fractions(expression))
        if expression == self.variable:
            return self._exact(self.field.one, 1)
        if expression.is_Add or expression.is_Mul:
            total = self(expression.args[0])
            for argument in expression.args[1:]:
                total = self._add(total, self(argument)) if expression.is_Add else self._multiply(total, self(argument))
            return total
        if expression.is_Pow and not expression.exp.has(self.variable):
            return self._power(self(expression.base), expression.exp)
        if isinstance(expression, ELEMENTARY):
            argument = self(expression.args[0])
            if not isinstance(expression, sympy.log):  # about 0, where the logarithm is about 1
                argument = self._add(argument, self._exact(self.field.one))
            terms = taylor(type(expression), self.length)
            return self._binomial_like(argument, [self.field(int(term.p), int(term.q)) for term in terms])
        raise NotInNormalForm(f"{expression} is no series in {self.variable}")

    def _gathered(self, product: Any) -> Any:
        """A product with the powers of the variable in one factor, so that symbolic exponents can cancel."""
        exponent, rest = sympy.Integer(0), []
        for factor in product.args:
            base, power = factor.as_base_exp()
            if base == self.variable:
                exponent += power
            else:
                rest.append(factor)
        return sympy.Mul(self.variable ** expanded(exponent), *rest)

    def _add(self, left: Laurent, right: Laurent) -> Laurent:
        start, stop = min(left.valuation, right.valuation), min(left.precision, right.precision)
        return self._normal(start, (left[power] + right[power] for power in range(start, max(stop, start + 1))))

    def _multiply(self, left: Laurent, right: Laurent) -> Laurent:
        return self._normal(left.valuation + right.valuation, self._convolve(left.coefficients, right.coefficients))

    def _convolve(self, left: tuple[Ratio, ...], right: tuple[Ratio, ...]) -> list[Ratio]:
        values = [self.field.zero] * min(len(left), len(right))
        for i, a in enumerate(left[: len(values)]):
            if a:
                for j, b in enumerate(right[: len(values) - i]):
                    if b:
                        values[i + j] = values[i + j] + a * b
        return values

    def _binomial_like(self, series: Laurent, terms: list[Any]) -> Laurent:
        """``Σ terms[k] x^k`` at x = series − 1, for a series with constant term 1."""
        if series.valuation != 0 or series.coefficients[0] != self.field.one:
            raise NotInNormalForm("a power or logarithm of a series needs constant term 1, other functions 0")
        small = Laurent(0, (self.field.zero, *series.coefficients[1:]))
        total, power = self._exact(terms[0]), self._exact(self.field.one)
        for term in terms[1:]:
            values = self._convolve(power.coefficients, small.coefficients)
            power = Laurent(0, (*values, *(self.field.zero,) * (self.length - len(values))))
            total = Laurent(
                0, tuple(a + term * b for a, b in zip(total.coefficients, power.coefficients, strict=False))
            )
        return self._normal(0, total.coefficients[: len(series.coefficients)])

    def _power(self, base: Laurent, exponent: Any) -> Laurent:
        lead = base.coefficients[0]
        if not lead:
            raise NotInNormalForm("a power of a series that vanishes to the order kept")
        shift = exponent * base.valuation
        if not shift.is_Integer or not (exponent.is_Integer or lead == self.field.one):
            raise NotInNormalForm(f"the power {exponent} of a series that starts with {lead} t^{base.valuation}")
        if exponent.is_Integer and 0 < exponent <= self.length:
            result = base
            for _ in range(int(exponent) - 1):
                result = self._multiply(result, base)
            return result
        if not lead.is_constant:
            self.fractions.divide_by(self.fractions.expression(lead))
        unit = Laurent(0, tuple(value / lead for value in base.coefficients))
        value = self.fractions(exponent)
        terms = [self.field.one]
        for k in range(1, self.length):
            terms.append(terms[-1] * (value - self.field(k - 1)) * self.field(1, k))
        result = self._binomial_like(unit, terms)
        scale = lead ** int(exponent) if exponent.is_Integer else self.field.one
        return Laurent(int(shift) + result.valuation, tuple(scale * value for value in result.coefficients))


def taylor(function: Any, length: int) -> list[Any]:
    """The first coefficients of an elementary function in its argument, about 0 (the logarithm: about 1)."""

    def coefficient(k: int) -> Any:
        if function is sympy.log:
            return sympy.Rational((-1) ** (k + 1), k) if k else sympy.Integer(0)
        if function is sympy.exp:
            return sympy.Rational(1, factorial(k))
        if k % 2 == (function is sympy.cos):
            return sympy.Integer(0)
        if function is sympy.asin:
            return sympy.Rational(comb(k - 1, (k - 1) // 2), 2 ** (k - 1) * k)
        return sympy.Rational((-1) ** (k // 2), factorial(k))

    return [coefficient(k) for k in range(length)]


def _leaves(expression: Any, variable: Any, found: list[Any]) -> None:
    """The maximal subexpressions free of the variable: what the fraction field must contain."""
    if not expression.has(variable):
        found.append(expression)
    elif expression != variable:
        for argument in expression.args:
            _leaves(argument, variable, found)
