r"""Tangent and normal parts of a displacement: of order t and t².

From a unit-speed geodesic γ with γ(0) = p: |ξ|² = s² − F s⁴/12 + O(s⁵), so s = t + F t³/24 + O(t⁴);
P_N ξ = ½ t² II(v, v) + O(t³) and |P_T ξ| = t − F t³/8 + O(t⁴).
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement
from proofs.derivation import Derivation
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
                Hypothesis("regularity", "M is of class C³ (the order of |P_N ξ| needs C^{1,1}, its coefficient C²)"),
                Hypothesis("base point", "p lies on M and T is the tangent space there"),
                Hypothesis("no noise", "x lies on M: ambient noise flattens the normal part at small t"),
            ),
        ),
    ),
)


def predictions() -> dict[str, Prediction]:
    """``tangent_norm`` and ``normal_norm`` at ambient radius t along a geodesic of initial direction v.

    The remainders bound the error for every single direction, for K t ≤ `proofs.majorants.RANGE`.
    """
    tangent = radius * (1 - normal_curvature_sq * radius**2 / 8)
    normal = sympy.sqrt(normal_curvature_sq) * radius**2 / 2
    return {
        "tangent_norm": Prediction(
            "tangent_norm", tangent, Prediction("tangent_norm remainder", geodesic_shortfall_tail(4) / curvature_bound)
        ),
        "normal_norm": Prediction(
            "normal_norm", normal, Prediction("normal_norm remainder", geodesic_height_tail(3) / curvature_bound)
        ),
    }


def derive() -> Derivation:
    """The derivation of the claim."""
    return Derivation(CLAIM, (), (), predictions())
