"""Logarithms of products and zeros: true instances, and near-misses that are refused."""

import pytest
import sympy

from proofs.conditions import nonzero, vectors
from proofs.expressions import Dot, Zero
from proofs.rules import Refused

from ..checking import apply

a, b, c, x = sympy.symbols("a b c x", positive=True)
s, t = sympy.symbols("s t", real=True)


def test_logarithms_of_products() -> None:
    apply("logarithm", sympy.log((a / b) ** 2 * sympy.exp(-2 * t)), 2 * sympy.log(a) - 2 * sympy.log(b) - 2 * t)
    apply("logarithm", sympy.log(a * sympy.sqrt(b)) + 1, sympy.log(a) + sympy.log(b) / 2 + 1)
    for part, into in (
        (sympy.log(a * b), sympy.log(a) - sympy.log(b)),
        (sympy.log(a**2 * b), sympy.log(a) + sympy.log(b)),
        (sympy.log(s * a), sympy.log(s) + sympy.log(a)),  # s may be negative, and its logarithm then no number
        (sympy.log(s**2 * a), 2 * sympy.log(s) + sympy.log(a)),
        (sympy.log(a + b), sympy.log(a) + sympy.log(b)),
    ):
        with pytest.raises(Refused):
            apply("logarithm", part, into)


def test_zeros_of_what_vanishes_once() -> None:
    apply("zero", Zero(a * t - b, t), b / a)
    apply("zero", Zero(sympy.log(a) + (a - b) * t, t), sympy.log(a) / (b - a), given={"conditions": (nonzero(a - b),)})
    quadratic, root = a - 2 * b * x - x**2, a / (b + sympy.sqrt(b**2 + a))
    apply("zero", Zero(quadratic, x), root)
    apply("zero", Zero(quadratic / (c + x) ** 2, x), root)


def test_other_zeros_are_refused() -> None:
    quadratic, root = a - 2 * b * x - x**2, a / (b + sympy.sqrt(b**2 + a))
    for part, into, reason in (
        (Zero(a * t - b, t), a / b, "does not vanish there"),
        (Zero(quadratic, x), 2 * root, "does not vanish there"),
        (Zero(quadratic, x), -b - sympy.sqrt(b**2 + a), "not known to be positive"),
        (Zero(t**2 - a, t), sympy.sqrt(a), "more than once"),
        (Zero((t - a) * (t - b), t), a, "more than once"),
        (Zero(sympy.log(a) + (a - b) * t, t), sympy.log(a) / (b - a), "more than once"),  # a = b is not excluded
        (Zero(sympy.exp(t) - 1, t), sympy.Integer(0), "no polynomial"),
    ):
        with pytest.raises(Refused, match=reason):
            apply("zero", part, into)
    with pytest.raises(Refused, match="plain expression"):
        apply("zero", Zero(Dot(s, s) - t, t), Dot(s, s), given={"conditions": (vectors(s),)})


def test_what_the_zero_may_not_depend_on() -> None:
    with pytest.raises(Refused, match="depends on"):
        apply("zero", Zero(t - s, t), s, given={"definitions": ((s, 2 * t),)})
    with pytest.raises(Refused, match="divided by"):
        apply("zero", Zero(t - a, t), a, given={"conditions": (nonzero(t - a),)})
