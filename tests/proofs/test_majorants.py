"""The majorants dominate the Taylor coefficients they claim to, and their closed tails the infinite rest."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from proofs import majorants
from proofs.majorants import RANGE, at_range, density, density_tail, geodesic_height, graph_height, root_below
from proofs.series import SeriesRing
from proofs.symbols import curvature_bound, dim, radius


def value(bound: sympy.Expr, y: float, m: int = 3) -> float:
    return float(bound.subs({radius: y, curvature_bound: 1, dim: m}))


def test_leading_terms_are_the_known_ones() -> None:
    """q̂ starts with m/2 + (m+2)/8, the bound on |c| from S ≤ m K² and F ≤ K²; the heights with K t²/2."""
    m = sympy.Symbol("m")
    assert sympy.expand(density().coefficient(2).as_expr() - (m / 2 + (m + 2) / 8)) == 0
    assert graph_height().coefficient(2) == geodesic_height().coefficient(2) == sympy.Rational(1, 2)
    assert density().coefficient(1) == 0


@pytest.mark.parametrize("m", [1, 2, 5])
def test_spheres_are_dominated(m: int) -> None:
    """On the unit sphere (K = 1) q = (1 − t²/4)^{(m−2)/2} and |P_N ξ| = t²/2."""
    ring = SeriesRing(("x",), majorants.ORDER)
    exact = (1 - ring["x"] * ring["x"] * Fraction(1, 4)).power(Fraction(m - 2, 2))
    for degree in range(majorants.ORDER + 1):
        bound = density().coefficient(degree).as_expr().subs(sympy.Symbol("m"), m)
        assert abs(exact.coefficient(degree).as_expr()) <= bound


@pytest.mark.parametrize("m", [1, 2, 5, 20])
def test_tails_dominate_the_terms_beyond_the_order(m: int) -> None:
    """The closed tail against the next coefficients, computed to a higher order with another ring."""
    order = 16
    ring = SeriesRing(("x",), order + 2)
    x = ring["x"]
    jacobian = x * (1 - x).inverse()
    lift = ring.univariate([0, *(Fraction(1, j + 1) for j in range(1, order + 2))])
    inverse = (x * (1 - lift * lift).sqrt()).reversion()
    q = (1 - jacobian * jacobian).power(Fraction(-m, 2)).compose(inverse)
    q = q * inverse.divided().power(m - 1) * inverse.derivative()
    for y in (0.02, float(RANGE)):
        for step in (1, 2):
            terms = [float(q.coefficient(j).as_expr()) * y**j for j in range(4, order + 1, step)]
            assert min(terms) >= 0
            assert sum(terms) <= value(density_tail(4, step=step), y, m)


def test_bounds_grow_with_the_radius_so_that_the_range_is_the_worst() -> None:
    constant = float(at_range(density_tail(4, step=2), 4).subs(dim, 3))
    for y in np.linspace(0.001, float(RANGE), 7):
        assert value(density_tail(4, step=2), y) <= constant * y**4 * (1 + 1e-12)


def test_conditions_of_the_shell_bounds_hold_up_to_dimension_20() -> None:
    assert value(density_tail(2, step=2), float(RANGE), 20) <= 0.5


@pytest.mark.parametrize("fraction", [Fraction(15, 16), Fraction(8, 9), Fraction(1, 2), Fraction(1)])
def test_root_below(fraction: Fraction) -> None:
    root = root_below(fraction)
    assert root**2 <= fraction < (root + Fraction(1, 1000)) ** 2
