r"""The arc of a geodesic against its chord: s = t + F t³/24 + F′ t⁴/48 + O(t⁵), so that curved arcs are longer.

Along a unit-speed geodesic γ with chord ξ = γ − p and t = |ξ|, ``(t²)″ = 2 + 2⟨ξ, γ″⟩``. By Taylor's expansion from
γ(s) back to p, ``⟨ξ, γ″⟩ = −½ s² F + O(s³)`` with F = |γ″|², as ⟨γ′, γ″⟩ = 0: integrated twice,
``t² = s² − F s⁴/12 + O(s⁵)``. One order more takes ⟨γ″, γ‴⟩ = ½F′, which changes its sign with the direction:
``t² = s² − F s⁴/12 − F′ s⁵/24 + O(s⁶)``. A geodesic of a Cᵏ submanifold is a Cᵏ curve; the remainders are bounded where
γ″, or γ‴, is Lipschitz; where it is continuous they are o(s³) and o(s⁴), see `proofs.geometry.chord_continuity`.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import remainder, vectors
from proofs.derivation import Derivation, Finding
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, Derived, Dot, Inverse, Primitive, Remainders, is_remainder, without_remainders
from proofs.geometry.chord_continuity import continuous
from proofs.geometry.curve_jets import (
    CURVE,
    TWICE_INTEGRATED,
    UNIT_SPEED,
    curvature_rate,
    displacement,
    first,
    s,
    second,
    third,
)
from proofs.geometry.direction_parity import sense
from proofs.majorants import BOUND, geodesic_arclength_tail
from proofs.symbols import curvature_bound, normal_curvature_sq, radius

CLAIM = Claim(
    slug="chord-arc",
    title="At the same ambient radius the arc is longer where the normal curvature is higher",
    section="geometry",
    statements=(
        Statement(
            Form.AS_STATED,
            "Directions of high normal curvature F have the longer arc at the same ambient radius.",
            (Hypothesis("regularity", "M is a C³ submanifold"),),
        ),
        Statement(
            Form.REPAIRED,
            "Along a geodesic t = s − F s³/24 + O(s⁴) and s = t + F t³/24 + O(t⁴), F = |γ″(0)|² = |II(v,v)|², so that "
            "the arcs of two directions differ by (F₁ − F₂) t³/24 + O(t⁴). The next terms are −F′ s⁴/48 + O(s⁵) and "
            "F′ t⁴/48 + O(t⁵), F′ = d|γ″|²/ds at p, which is odd in v. On a C² manifold t = s − F s³/24 + o(s³), on "
            "a C³ one t = s − F s³/24 − F′ s⁴/48 + o(s⁴).",
            (
                Hypothesis(
                    "regularity", "M is of class C² for o(s³), C^{2,1} for O(s⁴), C³ for o(s⁴), C^{3,1} for O(s⁵)"
                ),
                Hypothesis("base point", "p lies on M, and γ is the geodesic from p with initial direction v"),
            ),
        ),
    ),
)
_high, _low = sympy.symbols("higher_curvature_sq lower_curvature_sq", nonnegative=True)


def derive() -> Derivation:
    """The derivation: the chord in the arc to two orders, the arc in the chord, its parity, and two directions."""
    remainders = Remainders()
    acceleration = _acceleration()
    radius_of = _radius(remainders, acceleration)
    arclength_of = _inverse(remainders, radius_of, "arclength", "The arclength at an ambient radius", 3)
    both = _radius_either_way(remainders, acceleration)
    title = "The arclength at an ambient radius in the direction σv"
    both_inverse = _inverse(remainders, both, "arclength-either-way", title, 4)
    odd = _parity(remainders, both_inverse)
    longer = _longer(remainders, arclength_of)
    odd_rate, continuity = _odd_rate(), continuous(remainders, acceleration)
    chains = (acceleration, radius_of, arclength_of, both, both_inverse, odd_rate, odd, longer, *continuity)
    findings = (
        Finding(Form.AS_STATED, Verdict.SUPPORTS, longer.name, (longer.name,)),
        *(
            Finding(Form.REPAIRED, Verdict.SUPPORTS, chain.name, (chain.name,))
            for chain in (arclength_of, radius_of, both, both_inverse, odd_rate, odd, longer)
        ),
        *(
            Finding(Form.REPAIRED, Verdict.SUPPORTS, chord.name, (bend.name, chord.name))
            for bend, chord in (continuity[:2], continuity[2:])
        ),
    )
    return Derivation(CLAIM, chains, findings, {arclength_of.name: _prediction(arclength_of)})


def _acceleration() -> Chain:
    """⟨γ′, γ″⟩ = 0, from ⟨γ′, γ′⟩ = 1 all along."""
    build = ChainBuilder(
        "acceleration",
        "The acceleration of a unit-speed curve is orthogonal to its velocity",
        Dot(first, second),
        hypotheses=[UNIT_SPEED],
        conditions=[CURVE],
    )
    build.rewrite("product rule", "leibniz", build.current, Derived(Dot(first, first), 1) / 2)
    build.substitute("unit speed", UNIT_SPEED)
    constant = Derived(sympy.Integer(1), 1)
    return build.rewrite("a constant has derivative 0", "constancy", constant, sympy.Integer(0)).done()


def _radius(remainders: Remainders, acceleration: Chain) -> Chain:
    """t = s − F s³/24 + O(s⁴)."""
    error, change = remainders(), remainders()
    taylor = ((s, first), (-(s**2) / 2, second), (s**3, error))
    curvature = (Dot(second, second), normal_curvature_sq + s * change)
    build = _chord("ambient-radius", "The ambient radius along a geodesic", remainders, acceleration, taylor, curvature)
    build.substitute("F is Lipschitz along the geodesic", curvature)
    return _integrated(build, -normal_curvature_sq * s**2, 2)


def _radius_either_way(remainders: Remainders, acceleration: Chain) -> Chain:
    """t = s − F s³/24 − σF′ s⁴/48 + O(s⁵) along s ↦ γ(σs), where F becomes F + σF′s + O(s²)."""
    error, change, rate_change = remainders(), remainders(), remainders()
    taylor = ((s, first), (-(s**2) / 2, second), (s**3 / 6, third), (s**4, error))
    square = Dot(second, second)
    curvature = (square, normal_curvature_sq + sense * curvature_rate * s + s**2 * change)
    rate = (Dot(second, third), sense * curvature_rate / 2 + s * rate_change)
    title = "The ambient radius along a geodesic in the direction σv"
    build = _chord("ambient-radius-either-way", title, remainders, acceleration, taylor, curvature, rate)
    build.substitute("F = |γ″|² and F′ = 2⟨γ″, γ‴⟩ near p", curvature, rate)
    bend = normal_curvature_sq * s**2 + sense * curvature_rate * s**3 * sympy.Rational(5, 6)
    return _integrated(build, -bend, 3)


def _chord(
    name: str, title: str, remainders: Remainders, acceleration: Chain, taylor: Any, *curvature: tuple[Any, Any]
) -> ChainBuilder:
    """``√∬(2 + 2⟨ξ, γ″⟩)`` with ⟨ξ, γ″⟩ expanded in the vectors at γ(s)."""
    expanded = sympy.Add(*(weight * vector for weight, vector in taylor))
    backward = (Dot(displacement, second), Dot(expanded, second))
    errors = [symbol for value in (expanded, *(right for _, right in curvature)) for symbol in value.free_symbols]
    build = ChainBuilder(
        name,
        title,
        sympy.sqrt(Dot(displacement, displacement)),
        remainders=remainders,
        hypotheses=[TWICE_INTEGRATED, UNIT_SPEED, backward, *curvature],
        conditions=[
            CURVE,
            *(remainder(symbol, s, 1, vector=symbol is taylor[-1][1]) for symbol in errors if is_remainder(symbol)),
        ],
        uses=[acceleration],
    )
    build.substitute("t² and its derivative vanish at p", TWICE_INTEGRATED)
    build.substitute("unit speed; Taylor's expansion from γ(s) back to p", UNIT_SPEED, backward)
    products = sum(weight * Dot(*sorted((vector, second), key=str)) for weight, vector in taylor)
    build.rewrite("bilinearity", "bilinearity", backward[1], products)
    return build.substitute("the acceleration is orthogonal to the velocity", fact(acceleration))


def _integrated(build: ChainBuilder, bend: Any, order: int) -> Chain:
    """The radius from ``√∬(2 + bend + O(s^{order + 1}))``."""
    leading = 2 + bend
    inner = min(build.current.atoms(Primitive), key=lambda found: len(found.atoms(Primitive)))
    into = leading + build.remainder() * s ** (order + 1)
    build.rewrite("expand in the arclength", "truncation", inner.args[0], into, variable=s, order=order)
    for power in (order, order + 1):
        inner = min(build.current.atoms(Primitive), key=lambda found: len(found.atoms(Primitive)))
        leading = sympy.integrate(leading, s)
        into = leading + build.remainder() * s ** (power + 2)
        build.rewrite("integrate", "primitive", inner, into, order=power, weight=sympy.Integer(0))
    return build.truncate("the root", build.current, s, order + 1).done()


def _inverse(remainders: Remainders, radius_of: Chain, name: str, title: str, order: int) -> Chain:
    build = ChainBuilder(name, title, Inverse(radius_of.start, s, radius), remainders=remainders, uses=[radius_of])
    build.substitute("ambient radius along the geodesic", fact(radius_of))
    return build.invert("invert the series", build.current, order).done()


def _odd_rate() -> Chain:
    """F′ = d|γ″|²/ds and 2⟨γ̄″, γ̄‴⟩ of the reversed geodesic γ̄(s) = γ(−s), where γ̄″ = γ″ and γ̄‴ = −γ‴, cancel."""
    turned_second, turned_third = sympy.symbols("reversed_gamma_2 reversed_gamma_3")
    meanings = ((turned_second, second), (turned_third, -third))
    build = ChainBuilder(
        "odd-rate",
        "F′ along a geodesic and the reversed one add up to 0",
        Derived(Dot(second, second), 1) + 2 * Dot(turned_second, turned_third),
        definitions=meanings,
        conditions=[CURVE, vectors(turned_second, turned_third)],
    )
    build.substitute("derivatives of γ(−s)", *meanings)
    build.rewrite("bilinearity", "bilinearity", Dot(second, -third), -Dot(second, third))
    build.rewrite("product rule", "leibniz", Derived(Dot(second, second), 1), 2 * Dot(second, third))
    return build.done()


def _parity(remainders: Remainders, arclength_of: Chain) -> Chain:
    """½(s(v) + s(−v)) = t + F t³/24 + O(t⁵): the t⁴ term is odd."""
    ways = [At(arclength_of.start, sense, sympy.Integer(sign)) for sign in (1, -1)]
    build = ChainBuilder(
        "arclength-parity",
        "The arclength averaged over a direction and its opposite: no t⁴ term",
        (ways[0] + ways[1]) / 2,
        remainders=remainders,
        uses=[arclength_of],
    )
    build.substitute("arclength along σv", fact(arclength_of))
    for part in sorted(build.current.atoms(At), key=str):
        build.evaluate(f"σ = {part.args[2]}", part)
    return build.truncate("add up", build.current, radius, 4).done()


def _longer(remainders: Remainders, arclength_of: Chain) -> Chain:
    """(s₁ − s₂)/t³ = (F₁ − F₂)/24 + O(t): the arc of the higher curvature is the longer one."""
    ways = [At(arclength_of.start, normal_curvature_sq, value) for value in (_high, _low)]
    build = ChainBuilder(
        "longer-arc",
        "The arcs of two directions at the same ambient radius, their difference divided by t³",
        (ways[0] - ways[1]) / radius**3,
        remainders=remainders,
        uses=[arclength_of],
    )
    build.substitute("arclength at an ambient radius", fact(arclength_of))
    for part in sorted(build.current.atoms(At), key=str):
        build.evaluate("the curvature of one of them", part)
    build.truncate("expand in t", build.current, radius, 0)
    (error,) = (symbol for symbol in build.current.free_symbols if is_remainder(symbol))
    return build.tidy("collect", (_high - _low) / 24 + error * radius).done()


def _prediction(arclength_of: Chain) -> Prediction:
    """The arclength through t³; the remainder is a bound for K t ≤ `proofs.majorants.RANGE`, M analytic."""
    bound = Prediction("arclength remainder", sympy.expand(geodesic_arclength_tail(4) / curvature_bound), note=BOUND)
    return Prediction("arclength", without_remainders(arclength_of.conclusion), bound)
