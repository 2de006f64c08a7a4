r"""Directions at a fixed ambient radius: the density of the direction of P_T ξ, as principal components see it.

Near p the manifold is the graph z of u = ρ w over T; its volume element √det g ρ^{m−1} dρ dw at ambient radius
t = √(ρ² + |z|²) has the density q(w, t) = √det g (ρ/t)^{m−1} dρ/dt against the flat t^{m−1} dt dw, and
q = 1 + c t² + O(t³) with c = S/2 − (m+2)F/8. The average over directions is the volume of a small extrinsic ball
(L. Karp, M. Pinsky, Bull. London Math. Soc. 21, 1989).
"""

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement
from proofs.derivation import Derivation
from proofs.majorants import density_tail, shell_tail
from proofs.symbols import (
    coefficient,
    coefficient_mean,
    dim,
    normal_curvature_sq,
    radius,
    second_form_sq,
    shape_sq,
    trace_form_sq,
)

CLAIM = Claim(
    slug="curvature-bias",
    title="At a fixed radius the directions of a curved manifold are not uniform",
    section="geometry",
    statements=(
        Statement(
            Form.AS_STATED,
            "At a fixed radius around p, directions of high curvature are over-represented.",
            (Hypothesis("regularity", "M is a C³ submanifold, sampled uniformly by volume"),),
        ),
        Statement(
            Form.REPAIRED,
            "The direction of P_T ξ at ambient radius t has density 1 + (S/2 − (m+2)F/8) t² + O(t³) relative to flat "
            "space under the volume measure; the O(t³) is odd in the direction.",
            (
                Hypothesis("regularity", "M is of class C³"),
                Hypothesis("measure", "points are uniform by volume; the direction is that of P_T ξ"),
            ),
        ),
    ),
)


def predictions() -> dict[str, Prediction]:
    """The coefficient c(v) (``projected-volume``), the shell's ``direction-density``, and the ``ball-volume``.

    - ``projected-volume``: c(v), an inverse length squared: the excess of directions is c(v) t². Its remainder (which
      has the symbol radius) bounds |(q − 1)/t² − c|.
    - ``direction-density``: the density relative to uniform on the sphere of directions, 1 + (c − ⟨c⟩) t².
    - ``ball-volume``: Vol(M ∩ B(p, t))/(ω_m t^m).

    The remainders hold for sets of directions symmetric under w → −w (the odd t³ term cancels), exactly so for the
    ball, and for K t ≤ `proofs.majorants.RANGE`; the one of ``direction-density`` needs dim ≤ 20.
    """
    density = shape_sq / 2 - (dim + 2) * normal_curvature_sq / 8
    shell = 1 + (coefficient - coefficient_mean) * radius**2
    volume = 1 + (2 * second_form_sq - trace_form_sq) * radius**2 / (8 * (dim + 2))
    tail = density_tail(4, step=2)
    return {
        "projected-volume": Prediction(
            "projected-volume", density, Prediction("projected-volume remainder", tail / radius**2)
        ),
        "direction-density": Prediction(
            "direction-density", shell, Prediction("direction-density remainder", shell_tail())
        ),
        "ball-volume": Prediction("ball-volume", volume, Prediction("ball-volume remainder", tail * dim / (dim + 4))),
    }


def derive() -> Derivation:
    """The derivation of the claim."""
    return Derivation(CLAIM, (), (), predictions())
