r"""The bias of directions under a radial law g: proportional to the mean square radius, if g is concentrated enough.

On the shell of radius t the density relative to uniform is 1 + (c − ⟨c⟩) t² + O(t³); mixed over g it is
1 + (c − ⟨c⟩) E t² + O(E t³), with divergence ½ Var(c) (E t²)² from uniform.
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement
from proofs.derivation import Derivation
from proofs.majorants import at_range, shell_odd_tail, shell_tail
from proofs.symbols import (
    coefficient,
    coefficient_mean,
    coefficient_variance,
    curvature_bound,
    dim,
    radius_4_mean,
    radius_sq_mean,
)

CLAIM = Claim(
    slug="bias-attenuation",
    title="Concentration around the base point attenuates the bias of directions",
    section="geometry",
    statements=(
        Statement(
            Form.AS_STATED,
            "As the radial law g concentrates at p, the bias of directions falls like E_g[t²].",
            (Hypothesis("concentration", "E_g[t²] → 0"),),
        ),
        Statement(
            Form.REPAIRED,
            "The density of directions relative to uniform is 1 + (c − ⟨c⟩) E_g[t²](1 + o(1)), and its divergence from "
            "uniform ½ Var(c) (E_g[t²])²(1 + o(1)).",
            (
                Hypothesis("support", "g has compact support within the range of the expansion"),
                Hypothesis("uniform integrability", "E_g[t²; t > ε]/E_g[t²] → 0 for every ε (E t³/E t² → 0 suffices)"),
                Hypothesis("shell", "given t, the direction is distributed as on the shell of radius t"),
            ),
        ),
    ),
)


def predictions() -> dict[str, Prediction]:
    """``direction-density`` relative to uniform, and ``kl-divergence`` from uniform (nats).

    Both remainders need K t ≤ `proofs.majorants.RANGE` on the support of g and dim ≤ 20; the density's holds for sets of
    directions symmetric under w → −w. For the divergence, p = 1 + ε with ε = (c − ⟨c⟩)E t² + even + odd,
    |even| ≤ B K⁴ E t⁴, |odd| ≤ O K³ E t³ ≤ O K³ √(E t² E t⁴), and |p log p − ε − ε²/2| ≤ |ε|³/(6(1 − |ε|)²); it needs
    |ε| ≤ ½.
    """
    density = 1 + (coefficient - coefficient_mean) * radius_sq_mean
    divergence = coefficient_variance * radius_sq_mean**2 / 2
    even = at_range(shell_tail(), 4) * curvature_bound**4 * radius_4_mean
    odd = at_range(shell_odd_tail(), 3) * curvature_bound**3 * sympy.sqrt(radius_sq_mean * radius_4_mean)
    # −(m+2)K²/8 ≤ c ≤ m K²/2 bounds c − ⟨c⟩.
    largest = (5 * dim + 2) / 8 * curvature_bound**2 * radius_sq_mean + even + odd
    spread = sympy.sqrt(coefficient_variance) * radius_sq_mean
    second_order = spread * even + even**2 / 2 + odd**2 / 2
    third_order = sympy.Rational(2, 3) * largest * ((spread + even) ** 2 + odd**2)
    return {
        "direction-density": Prediction("direction-density", density, Prediction("direction-density remainder", even)),
        "kl-divergence": Prediction(
            "kl-divergence", divergence, Prediction("kl-divergence remainder", second_order + third_order)
        ),
    }


def derive() -> Derivation:
    """The derivation of the claim."""
    return Derivation(CLAIM, (), (), predictions())
