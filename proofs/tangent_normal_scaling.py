r"""Tangent and normal parts of a displacement: of order t and t².

From a unit-speed geodesic γ with γ(0) = p: |ξ|² = s² − F s⁴/12 + O(s⁵), so s = t + F t³/24 + O(t⁴);
P_N ξ = ½ t² II(v, v) + O(t³) and |P_T ξ| = t − F t³/8 + O(t⁴).
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import curve, remainder, vectors
from proofs.derivation import Derivation, Finding
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Derived, Dot, Inverse, Norm, NormalPart, Remainders, without_remainders
from proofs.majorants import geodesic_height_tail, geodesic_shortfall_tail
from proofs.symbols import curvature_bound, normal_curvature_sq, radius

CLAIM = Claim(
    slug="tangent-normal-scaling",
    title="Near its base point a displacement is tangent to order t and normal to order t²",
    section="geometry",
    statements=(
        Statement(
            Form.AS_STATED,
            "On a C³ submanifold the tangent part of x − p is of order t and its normal part of order t².",
            (Hypothesis("regularity", "M is a C³ submanifold, x on M, T tangent to M at p"),),
        ),
        Statement(
            Form.REPAIRED,
            "|P_T ξ| = t − F t³/8 + O(t⁴) and |P_N ξ| = √F t²/2 + O(t³), F = |II(v,v)|² along the geodesic of "
            "direction v; where F(v) = 0 the normal part is O(t³).",
            (
                Hypothesis("regularity", "M is of class C⁴ (the order of |P_N ξ| needs C^{1,1}, its coefficient C²)"),
                Hypothesis("base point", "p lies on M and T is the tangent space there"),
                Hypothesis("no noise", "x lies on M: ambient noise flattens the normal part at small t"),
            ),
        ),
    ),
)


s = sympy.Symbol("arclength", positive=True)
displacement = sympy.Symbol("displacement")
JETS = first, second, third = sympy.symbols("gamma_1 gamma_2 gamma_3")
"""Derivatives of the geodesic at p, with γ(0) = p."""
CURVE = curve(*JETS)
UNIT_SPEED = (Dot(first, first), sympy.Integer(1))
GEODESIC = (Dot(second, second), normal_curvature_sq)
GEODESIC_NORM = (Norm(second), sympy.sqrt(normal_curvature_sq))


def derive() -> Derivation:
    """The derivation: the jets of a unit-speed geodesic, its ambient radius, and the two parts of the displacement."""
    remainders = Remainders()
    jets = _jets()
    radius_of, arclength_of = _radius(remainders, jets)
    normal = _normal(remainders, arclength_of)
    tangent = _tangent(remainders, normal)
    findings = (
        Finding(Form.AS_STATED, Verdict.SUPPORTS, "tangent_norm", (tangent.name,)),
        Finding(Form.AS_STATED, Verdict.SUPPORTS, "normal_norm", (normal.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "tangent_norm", (tangent.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "normal_norm", (normal.name,)),
    )
    return Derivation(CLAIM, (*jets, radius_of, arclength_of, normal, tangent), findings, predictions(tangent, normal))


def _jets() -> tuple[Chain, ...]:
    """⟨γ′, γ″⟩ = 0 and ⟨γ′, γ‴⟩ = −F, from ⟨γ′, γ′⟩ = 1 and ⟨γ″, γ″⟩ = |II(γ′, γ′)|² = F at p."""
    acceleration = ChainBuilder(
        "acceleration",
        "The acceleration of a unit-speed curve is orthogonal to its velocity",
        Dot(first, second),
        hypotheses=[UNIT_SPEED],
        conditions=[CURVE],
    )
    acceleration.rewrite("product rule", "leibniz", Dot(first, second), Derived(Dot(first, first), 1) / 2)
    acceleration.substitute("unit speed", UNIT_SPEED)
    acceleration.rewrite("a constant has derivative 0", "constancy", Derived(sympy.Integer(1), 1), sympy.Integer(0))
    jerk = ChainBuilder(
        "jerk",
        "The third derivative has the tangent component −F",
        Dot(first, third),
        hypotheses=[UNIT_SPEED, GEODESIC],
        conditions=[CURVE],
    )
    twice = Derived(Dot(first, first), 2) / 2 - Dot(second, second)
    jerk.rewrite("product rule, twice", "leibniz", Dot(first, third), twice)
    jerk.substitute("unit speed", UNIT_SPEED)
    jerk.rewrite("a constant has derivative 0", "constancy", Derived(sympy.Integer(1), 2), sympy.Integer(0))
    jerk.substitute("γ″ = II(γ′, γ′) on a geodesic", GEODESIC)
    return acceleration.done(), jerk.done()


def _radius(remainders: Remainders, jets: tuple[Chain, ...]) -> tuple[Chain, Chain]:
    """|ξ| as a function of arclength, and its inverse."""
    error = remainders()
    taylor = (displacement, s * first + s**2 / 2 * second + s**3 / 6 * third + s**4 * error)
    build = ChainBuilder(
        "ambient-radius",
        "The ambient radius along a geodesic",
        sympy.sqrt(Dot(displacement, displacement)),
        remainders=remainders,
        definitions=[taylor],
        conditions=[vectors(displacement), remainder(error, s, 1, vector=True)],
        uses=jets,
    )
    build.substitute("Taylor expansion of the geodesic", taylor)
    square = build.current.base
    terms = ((s, first), (s**2 / 2, second), (s**3 / 6, third), (s**4, error))
    order = (first, second, third, error)
    products = sum(a * b * Dot(*sorted((u, v), key=order.index)) for a, u in terms for b, v in terms)
    build.rewrite("bilinearity", "bilinearity", square, products)
    build.substitute("jets of the geodesic", UNIT_SPEED, GEODESIC, *map(fact, jets))
    build.truncate("expand in the arclength", build.current, s, 3)
    radius_of = build.done()
    inverse = Inverse(radius_of.start, s, radius)
    build = ChainBuilder(
        "arclength", "The arclength at an ambient radius", inverse, remainders=remainders, uses=[radius_of]
    )
    build.substitute("ambient radius along the geodesic", fact(radius_of))
    build.invert("invert the series", build.current, 3)
    return radius_of, build.done()


def _normal(remainders: Remainders, arclength_of: Chain) -> Chain:
    """|P_N ξ| = ½√F t² + O(t³)."""
    error = remainders()
    taylor = (NormalPart(displacement), s**2 / 2 * second + s**3 * error)
    arclength = (s, arclength_of.start)
    build = ChainBuilder(
        "normal_norm",
        "The normal part is of order t²",
        Norm(NormalPart(displacement)),
        remainders=remainders,
        definitions=[arclength],
        hypotheses=[taylor, GEODESIC_NORM],
        conditions=[remainder(error, s, vector=True)],
        uses=[arclength_of],
    )
    build.substitute("γ′ is tangent and γ″ = II(γ′, γ′) normal at p", taylor)
    into = s**2 / 2 * Norm(second) + remainders() * s**3
    build.rewrite("triangle inequality", "triangle", build.current, into, variable=s, order=2)
    build.substitute("|γ″| = √F", GEODESIC_NORM)
    build.substitute("s is the arclength at the ambient radius t", arclength)
    build.substitute("its expansion", fact(arclength_of))
    build.truncate("expand in t", build.current, radius, 2)
    return build.done()


def _tangent(remainders: Remainders, normal: Chain) -> Chain:
    """|P_T ξ| = t − F t³/8 + O(t⁴)."""
    build = ChainBuilder(
        "tangent_norm",
        "The tangent part is t up to third order",
        sympy.sqrt(radius**2 - normal.start**2),
        remainders=remainders,
        uses=[normal],
    )
    build.substitute("Pythagoras, with the normal part found", fact(normal))
    build.truncate("expand in t", build.current, radius, 3)
    return build.done()


def predictions(tangent: Chain, normal: Chain) -> dict[str, Prediction]:
    """``tangent_norm`` and ``normal_norm`` at ambient radius t along a geodesic of initial direction v.

    The remainders bound the error for every single direction, for K t ≤ `proofs.majorants.RANGE`.
    """
    remainders = {
        tangent.name: geodesic_shortfall_tail(4) / curvature_bound,
        normal.name: geodesic_height_tail(3) / curvature_bound,
    }
    return {
        chain.name: Prediction(
            chain.name,
            without_remainders(chain.conclusion),
            Prediction(f"{chain.name} remainder", remainders[chain.name]),
        )
        for chain in (tangent, normal)
    }
