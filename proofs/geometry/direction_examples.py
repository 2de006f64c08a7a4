r"""Manifolds on which the density of directions, 1 + c t² + O(t³), does not grow with the normal curvature F.

In every example x is the square of a component of the direction (or a sine squared), F, S and Ric are written in it,
and c is one of the two coefficients by volume: of projected directions, S/2 − (m+2)F/8, or of geodesic ones,
(m+2)F/24 − Ric/6, with Ric = ⟨II(v,v), mH⟩ − S.
"""

from typing import Any

import sympy

from proofs.certificate import Chain, Equation
from proofs.conditions import direction_free
from proofs.expansion import ChainBuilder
from proofs.expressions import At, Mean, Slope
from proofs.symbols import dim, normal_curvature_sq, ricci, shape_sq

x = sympy.Symbol("direction_sin_sq", nonnegative=True)
pinch = sympy.Symbol("negative_curvature", nonnegative=True)
"""k, where one principal curvature is −k and the others are 1."""
_x_1, _x_2, _x_3 = sympy.symbols("x_1 x_2 x_3", nonnegative=True)
ROUND_FROM = 6
"""The dimension from which on the order of directions on S^{m−1} × R is reversed everywhere."""


def surface(projected: Any) -> tuple[Chain, Chain]:
    """A surface in R³ with principal curvatures κ₁, κ₂ at angle θ, x = sin²θ: c = (κ₁−κ₂)² sin²2θ/8.

    It vanishes at both principal directions and is positive between them: at the direction of the largest curvature
    the density is the least.
    """
    first, second = sympy.symbols("curvature_1 curvature_2", real=True)
    two = (dim, sympy.Integer(2))
    curvature = (normal_curvature_sq, (first * (1 - x) + second * x) ** 2)
    shapes = (shape_sq, first**2 * (1 - x) + second**2 * x)
    build = ChainBuilder(
        "surface",
        "The coefficient c of a surface in R³ (x = sin²θ, 4x(1−x) = sin²2θ)",
        projected,
        hypotheses=[two, curvature, shapes],
    )
    build.substitute("Euler's formula at angle θ", two, curvature, shapes)
    whole = build.tidy("factor", (first - second) ** 2 * 4 * x * (1 - x) / 8).done()
    build = ChainBuilder(
        "principal-directions",
        "c at the first principal direction, however large its curvature",
        whole.conclusion,
        hypotheses=[(x, sympy.Integer(0))],
    )
    return whole, build.substitute("θ = 0", (x, sympy.Integer(0))).done()


def reversals(projected: Any, geodesic: Any) -> tuple[Chain, Chain]:
    """A 3-manifold in R⁶ with h¹ = diag(−½, 1, 1), h²₁₂ = h³₁₃ = ¾: c falls as F grows, of either kind."""
    x, y, z = _x_1, _x_2, _x_3
    off_diagonal = sympy.Rational(3, 4)
    bend = -x / 2 + y + z
    shape = x / 4 + y + z + off_diagonal**2 * (x + y) + off_diagonal**2 * (x + z)
    given = (
        (dim, sympy.Integer(3)),
        (normal_curvature_sq, bend**2 + (2 * off_diagonal) ** 2 * (x * y + x * z)),
    )
    shapes, gauss = (shape_sq, shape), (ricci, sympy.Rational(3, 2) * bend - shape)
    unit = (z, 1 - x - y)
    chains = []
    for name, coefficient, share, about, value in (
        ("reversed-order", projected, 2, shapes, sympy.Rational(21, 32)),
        ("reversed-geodesic-order", geodesic, 4, gauss, sympy.Rational(15, 32)),
    ):
        build = ChainBuilder(
            name,
            f"A 3-manifold in R⁶ where c falls as F grows: c + F/{share} is constant",
            coefficient + normal_curvature_sq / share,
            hypotheses=[*given, about, unit],
        )
        build.substitute("invariants of the second form, x_i = v_i²", *given, about)
        build.substitute("unit directions", unit)
        chains.append(build.tidy("collect", value).done())
    return chains[0], chains[1]


def pinched(geodesic: Any) -> tuple[Chain, Chain, Chain]:
    """Hypersurfaces with principal curvatures −k, 1, …, 1 and x = v₁²: the first direction against any of the others.

    c(e₁) − c(e₂) = (1 + k)((m+2)(k − 1) + 4(m − 2))/24, where F(e₁) − F(e₂) = k² − 1 is negative for k < 1: the order
    of the two is reversed for k > (10 − 3m)/(m + 2), which for m ≥ 4 is every k. Two instances: k = 9/10, m = 3, and
    the cylinder S³ × R, k = 0 and m = 4, where the straight line is more frequent than any direction of the sphere.
    """
    normal = 1 - (1 + pinch) * x
    curvature = (normal_curvature_sq, normal**2)
    gauss = (ricci, (dim - 1 - pinch) * normal - (1 - (1 - pinch**2) * x))
    build = ChainBuilder(
        "pinched-hypersurface",
        "c in the direction of the negative curvature −k against c in another principal direction",
        At(geodesic, x, sympy.Integer(1)) - At(geodesic, x, sympy.Integer(0)),
        hypotheses=[curvature, gauss],
    )
    build.substitute("principal curvatures −k, 1, …, 1; the Gauss equation", curvature, gauss)
    for part in sorted(build.current.atoms(At), key=str):
        build.evaluate(f"at x = {part.args[2]}", part)
    contrast = (1 + pinch) * ((dim + 2) * (pinch - 1) + 4 * (dim - 2)) / 24
    family = build.tidy("factor", contrast).done()
    return (
        family,
        _instance("local-reversal", family, ((dim, 3), (pinch, sympy.Rational(9, 10))), sympy.Rational(133, 480)),
        _instance("cylinder-over-3-sphere", family, ((dim, 4), (pinch, 0)), sympy.Rational(1, 12)),
    )


def _instance(name: str, family: Chain, values: tuple[tuple[Any, Any], ...], contrast: Any) -> Chain:
    given: list[Equation] = [(symbol, sympy.sympify(value)) for symbol, value in values]
    title = "The flatter of two principal directions is the more frequent one"
    build = ChainBuilder(name, title, family.conclusion, hypotheses=given)
    return build.substitute("the values of m and k", *given).tidy("add up", contrast).done()


def round_cylinder(geodesic: Any) -> Chain:
    """S^{m−1} × R, where F = x² for x the square of the part along the sphere: dc/dx < 0 everywhere, from m = 6 on."""
    more, straight = sympy.symbols("more_dimensions straight_sq", nonnegative=True)
    curvature, gauss = (normal_curvature_sq, x**2), (ricci, (dim - 2) * x)
    build = ChainBuilder(
        "round-cylinder",
        "On S^{m−1} × R, m = 6 + n, the density falls with F = x²: dc/dx, where x = 1 − y",
        Slope(geodesic, x),
        hypotheses=[curvature, gauss, (dim, ROUND_FROM + more), (x, 1 - straight)],
    )
    build.substitute("the Gauss equation: Ric = (m − 1)x − x", curvature, gauss)
    (slope,) = build.current.atoms(Slope)
    build.rewrite("differentiate", "differentiation", slope, (dim + 2) * x / 12 - (dim - 2) / sympy.Integer(6))
    build.substitute("m = 6 + n, x = 1 − y", (dim, ROUND_FROM + more), (x, 1 - straight))
    return build.tidy("collect", -(more + (more + 8) * straight) / 12).done()


def equal_spheres(projected: Any) -> Chain:
    """Products of two unit spheres, of which the Clifford torus is one: S = 1, so that c + (m+2)F/8 is constant."""
    curvature, shapes = (normal_curvature_sq, x**2 + (1 - x) ** 2), (shape_sq, x + (1 - x))
    build = ChainBuilder(
        "equal-spheres",
        "On a product of two unit spheres c falls as F grows",
        projected + (dim + 2) * normal_curvature_sq / 8,
        hypotheses=[curvature, shapes],
    )
    build.substitute("x is the square of the part along one of them", curvature, shapes)
    return build.tidy("collect", sympy.Rational(1, 2)).done()


def surfaces(geodesic: Any) -> tuple[Chain, Chain]:
    """On a surface Ric is the Gauss curvature in every direction, so that c − ⟨c⟩ = (F − ⟨F⟩)/6."""
    first, mixed, second, angle = sympy.symbols("h_11 h_12 h_22 direction_angle", real=True)
    cos, sin = sympy.cos(angle), sympy.sin(angle)
    bend = first * cos**2 + 2 * mixed * cos * sin + second * sin**2
    shape = (first * cos + mixed * sin) ** 2 + (mixed * cos + second * sin) ** 2
    build = ChainBuilder(
        "surface-ricci",
        "One normal direction's share of Ric on a surface, tr(h) h(v,v) − |h v|², at any angle",
        (first + second) * bend - shape,
    )
    gauss = build.tidy("the determinant of h", first * second - mixed**2).done()
    two = (dim, sympy.Integer(2))
    build = ChainBuilder(
        "geodesic-surface",
        "Geodesic directions on a surface: c relative to its average",
        geodesic - Mean(geodesic),
        hypotheses=[two],
        conditions=[direction_free(ricci)],
        uses=[gauss],
    )
    build.substitute("m = 2", two)
    (average,) = build.current.atoms(Mean)
    build.rewrite("linearity", "linearity", average, Mean(normal_curvature_sq) / 6 - ricci / 6)
    return gauss, build.tidy("collect", (normal_curvature_sq - Mean(normal_curvature_sq)) / 6).done()
