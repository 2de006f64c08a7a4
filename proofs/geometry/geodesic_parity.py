r"""The t³ term of the density of geodesic directions is odd: it cancels between a direction and its opposite.

For σ = ±1 the geodesic of direction σv is γ(σs). With F′ = d|γ″|²/ds (chord-arc) and Ric′ = tr ℛ′(0) along γ, the
derivation of `proofs.geometry.geodesic_density` with one order more has σF′ and σRic′ in the t³ terms and elsewhere
only σ² = 1: the mean over σ = ±1 is 1 + c t² + O(t⁴) for each of the three measures.
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import identity_matrix, remainder, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Determinant, Dot, Remainders, Slope
from proofs.geometry.curve_jets import s
from proofs.geometry.direction_parity import average_of_both, sense
from proofs.geometry.geodesic_density import (
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

curvature_1 = sympy.Symbol("curvature_operator_1")
"""The derivative of ℛ at s = 0."""
ricci_rate = sympy.Symbol("ricci_rate", real=True)
RICCI_RATE = (Dot(curvature_1, identity), ricci_rate)


def geodesic_parities(remainders: Remainders, arclength_of: Chain) -> tuple[Chain, ...]:
    """The chains up to the parities of the three measures, which come last, in the order of `COEFFICIENTS`.

    `arclength_of` gives the arclength at an ambient radius in the direction σv.
    """
    trace = _trace(remainders)
    volume = _volume_element(remainders, trace)
    chains, parities = [], []
    for name, (_, power, coefficient) in COEFFICIENTS.items():
        density = _density(remainders, name, power, volume if name == "geodesic-volume" else None, arclength_of)
        chains.append(density)
        parities.append(average_of_both(f"{name}-parity", remainders, density, coefficient))
    return trace, volume, *chains, *parities


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
