r"""Tangent and normal parts of a displacement: of order t and t².

From a unit-speed geodesic γ with γ(0) = p: |ξ|² = s² − F s⁴/12 + O(s⁵), so s = t + F t³/24 + O(t⁴);
P_N ξ = ½ t² II(v, v) + O(t³) and |P_T ξ| = t − F t³/8 + O(t⁴).
"""

from collections.abc import Mapping

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import remainder, vectors
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Norm, NormalPart, Remainders, without_remainders
from proofs.geometry.curve_jets import displacement, initial, s
from proofs.geometry.dropped_hypotheses import dropped
from proofs.geometry.dropped_hypothesis_instances import crossover, instances
from proofs.majorants import BOUND, geodesic_height_tail, geodesic_shortfall_tail
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
            "direction v; where F(v) = 0 the normal part is O(t³), hence o(t²). On a C² manifold it is √F t²/2 + o(t²)."
            " Without a hypothesis |P_N ξ| is of another order: t^{1+α} on the C^{1,α} graph |u|^{1+α}; t on a sheet "
            "that T is not tangent to (t² again if T is the sum of the tangent spaces, or common to the sheets), and "
            "if the centre is moved along M with T kept; |P_N e| + O(t²) from a centre p − e; "
            "E|P_N(ξ + ε)|² = F t⁴/4 + σ² + O(t⁵) with noise, flat below t ~ √(2σ/√F).",
            (
                Hypothesis(
                    "regularity", "M is of class C^{2,1} (the order of |P_N ξ| needs C^{1,1}, its coefficient C²)"
                ),
                Hypothesis("base point", "p lies on M and T is the tangent space there"),
                Hypothesis("one sheet", "x lies on the sheet of M that T is tangent to"),
                Hypothesis("no noise", "x lies on M; noise ε is independent of x, of mean zero, with E|P_N ε|² = σ²"),
            ),
        ),
    ),
)


_NORM = (Norm(initial), sympy.sqrt(normal_curvature_sq))


def derive() -> Derivation:
    """The derivation: the two parts of the displacement at an ambient radius, from the arclength there."""
    remainders = Remainders()
    imports = imported("chord-arc/arclength", remainders)
    normal = _normal(remainders, imports[-1])
    tangent = _tangent(remainders, normal)
    without = dropped(remainders, imports[-1], normal)
    found = predictions(tangent, normal, without)
    findings = (
        Finding(Form.AS_STATED, Verdict.SUPPORTS, "tangent_norm", (tangent.name,)),
        Finding(Form.AS_STATED, Verdict.SUPPORTS, "normal_norm", (normal.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "tangent_norm", (tangent.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "normal_norm", (normal.name,)),
        *(Finding(Form.REPAIRED, Verdict.SUPPORTS, name, (name,)) for name in without),
    )
    chains = (normal, tangent, *without.values())
    return Derivation(CLAIM, chains, findings, found, imports, instances(without, found[normal.name]))


def _normal(remainders: Remainders, arclength_of: Chain) -> Chain:
    """|P_N ξ| = ½√F t² + O(t³)."""
    error = remainders()
    taylor = (NormalPart(displacement), s**2 / 2 * initial + s**3 * error)
    arclength = (s, arclength_of.start)
    build = ChainBuilder(
        "normal_norm",
        "The normal part is of order t²",
        Norm(NormalPart(displacement)),
        remainders=remainders,
        definitions=[arclength],
        hypotheses=[taylor, _NORM],
        conditions=[vectors(initial), remainder(error, s, vector=True)],
        uses=[arclength_of],
    )
    build.substitute("γ′ is tangent at p and γ″ = II(v, v) normal", taylor)
    into = s**2 / 2 * Norm(initial) + remainders() * s**3
    build.rewrite("triangle inequality", "triangle", build.current, into, variable=s, order=2)
    build.substitute("|II(v, v)| = √F", _NORM)
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


def predictions(tangent: Chain, normal: Chain, without: Mapping[str, Chain]) -> dict[str, Prediction]:
    """``tangent_norm`` and ``normal_norm`` at ambient radius t along a geodesic of initial direction v.

    The remainders bound the error for every single direction, for K t ≤ `proofs.majorants.RANGE`. ``crossover-radius``
    is where the leading term of the normal part is as large as the noise.
    """
    remainders = {
        tangent.name: geodesic_shortfall_tail(4) / curvature_bound,
        normal.name: geodesic_height_tail(3) / curvature_bound,
    }
    parts = {
        chain.name: Prediction(
            chain.name,
            without_remainders(chain.conclusion),
            Prediction(f"{chain.name} remainder", sympy.expand(remainders[chain.name]), note=BOUND),
        )
        for chain in (tangent, normal)
    }
    return {**parts, "crossover-radius": crossover(without["noise-crossover"])}
