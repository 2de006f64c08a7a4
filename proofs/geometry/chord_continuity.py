r"""The chord of a geodesic where its derivatives are continuous and no more: o(s³) on a C² manifold, o(s⁴) on a C³ one.

Let ω(s) bound how far γ″ (on a C³ manifold γ‴) moves on [0, s]: it falls to 0 with s, and the remainders of Taylor's
expansion from γ(s) back to p are at most ω s² (ω s³). Hence, for every ω > 0, ``−2⟨ξ, γ″⟩`` is near 0 between
(F − ω)s² and (F + ω)s², or between F s² + (5F′/6 ∓ ω)s³. As ``(t²)″ = 2 + 2⟨ξ, γ″⟩`` and integrals keep inequalities,
t is between the radii that the two bounds give (σ = ±1): ``(s − t)/s³`` comes within ω/24 of F/24, and
``(s − F s³/24 − t)/s⁴`` within ω/40 of F′/48.
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import Condition, remainder, vectors
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Dot, LimitAtZero, Primitive, Remainders
from proofs.geometry.curve_jets import CURVE, curvature_rate, displacement, first, s, second
from proofs.geometry.direction_parity import sense
from proofs.symbols import normal_curvature_sq

oscillation = sympy.Symbol("oscillation", positive=True)
"""ω, how far the highest derivative moves."""
_jerk = sympy.Symbol("initial_jerk")
"""γ‴ at s = 0."""
_F, _rate = normal_curvature_sq, curvature_rate * sympy.Rational(5, 6)


def continuous(remainders: Remainders, acceleration: Chain) -> tuple[Chain, ...]:
    """The chains for C² and for C³; `acceleration` says that ⟨γ′, γ″⟩ = 0."""
    return (
        _bend_where_c2(remainders, acceleration),
        _chord("chord-where-c2", remainders, -(_F + sense * oscillation) * s**2, 2, (_F + sense * oscillation) / 24),
        _bend_where_c3(remainders, acceleration),
        _chord(
            "chord-where-c3",
            remainders,
            -_F * s**2 - (_rate + sense * oscillation) * s**3,
            3,
            curvature_rate / 48 + sense * oscillation / 40,
        ),
    )


def _bend_where_c2(remainders: Remainders, acceleration: Chain) -> Chain:
    """−2⟨ξ, γ″⟩/s² comes as near to F as ω is to 0."""
    error, change = remainders(), remainders()
    terms = ((s, first), (-(s**2) / 2, second), (oscillation * s**2, error))
    curvature = (Dot(second, second), _F + oscillation * change)
    given = (remainder(change, oscillation),)
    title = "F, from the chord and the acceleration"
    build = _bend("bend-where-c2", title, remainders, acceleration, terms, given, curvature)
    return build.rewrite("limit", "limit", build.current, _F).done()


def _bend_where_c3(remainders: Remainders, acceleration: Chain) -> Chain:
    """(−2⟨ξ, γ″⟩ − F s²)/s³ comes as near to 5F′/6 as ω is to 0."""
    error, change, rate_change = remainders(), remainders(), remainders()
    terms = ((s, first), (-(s**2) / 2, second), (s**3 / 6, _jerk), (oscillation * s**3, error))
    curvature = (Dot(second, second), _F + s * (curvature_rate + oscillation * change))
    rate = (Dot(second, _jerk), curvature_rate / 2 + oscillation * rate_change)
    given = (vectors(_jerk), remainder(change, oscillation), remainder(rate_change, oscillation))
    title = "F′, from the chord and the acceleration"
    build = _bend("bend-where-c3", title, remainders, acceleration, terms, given, curvature, rate)
    return build.rewrite("limit", "limit", build.current, _rate).done()


def _bend(
    name: str,
    title: str,
    remainders: Remainders,
    acceleration: Chain,
    terms: Any,
    given: tuple[Condition, ...],
    *curvature: tuple[Any, Any],
) -> ChainBuilder:
    expanded = sympy.Add(*(weight * vector for weight, vector in terms))
    backward = (Dot(displacement, second), Dot(expanded, second))
    bend = -2 * Dot(displacement, second)
    order = len(terms) - 1
    build = ChainBuilder(
        name,
        title,
        LimitAtZero((bend if order == 2 else bend - _F * s**2) / s**order, oscillation),
        remainders=remainders,
        hypotheses=[backward, *curvature],
        conditions=[
            CURVE,
            *given,
            remainder(terms[-1][1], oscillation, vector=True),
        ],
        uses=[acceleration],
    )
    build.substitute("Taylor's expansion from γ(s) back to p", backward)
    products = sum(weight * Dot(*sorted((vector, second), key=str)) for weight, vector in terms)
    build.rewrite("bilinearity", "bilinearity", backward[1], products)
    build.substitute("the acceleration is orthogonal to the velocity", fact(acceleration))
    return build.substitute("|γ″|² is continuous, or has a continuous derivative", *curvature)


def _chord(name: str, remainders: Remainders, bend: Any, order: int, value: Any) -> Chain:
    """The limit of what is left of s − t, where (t²)″ is one of its two bounds."""
    left = s if order == 2 else s - _F * s**3 / 24
    square = Primitive(Primitive(2 + bend, s), s)
    build = ChainBuilder(
        name,
        f"The chord along a geodesic of class C{'²³'[order - 2]}, between two bounds",
        LimitAtZero((left - sympy.sqrt(square)) / s ** (order + 1), s),
        remainders=remainders,
    )
    integral = 2 + bend
    for power in (order, order + 1):
        inner = min(build.current.atoms(Primitive), key=lambda found: len(found.atoms(Primitive)))
        integral = sympy.expand(sympy.integrate(sympy.expand(integral), s))
        into = integral + build.remainder() * s ** (power + 2)
        build.rewrite("integrate", "primitive", inner, into, order=power, weight=sympy.Integer(0))
    return build.rewrite("limit", "limit", build.current, value).done()
