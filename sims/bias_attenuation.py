"""The curvature bias of directions under concentrated radial laws: its size and its divergence from uniform."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from manifoldtheory.estimators import fit_exponent
from manifoldtheory.ledger import Evidence, Prediction, rung
from manifoldtheory.manifolds import TruncatedHalfNormal
from proofs import PROVIDER as PROOFS
from sims.sampling import FLAT
from sims.shells import draw_shells, folded
from sims.simulation import LARGEST_RADIUS, RUNGS, Simulation

RADII = {"smoke": 4, "default": 16, "thorough": 64}
"""Drawn from each law; the law that is mixed over, and whose moments are predicted with, is theirs."""
THINNING = 8
"""Directions that share their prediction need fewer points."""
CUT = 4.0
"""Of a half-normal law, in its scales."""
SMALLEST_SCALE = 1e-3
"""Below it a bias of order E t² is too close to float64's rounding of a density near 1."""


def simulate(simulation: Simulation) -> list[Evidence]:
    """Rms bias and Kullback-Leibler divergence of directions over a ladder of half-normal laws, and their exponents.

    Given the radius, directions follow the normalised density on its shell; a law g mixes shells. Measurement and
    prediction see the same directions, so that only the remainder is left between them.
    """
    density_law = PROOFS.predictions("bias-attenuation")["direction-density"]
    laws = {
        "direction-bias": Prediction("direction-bias", density_law.expression - 1, density_law.remainder),
        "kl-divergence": PROOFS.predictions("bias-attenuation")["kl-divergence"],
    }
    evidence: list[Evidence] = []
    ladder: dict[str, list[tuple[float, float]]] = {name: [] for name in laws}
    scales = np.geomspace(LARGEST_RADIUS / CUT, SMALLEST_SCALE, RUNGS[simulation.size])
    for index, scale in enumerate(scales.tolist()):
        simulation.progress(f"half-normal law of scale {scale:.1e}", index, len(scales))
        law = TruncatedHalfNormal(scale, CUT * scale)
        radii = law.sample(RADII[simulation.size], generator=simulation.stream(f"law {index}").generator()).tolist()
        bias, known = _mixed(simulation, radii)
        flat = known["coefficient_variance"] < FLAT**2
        predicted = laws["direction-bias"](**known)
        found = {
            "direction-bias": (
                float(bias.square().mean().sqrt()),
                float(predicted.square().mean().sqrt()),
                float((bias - predicted).std()) / len(bias) ** 0.5,
            ),
            # ⟨(1 + b) log(1 + b)⟩, with ⟨b⟩ = 0 taken off so that the second order is not lost under the first.
            "kl-divergence": (
                float(((1 + bias) * torch.log1p(bias) - bias).mean()),
                float(laws["kl-divergence"](**known)),
                0.0,
            ),
        }
        for name, (measured, expected, stderr) in found.items():
            remainder = float(laws[name].bound(**known))
            evidence.append(
                simulation.compare(
                    name,
                    measured=measured,
                    predicted=0.0 if flat else expected,
                    stderr=stderr,
                    remainder=remainder,
                    n=len(bias),
                    bin=rung("radius_sq_mean", known["radius_sq_mean"]),
                )
            )
            if not flat:
                ladder[name].append((known["radius_sq_mean"], measured))
    for name, exponent_name in (("direction-bias", "direction-bias-exponent"), ("kl-divergence", "kl-exponent")):
        if ladder[name]:
            # Directions are shared and radii their own law: the next order in E t² is the only trend, the rest scatter.
            fitted = fit_exponent(*zip(*ladder[name], strict=True), correction_order=1)
            evidence.append(
                simulation.compare_exponent(exponent_name, fitted, float(laws[name].exponent("radius_sq_mean")))
            )
    return evidence


def _mixed(simulation: Simulation, radii: Sequence[float]) -> tuple[Tensor, dict[str, Any]]:
    """Density − 1 of pairs ±w under equal weights on the radii, and what its predictions are evaluated with."""
    curvature = simulation.curvature
    shells = draw_shells(curvature, radii, simulation.points // THINNING, simulation.stream("directions").generator())
    coefficient = folded(curvature.projected_coefficient(shells.directions))
    moments = torch.tensor(radii, dtype=torch.float64)
    return folded(shells.normalised.mean(0)) - 1, {
        "coefficient": coefficient,
        "coefficient_mean": coefficient.mean(),
        "coefficient_variance": float(coefficient.var(correction=0)),
        "curvature_bound": curvature.bound,
        "dim": simulation.subject.dim,
        "radius_sq_mean": float(moments.pow(2).mean()),
        "radius_4_mean": float(moments.pow(4).mean()),
        "radius_6_mean": float(moments.pow(6).mean()),
    }
