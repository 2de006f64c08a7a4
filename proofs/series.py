"""Truncated power series, exact, on SymPy's sparse polynomial rings.

A series is kept as its homogeneous parts ``f = f_0 + f_1 + … + f_n`` in the graded variables, with coefficients in a
polynomial ring over the rationals. Multiplication and the elementary functions never form a term above the order:
``D f = Σ k f_k`` (Euler's operator) is a derivation, so that ``f·D(f^a) = a·f^a·D f`` gives powers, logarithms and
exponentials by a recurrence in the parts. Orders that take ``Expr.series`` a minute take milliseconds here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import sympy
from sympy.polys.rings import PolyElement, PolyRing

Number = int | Fraction | sympy.Rational


class SeriesRing:
    """Power series in the graded `variables` up to a total degree, with polynomials in `coefficients` as scalars."""

    def __init__(self, variables: Sequence[str], order: int, coefficients: Sequence[str] = ()) -> None:
        if not variables or order < 0:
            raise ValueError(f"a series ring needs variables and an order ≥ 0, got {variables} and {order}")
        self.variables = tuple(variables)
        self.coefficients = tuple(coefficients)
        self.order = order
        self.domain: Any = PolyRing(self.variables + self.coefficients, sympy.QQ)
        generators = dict(zip(self.variables + self.coefficients, self.domain.gens, strict=True))
        self._generators: dict[str, PolyElement] = generators

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeriesRing) and (self.order, self.domain) == (other.order, other.domain)

    def __hash__(self) -> int:
        return hash((self.order, self.domain))

    def __getitem__(self, name: str) -> "Series":
        """The generator of that name: a variable (degree 1) or a coefficient (degree 0)."""
        return self.from_polynomial(self._generators[name])

    def generator(self, name: str) -> Any:
        """The generator of that name as an element of `domain`."""
        return self._generators[name]

    def from_polynomial(self, polynomial: Any) -> "Series":
        """A series from an element of `domain`; terms above the order are dropped."""
        parts = [self.domain.zero for _ in range(self.order + 1)]
        for monomial, coefficient in polynomial.terms():
            degree = sum(monomial[: len(self.variables)])
            if degree <= self.order:
                parts[degree][monomial] = coefficient
        return Series(self, tuple(parts))

    def constant(self, value: Number) -> "Series":
        """The constant series of a rational number."""
        return self.from_polynomial(self.domain(_rational(value)))

    def univariate(self, coefficients: Sequence[Number]) -> "Series":
        """``Σ coefficients[j] x^j`` in the only variable."""
        (name,) = self.variables
        powers: Any = self._generators[name]
        terms = (powers**degree * _rational(value) for degree, value in enumerate(coefficients[: self.order + 1]))
        return self.from_polynomial(sum(terms, self.domain.zero))


@dataclass(frozen=True)
class Series:
    """An element of a `SeriesRing`: ``parts[k]`` is the homogeneous part of degree k."""

    ring: SeriesRing
    parts: tuple[Any, ...]

    def _coerce(self, other: "Series | Number") -> "Series":
        if isinstance(other, Series):
            if other.ring != self.ring:
                raise ValueError("series of different rings can't be combined")
            return other
        return self.ring.constant(other)

    def __add__(self, other: "Series | Number") -> "Series":
        other = self._coerce(other)
        return Series(self.ring, tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __neg__(self) -> "Series":
        return Series(self.ring, tuple(-part for part in self.parts))

    def __sub__(self, other: "Series | Number") -> "Series":
        return self + (-self._coerce(other))

    def __mul__(self, other: "Series | Number") -> "Series":
        if not isinstance(other, Series):
            return Series(self.ring, tuple(part * _rational(other) for part in self.parts))
        other = self._coerce(other)
        zero = self.ring.domain.zero
        return Series(
            self.ring,
            tuple(
                sum((self.parts[j] * other.parts[n - j] for j in range(n + 1)), zero)
                for n in range(self.ring.order + 1)
            ),
        )

    def __radd__(self, other: Number) -> "Series":
        return self + other

    def __rmul__(self, other: Number) -> "Series":
        return self * other

    def __rsub__(self, other: Number) -> "Series":
        return self._coerce(other) - self

    def _require_constant(self, value: int, operation: str) -> None:
        if self.parts[0] != self.ring.domain(value):
            raise ValueError(f"{operation} needs constant term {value}, got {self.parts[0]}")

    def power(self, exponent: "Number | Series") -> "Series":
        """``f^a`` for constant term 1 and any exponent, a number or a coefficient (a series of degree 0)."""
        self._require_constant(1, "power")
        domain = self.ring.domain
        a = exponent.parts[0] if isinstance(exponent, Series) else domain(_rational(exponent))
        parts = [domain.one]
        for n in range(1, self.ring.order + 1):
            total = sum((((a + 1) * k - n) * self.parts[k] * parts[n - k] for k in range(1, n + 1)), domain.zero)
            parts.append(total * sympy.QQ(1, n))
        return Series(self.ring, tuple(parts))

    def inverse(self) -> "Series":
        """``1/f`` for constant term 1."""
        return self.power(-1)

    def sqrt(self) -> "Series":
        """``√f`` for constant term 1."""
        return self.power(Fraction(1, 2))

    def exp(self) -> "Series":
        """``exp f`` for constant term 0."""
        self._require_constant(0, "exp")
        zero, parts = self.ring.domain.zero, [self.ring.domain.one]
        for n in range(1, self.ring.order + 1):
            total = sum((self.parts[k] * parts[n - k] * k for k in range(1, n + 1)), zero)
            parts.append(total * sympy.QQ(1, n))
        return Series(self.ring, tuple(parts))

    def log(self) -> "Series":
        """``log f`` for constant term 1."""
        return (self._euler() * self.inverse())._euler_inverse()

    def asin(self) -> "Series":
        """``asin f`` for constant term 0."""
        self._require_constant(0, "asin")
        return (self._euler() * (1 - self * self).power(Fraction(-1, 2)))._euler_inverse()

    def sin(self) -> "Series":
        """``sin f`` for constant term 0."""
        return self._sin_cos()[0]

    def cos(self) -> "Series":
        """``cos f`` for constant term 0."""
        return self._sin_cos()[1]

    def _sin_cos(self) -> "tuple[Series, Series]":
        """From D sin f = cos f · D f and D cos f = −sin f · D f."""
        self._require_constant(0, "sin and cos")
        zero, one = self.ring.domain.zero, self.ring.domain.one
        sines, cosines = [zero], [one]
        for n in range(1, self.ring.order + 1):
            rise = sum((self.parts[k] * cosines[n - k] * k for k in range(1, n + 1)), zero)
            fall = sum((self.parts[k] * sines[n - k] * k for k in range(1, n + 1)), zero)
            sines.append(rise * sympy.QQ(1, n))
            cosines.append(fall * sympy.QQ(-1, n))
        return Series(self.ring, tuple(sines)), Series(self.ring, tuple(cosines))

    def _euler(self) -> "Series":
        """``D f = Σ k f_k``."""
        return Series(self.ring, tuple(part * degree for degree, part in enumerate(self.parts)))

    def _euler_inverse(self) -> "Series":
        """The f without constant term of which this is D f."""
        parts = (part * sympy.QQ(1, degree) for degree, part in enumerate(self.parts[1:], start=1))
        return Series(self.ring, (self.ring.domain.zero, *parts))

    def derivative(self) -> "Series":
        """``df/dx`` in the only variable; the part of top degree is lost (0)."""
        (name,) = self.ring.variables
        generator = self.ring._generators[name]
        shifted = tuple(part.diff(generator) for part in self.parts[1:])
        return Series(self.ring, (*shifted, self.ring.domain.zero))

    def integral(self) -> "Series":
        """``∫₀ˣ f dx`` in the only variable."""
        (name,) = self.ring.variables
        generator: Any = self.ring._generators[name]
        raised = tuple(part * generator * sympy.QQ(1, n + 1) for n, part in enumerate(self.parts[:-1]))
        return Series(self.ring, (self.ring.domain.zero, *raised))

    def divided(self, power: int = 1) -> "Series":
        """``f/x^power`` in the only variable; its top `power` parts are unknown and set to 0."""
        if any(self.parts[:power]):
            raise ValueError(f"the series is not divisible by the variable to the power {power}")
        (name,) = self.ring.variables
        divisor: Any = self.ring._generators[name] ** power
        return Series(self.ring, tuple(part.quo(divisor) for part in self.parts[power:]) + self.parts[:power])

    def compose(self, inner: "Series") -> "Series":
        """``f(g(x))`` in the only variable, for g without constant term."""
        inner._require_constant(0, "compose")
        result = self.ring.constant(0)
        for degree in reversed(range(self.ring.order + 1)):
            result = result * inner + self.ring.from_polynomial(self.coefficient(degree))
        return result

    def reversion(self) -> "Series":
        """The series g with ``f(g(x)) = x``, for ``f = x + …`` in the only variable: ``n g_n = [x^{n−1}] (x/f)^n``."""
        self._require_constant(0, "reversion")
        ratio = self.divided()
        ratio._require_constant(1, "reversion of f = x·r(x): r")
        inverse = ratio.inverse()
        (name,) = self.ring.variables
        generator: Any = self.ring._generators[name]
        result, power = self.ring.domain.zero, self.ring.constant(1)
        for n in range(1, self.ring.order + 1):
            power = power * inverse
            result += power.coefficient(n - 1) * generator**n * sympy.QQ(1, n)
        return self.ring.from_polynomial(result)

    def coefficient(self, degree: int) -> Any:
        """The coefficient of x^degree in the only variable, an element of the ring's `domain`."""
        (name,) = self.ring.variables
        part = self.parts[degree]
        return part.quo(self.ring._generators[name] ** degree) if part else part

    def even(self) -> Self:
        """The parts of even degree."""
        zero = self.ring.domain.zero
        return type(self)(self.ring, tuple(zero if n % 2 else part for n, part in enumerate(self.parts)))

    def as_expr(self) -> sympy.Expr:
        """The truncated series as a SymPy expression."""
        total: Any = sum(self.parts, self.ring.domain.zero)
        return total.as_expr()


def _rational(value: Any) -> Any:
    value = sympy.Rational(value) if not isinstance(value, Fraction) else value
    return sympy.QQ(int(value.numerator), int(value.denominator))
