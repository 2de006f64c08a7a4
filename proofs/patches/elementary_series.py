"""Elementary functions of power series with any constant term, over constants that are kept as symbols.

sin(1) or √2 is no rational number: such a constant is a coefficient of the ring that stands for it. Addition theorems
bring every function to a series without constant term.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from proofs.patches.monge_graphs import MongeGraph
from proofs.series import Series, SeriesRing

_DIGITS = 50
_NOTHING = sympy.Float(10) ** (10 - _DIGITS)
"""A constant that is smaller is 0, or can't be told from it."""
LARGEST_ARGUMENT = 100
"""Of an exponential."""
LARGEST = 1e60
"""Of a constant: SymPy can evaluate what is made of such ones."""
MOST_PRODUCTS = 4_000_000
"""Products of terms in one multiplication."""
MOST_BITS = 20_000
"""Of the numbers in one product."""


class NotSmooth(ValueError):
    """A function has no series at a value: it is not smooth, or not defined there; the message says why."""


class TooLarge(ValueError):
    """A series, or a number in it, is too large to be formed; the message says which."""


@dataclass
class Constants:
    """Irrational constants by the coefficients that stand for them; `most` are kept."""

    most: int
    _names: dict[Any, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """All names that can be given."""
        return tuple(f"constant_{number}" for number in range(1, self.most + 1))

    @property
    def meanings(self) -> dict[str, Any]:
        """What the names given so far stand for."""
        return {name: value for value, name in self._names.items()}

    def series(self, value: Any, ring: SeriesRing) -> Series:
        """A constant as a series."""
        if value.is_Rational:
            return ring.constant(value)
        if abs(value.evalf(15)) > LARGEST:
            raise TooLarge(f"has a constant above {LARGEST:g}")
        return ring[self._names.setdefault(value, self.names[len(self._names)])]

    def value(self, polynomial: Any) -> Any:
        """What a coefficient of a series stands for."""
        meanings = {sympy.Symbol(name): value for name, value in self.meanings.items()}
        return sympy.expand(polynomial.as_expr().xreplace(meanings))

    def sign(self, value: Any) -> int:
        """The sign of a constant. Raises `NotSmooth` where it can't be told."""
        if value.is_Rational:
            return int(sympy.sign(value))
        number = value.evalf(_DIGITS)
        if not number.is_real or abs(number) < _NOTHING:
            raise NotSmooth(f"whether {value} is 0 can't be told")
        return int(sympy.sign(number))

    def over_tangent(self, text: str, heights: Sequence[Series]) -> MongeGraph:
        """The graph of heights, their constant and linear terms left out, over the coefficients that occur."""
        ring = heights[0].ring
        used = [name for value, name in self._names.items() if any(_occurs(ring, name, height) for height in heights)]
        places = [ring.domain.gens.index(ring.generator(name)) for name in (*ring.variables, *used)]
        smaller = SeriesRing(ring.variables, ring.order, used)
        moved = []
        for height in heights:
            polynomial = smaller.domain.zero
            for part in height.parts[2:]:
                for monomial, coefficient in part.items():
                    polynomial[tuple(monomial[place] for place in places)] = coefficient
            moved.append(smaller.from_polynomial(polynomial))
        meanings = {name: value for name, value in self.meanings.items() if name in used}
        return MongeGraph(text, tuple(moved), meanings, _squares(meanings))


def _occurs(ring: SeriesRing, name: str, series: Series) -> bool:
    place = ring.domain.gens.index(ring.generator(name))
    return any(monomial[place] for part in series.parts[2:] for monomial in part)


def _squares(meanings: Mapping[str, Any]) -> dict[str, Fraction]:
    squares = {name: value**2 for name, value in meanings.items()}
    return {name: Fraction(int(square.p), int(square.q)) for name, square in squares.items() if square.is_Rational}


def product(left: Series, right: Series) -> Series:
    """``f g``. Raises `TooLarge` where the product is too large to be formed."""
    terms = [sum(map(len, series.parts)) for series in (left, right)]
    if terms[0] * terms[1] > MOST_PRODUCTS:
        raise TooLarge(f"has a product of {terms[0]} by {terms[1]} terms, of which {MOST_PRODUCTS} are formed at most")
    if sum(_longest(series) for series in (left, right)) > MOST_BITS:
        raise TooLarge(f"has a number of more than {MOST_BITS} bits")
    return left * right


def _longest(series: Series) -> int:
    return max((_bits(value) for part in series.parts for value in part.values()), default=0)


def _bits(value: Any) -> int:
    return max(int(value.numerator).bit_length(), int(value.denominator).bit_length())


def inverse(series: Series, constants: Constants) -> Series:
    """``1/f``."""
    return power(series, Fraction(-1), constants)


def power(series: Series, exponent: Fraction, constants: Constants) -> Series:
    """``f^a`` for a rational a."""
    ring = series.ring
    if exponent.denominator == 1 and exponent >= 0:
        result, square, left = ring.constant(1), series, int(exponent)
        while left:
            if left % 2:
                result = product(result, square)
            left //= 2
            square = product(square, square) if left else square
        return result
    start = constants.value(series.parts[0])
    sign = constants.sign(start)
    if sign == 0:
        raise NotSmooth("divides by 0 there" if exponent == -1 else f"takes 0 to the power {exponent} there")
    if sign < 0 and exponent.denominator > 1:
        raise NotSmooth(f"takes the negative number {start} to the power {exponent} there")
    scaled = series * constants.series(1 / start, ring)
    rest = _without_constant(scaled) + 1
    return constants.series(start ** sympy.Rational(exponent.numerator, exponent.denominator), ring) * rest.power(
        exponent
    )


def _without_constant(series: Series) -> Series:
    return Series(series.ring, (series.ring.domain.zero, *series.parts[1:]))


def apply(name: str, series: Series, constants: Constants) -> Series:
    """The function of that name, one of `FUNCTIONS`. Raises `NotSmooth` where it is not smooth at the constant term."""
    return FUNCTIONS[name](series, constants)


def _split(series: Series, constants: Constants) -> tuple[Any, Series]:
    return constants.value(series.parts[0]), _without_constant(series)


def _exp(f: Series, constants: Constants) -> Series:
    start, rest = _split(f, constants)
    if abs(start.evalf(15)) > LARGEST_ARGUMENT:
        raise TooLarge(f"is an exponential of more than {LARGEST_ARGUMENT}")
    return constants.series(sympy.exp(start), f.ring) * rest.exp()


def _log(f: Series, constants: Constants) -> Series:
    start = constants.value(f.parts[0])
    if constants.sign(start) <= 0:
        raise NotSmooth(f"takes the logarithm of {start} there")
    scaled = _without_constant(f * constants.series(1 / start, f.ring)) + 1
    return constants.series(sympy.log(start), f.ring) + scaled.log()


def _sqrt(f: Series, constants: Constants) -> Series:
    return power(f, Fraction(1, 2), constants)


def _sin(f: Series, constants: Constants) -> Series:
    start, rest = _split(f, constants)
    sine, cosine = (constants.series(function(start), f.ring) for function in (sympy.sin, sympy.cos))
    return sine * rest.cos() + cosine * rest.sin()


def _cos(f: Series, constants: Constants) -> Series:
    start, rest = _split(f, constants)
    sine, cosine = (constants.series(function(start), f.ring) for function in (sympy.sin, sympy.cos))
    return cosine * rest.cos() - sine * rest.sin()


def _tan(f: Series, constants: Constants) -> Series:
    return _sin(f, constants) * inverse(_cos(f, constants), constants)


def _sinh(f: Series, constants: Constants) -> Series:
    return (_exp(f, constants) - _exp(-f, constants)) * Fraction(1, 2)


def _cosh(f: Series, constants: Constants) -> Series:
    return (_exp(f, constants) + _exp(-f, constants)) * Fraction(1, 2)


def _tanh(f: Series, constants: Constants) -> Series:
    grown = _exp(f * 2, constants)
    return (grown - 1) * inverse(grown + 1, constants)


def _asin(f: Series, constants: Constants) -> Series:
    start, _ = _split(f, constants)
    if constants.sign(1 - start**2) <= 0:
        raise NotSmooth(f"takes the arcsine or arccosine of {start} there, which is not between −1 and 1")
    # asin f − asin c is the arcsine of f √(1 − c²) − c √(1 − f²)
    cosine = constants.series(sympy.sqrt(1 - start**2), f.ring)
    difference = f * cosine - constants.series(start, f.ring) * _sqrt(1 - f * f, constants)
    return constants.series(sympy.asin(start), f.ring) + _without_constant(difference).asin()


def _acos(f: Series, constants: Constants) -> Series:
    return constants.series(sympy.pi / 2, f.ring) - _asin(f, constants)


def _atan(f: Series, constants: Constants) -> Series:
    start, rest = _split(f, constants)
    # atan f − atan c is the arctangent of (f − c)/(1 + c f)
    difference = rest * inverse(f * constants.series(start, f.ring) + 1, constants)
    turned = difference * (1 + difference * difference).power(Fraction(-1, 2))
    return constants.series(sympy.atan(start), f.ring) + turned.asin()


def _abs(f: Series, constants: Constants) -> Series:
    sign = constants.sign(constants.value(f.parts[0]))
    if sign == 0:
        raise NotSmooth("takes the absolute value of 0 there")
    return f * sign


FUNCTIONS: Mapping[str, Any] = {
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "exp": _exp,
    "log": _log,
    "sqrt": _sqrt,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "abs": _abs,
}
"""The functions that can be typed."""
