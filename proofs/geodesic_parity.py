r"""The t³ term of the density of geodesic directions is odd: it cancels between a direction and its opposite.

For σ = ±1 the geodesic of direction σv is γ(σs). With F′ = 2⟨γ″, γ‴⟩ and Ric′ = tr ℛ′(0) along γ, the derivation of
`proofs.geodesic_density` with one order more has σF′ and σRic′ in the t³ terms and elsewhere only σ² = 1: the mean over
σ = ±1 is 1 + c t² + O(t⁴) for each of the three measures.
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import curve, identity_matrix, remainder, vectors
from proofs.direction_parity import average_of_both, sense
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Derived, Determinant, Dot, Inverse, Remainders, Slope
from proofs.geodesic_density import (
    COEFFICIENTS,
    RICCI,
    curvature,
    curvature_0,
    fields,
    identity,
    inner,
    integrate_twice,
    jacobi_equation,
    put_arclength,
)
from proofs.symbols import dim, radius, ricci
from proofs.tangent_normal_scaling import GEODESIC, UNIT_SPEED, displacement, first, s, second, third

fourth = sympy.Symbol("gamma_4")
JETS = (first, second, third, fourth)
curvature_1 = sympy.Symbol("curvature_operator_1")
"""The derivative of ℛ at s = 0."""
bending_rate, ricci_rate = sympy.symbols("bending_rate ricci_rate", real=True)
BENDING_RATE = (Dot(second, third), bending_rate / 2)
RICCI_RATE = (Dot(curvature_1, identity), ricci_rate)
_CONDITION = curve(*JETS)


def geodesic_parities(remainders: Remainders) -> tuple[Chain, ...]:
    """The chains up to the parities of the three measures, which come last, in the order of `COEFFICIENTS`."""
    jets = _jets()
    radius_of, arclength_of = _radius(remainders, jets)
    trace = _trace(remainders)
    volume = _volume_element(remainders, trace)
    chains, parities = [], []
    for name, (_, power, coefficient) in COEFFICIENTS.items():
        density = _density(remainders, name, power, volume if name == "geodesic-volume" else None, arclength_of)
        chains.append(density)
        parities.append(average_of_both(f"{name}-parity", remainders, density, coefficient))
    return *jets, radius_of, arclength_of, trace, volume, *chains, *parities


def _jets() -> tuple[Chain, ...]:
    """⟨γ′, γ″⟩ = 0, ⟨γ′, γ‴⟩ = −F and ⟨γ′, γ⁗⟩ = −3F′/2, from ⟨γ′, γ′⟩ = 1."""
    chains = []
    for name, jet, rest, known in (
        ("velocity-acceleration", second, sympy.Integer(0), ()),
        ("velocity-jerk", third, Dot(second, second), (GEODESIC,)),
        ("velocity-snap", fourth, 3 * Dot(second, third), (BENDING_RATE,)),
    ):
        times = JETS.index(jet)
        build = ChainBuilder(
            name,
            f"⟨γ′, γ⟩ with the derivative number {times + 1} of a unit-speed geodesic γ",
            Dot(first, jet),
            hypotheses=[UNIT_SPEED, *known],
            conditions=[_CONDITION],
        )
        into = Derived(Dot(first, first), times) / 2 - rest
        build.rewrite("product rule", "leibniz", build.current, into)
        build.substitute("unit speed", UNIT_SPEED)
        constant = Derived(sympy.Integer(1), times)
        build.rewrite("a constant has derivative 0", "constancy", constant, sympy.Integer(0))
        chains.append(build.substitute("F = |γ″|², F′ = 2⟨γ″, γ‴⟩", *known).done() if known else build.done())
    return tuple(chains)


def _radius(remainders: Remainders, jets: tuple[Chain, ...]) -> tuple[Chain, Chain]:
    """|ξ| at γ(σs), and the arclength at an ambient radius; ξ is written down times σ, which leaves |ξ| as it is."""
    error = remainders()
    terms = ((s, first), (sense * s**2 / 2, second), (s**3 / 6, third), (sense * s**4 / 24, fourth), (s**5, error))
    taylor = (displacement, sympy.Add(*(a * u for a, u in terms)))
    build = ChainBuilder(
        "ambient-radius-either-way",
        "The ambient radius along a geodesic in the direction σv",
        sympy.sqrt(Dot(displacement, displacement)),
        remainders=remainders,
        definitions=[taylor],
        conditions=[vectors(displacement), remainder(error, s, 1, vector=True)],
        uses=jets,
    )
    build.substitute("Taylor expansion of the geodesic, times σ", taylor)
    order = (*JETS, error)
    products = sum(a * b * Dot(*sorted((u, v), key=order.index)) for a, u in terms for b, v in terms)
    build.rewrite("bilinearity", "bilinearity", build.current.base, products)
    build.substitute("jets of the geodesic", UNIT_SPEED, GEODESIC, BENDING_RATE, *map(fact, jets))
    radius_of = build.truncate("expand in the arclength", build.current, s, 4).done()
    build = ChainBuilder(
        "arclength-either-way",
        "The arclength at an ambient radius in the direction σv",
        Inverse(radius_of.start, s, radius),
        remainders=remainders,
        uses=[radius_of],
    )
    build.substitute("ambient radius along the geodesic", fact(radius_of))
    return radius_of, build.invert("invert the series", build.current, 4).done()


def _trace(remainders: Remainders) -> Chain:
    """tr 𝒥 = m s − Ric s³/6 − σRic′ s⁴/12 + O(s⁵)."""
    error, change = remainders(), remainders()
    growth = (fields, s * identity + s**3 * error)
    taylor = (curvature, curvature_0 + sense * s * curvature_1 + s**2 * change)
    equation = jacobi_equation(identity, curvature)
    unit = (Dot(identity, identity), dim)
    build = ChainBuilder(
        "jacobi-trace-either-way",
        "The trace of the Jacobi fields along a geodesic in the direction σv",
        equation[0],
        remainders=remainders,
        definitions=[growth, taylor],
        hypotheses=[equation, unit, RICCI, RICCI_RATE],
        conditions=[
            vectors(fields, curvature, curvature_0, curvature_1),
            identity_matrix(identity),
            remainder(error, s, vector=True),
            remainder(change, s, vector=True),
        ],
    )
    build.substitute("Jacobi's equation, integrated", equation)
    build.substitute("the fields grow linearly; Taylor expansion of the curvature", growth, taylor)
    (product,) = build.current.atoms(Dot) - {Dot(identity, identity)}
    tidal = ((sympy.Integer(1), curvature_0), (sense * s, curvature_1), (s**2, change))
    products = sum(a * b * inner(u, v) for a, u in tidal for b, v in ((s, identity), (s**3, error)))
    build.rewrite("bilinearity", "bilinearity", product, products)
    build.substitute("Ric = tr ℛ, Ric′ = tr ℛ′, tr I = m", RICCI, RICCI_RATE, unit)
    return integrate_twice(build, ricci * s + sense * ricci_rate * s**2, 2).done()


def _volume_element(remainders: Remainders, trace: Chain) -> Chain:
    growth, unit = trace.definitions[0], trace.hypotheses[1]
    build = ChainBuilder(
        "exponential-volume-either-way",
        "The volume element of the exponential map in the direction σv",
        Determinant(fields / s),
        remainders=remainders,
        uses=[trace],
    )
    build.substitute("the fields grow linearly", growth)
    into = 1 + Dot(identity, growth[1]) / s - Dot(identity, identity) + remainders() * s**4
    build.rewrite("determinant near the identity", "determinant", build.current, into, variable=s, order=3)
    build.substitute("the fields", turned(growth))
    build.substitute("tr 𝒥; tr I = m", fact(trace), unit)
    return build.truncate("expand in s", build.current, s, 3).done()


def _density(remainders: Remainders, name: str, power: Any, volume: Chain | None, arclength_of: Chain) -> Chain:
    flat = (s / radius) ** power * Slope(s, radius)
    build = ChainBuilder(
        f"{name}-either-way",
        "The density of the geodesic direction σv at ambient radius t, to third order",
        flat if volume is None else volume.start * flat,
        remainders=remainders,
        definitions=[(s, arclength_of.start)],
        uses=[arclength_of] if volume is None else [volume, arclength_of],
    )
    if volume is not None:
        build.substitute("volume element of the exponential map", fact(volume))
    put_arclength(build, arclength_of)
    return build.truncate("expand in t", build.current, radius, 3).done()
