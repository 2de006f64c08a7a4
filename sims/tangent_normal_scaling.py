"""Tangent and normal parts of a displacement at ambient radius t: rms over directions, and their exponents."""

from functools import partial

import numpy as np
import torch
from torch import Tensor

from manifoldtheory.estimators import SecondMoment, fit_exponent, pooled
from manifoldtheory.ledger import Evidence, rung
from manifoldtheory.manifolds import FixedRadius
from proofs import PROVIDER as PROOFS
from sims.engine import chunk_sizes, map_chunks
from sims.sampling import Curvature
from sims.simulation import Simulation

CHUNK = 2**14
THINNING = 16
"""Geodesics cost more than graphs, and directions that share their prediction need fewer points."""
PARTS = ("tangent", "normal")


def simulate(simulation: Simulation) -> list[Evidence]:
    """Rms norms of both parts over a ladder of radii, and the power laws fitted to them.

    Each point is compared with the prediction for its own direction, so that only the remainder is left between the
    two means. In the fits, rungs weigh by sampling error and by all that the leading power leaves
    out together: the small radii decide.
    """
    predictions = {part: PROOFS.predictions("tangent-normal-scaling")[f"{part}_norm"] for part in PARTS}
    radii = simulation.radii
    evidence: list[Evidence] = []
    rungs: dict[str, list[tuple[float, float, float, float]]] = {part: [] for part in PARTS}
    for index, t in enumerate(radii):
        simulation.progress(f"radius {t:.1e}", index, len(radii))
        chunks = map_chunks(
            partial(squared_norms, simulation.curvature, t),
            chunk_sizes(simulation.points // THINNING, CHUNK),
            simulation.stream("directions"),  # the same at every radius
            executor=simulation.executor,
        )
        moment = pooled(chunks)
        for row, part in enumerate(PARTS):
            measured, predicted, stderr = _rms_pair(moment, 2 * row)
            remainder = float(predictions[part].bound(radius=t, curvature_bound=simulation.curvature.bound))
            evidence.append(
                simulation.compare(
                    f"{part}-norm",
                    measured=measured,
                    predicted=predicted,
                    stderr=stderr,
                    remainder=remainder,
                    n=moment.count,
                    bin=rung("radius", t),
                )
            )
            rungs[part].append((measured, stderr, remainder, predicted))
    for part in PARTS:
        values, errors, remainders, predicted = map(np.array, zip(*rungs[part], strict=True))
        exponent = float(predictions[part].exponent("radius"))
        coefficient = predicted[-1] / radii[-1] ** exponent
        beyond = np.abs(predicted - coefficient * np.power(radii, exponent)) + remainders
        law = fit_exponent(radii, values, np.hypot(errors, beyond))
        evidence.append(simulation.compare_exponent(f"{part}-exponent", law, exponent))
        evidence.append(simulation.compare_coefficient(f"{part}-coefficient", law, float(coefficient)))
    return evidence


def squared_norms(curvature: Curvature, t: float, generator: torch.Generator, n: int) -> SecondMoment:
    """Moments of |P_T ξ|², its prediction, |P_N ξ|² and its prediction over random geodesic directions."""
    subject = curvature.subject
    cloud = subject.manifold.sample_cloud(
        subject.base_point, n, FixedRadius(t), measure="arc", direction="geodesic", generator=generator
    )
    bend = curvature.normal_curvature_sq(cloud.direction)
    columns: list[Tensor] = []
    for part, norm_sq in (("tangent", cloud.tangent), ("normal", cloud.normal)):
        prediction = PROOFS.predictions("tangent-normal-scaling")[f"{part}_norm"]
        columns += [norm_sq.square().sum(-1), prediction(radius=t, normal_curvature_sq=bend) ** 2]
    return SecondMoment(4).update(torch.stack(columns, -1))


def _rms_pair(moment: SecondMoment, row: int) -> tuple[float, float, float]:
    """√E a, √E b and the standard error of their difference, by the delta method on the joint moments."""
    mean, covariance = moment.mean[row : row + 2], moment.covariance[row : row + 2, row : row + 2]
    measured, predicted = mean.sqrt().tolist()
    gradient = torch.stack([0.5 / mean[0].sqrt(), -0.5 / mean[1].sqrt()])
    variance = float(gradient @ covariance @ gradient) / moment.count
    return measured, predicted, max(variance, 0.0) ** 0.5
