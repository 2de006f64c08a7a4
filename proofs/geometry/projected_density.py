r"""Directions of P_T ξ at a fixed ambient radius, and the volume of a small extrinsic ball, by the Monge route.

Near p the manifold is the graph z of u = ρ w over T; its volume element √det g ρ^{m−1} dρ dw at ambient radius
t = √(ρ² + |z|²) has the density q(w, t) = √det g (ρ/t)^{m−1} dρ/dt against the flat t^{m−1} dt dw, and
q = 1 + (S/2 − (m+2)F/8) t² + O(t³).
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import direction_free, remainder, vectors
from proofs.expansion import ChainBuilder, expand, fact
from proofs.expressions import (
    Dot,
    GramRoot,
    Inverse,
    Mean,
    Primitive,
    Remainders,
    Slope,
    is_remainder,
    without_remainders,
)
from proofs.symbols import dim, normal_curvature_sq, radius, second_form_sq, shape_sq, trace_form_sq

rho = sympy.Symbol("abscissa", positive=True)
height, jacobian = sympy.symbols("z J")
bending, shape = sympy.symbols("h_ww h_w")
"""h(w, w), a normal vector, and the matrix with rows h^a w."""
NORMAL_CURVATURE = (Dot(bending, bending), normal_curvature_sq)
SHAPE = (Dot(shape, shape), shape_sq)


def projected_routes(remainders: Remainders) -> tuple[Chain, ...]:
    """The chains up to ``projected-volume``, which comes last."""
    radius_of, abscissa_of = _radius(remainders)
    volume = _volume_element(remainders)
    return radius_of, abscissa_of, volume, _density(remainders, volume, abscissa_of)


def _radius(remainders: Remainders) -> tuple[Chain, Chain]:
    """The ambient radius √(ρ² + |z|²) of a graph point, and its inverse ρ(t)."""
    error = remainders()
    taylor = (height, rho**2 / 2 * bending + rho**3 * error)
    build = ChainBuilder(
        "graph-radius",
        "The ambient radius of a graph point",
        sympy.sqrt(rho**2 + Dot(height, height)),
        remainders=remainders,
        definitions=[taylor],
        hypotheses=[NORMAL_CURVATURE],
        conditions=[vectors(height, bending), remainder(error, rho, 1, vector=True)],
    )
    build.substitute("Taylor expansion of the graph", taylor)
    squares = rho**4 / 4 * Dot(bending, bending) + rho**5 * Dot(bending, error) + rho**6 * Dot(error, error)
    (product,) = build.current.atoms(Dot)
    build.rewrite("bilinearity", "bilinearity", product, squares)
    build.substitute("F = |h(w, w)|²", NORMAL_CURVATURE)
    build.truncate("expand in ρ", build.current, rho, 3)
    radius_of = build.done()
    build = ChainBuilder(
        "abscissa",
        "The length of the tangent part at an ambient radius",
        Inverse(radius_of.start, rho, radius),
        remainders=remainders,
        uses=[radius_of],
    )
    build.substitute("ambient radius of a graph point", fact(radius_of))
    build.invert("invert the series", build.current, 3)
    return radius_of, build.done()


def _volume_element(remainders: Remainders) -> Chain:
    """√det g = √det(I + JᵀJ) = 1 + ½ S ρ² + O(ρ³) for the Jacobian J of the graph."""
    error = remainders()
    taylor = (jacobian, rho * shape + rho**2 * error)
    build = ChainBuilder(
        "volume-element",
        "The volume element of a graph",
        GramRoot(jacobian),
        remainders=remainders,
        definitions=[taylor],
        hypotheses=[SHAPE],
        conditions=[vectors(jacobian, shape), remainder(error, rho, vector=True)],
    )
    build.substitute("Taylor expansion of the Jacobian: row a is h^a w", taylor)
    expanded = build.current.args[0]
    into = 1 + Dot(expanded, expanded) / 2 + remainders() * rho**4
    build.rewrite(
        "Gram determinant to second order",
        "gram-determinant",
        build.current,
        into,
        variable=rho,
        order=3,
    )
    squares = rho**2 * Dot(shape, shape) + 2 * rho**3 * Dot(shape, error) + rho**4 * Dot(error, error)
    build.rewrite("bilinearity", "bilinearity", Dot(expanded, expanded), squares)
    build.substitute("S = Σ |h^a w|²", SHAPE)
    return build.truncate("expand in ρ", build.current, rho, 2).done()


def density_at_radius(
    name: str, title: str, remainders: Remainders, volume: Chain, abscissa_of: Chain, order: int
) -> ChainBuilder:
    """√det g (ρ/t)^{m−1} dρ/dt at ambient radius t, expanded in t through an order."""
    abscissa = (rho, abscissa_of.start)
    build = ChainBuilder(
        name,
        title,
        volume.start * (rho / radius) ** (dim - 1) * Slope(rho, radius),
        remainders=remainders,
        definitions=[abscissa],
        uses=[volume, abscissa_of],
    )
    build.substitute("volume element of a graph", fact(volume))
    build.substitute("ρ is the abscissa at the ambient radius t", abscissa)
    build.substitute("its expansion", fact(abscissa_of))
    rate = Slope(abscissa_of.conclusion, radius)
    polynomial = expand(sympy.diff(without_remainders(abscissa_of.conclusion), radius), radius, order)
    build.rewrite("dρ/dt", "slope", rate, polynomial + remainders() * radius ** (order + 1), order=order)
    return build.truncate("expand in t", build.current, radius, order)


def _density(remainders: Remainders, volume: Chain, abscissa_of: Chain) -> Chain:
    """The density of directions at ambient radius t, relative to flat space."""
    title = "The density of the direction of P_T ξ at ambient radius t, relative to flat space"
    build = density_at_radius("projected-volume", title, remainders, volume, abscissa_of, 2)
    error = next(term for term in build.current.args if term.has(radius**3))
    statement = 1 + (shape_sq / 2 - (dim + 2) * normal_curvature_sq / 8) * radius**2 + error
    return build.tidy("collect", statement).done()


def extrinsic_ball(remainders: Remainders, density: Chain, means: tuple[Chain, ...]) -> Chain:
    """Vol(M ∩ B(p, t))/(ω_m t^m) = m t^{−m} ∫₀ᵗ τ^{m−1}⟨q⟩ dτ."""
    weight = dim - 1
    build = ChainBuilder(
        "ball-volume",
        "The volume of an extrinsic ball, relative to flat space",
        dim * radius**-dim * Primitive(radius**weight * Mean(density.start), radius),
        remainders=remainders,
        conditions=[direction_free(radius)],
        uses=[density, *means],
    )
    build.substitute("density of directions", fact(density))
    (average,) = build.current.atoms(Mean)
    (error,) = (symbol for symbol in density.conclusion.free_symbols if is_remainder(symbol))
    linear = 1 + (Mean(shape_sq) / 2 - (dim + 2) * Mean(normal_curvature_sq) / 8) * radius**2
    linear += Mean(error) * radius**3
    build.rewrite("linearity of the average", "linearity", average, linear)
    build.substitute("averages over directions", *map(fact, means))
    (integral,) = build.current.atoms(Primitive)
    coefficient_2 = (2 * second_form_sq - trace_form_sq) / (8 * dim)
    into = radius**dim / dim + coefficient_2 * radius ** (dim + 2) / (dim + 2) + remainders() * radius ** (dim + 3)
    build.rewrite("integrate term by term", "primitive", integral, into, order=2, weight=weight)
    error = next(symbol for symbol in into.free_symbols if is_remainder(symbol))
    statement = 1 + (2 * second_form_sq - trace_form_sq) * radius**2 / (8 * (dim + 2)) + dim * error * radius**3
    return build.tidy("collect", statement).done()
