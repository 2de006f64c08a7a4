"""Rational functions that are compared, not reduced: quotients of polynomials without the cost of cancelling."""

from dataclasses import dataclass
from typing import Any, Self

import sympy
from sympy.polys.rings import PolyRing


@dataclass(frozen=True, eq=False)
class Ratio:
    """``numerator/denominator`` over the rationals; equality is by cross-multiplication, so no gcd is ever needed."""

    numerator: Any
    denominator: Any

    def __add__(self, other: Self) -> Self:
        if self.denominator == other.denominator:
            return type(self)(self.numerator + other.numerator, self.denominator)
        _, mine, theirs = self.denominator.cofactors(other.denominator)
        return type(self)(self.numerator * theirs + other.numerator * mine, self.denominator * theirs)

    def __mul__(self, other: Self) -> Self:
        if not self.numerator or not other.numerator:
            ring = self.numerator.ring
            return type(self)(ring.zero, ring.one)
        return type(self)(self.numerator * other.numerator, _product(self.denominator, other.denominator))

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
        return type(self)(base.numerator ** abs(exponent), base.denominator ** abs(exponent))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ratio):
            return NotImplemented
        return self.numerator * other.denominator == other.numerator * self.denominator

    def __bool__(self) -> bool:
        return bool(self.numerator)


def _product(left: Any, right: Any) -> Any:
    if left.is_one:
        return right
    return left if right.is_one else left * right


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
