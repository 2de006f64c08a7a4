"""Typed graphs: their series against SymPy's, exact numbers, and whatever is refused."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from proofs.patches.geodesic_series import geodesic
from proofs.patches.graph_expressions import expand_heights, graph_over_tangent, read_graph
from proofs.patches.monge_graphs import MongeGraph

from ..graphs import Graph

x, y, t = sympy.symbols("x y t")


def polynomials(text: str, order: int) -> list[sympy.Expr]:
    heights = expand_heights(read_graph(text), order)
    return [sum((heights.constants.value(part) for part in each.parts), sympy.Integer(0)) for each in heights.series]


half, third = sympy.Rational(1, 2), sympy.Rational(1, 3)
TYPED = {
    "x**2 - 3*x*y + y**3": x**2 - 3 * x * y + y**3,
    "sin(x + y/2)*exp(x - 1) + cos(y + 2)": sympy.sin(x + y / 2) * sympy.exp(x - 1) + sympy.cos(y + 2),
    "sqrt(4 + x)/(2 - y) + (1 + x*y)**(-3/2)": sympy.sqrt(4 + x) / (2 - y) + (1 + x * y) ** (-3 * half),
    "log(3 + x*y) - tan(x + 1/3)": sympy.log(3 + x * y) - sympy.tan(x + third),
    "sinh(x + 1) + cosh(y)*tanh(x - 1/2)": sympy.sinh(x + 1) + sympy.cosh(y) * sympy.tanh(x - half),
    "asin(x/2 + 1/4) + acos(y**2)": sympy.asin(x / 2 + half**2) + sympy.acos(y**2),
    "atan(1 + x + y) + +abs(x*y - 2)": sympy.atan(1 + x + y) + 2 - x * y,
    "pi*x + e**2 - y": sympy.pi * x + sympy.exp(2) - y,
}


@pytest.mark.parametrize("text", TYPED)
def test_series_are_those_of_taylor(text: str) -> None:
    """Against derivatives of the same function by SymPy, on a line through the origin."""
    order = 3
    (found,) = polynomials(text, order)
    line = {x: t / 3, y: -2 * t / 5}
    along = TYPED[text].subs(line)
    for degree in range(order + 1):
        expected = sympy.diff(along, t, degree).subs(t, 0) / sympy.factorial(degree)
        here = sympy.expand(found.subs(line)).coeff(t, degree)
        assert abs((here - expected).evalf(30)) < 1e-25


def test_numbers_are_exact() -> None:
    assert polynomials("0.1*x**2 + 1e-2*x", 2) == [x**2 / 10 + x / 100]
    assert polynomials("0.1000000000000000000000000000001*x", 1) == [x * sympy.Rational(10**30 + 1, 10**31) * 1]
    assert polynomials("(sqrt(2)**2 - 2)*x + x**2", 2) == [x**2]


def test_coordinates_and_codimension() -> None:
    assert read_graph("y**2").coordinates == ("x", "y")
    assert read_graph("u3*u1").coordinates == ("u1", "u2", "u3")
    assert [len(read_graph(text).heights) for text in ("x**2; x*y", "x**2, x*y", "x**2; x*y, y**2")] == [2, 2, 3]


REFUSED = {
    "sqrt(x)": "takes 0 to the power 1/2",
    "x**0.5": "takes 0 to the power 1/2",
    "1/x": "divides by 0",
    "x**-2": "takes 0 to the power -2",
    "log(x)": "takes the logarithm of 0",
    "abs(x)": "takes the absolute value of 0",
    "asin(1 + x)": "is not between −1 and 1",
    "sqrt(x - 1)": "negative number -1",
    "1/(sin(1)**2 + cos(1)**2 - 1 + x)": "whether .* is 0 can't be told",
    "a*x**2": "unknown name 'a'",
    "sin*x": "sin is used without an argument",
    "sin(x, y)": "sin takes one argument",
    "sin(x=y)": "sin takes one argument",
    "x**y": "the exponent y is no rational number",
    "x**1000": "the exponent 1000 has a part above 64",
    "x^2": "powers are written",
    "z = x**2": "is an equation",
    "z == x**2": "is a relation",
    "3": "depends on no coordinate",
    "": "is no expression",
    "x**2;": "is no expression",
    "sin(x": "is no expression",
    "x + u1": "mixes coordinates",
    "x.real": "is not understood",
    "__import__('os').system('true') + x": "is not understood|unknown name",
    "[u for u in x]": "unknown name|is not understood",
    "x if y else x": "is not understood",
    "lambda: x": "is not understood",
    "f'{x}'": "is not understood",
    "(x := y)": "is not understood",
    "'a'*x": "is no number",
    "True*x": "is no number",
    "1j*x": "is no number",
    "1e400*x**2": "is too long, or not decimal",
    "0x10*x**2": "is too long, or not decimal",
    "9" * 3000 + "*x": "has 3002 characters",
    "x" + "+x" * 300: "has 1202 parts",
    "(" * 500 + "x" + ")" * 500: "is no expression",
    "((9**64)**64)**64*x": "a number of more than",
    "exp(exp(exp(9)))*x": "an exponential of more than",
    "(e + pi + sqrt(2) + sqrt(3) + sqrt(5))**64*x": "a product of",
    "x**2 + y": r"the gradient of .* is \(0, 1\), not 0",
    "sin(1)*x": r"the gradient of .* is \(sin\(1\)\), not 0",
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.items(), ids=[text[:30] for text in REFUSED])
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        graph_over_tangent(read_graph(text), 3)


@given(st.text(alphabet="xyzu12+-*/().,;= sincoexplgrt[]{}'\"_:^!", max_size=30))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_graph_or_refused(text: str) -> None:
    try:
        found = graph_over_tangent(read_graph(text), 2, align=True)
    except InputError:
        return
    assert isinstance(found, MongeGraph)


def oracle(dim: int, height: Any) -> Graph:
    """A graph of one height for the integrator, its derivatives by SymPy."""
    names = (x, y)[:dim]
    gradient = [sympy.diff(height, name) for name in names]
    functions = [
        sympy.lambdify([names], value, "numpy")
        for value in (height, gradient, [[sympy.diff(entry, name) for name in names] for entry in gradient])
    ]
    value, slope, bend = functions
    return Graph(
        "typed",
        dim,
        lambda u: np.array([value(u)], dtype=float),
        lambda u: np.array([slope(u)], dtype=float),
        lambda u: np.array([bend(u)], dtype=float),
        1.0,
    )


def test_tilted_graphs_have_the_same_geodesics() -> None:
    """The arclength does not see the frame: on z = 3x/4 + x²/2 + xy − y³ the integrated one, through t⁸ at t = 0.02."""
    text, at = "3/4*x + x**2/2 + x*y - y**3", 0.02
    turned = geodesic(graph_over_tangent(read_graph(text), 7, align=True), (Fraction(3, 5), Fraction(4, 5)))
    graph = oracle(2, sympy.Rational(3, 4) * x + x**2 / 2 + x * y - y**3)
    # t₁ = (1, 0, 3/4)/(5/4), t₂ = (0, 1, 0): v = 3/5 t₁ + 4/5 t₂ moves the old coordinates by (12/25, 4/5).
    (value,) = (turned.expression(turned.arclength, t),)
    assert float(value.subs(t, at)) == pytest.approx(graph.arclength(np.array([12 / 25, 4 / 5]), at), abs=100 * at**8)


def test_turning_back_what_was_tilted() -> None:
    """A circle through the origin with slope 1: the arclength is that of the sphere, with roots on the way."""
    circle = "1/sqrt(2)*(1 - sqrt(1 - 2*sqrt(2)*x - 2*x**2 + 0*x))"
    with pytest.raises(InputError, match="irrational coefficients"):
        graph_over_tangent(read_graph(circle), 4, align=True)
    # (x − 1)² + (z + 1)² = 2 passes through the origin with slope 1
    found = geodesic(graph_over_tangent(read_graph("sqrt(2 - (x - 1)**2) - 1"), 7, align=True), [1])
    arc = sympy.series(2 * sympy.sqrt(2) * sympy.asin(t / (2 * sympy.sqrt(2))), t, 0, 8).removeO()
    assert sympy.expand(found.expression(found.arclength, t) - arc) == 0


def test_turned_surfaces_in_codimension_two() -> None:
    found = geodesic(graph_over_tangent(read_graph("x + y**2; 2*y - x*y"), 4, align=True))
    assert found.speed_sq == (found.domain.one, *[found.domain.zero] * 3)
