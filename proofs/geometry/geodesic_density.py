r"""Directions of geodesics at a fixed ambient radius, by arclength, geodesic polar coordinates and volume.

The exponential map takes s v to the end of the geodesic of direction v and length s. Along it let 𝒥(s) be the matrix of
the Jacobi fields with 𝒥(0) = 0 and 𝒥′(0) = I in a parallel frame: 𝒥″ = −ℛ 𝒥 with ℛ_ij = ⟨R(e_i, γ′)γ′, e_j⟩, and the
volume element is θ s^{m−1} ds dv, θ = det(𝒥/s). From 𝒥 = s I + O(s³) and tr ℛ = Ric, θ = 1 − Ric s²/6 + O(s³); with
the arclength s = t + F t³/24 + O(t⁴) at ambient radius t the three densities against the flat ones follow.
"""

from collections.abc import Mapping
from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import identity_matrix, remainder, vectors
from proofs.expansion import ChainBuilder, expand, fact, turned
from proofs.expressions import Determinant, Dot, Primitive, Remainders, Slope, is_remainder, without_remainders
from proofs.geometry.curve_jets import s
from proofs.symbols import dim, normal_curvature_sq, radius, ricci

identity, test_matrix = sympy.symbols("identity test_matrix")
fields, curvature, curvature_0 = sympy.symbols("jacobi_fields curvature_operator curvature_operator_0")
"""𝒥(s), ℛ(s), and ℛ at s = 0."""
RICCI = (Dot(curvature_0, identity), ricci)
COEFFICIENTS: Mapping[str, tuple[str, Any, Any]] = {
    "geodesic-arc": ("the arc measure ds dv", sympy.Integer(0), normal_curvature_sq / 8),
    "geodesic-polar": ("geodesic polar coordinates s^{m−1} ds dv", dim - 1, (dim + 2) * normal_curvature_sq / 24),
    "geodesic-volume": ("the volume", dim - 1, (dim + 2) * normal_curvature_sq / 24 - ricci / 6),
}
"""The measures, their powers of s/t, and the coefficients c that the chains end in."""


def geodesic_routes(remainders: Remainders, arclength_of: Chain) -> tuple[Chain, ...]:
    """The chains up to ``geodesic-arc``, ``geodesic-polar`` and ``geodesic-volume``, which come last, in this order.

    `arclength_of` gives the arclength at an ambient radius.
    """
    growth = _growth(remainders)
    trace = _trace(remainders)
    volume = _volume_element(remainders, trace)
    routes = (
        _route(remainders, name, volume if name == "geodesic-volume" else None, arclength_of) for name in COEFFICIENTS
    )
    return growth, trace, volume, *routes


def jacobi_equation(test: Any, turned_test: Any) -> tuple[Any, Any]:
    """Jacobi's equation 𝒥″ = −ℛ𝒥 integrated twice from 𝒥(0) = 0 and 𝒥′(0) = I, in the direction of a matrix K.

    ⟨K, 𝒥⟩ = s⟨K, I⟩ − ∫∫⟨ℛK, 𝒥⟩, as ℛ is symmetric.
    """
    twice = Primitive(Primitive(inner(turned_test, fields), s), s)
    return inner(test, fields), s * inner(identity, test) - twice


def inner(left: Any, right: Any) -> Any:
    """The inner product as bilinear expansions write it."""
    return Dot(*sorted((left, right), key=str))


def _growth(remainders: Remainders) -> Chain:
    """⟨K, 𝒥⟩ = s⟨K, I⟩ + O(s³) for every matrix K: 𝒥 = s I + O(s³)."""
    start, product = remainders(), remainders()
    vanishing = (fields, s * start)
    equation = jacobi_equation(test_matrix, product)
    build = ChainBuilder(
        "jacobi-fields",
        "Jacobi fields that start from 0 grow linearly up to third order",
        equation[0],
        remainders=remainders,
        definitions=[vanishing],
        hypotheses=[equation],
        conditions=[
            vectors(test_matrix, fields),
            identity_matrix(identity),
            remainder(start, s, vector=True),
            remainder(product, s, vector=True),
        ],
    )
    build.substitute("Jacobi's equation, integrated", equation)
    build.substitute("the fields vanish at 0", vanishing)
    (integrand,) = build.current.atoms(Dot) - {inner(identity, test_matrix)}
    build.rewrite("bilinearity", "bilinearity", integrand, s * inner(product, start))
    return integrate_twice(build, sympy.Integer(0), 0).done()


def integrate_twice(build: ChainBuilder, leading: Any, order: int) -> ChainBuilder:
    """Integrates an expansion from 0 twice, `leading` + O(s^{order+1}), where the chain holds one double primitive."""
    (integrand,) = min(build.current.atoms(Primitive), key=lambda found: len(found.atoms(Primitive))).args[:1]
    into = leading + build.remainder() * s ** (order + 1)
    build.rewrite("expand in s", "truncation", integrand, into, variable=s, order=order)
    for more in (1, 2):
        innermost = min(build.current.atoms(Primitive), key=lambda found: len(found.atoms(Primitive)))
        leading = sympy.integrate(leading, s)
        into = leading + build.remainder() * s ** (order + more + 1)
        build.rewrite("integrate", "primitive", innermost, into, order=order + more - 1, weight=sympy.Integer(0))
    return build


def _trace(remainders: Remainders) -> Chain:
    """tr 𝒥 = m s − Ric s³/6 + O(s⁴)."""
    error, change = remainders(), remainders()
    growth = (fields, s * identity + s**3 * error)
    taylor = (curvature, curvature_0 + s * change)
    equation = jacobi_equation(identity, curvature)
    unit = (Dot(identity, identity), dim)
    build = ChainBuilder(
        "jacobi-trace",
        "The trace of the Jacobi fields",
        equation[0],
        remainders=remainders,
        definitions=[growth, taylor],
        hypotheses=[equation, unit, RICCI],
        conditions=[
            vectors(fields, curvature, curvature_0),
            identity_matrix(identity),
            remainder(error, s, vector=True),
            remainder(change, s, vector=True),
        ],
    )
    build.substitute("Jacobi's equation, integrated", equation)
    build.substitute("the fields grow linearly, the curvature is continuously differentiable", growth, taylor)
    (product,) = build.current.atoms(Dot) - {Dot(identity, identity)}
    terms = [(s * a * b, u, v) for a, u in ((1, curvature_0), (s, change)) for b, v in ((1, identity), (s**2, error))]
    products = sum(weight * inner(u, v) for weight, u, v in terms)
    build.rewrite("bilinearity", "bilinearity", product, products)
    build.substitute("Ric = tr ℛ; tr I = m", RICCI, unit)
    return integrate_twice(build, ricci * s, 1).done()


def _volume_element(remainders: Remainders, trace: Chain) -> Chain:
    """θ = det(𝒥/s) = 1 + tr(𝒥/s) − m + O(s⁴) = 1 − Ric s²/6 + O(s³)."""
    growth, unit = trace.definitions[0], trace.hypotheses[1]
    build = ChainBuilder(
        "exponential-volume",
        "The volume element of the exponential map, relative to flat space",
        Determinant(fields / s),
        remainders=remainders,
        uses=[trace],
    )
    build.substitute("the fields grow linearly", growth)
    identity_part = Dot(identity, identity)
    into = 1 + Dot(identity, growth[1]) / s - identity_part + remainders() * s**4
    build.rewrite("determinant near the identity", "determinant", build.current, into, variable=s, order=3)
    build.substitute("the fields", turned(growth))
    build.substitute("tr 𝒥; tr I = m", fact(trace), unit)
    return build.truncate("expand in s", build.current, s, 2).done()


def put_arclength(build: ChainBuilder, arclength_of: Chain) -> None:
    """Puts the arclength at the ambient radius t, and its slope, into the current expression."""
    build.substitute("s is the arclength at the ambient radius t", (s, arclength_of.start))
    build.substitute("its expansion (chord-arc)", fact(arclength_of))
    rate = Slope(arclength_of.conclusion, radius)
    plain: Any = without_remainders(arclength_of.conclusion)
    order = int(sympy.Poly(plain, radius).degree()) - 1
    polynomial = expand(sympy.diff(plain, radius), radius, order)
    build.rewrite("ds/dt", "slope", rate, polynomial + build.remainder() * radius ** (order + 1), order=order)


def _route(remainders: Remainders, name: str, volume: Chain | None, arclength_of: Chain) -> Chain:
    """The density of directions under a measure; `volume` is the volume element, for the measure that has it."""
    measure, power, coefficient = COEFFICIENTS[name]
    flat = (s / radius) ** power * Slope(s, radius)
    build = ChainBuilder(
        name,
        f"The density of geodesic directions at ambient radius t under {measure}, relative to flat space",
        flat if volume is None else volume.start * flat,
        remainders=remainders,
        definitions=[(s, arclength_of.start)],
        uses=[arclength_of] if volume is None else [volume, arclength_of],
    )
    if volume is not None:
        build.substitute("volume element of the exponential map", fact(volume))
    put_arclength(build, arclength_of)
    build.truncate("expand in t", build.current, radius, 2)
    (error,) = (symbol for symbol in build.steps[-1].parameters["into"].free_symbols if is_remainder(symbol))
    return build.tidy("collect", 1 + coefficient * radius**2 + error * radius**3).done()
