from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from proofs.series import Series, SeriesRing

ORDER = 6
RING = SeriesRing(("x",), ORDER, ("m",))
x = sympy.Symbol("x")
fractions = st.fractions(min_value=-3, max_value=3, max_denominator=6)


def series(constant: int) -> st.SearchStrategy[Series]:
    return st.lists(fractions, min_size=ORDER, max_size=ORDER).map(lambda tail: RING.univariate([constant, *tail]))


@given(series(1), series(1), fractions, fractions)
def test_powers_are_homomorphic(f: Series, g: Series, a: Fraction, b: Fraction) -> None:
    assert f.power(a) * f.power(b) == f.power(a + b)
    assert (f * g).power(a) == f.power(a) * g.power(a)
    assert f * f.inverse() == RING.constant(1)
    assert f.sqrt() * f.sqrt() == f


@given(series(1))
def test_symbolic_exponents_specialise(f: Series) -> None:
    m = RING["m"]
    assert f.power(m + 1) == f.power(m) * f
    assert f.power(m * 2) == f.power(m) * f.power(m)


@given(series(0).map(lambda tail: RING["x"] + tail * RING["x"]))
def test_reversion_inverts(f: Series) -> None:
    identity = RING["x"]
    assert f.compose(f.reversion()) == identity
    assert f.reversion().compose(f) == identity


@given(series(1))
def test_derivative_undoes_the_integral(f: Series) -> None:
    assert f.integral().derivative().parts[:ORDER] == f.parts[:ORDER]


def test_against_sympys_series() -> None:
    ring = SeriesRing(("x",), 5)
    f = 1 + ring["x"] * 2 - ring["x"] * ring["x"]
    expected = sympy.series((1 + 2 * x - x**2) ** sympy.Rational(-3, 4), x, 0, 6).removeO()
    assert sympy.expand(f.power(Fraction(-3, 4)).as_expr() - expected) == 0


def test_grading_truncates_by_total_degree() -> None:
    ring = SeriesRing(("u", "v"), 3)
    u, v = ring["u"], ring["v"]
    product = (1 + u + v) * (1 + u * v) * (1 + u * u * v)
    u, v = sympy.symbols("u v")
    full = sympy.Poly((1 + u + v) * (1 + u * v) * (1 + u * u * v), u, v)
    kept = {powers: value for powers, value in full.terms() if sum(powers) <= 3}
    assert dict(sympy.Poly(product.as_expr(), u, v).terms()) == kept


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="constant term 1"):
        RING["x"].power(2)
    with pytest.raises(ValueError, match="not divisible"):
        RING.constant(1).divided()
    with pytest.raises(ValueError, match="different rings"):
        _ = RING["x"] + SeriesRing(("x",), 2)["x"]
    with pytest.raises(ValueError, match="order"):
        SeriesRing((), 2)
