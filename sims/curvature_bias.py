"""Densities of projected directions at fixed ambient radius against 1 + c t², and what they say of curvature."""

import math

import torch
from torch import Tensor

from manifoldtheory.ledger import Evidence, rung
from manifoldtheory.manifolds import UniformBall
from proofs import PROVIDER as PROOFS
from sims.sampling import FLAT
from sims.shells import Shells, draw_shells, folded
from sims.simulation import Simulation

SHELL_RADII = (0.1, 0.03, 0.01)
SHOWN_RADIUS = 0.01
"""Of the shell whose density is reported bin by bin."""
BINS = 18


def simulate(simulation: Simulation) -> list[Evidence]:
    """Density by bins of directions, its regression on the predicted one, ball volumes, and the claim as stated.

    As stated, directions of high normal curvature are over-represented at fixed radius: that is a positive regression
    of the density on F.
    """
    curvature = simulation.curvature
    shells = draw_shells(curvature, SHELL_RADII, simulation.points, simulation.stream("shells").generator())
    coefficient = curvature.projected_coefficient(shells.directions)
    evidence = _bins(simulation, shells, coefficient)
    for index, t in enumerate(SHELL_RADII):
        simulation.progress(f"radius {t:.1e}", index, len(SHELL_RADII))
        evidence += _excess(simulation, shells.density[index], coefficient, t)
        evidence.append(_ball(simulation, t))
    steepness = folded(curvature.normal_curvature_sq(shells.directions))
    if float(steepness.std()) > FLAT:
        slope, stderr = _slope(folded(shells.normalised[-1]) - 1, steepness - steepness.mean())
        evidence.append(simulation.test_sign("curvature-association", measured=slope, stderr=stderr, n=len(steepness)))
    return evidence


def _bins(simulation: Simulation, shells: Shells, coefficient: Tensor) -> list[Evidence]:
    """Mean density relative to uniform in bins of the angle modulo π (m = 2), else of the predicted coefficient."""
    index = shells.radii.index(SHOWN_RADIUS)
    prediction = PROOFS.predictions("bias-attenuation")["direction-density"]  # of the law with all mass on one shell
    density = shells.normalised[index]
    known = {
        "radius_sq_mean": SHOWN_RADIUS**2,
        "radius_4_mean": SHOWN_RADIUS**4,
        "curvature_bound": simulation.curvature.bound,
        "dim": simulation.subject.dim,
    }
    predicted = prediction(coefficient=coefficient, coefficient_mean=coefficient.mean(), **known)
    remainder = prediction.bound(**known)
    effect = float((predicted - 1).square().mean().sqrt())
    w = shells.directions
    if simulation.subject.dim == 2:
        name, value = "angle", torch.atan2(w[:, 1], w[:, 0]).remainder(math.pi)
        edges = torch.linspace(0, math.pi, BINS + 1, dtype=torch.float64, device=w.device)
    else:
        name, value = "coefficient", coefficient
        if float(coefficient.std()) < FLAT:
            edges = torch.tensor([-math.inf, math.inf], dtype=torch.float64, device=w.device)
        else:
            edges = coefficient.quantile(torch.linspace(0, 1, BINS + 1, dtype=torch.float64, device=w.device))
    members = torch.bucketize(value, edges[1:-1].contiguous())
    evidence = []
    for label in range(len(edges) - 1):
        inside = members == label
        count = int(inside.sum())
        if count < 2:
            continue
        difference = density[inside] - predicted[inside]
        evidence.append(
            simulation.compare(
                "direction-density",
                measured=float(density[inside].mean()),
                predicted=float(predicted[inside].mean()),
                stderr=float(difference.std()) / count**0.5,
                remainder=float(remainder),
                effect=effect,
                n=count,
                bin=rung(name, float(value[inside].mean())),
            )
        )
    return evidence


def _excess(simulation: Simulation, density: Tensor, coefficient: Tensor, t: float) -> list[Evidence]:
    """Measured against predicted c at one radius: the slope through the origin, or the mean where c vanishes."""
    prediction = PROOFS.predictions("curvature-bias")["projected-volume"]
    bound = float(prediction.bound(radius=t, curvature_bound=simulation.curvature.bound, dim=simulation.subject.dim))
    measured, coefficient = folded((density - 1) / t**2), folded(coefficient)
    scale = float(coefficient.square().mean().sqrt())
    if scale < FLAT:
        value, stderr, predicted, remainder = float(measured.mean()), _stderr(measured), 0.0, bound
    else:
        value, stderr = _slope(measured, coefficient)
        # |Σ c·r/Σ c²| ≤ bound·⟨|c|⟩/⟨c²⟩ for what is left out, |r| ≤ bound.
        predicted, remainder = 1.0, bound * float(coefficient.abs().mean()) / scale**2
    return [
        simulation.compare(
            "projected-volume",
            measured=value,
            predicted=predicted,
            stderr=stderr,
            remainder=remainder,
            n=len(density),
            bin=rung("radius", t),
        )
    ]


def _ball(simulation: Simulation, t: float) -> Evidence:
    """Volume of the extrinsic ball relative to the flat one: the mean density over the flat ball."""
    curvature, subject = simulation.curvature, simulation.subject
    prediction = PROOFS.predictions("curvature-bias")["ball-volume"]
    cloud = subject.manifold.sample_cloud(
        subject.base_point,
        simulation.points,
        UniformBall(t, subject.dim),
        direction="projected",
        generator=simulation.stream("ball").generator(),
    )
    dim = subject.dim
    predicted = float(
        prediction(dim=dim, radius=t, second_form_sq=curvature.second_form_sq, trace_form_sq=curvature.trace_form_sq)
    )
    return simulation.compare(
        "ball-volume",
        measured=float(cloud.weight.mean()),
        predicted=predicted,
        stderr=_stderr(cloud.weight),
        remainder=float(prediction.bound(dim=dim, radius=t, curvature_bound=curvature.bound)),
        n=len(cloud),
        bin=rung("radius", t),
    )


def _stderr(values: Tensor) -> float:
    return float(values.std()) / len(values) ** 0.5


def _slope(response: Tensor, regressor: Tensor) -> tuple[float, float]:
    """Least-squares slope through the origin and its heteroscedasticity-robust standard error."""
    power = float(regressor.square().sum())
    slope = float((response * regressor).sum()) / power
    residual = response - slope * regressor
    return slope, float((residual * regressor).square().sum()) ** 0.5 / power
