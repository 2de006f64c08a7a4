r"""Energy of per-token gradients: concentrated in the tangent space like t⁻².

A per-token gradient is δ ξᵀ. With δ, ξ and ambient noise independent, the energy per dimension in T over the one in N
is (E t²/m + σ²)/(⟨F⟩E t⁴/(4(d−m)) + σ²). The null: Haar rank-k subspaces of an n-dimensional complement.
"""

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement
from proofs.derivation import Derivation
from proofs.majorants import at_range, normal_energy_tail
from proofs.symbols import (
    ambient_dim,
    curvature_bound,
    curvature_sq_mean,
    dim,
    noise_variance,
    null_dim,
    radius_4_mean,
    radius_6_mean,
    radius_sq_mean,
    rank,
    trace,
    trace_of_square,
)

CLAIM = Claim(
    slug="energy-concentration",
    title="Gradient energy concentrates in the tangent space",
    section="energy",
    statements=(
        Statement(
            Form.AS_STATED,
            "The closer tokens are to their centre, the more their gradient energy concentrates in tangent directions.",
            (Hypothesis("regularity", "tokens lie near a C³ submanifold"),),
        ),
        Statement(
            Form.REPAIRED,
            "R = (E t²/m + σ²)/(⟨F⟩ E t⁴/(4(d−m)) + σ²) to leading order: it grows like t⁻² without ambient noise, and "
            "falls back to 1 below t ~ √(σ/√b), b = ⟨F⟩/(4(d−m)), with it.",
            (
                Hypothesis("independence", "output gradient, displacement and noise are independent"),
                Hypothesis("centre", "p is the point that the gradient's input is measured from"),
                Hypothesis("moments", "E t⁴/(E t²)² stays bounded, and ⟨F⟩ > 0"),
            ),
        ),
    ),
)


def predictions() -> dict[str, Prediction]:
    """``energy-ratio`` (noise_variance per dimension, 0 without), and the exact ``null-mean`` and ``null-variance``.

    The remainder of the ratio has the symbols curvature_bound and radius_6_mean = E t⁶; it is for points uniform by volume
    on each shell, K t ≤ `proofs.majorants.RANGE`, dim ≤ 20, and as long as it leaves half of the normal energy:
    with |E|P_N ξ|² − ⟨F⟩E t⁴/4| ≤ Δ = C K⁴ E t⁶, numerator and denominator err by at most (⟨F⟩E t⁴/4 + Δ)/m and
    Δ/(d−m). The null's B is the (n, n) moment restricted to the complement: ``trace`` its trace, ``trace_of_square`` tr B².
    """
    codim = ambient_dim - dim
    normal_energy = curvature_sq_mean * radius_4_mean / 4
    tangent = radius_sq_mean / dim + noise_variance
    normal = normal_energy / codim + noise_variance
    error = at_range(normal_energy_tail(), 6) * curvature_bound**4 * radius_6_mean
    share = error / codim / normal
    bound = ((normal_energy + error) / dim / normal + tangent / normal * share) * (1 + 2 * share)
    spread = trace_of_square - trace**2 / null_dim
    variance = 2 * (null_dim - rank) * spread / (rank * null_dim * (null_dim - 1) * (null_dim + 2))
    return {
        "energy-ratio": Prediction("energy-ratio", tangent / normal, Prediction("energy-ratio remainder", bound)),
        "null-mean": Prediction("null-mean", trace / null_dim),
        "null-variance": Prediction("null-variance", variance),
    }


def derive() -> Derivation:
    """The derivation of the claim."""
    return Derivation(CLAIM, (), (), predictions())
