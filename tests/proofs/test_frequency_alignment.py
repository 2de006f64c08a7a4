"""Bias, ratio and order of tokens by their spread, against quadrature on graphs, autograd and numerical maxima."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar

import proofs
from manifoldtheory.ledger import Form, Verdict

from .graphs import Graph, circle, cylinder, random_patch, sphere

SCALES = ((0.6, 0.7), (1.5, 0.3))
"""Atoms of τ and their probabilities, before τ is scaled to E τ² = 1."""


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("frequency-alignment")
    assert derivation.holds
    return derivation


@pytest.fixture(scope="module")
def predictions(derivation):
    return derivation.predictions


def law(spread: float) -> list[tuple[float, float]]:
    """Radii √V τ and their probabilities."""
    unit = math.sqrt(sum(p * tau**2 for tau, p in SCALES))
    return [(math.sqrt(spread) * tau / unit, p) for tau, p in SCALES]


def moments(spread: float) -> dict[str, float]:
    fourth = sum(p * t**4 for t, p in law(spread))
    sixth = sum(p * t**6 for t, p in law(spread))
    return {"variance": spread, "kurtosis": fourth / spread**2, "radius_4_mean": fourth, "radius_6_mean": sixth}


def shell_energy(graph: Graph, t: float) -> float:
    """E|ξ_N|² on the shell of radius t."""
    w = np.array([[1.0], [-1.0]]) if graph.dim == 1 else circle(48)
    q = np.array([graph.density(u, t) for u in w])
    return float((q * np.array([graph.normal_norm(u, t) ** 2 for u in w])).sum() / q.sum())


@pytest.mark.parametrize("noise", [0.0, 1e-4])
@pytest.mark.parametrize(
    "graph", [sphere(2), cylinder(), random_patch(1, 2, 4), random_patch(2, 3, 5)], ids=lambda g: g.name
)
def test_ratio_of_a_scale_family(predictions, graph: Graph, noise: float) -> None:
    codim = graph.second_form.shape[0]
    w = np.array([[1.0]]) if graph.dim == 1 else circle(16)
    curvature = np.mean([graph.normal_curvature_sq(u) for u in w])
    prediction = predictions["energy-ratio"]
    for spread in (1e-4, 4e-3):
        normal = sum(p * shell_energy(graph, t) for t, p in law(spread))
        ratio = ((spread - normal) / graph.dim + noise) / (normal / codim + noise)
        values = {
            "dim": graph.dim,
            "ambient_dim": graph.dim + codim,
            "curvature_sq_mean": curvature,
            "curvature_bound": graph.bound,
            "noise_variance": noise,
            **moments(spread),
        }
        assert abs(ratio - prediction(**values)) <= prediction.bound(**values)


def test_bias_is_proportional_to_the_spread(predictions) -> None:
    graph, w = cylinder(), circle(64)
    projected = proofs.derive("curvature-bias").predictions["projected-volume"]
    coefficients = np.array(
        [projected(dim=2, normal_curvature_sq=graph.normal_curvature_sq(u), shape_sq=graph.shape_sq(u)) for u in w]
    )
    prediction = predictions["curvature-bias"]
    for spread in (1e-4, 4e-3):
        density = np.zeros(len(w))
        for t, p in law(spread):
            q = np.array([graph.density(u, t) for u in w])
            density += p * q / q.mean()
        values = {"coefficient_mean": coefficients.mean(), "curvature_bound": 1.0, "dim": 2, **moments(spread)}
        predicted = np.array([prediction(coefficient=c, **values) for c in coefficients])
        assert np.abs(density - 1 - predicted).max() <= prediction.bound(**values)


@pytest.mark.parametrize("noise", [1e-6, 1e-3, 0.3])
@pytest.mark.parametrize(("dim", "codim", "curvature", "kurtosis"), [(2, 1, 1.0, 1.0), (3, 5, 0.2, 3.0)])
def test_peak(predictions, noise: float, dim: int, codim: int, curvature: float, kurtosis: float) -> None:
    values = {
        "dim": dim,
        "ambient_dim": dim + codim,
        "curvature_sq_mean": curvature,
        "kurtosis": kurtosis,
        "noise_variance": noise,
    }
    bending = curvature * kurtosis / (4 * codim)

    def ratio(log: float) -> float:
        spread = math.exp(log)
        return (spread / dim + noise) / (bending * spread**2 + noise)

    leading = math.sqrt(noise / bending)
    best: Any = minimize_scalar(
        lambda log: -ratio(log), bracket=(math.log(leading) - 2, math.log(leading) + 1), options={"xtol": 1e-10}
    )
    peak = predictions["peak-variance"](**values)
    # A maximum is found to the square root of the precision of its value.
    assert math.exp(best.x) == pytest.approx(peak, rel=1e-6)
    assert ratio(math.log(peak)) == pytest.approx(predictions["energy-ratio"](variance=peak, **values), rel=1e-14)
    theta = dim * math.sqrt(noise * bending)  # V* = σ/√(bκ) (√(1 + θ²) − θ), and √(1 + θ²) ≤ 1 + θ²/2
    assert 0 <= peak - (leading - dim * noise) <= leading * theta**2 / 2 * (1 + 1e-9)


def test_peak_on_a_noisy_sphere(predictions) -> None:
    """On shells of S², where E|ξ_N|² = t⁴/4 exactly, the exact ratio is largest near the peak of the leading law."""
    noise = 1e-6
    values = {"dim": 2, "ambient_dim": 3, "curvature_sq_mean": 1.0, "kurtosis": 1.0, "noise_variance": noise}
    spreads = np.geomspace(1e-4, 1e-1, 3001)
    ratio = ((spreads - spreads**2 / 4) / 2 + noise) / (spreads**2 / 4 + noise)
    peak = predictions["peak-variance"](**values)
    # V/2 is replaced by V/2 − V²/8: a relative V/4 in the numerator moves the maximum by a relative V.
    assert spreads[ratio.argmax()] == pytest.approx(peak, rel=peak + 3e-3)
    slope = (ratio[1] - ratio[0]) / (spreads[1] - spreads[0])
    assert slope > 0


@pytest.mark.parametrize("start", [0.0, 0.2, 4.0])
def test_order_in_the_frequency(predictions, start: float) -> None:
    """V by recursion, differentiated automatically: the sign is that of V_0 − V_∞."""
    values = {"step_size": 0.4, "restoring_rate": 0.9, "noise_variance": 1.3, "initial_variance": start}
    step, rate, noise = (values[name] for name in ("step_size", "restoring_rate", "noise_variance"))
    frequency = torch.tensor(0.15, dtype=torch.float64, requires_grad=True)
    spread = torch.tensor(start, dtype=torch.float64)
    for _ in range(7):
        spread = (1 - frequency) * spread + frequency * ((1 - step * rate) ** 2 * spread + step**2 * noise)
    (slope,) = torch.autograd.grad(1 / spread, frequency)
    predicted = predictions["alignment-slope"](frequency=0.15, steps=7, **values)
    assert predicted == pytest.approx(float(slope), rel=1e-12)
    assert (predicted > 0) == (start > step * noise / (rate * (2 - step * rate)))


def test_verdicts(derivation) -> None:
    found = {(f.form, f.quantity): f.verdict for f in derivation.findings}
    for quantity in ("noisy-order", "reversed-order"):
        assert found[Form.AS_STATED, quantity] is Verdict.REFUTES
    assert {quantity for form, quantity in found if form is Form.REPAIRED} == derivation.predictions.keys()
