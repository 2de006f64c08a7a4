"""Rational functions that are compared, not reduced: quotients of polynomials without the cost of cancelling."""

from dataclasses import dataclass
from math import comb
from typing import Any, Self

import sympy
from sympy.polys.rings import PolyRing

LARGEST = 50_000
"""Terms that a product or power may have; what would have more is refused before it is computed."""

LARGEST_GCD = 400
"""Product of the numbers of terms of denominators whose greatest common divisor is computed."""


class TooLarge(ValueError):
    """A polynomial would have more than `LARGEST` terms."""


def check_size(terms: int) -> None:
    """Raises `TooLarge` for a polynomial of that many terms."""
    if terms > LARGEST:
        raise TooLarge(f"a polynomial could have more than {LARGEST} terms")


@dataclass(frozen=True, eq=False)
class Ratio:
    """``numerator/denominator`` over the rationals; equality is by cross-multiplication, so no gcd is ever needed."""

    numerator: Any
    denominator: Any

    def __add__(self, other: Self) -> Self:
        if self.denominator == other.denominator:
            return type(self)(self.numerator + other.numerator, self.denominator)
        mine, theirs = self.denominator, other.denominator
        if len(mine) * len(theirs) <= LARGEST_GCD:  # a greatest common divisor keeps sums small, where it is cheap
            _, mine, theirs = mine.cofactors(theirs)
        numerator = _product(self.numerator, theirs) + _product(other.numerator, mine)
        return type(self)(numerator, _product(self.denominator, theirs))

    def __mul__(self, other: Self) -> Self:
        if not self.numerator or not other.numerator:
            ring = self.numerator.ring
            return type(self)(ring.zero, ring.one)
        numerator = _product(self.numerator, other.numerator)
        return type(self)(numerator, _product(self.denominator, other.denominator))

    def __neg__(self) -> Self:
        return type(self)(-self.numerator, self.denominator)

    def __sub__(self, other: Self) -> Self:
        return self + (-other)

    def inverse(self) -> Self:
        """``denominator/numerator``; ``ZeroDivisionError`` for 0."""
        if not self.numerator:
            raise ZeroDivisionError("a ratio of polynomials is divided by zero")
        if self.numerator.is_ground:
            return type(self)(self.denominator.quo_ground(self.numerator.LC), self.numerator.ring.one)
        return type(self)(self.denominator, self.numerator)

    def __truediv__(self, other: Self) -> Self:
        return self * other.inverse()

    def __pow__(self, exponent: int) -> Self:
        base = self if exponent >= 0 else self.inverse()
        for part in (base.numerator, base.denominator):
            check_size(comb(len(part) + abs(exponent) - 1, abs(exponent)))
        return type(self)(base.numerator ** abs(exponent), base.denominator ** abs(exponent))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ratio):
            return NotImplemented
        return _product(self.numerator, other.denominator) == _product(other.numerator, self.denominator)

    def __bool__(self) -> bool:
        return bool(self.numerator)

    @property
    def is_constant(self) -> bool:
        """Whether this is a rational number."""
        return bool(self.numerator.is_ground and self.denominator.is_ground)


def _product(left: Any, right: Any) -> Any:
    if left.is_one:
        return right
    if right.is_one:
        return left
    check_size(len(left) * len(right))
    return left * right


class RatioField:
    """The rational functions in some number of generators."""

    def __init__(self, generators: int) -> None:
        names = tuple(f"x{number}" for number in range(max(generators, 1)))
        self._ring: Any = PolyRing(names, sympy.QQ)
        self.gens = tuple(Ratio(generator, self._ring.one) for generator in self._ring.gens)
        self.zero = self(0)
        self.one = self(1)

    def __call__(self, numerator: int, denominator: int = 1) -> Ratio:
        """A rational number."""
        return Ratio(self._ring(sympy.QQ(numerator, denominator)), self._ring.one)
