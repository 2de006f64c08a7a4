r"""Rigorous bounds on what the predictions leave out, by majorant series in one dimensionless variable ``y = K t``.

The curvature bound K (an inverse length, symbol ``curvature_bound``) is any number such that the manifold is near the
base point the graph of an analytic z over its tangent space with, for every unit w and every j ≥ 2,

    |D^j z(0)[w, …, w]| ≤ (j − 1)! K^{j−1}.

For j = 2 this says that K is at least the largest normal curvature ``max √F``; a sphere and a cylinder of radius r have
K = 1/r exactly, a cubic Monge patch ``K = max(|h(w,w)|, √(|k(w,w,w)|/2))``. A power series f is *majorised* by g
(written f ≪ g) when the coefficients of g bound those of f in norm. Then, with x = Kρ along a ray u = ρ w:

- ``K z ≪ Z = Σ_{j≥2} x^j/j``, and the Jacobian ``∂z/∂u ≪ D = x/(1−x)``: a symmetric form on a Hilbert space is bounded
  by its values on the diagonal (Banach 1938), so that D z(ρw) costs exactly the factor j;
- ``√det(I + JᵀJ) ≪ (1 − D²)^{−m/2}``, from ``log det = Σ (−1)^{p+1} tr (JᵀJ)^p/p`` and ``|tr A| ≤ m|A|``;
- the graph radius ``t = ρ√(1+|z|²/ρ²)`` has the inverse ``Kρ ≪ x̂(y)``, the inverse of ``y = x√(1 − (Z/x)²)``;
- a unit-speed geodesic has ``u″ = −(I+JᵀJ)⁻¹Jᵀ D²z(u′,u′)``, majorised by ``x″ = D D′/(1−D²) x′²``, which integrates to
  ``s = ∫√(1 − D²) dx``.

The tail beyond the computed order follows from Cauchy's estimate: a majorant with non-negative coefficients and value M
at y = R has coefficients at most ``M/R^j``. Bounds hold for ``K t ≤ RANGE`` and grow with t.
"""

from fractions import Fraction
from functools import cache
from math import isqrt
from typing import Any

import sympy

from proofs.series import Series, SeriesRing
from proofs.symbols import curvature_bound, dim, radius

RANGE = Fraction(3, 20)
"""Bounds are valid for curvature_bound · radius up to this value."""
BOUND = "a bound for K t ≤ 3/20, where the heights over T have |D^j z(0)[w, …, w]| ≤ (j − 1)! K^{j−1} for unit w, j ≥ 2"
"""The note of a remainder made here."""
SYMMETRIC_BOUND = f"{BOUND}; of averages over directions w and −w"
"""The note of one that leaves odd terms out."""
ORDER = 9
"""Coefficients up to this order are exact; the tail beyond it is Cauchy's."""
_WORKING = ORDER + 3  # a derivative and divisions by y each cost an order

# Values at x = 1/3 for the graph: D = 1/2, Z/x ≤ ½·x/(1−x) = 1/4, x (Z/x)(Z/x)′ ≤ (1/3)(1/4)(9/8) = 3/32.
_GRAPH_X = Fraction(1, 3)
_GRAPH_LIFT = Fraction(1, 4)
_GRAPH_SLOPE = Fraction(3, 32)
# Values at x = 1/4 for a geodesic: D = 1/3, Z/x ≤ 1/6, s ≥ x√(1 − D²).
_GEODESIC_X = Fraction(1, 4)
_GEODESIC_JACOBIAN = Fraction(1, 3)
_GEODESIC_LIFT = Fraction(1, 6)


def root_below(value: Fraction) -> Fraction:
    """A rational number at most √value, to three digits."""
    return Fraction(isqrt(int(value * 10**6)), 10**3)


@cache
def _ring() -> SeriesRing:
    return SeriesRing(("x",), _WORKING, ("m",))


@cache
def _jacobian() -> Series:
    x = _ring()["x"]
    return x * (1 - x).inverse()


@cache
def _lift() -> Series:
    """Z/x = Σ_{j≥2} x^{j−1}/j."""
    return _ring().univariate([0, *(Fraction(1, j + 1) for j in range(1, _WORKING + 1))])


@cache
def graph_abscissa() -> Series:
    """x̂(y): bounds Kρ, the length of the tangent part, as a series in y = Kt along a direction of P_T ξ."""
    return (_ring()["x"] * (1 - _lift() * _lift()).sqrt()).reversion()


@cache
def density() -> Series:
    """q̂(y, m): bounds the density of projected directions, ``√det g (ρ/t)^{m−1} dρ/dt``."""
    m, inverse = _ring()["m"], graph_abscissa()
    jacobian = _jacobian()
    volume = (1 - jacobian * jacobian).power(m * Fraction(-1, 2)).compose(inverse)
    return volume * inverse.divided().power(m - 1) * inverse.derivative()


@cache
def graph_height() -> Series:
    """Bounds K|z| at the ambient radius t = y/K along a direction of P_T ξ."""
    inverse = graph_abscissa()
    return inverse * _lift().compose(inverse)


@cache
def geodesic_abscissa() -> Series:
    """x̂(s): bounds K|u| along a geodesic of length s/K."""
    jacobian = _jacobian()
    return (1 - jacobian * jacobian).sqrt().integral().reversion()


@cache
def _geodesic_lift() -> Series:
    """Bounds |z|/s along a geodesic."""
    return _lift().compose(geodesic_abscissa()) * geodesic_abscissa().divided()


@cache
def geodesic_arclength() -> Series:
    """ŝ(y): bounds K times the arclength at the ambient radius t = y/K."""
    stretch, lift = geodesic_abscissa().divided(), _geodesic_lift()
    radius_defect = stretch * stretch - 1 + lift * lift
    return (_ring()["x"] * (1 - radius_defect).sqrt()).reversion()


@cache
def geodesic_height() -> Series:
    """Bounds K|P_N ξ| at the ambient radius t = y/K along a geodesic."""
    return (_geodesic_lift() * _ring()["x"]).compose(geodesic_arclength())


@cache
def geodesic_density(measure: str) -> Series:
    """Bounds the density of geodesic directions: ds/dt (arc), (s/t)^{m−1} ds/dt (polar), θ times that (volume).

    The volume element θ is √det g · det(∂u/∂(sv)), where ∂u/∂(sv) − I ≪ x̂′(s) − 1: as for z, the derivative of a
    homogeneous part of degree j costs the factor j. Then det(I + E) ≪ (1 − |E|)^{−m}, as for √det g.
    """
    m, arclength, abscissa = _ring()["m"], geodesic_arclength(), geodesic_abscissa()
    density = arclength.derivative()
    if measure == "arc":
        return density
    density = density * arclength.divided().power(m - 1)
    if measure == "polar":
        return density
    jacobian = _jacobian().compose(abscissa)
    element = (1 - jacobian * jacobian).power(m * Fraction(-1, 2)) * (2 - abscissa.derivative()).power(m * -1)
    return density * element.compose(arclength)


@cache
def _graph_circle() -> tuple[Fraction, sympy.Expr, Fraction]:
    """R, a bound on q̂(R, m), and one on the height's majorant at R."""
    root = root_below(1 - _GRAPH_LIFT**2)
    circle = _GRAPH_X * root
    # dy/dx = ((1 − W²) − x W W′)/√(1 − W²) for W = Z/x, and √(1 − W²) < root + 1/1000.
    slope = (1 - _GRAPH_LIFT**2 - _GRAPH_SLOPE) / (root + Fraction(1, 10**3))
    ratio, jacobian = 1 / root, Fraction(1, 2)
    value = _q(1 / (1 - jacobian**2)) ** (dim / 2) * _q(ratio) ** (dim - 1) / _q(slope)
    return circle, value, _GRAPH_X * _GRAPH_LIFT


@cache
def _geodesic_circle() -> tuple[Fraction, Fraction]:
    """R and a bound on the height's majorant at R."""
    root = root_below(1 - _GEODESIC_JACOBIAN**2)
    return _GEODESIC_X * root * _geodesic_chord(root), _GEODESIC_X * _GEODESIC_LIFT


def _geodesic_chord(root: Fraction) -> Fraction:
    """A number below t/s = √(1 − (x/s)² + 1 − (Z/s)²), given one below √(1 − D²)."""
    return root_below(2 - 1 / root**2 - (_GEODESIC_LIFT / root) ** 2)


@cache
def _geodesic_density_circle(measure: str) -> tuple[Fraction, sympy.Expr]:
    """R, and a bound on the majorant of the density at R."""
    root = root_below(1 - _GEODESIC_JACOBIAN**2)
    chord = _geodesic_chord(root)
    # dt/ds = (t²/s² − (x/s)(x′ − x/s) − (Z/s)(Z′x′ − Z/s)) s/t with Z′ = D, x′ = 1/√(1 − D²), and t/s < chord + 1/1000.
    bend = (1 / root - 1) / root + _GEODESIC_LIFT * _GEODESIC_JACOBIAN / root**2
    value = _q((chord + Fraction(1, 10**3)) / (chord**2 - bend))
    if measure != "arc":
        value = value * _q(1 / chord) ** (dim - 1)
    if measure == "volume":
        value = value * _q(1 / (1 - _GEODESIC_JACOBIAN**2)) ** (dim / 2) * _q(1 / (2 - 1 / root)) ** dim
    return _geodesic_circle()[0], value


def _q(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)


def _tail(value: Any, circle: Fraction, start: int, step: int) -> sympy.Expr:
    """Bound on ``Σ_{j = start, start+step, …} a_j y^j`` from ``a_j ≤ value/circle^j``, for y ≤ RANGE."""
    closing = 1 / (1 - (RANGE / circle) ** step)
    return value * _q(closing) * (curvature_bound * radius / _q(circle)) ** start


def _terms(series: Series, start: int, step: int) -> sympy.Expr:
    scaled = curvature_bound * radius
    total: sympy.Expr = sympy.Integer(0)
    for degree in range(start, ORDER + 1, step):
        coefficient: Any = series.coefficient(degree).as_expr().xreplace({sympy.Symbol("m"): dim})
        total += coefficient * scaled**degree
    return total


def _beyond(start: int, step: int) -> int:
    """First degree of the progression above ORDER."""
    return start + step * ((ORDER - start) // step + 1)


def density_tail(start: int, *, step: int) -> sympy.Expr:
    """Bound on the density's terms of degrees start, start + step, … in t.

    The density at −w and t is the one at w and −t: over a set of directions that is symmetric under w → −w the odd
    degrees cancel (`step` 2 from an even start).
    """
    circle, value, _ = _graph_circle()
    return _terms(density(), start, step) + _tail(value, circle, _beyond(start, step), step)


def geodesic_density_tail(measure: str, start: int, *, step: int) -> sympy.Expr:
    """The same for the density of geodesic directions under a measure (`geodesic_density`)."""
    circle, value = _geodesic_density_circle(measure)
    return _terms(geodesic_density(measure), start, step) + _tail(value, circle, _beyond(start, step), step)


def graph_height_sq_tail(start: int, *, step: int) -> sympy.Expr:
    """Bound on the terms of degrees start, start + step, … of K²|P_N ξ|² along a direction of P_T ξ."""
    circle, _, value = _graph_circle()
    height = graph_height()
    return _terms(height * height, start, step) + _tail(_q(value**2), circle, _beyond(start, step), step)


def geodesic_arclength_tail(start: int) -> sympy.Expr:
    """Bound on the terms of degree ≥ start of K s along a geodesic, in its ambient radius.

    At y = R the majorant ŝ is at most the s of x = 1/4, ``∫√(1 − D²) dx ≤ x``.
    """
    circle, _ = _geodesic_circle()
    return _terms(geodesic_arclength(), start, 1) + _tail(_q(_GEODESIC_X), circle, _beyond(start, 1), 1)


def geodesic_height_tail(start: int) -> sympy.Expr:
    """Bound on the terms of degree ≥ start of K|P_N ξ| along a geodesic."""
    circle, value = _geodesic_circle()
    return _terms(geodesic_height(), start, 1) + _tail(_q(value), circle, _beyond(start, 1), 1)


def geodesic_shortfall_tail(start: int) -> sympy.Expr:
    """Bound on the terms of degree ≥ start of K(t − |P_T ξ|) along a geodesic, ``t(1 − √(1 − |P_N ξ|²/t²))``."""
    circle, value = _geodesic_circle()
    lift = geodesic_height().divided()
    shortfall = _ring()["x"] * (1 - (1 - lift * lift).sqrt())
    largest = circle * (1 - root_below(1 - (value / circle) ** 2))
    return _terms(shortfall, start, 1) + _tail(_q(largest), circle, _beyond(start, 1), 1)


COEFFICIENT_SPREAD = (5 * dim + 2) / 8
"""Bound on |c − ⟨c⟩|/K²: the range of c is at most this wide."""


def shell_tail() -> sympy.Expr:
    """Bound on the even part of ``q/⟨q⟩ − 1 − (c − ⟨c⟩)t²``, the normalised density on the shell of radius t.

    With q = 1 + a and a = c t² + A: q/⟨q⟩ − 1 = (a − ⟨a⟩) − (a − ⟨a⟩)⟨a⟩/⟨q⟩, where −(m+2)/8 ≤ c/K² ≤ m/2 and
    −m/8 ≤ ⟨c⟩/K² ≤ m/4 (as F ≤ K², S ≤ m K²), and ⟨q⟩ ≥ ½ up to RANGE for dim ≤ 20.
    """
    higher = density_tail(4, step=2)
    square = (curvature_bound * radius) ** 2
    return 2 * higher + 2 * (COEFFICIENT_SPREAD * square + 2 * higher) * (dim * square / 4 + higher)


def shell_odd_tail() -> sympy.Expr:
    """Bound on the odd part of the normalised density ``q/⟨q⟩``: twice the one of q, as ⟨q⟩ ≥ ½."""
    return 2 * density_tail(3, step=2)


def normal_energy_tail() -> sympy.Expr:
    """Bound on ``K²(E[|P_N ξ|²] − ⟨F⟩t⁴/4)`` over the shell of radius t, by volume.

    With r = q/⟨q⟩ and f = |P_N ξ|² = F t⁴/4 + …: ⟨r f⟩ = ⟨r_even f_even⟩ + ⟨r_odd f_odd⟩, where |r_even − 1| ≤ 4e
    multiplies F t⁴/4 ≤ y⁴/(4K²), r_even averages to 1 over the higher even terms of f, and |r_odd| ≤ 2|q_odd|.
    """
    even = density_tail(2, step=2) * (curvature_bound * radius) ** 4 + graph_height_sq_tail(6, step=2)
    return even + shell_odd_tail() * graph_height_sq_tail(5, step=2)


def at_range(bound: sympy.Expr, power: int) -> sympy.Expr:
    """The least C with ``bound ≤ C (K t)^power`` up to RANGE, for a bound whose terms have at least that degree."""
    value: Any = bound.xreplace({curvature_bound: sympy.Integer(1), radius: _q(RANGE)})
    return value / _q(RANGE) ** power
