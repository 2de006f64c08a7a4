r"""The t³ term of the density of directions is odd: it cancels between a direction and its opposite.

For σ = ±1 the height and the Jacobian along the ray of direction σw are z = ½ρ² h(w,w) + σ ⅙ρ³ k(w,w,w) + O(ρ⁴) and
J = σρ h(w) + ½ρ² k(w,w) + O(ρ³): the derivation of `proofs.geometry.projected_density` with one order more gives
q = 1 + c t² + σ c₃ t³ + O(t⁴), and the mean over σ = ±1 has no t³ term.
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import remainder, vectors
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, Dot, GramRoot, Inverse, Remainders, is_remainder
from proofs.geometry.projected_density import (
    NORMAL_CURVATURE,
    SHAPE,
    bending,
    density_at_radius,
    height,
    jacobian,
    rho,
    shape,
)
from proofs.symbols import dim, normal_curvature_sq, radius, shape_sq

sense = sympy.Symbol("sense", real=True)
"""σ, the direction being σw."""
twist, sway = sympy.symbols("k_www k_ww")
"""k(w, w, w), a normal vector, and the matrix with rows k^a(w, w)."""
bending_change, shape_change = sympy.symbols("bending_change shape_change", real=True)
BENDING_CHANGE = (Dot(bending, twist), bending_change)
SHAPE_CHANGE = (Dot(shape, sway), shape_change)


def projected_parities(remainders: Remainders) -> tuple[Chain, ...]:
    """The chains up to ``projected-volume-parity``, which comes last: ½(q(w) + q(−w)) = 1 + c t² + O(t⁴)."""
    radius_of, abscissa_of = _radius(remainders)
    volume = _volume_element(remainders)
    density = _density(remainders, volume, abscissa_of)
    coefficient = shape_sq / 2 - (dim + 2) * normal_curvature_sq / 8
    even = average_of_both("projected-volume-parity", remainders, density, coefficient)
    return radius_of, abscissa_of, volume, density, even


def _radius(remainders: Remainders) -> tuple[Chain, Chain]:
    error = remainders()
    taylor = (height, rho**2 / 2 * bending + sense * rho**3 / 6 * twist + rho**4 * error)
    build = ChainBuilder(
        "graph-radius-either-way",
        "The ambient radius of a graph point along σw",
        sympy.sqrt(rho**2 + Dot(height, height)),
        remainders=remainders,
        definitions=[taylor],
        hypotheses=[NORMAL_CURVATURE, BENDING_CHANGE],
        conditions=[vectors(height, bending, twist), remainder(error, rho, 1, vector=True)],
    )
    build.substitute("Taylor expansion of the graph", taylor)
    (product,) = build.current.atoms(Dot)
    terms = ((rho**2 / 2, bending), (sense * rho**3 / 6, twist), (rho**4, error))
    build.rewrite("bilinearity", "bilinearity", product, _products(terms))
    build.substitute("F = |h(w, w)|²", NORMAL_CURVATURE, BENDING_CHANGE)
    build.truncate("expand in ρ", build.current, rho, 4)
    radius_of = build.done()
    build = ChainBuilder(
        "abscissa-either-way",
        "The length of the tangent part at an ambient radius along σw",
        Inverse(radius_of.start, rho, radius),
        remainders=remainders,
        uses=[radius_of],
    )
    build.substitute("ambient radius of a graph point", fact(radius_of))
    build.invert("invert the series", build.current, 4)
    return radius_of, build.done()


def _products(terms: tuple[tuple[Any, Any], ...]) -> Any:
    return sum(a * b * Dot(*sorted((u, v), key=str)) for a, u in terms for b, v in terms)


def _volume_element(remainders: Remainders) -> Chain:
    error = remainders()
    taylor = (jacobian, sense * rho * shape + rho**2 / 2 * sway + rho**3 * error)
    build = ChainBuilder(
        "volume-element-either-way",
        "The volume element of a graph along σw",
        GramRoot(jacobian),
        remainders=remainders,
        definitions=[taylor],
        hypotheses=[SHAPE, SHAPE_CHANGE],
        conditions=[vectors(jacobian, shape, sway), remainder(error, rho, vector=True)],
    )
    build.substitute("Taylor expansion of the Jacobian", taylor)
    expanded = build.current.args[0]
    into = 1 + Dot(expanded, expanded) / 2 + remainders() * rho**4
    build.rewrite("Gram determinant to second order", "gram-determinant", build.current, into, variable=rho, order=3)
    terms = ((sense * rho, shape), (rho**2 / 2, sway), (rho**3, error))
    build.rewrite("bilinearity", "bilinearity", Dot(expanded, expanded), _products(terms))
    build.substitute("S = Σ |h^a w|²", SHAPE, SHAPE_CHANGE)
    return build.truncate("expand in ρ", build.current, rho, 3).done()


def _density(remainders: Remainders, volume: Chain, abscissa_of: Chain) -> Chain:
    title = "The density of the direction σw of P_T ξ at ambient radius t, to third order"
    return density_at_radius("density-either-way", title, remainders, volume, abscissa_of, 3).done()


def average_of_both(name: str, remainders: Remainders, density: Chain, coefficient: Any) -> Chain:
    """½(q(v) + q(−v)) = 1 + c t² + O(t⁴), for the density of σv to third order."""
    ways = [At(density.start, sense, sympy.Integer(sign)) for sign in (1, -1)]
    build = ChainBuilder(
        name,
        "The density averaged over a direction and its opposite: no t³ term",
        (ways[0] + ways[1]) / 2,
        remainders=remainders,
        uses=[density],
    )
    build.substitute("density along σv", fact(density))
    for part in sorted(build.current.atoms(At), key=str):
        build.evaluate(f"σ = {part.args[2]}", part)
    build.truncate("add up", build.current, radius, 3)
    (error,) = (symbol for symbol in build.current.free_symbols if is_remainder(symbol))
    return build.tidy("collect", 1 + coefficient * radius**2 + error * radius**4).done()
