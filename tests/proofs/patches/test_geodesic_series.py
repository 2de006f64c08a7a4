"""Exact geodesics against closed forms, against geodesics integrated in float64, and against their own identities."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.optimize import brentq

from proofs.majorants import geodesic_height_tail, geodesic_shortfall_tail
from proofs.patches.geodesic_series import GeodesicSeries, geodesic
from proofs.patches.monge_graphs import MongeGraph, ellipsoid, monge_patch, sphere, torus
from proofs.series import SeriesRing
from proofs.symbols import curvature_bound, radius

from ..graphs import random_patch

t = sympy.Symbol("t", positive=True)
major, minor, r = sympy.symbols("major minor radius", positive=True)
axes = sympy.symbols("a b c", positive=True)


def evaluated(found: GeodesicSeries, series: tuple[Any, ...], values: dict[Any, float], at: float) -> float:
    names = {str(name): value for name, value in values.items()}
    expression = found.expression(series, t)
    return float(
        expression.subs({symbol: names.get(str(symbol), symbol) for symbol in expression.free_symbols} | {t: at})
    )


def bound(tail: Any, at: float) -> float:
    return float(tail.subs({curvature_bound: 1, radius: at}))


def unit_speed(found: GeodesicSeries) -> bool:
    return found.speed_sq == (found.domain.one, *[found.domain.zero] * (found.order - 1))


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_sphere_has_the_closed_forms(dim: int) -> None:
    """s = 2r asin(t/2r), |P_N ξ| = t²/2r, |P_T ξ| = t√(1 − t²/4r²)."""
    order = 9
    found = geodesic(sphere(dim, order))
    arclength = sympy.series(2 * r * sympy.asin(t / (2 * r)), t, 0, order + 1).removeO()
    assert sympy.expand(found.expression(found.arclength, t) - arclength) == 0
    tangent = sympy.series(t * sympy.sqrt(1 - t**2 / (4 * r**2)), t, 0, order + 1).removeO()
    assert sympy.expand(found.expression(found.tangent_norm, t) - tangent) == 0
    assert found.expression(found.normal_ratio_sq, t) == 1 / (4 * r**2)
    chord = sympy.series(2 * r * sympy.sin(t / (2 * r)), t, 0, order + 1).removeO()
    assert sympy.expand(found.expression(found.radius, t) - chord) == 0


@pytest.mark.parametrize(("direction", "curvature"), [((1, 0), 1 / (major + minor)), ((0, 1), 1 / minor)])
def test_circles_of_the_torus(direction: tuple[int, int], curvature: Any) -> None:
    """The outer equator and the meridians are geodesic circles."""
    found = geodesic(torus(7), direction)
    circle = geodesic(sphere(1, 7, 1 / sympy.Symbol("curvature")), [1])
    closed = circle.expression(circle.arclength, t).subs(sympy.Symbol("curvature"), curvature)
    assert sympy.simplify(found.expression(found.arclength, t) - closed) == 0


def test_principal_section_of_an_ellipsoid() -> None:
    """The section y = 0 is a geodesic ellipse: its arclength by quadrature, t/c = 0.2, error ~ (t/c)^11."""
    a, c, order, at = 1.3, 1.0, 10, 0.2
    found = geodesic(ellipsoid(axes, order), (1, 0))

    def chord(angle: float) -> float:
        return math.hypot(a * math.sin(angle), c * (1 - math.cos(angle)))

    angle: Any = brentq(lambda angle: chord(angle) - at, 0, 1, xtol=1e-15)
    arclength = quad(lambda angle: math.hypot(a * math.cos(angle), c * math.sin(angle)), 0, angle, epsabs=1e-14)[0]
    derived = evaluated(found, found.arclength, {"a": a, "b": 0.7, "c": c}, at)
    assert derived == pytest.approx(arclength, abs=at**11)
    height = evaluated(found, found.normal_ratio_sq, {"a": a, "b": 0.7, "c": c}, at)
    assert math.sqrt(height) * at**2 == pytest.approx(c * (1 - math.cos(angle)), abs=at**11)


def test_ellipsoid_at_a_point_solves_its_equation() -> None:
    values = dict(zip(axes, (Fraction(3, 2), Fraction(2), Fraction(1)), strict=True))
    normal = (Fraction(2, 7), Fraction(3, 7), Fraction(6, 7))
    found = geodesic(ellipsoid(tuple(values.values()), 6, normal), (Fraction(3, 5), Fraction(4, 5)))
    assert unit_speed(found)
    semi, n = np.array([float(value) for value in values.values()]), np.array([float(entry) for entry in normal])
    support = np.linalg.norm(semi * n)
    point = semi**2 * n / support
    frame = np.eye(3)[:, :2] - np.outer(n + np.eye(3)[2], n[:2]) / (1 + n[2])
    for s in (0.02, 0.05):
        u = [sum(float(found.value(c)) * s**k for k, c in enumerate(part)) for part in found.position]
        (z,) = [sum(float(found.value(c)) * s**k for k, c in enumerate(part)) for part in found.height]
        x = point + frame @ u - z * n
        # All curvatures are below 2 = K: the terms from s⁷ on are of order K⁶ s⁷.
        assert (x**2 / semi**2).sum() == pytest.approx(1, abs=2**6 * s**7)
    with pytest.raises(ValueError, match="unit vector, its square is 1/4"):
        ellipsoid(axes, 4, (Fraction(1, 2), 0, 0))


def test_general_point_of_an_ellipsoid_is_the_vertex_there() -> None:
    assert [height.parts for height in ellipsoid((2, 3, 5), 5, (0, 0, 1)).heights] == [
        height.parts for height in ellipsoid((2, 3, 5), 5).heights
    ]


@pytest.mark.parametrize(("dim", "codim"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)])
def test_monge_patches_against_integrated_geodesics(dim: int, codim: int) -> None:
    """Random cubic graphs with K = 1: terms from t⁷ on are below those of the majorant."""
    graph = random_patch(dim, codim, seed=dim + 10 * codim)
    second = graph.second_form
    third = np.stack([graph.hessian(axis) - second for axis in np.eye(dim)], axis=-1)
    symbols = geodesic(monge_patch(dim, codim, 6, degree=3), [1] + [0] * (dim - 1))
    values = {}
    for name in symbols.graph.ring.coefficients:
        letter, *label, word = name.split("_")
        place = (int(label[0]) - 1 if label else 0, *(int(digit) - 1 for digit in word))
        values[name] = (second if letter == "h" else third)[place]
    at = 0.1
    tangent, normal = graph.geodesic_parts(np.eye(dim)[0], at)
    assert evaluated(symbols, symbols.tangent_norm, values, at) == pytest.approx(
        tangent, abs=bound(geodesic_shortfall_tail(7), at)
    )
    derived = math.sqrt(evaluated(symbols, symbols.normal_ratio_sq, values, at)) * at**2
    assert derived == pytest.approx(normal, abs=bound(geodesic_height_tail(7), at))


@pytest.mark.parametrize(("dim", "codim", "order"), [(1, 1, 9), (1, 2, 8), (2, 1, 7), (2, 2, 6), (3, 1, 6), (3, 2, 5)])
def test_unit_speed_is_kept(dim: int, codim: int, order: int) -> None:
    """⟨γ′, γ′⟩ = 1 to all orders: true of geodesics only, and not used in finding them."""
    assert unit_speed(geodesic(monge_patch(dim, codim, order), [1] + [0] * (dim - 1)))
    assert unit_speed(geodesic(monge_patch(dim, codim, 4)))


def test_arclength_and_radius_are_inverse() -> None:
    found = geodesic(monge_patch(2, 1, 6))
    values = {str(symbol): Fraction(number, 7) for number, symbol in enumerate(found.domain.symbols)}
    values |= {"v_1": Fraction(3, 5), "v_2": Fraction(4, 5)}
    ring = SeriesRing(("x",), 6)
    radius, arclength = (
        ring.univariate([Fraction(str(found.value(value).subs(values))) for value in series])
        for series in (found.radius, found.arclength)
    )
    assert radius.compose(arclength) == ring["x"]


def test_directions_specialise() -> None:
    symbolic, axis = geodesic(monge_patch(2, 1, 5)), geodesic(monge_patch(2, 1, 5), (0, 1))
    along = [symbolic.value(value).subs({"v_1": 0, "v_2": 1}) for value in symbolic.arclength]
    assert [sympy.expand(a - axis.value(b)) for a, b in zip(along, axis.arclength, strict=True)] == [0] * 6


def test_misuse_is_refused() -> None:
    graph = monge_patch(2, 1, 4)
    with pytest.raises(ValueError, match="its square is 2"):
        geodesic(graph, (1, 1))
    with pytest.raises(ValueError, match="between 2 and 4"):
        geodesic(graph, (1, 0), 5)
    with pytest.raises(ValueError, match="3 components, the graph 2"):
        geodesic(graph, (1, 0, 0))
    ring = SeriesRing(("u1",), 3)
    with pytest.raises(ValueError, match="vanish to second order"):
        MongeGraph("line", (ring["u1"],))
