"""The mean gradient in training, and per-token gradients, against trained layers by automatic differentiation."""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import brentq

import proofs
from manifoldtheory.ledger import Form, Verdict

from .graphs import Graph, circle, cylinder, directions, random_patch, sphere

TANGENT = 2


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("early-peak")
    assert derivation.holds
    return derivation


@pytest.fixture(scope="module")
def predictions(derivation):
    return derivation.predictions


def tokens(tangent_rate: float, normal_rate: float) -> torch.Tensor:
    """Points of R⁵ with E[x xᵀ] = diag(λ_T, λ_T, λ_N, λ_N, λ_N)."""
    points, _ = torch.linalg.qr(torch.randn(40, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
    rates = torch.tensor([tangent_rate] * 2 + [normal_rate] * 3, dtype=torch.float64)
    return points * (40 * rates).sqrt()


@pytest.mark.parametrize(("tangent_rate", "normal_rate"), [(0.9, 0.3), (1.5, 0.2)])
def test_mean_gradient_in_training(predictions, tangent_rate: float, normal_rate: float) -> None:
    """The error at the start is orthogonal, W* = Q: the same mean square in every dimension."""
    x = tokens(tangent_rate, normal_rate)
    teacher, _ = torch.linalg.qr(torch.randn(5, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64))

    def loss(flat: torch.Tensor) -> torch.Tensor:
        return (x @ (flat.reshape(5, 5) - teacher).mT).square().sum(1).mean() / 2

    # The flow is linear: ẇ = −Hw − g with the loss's own Hessian, and g its gradient at 0.
    start = torch.zeros(25, dtype=torch.float64)
    system = torch.zeros(26, 26, dtype=torch.float64)
    system[:25, :25], system[:25, 25] = -torch.func.hessian(loss)(start), -torch.func.grad(loss)(start)

    def ratio(time: float) -> float:
        weight = torch.linalg.matrix_exp(time * system)[:25, 25]
        energy = torch.func.grad(loss)(weight).reshape(5, 5).square().sum(0)
        return float(energy[:TANGENT].mean() / energy[TANGENT:].mean())

    rates = {"tangent_rate": tangent_rate, "normal_rate": normal_rate}
    for time in (0.0, 0.5, 3.0):
        assert ratio(time) == pytest.approx(predictions["energy-ratio"](time=time, **rates), rel=1e-10)
    crossing: float = brentq(lambda time: math.log(ratio(time)), 0.0, 4.0, xtol=1e-12)  # type: ignore[assignment]
    assert crossing == pytest.approx(predictions["crossing-time"](**rates), rel=1e-10)


def energies(points: np.ndarray, dim: int, *, trained: bool) -> torch.Tensor:
    """Energies per dimension in T and N of per-token gradients of the first layer of a network, shape (n, 2)."""
    generator = torch.Generator().manual_seed(2)
    x = torch.tensor(points)
    shapes = ((6, x.shape[1]), (1, 6))
    first, last = (torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in shapes)
    labels = torch.randn(len(x), 1, generator=generator, dtype=torch.float64)

    def loss(weight: torch.Tensor, token: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        return ((last @ torch.tanh(weight @ token)) - label).square().sum()

    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    for _ in range(20 if trained else 0):
        first = first - 0.1 * each(first, x, labels).mean(0)
    squares = each(first, x, labels).square().sum(1)
    return torch.stack([squares[:, :dim].mean(1), squares[:, dim:].mean(1)], dim=1)


def shells(graph: Graph, largest: float) -> np.ndarray:
    """Displacements at several radii up to the largest."""
    w = np.array([[1.0], [-1.0]]) if graph.dim == 1 else directions(graph.dim, 12)
    points = []
    for t in (largest / 3, largest):
        for u in w:
            tangent = graph.abscissa(u, t) * u
            points.append(np.append(tangent, graph.height(tangent)))
    return np.array(points)


@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize(
    "graph",
    [sphere(2), sphere(5, 2.0), cylinder(), random_patch(1, 2, 0), random_patch(2, 1, 1), random_patch(3, 2, 2)],
    ids=lambda graph: graph.name,
)
def test_tokens_stay_above_the_bound(predictions, graph: Graph, trained: bool) -> None:
    largest = 0.3
    points = shells(graph, largest)
    lengths, heights = (points**2).sum(1), (points[:, graph.dim :] ** 2).sum(1)
    codim = points.shape[1] - graph.dim
    values = {
        "dim": graph.dim,
        "ambient_dim": graph.dim + codim,
        "radius_max": largest,
        "curvature_sq_max": (4 * heights / (largest**2 * lengths)).max(),
    }
    bound = predictions["per-token-bound"](**values)
    energy = energies(points, graph.dim, trained=trained)
    ratio = float(energy[:, 0].mean() / energy[:, 1].mean())
    assert ratio >= bound * (1 - 1e-12)
    assert bound > 1
    worst = int((heights / lengths).argmax())  # a loss that only this token feels reaches the bound
    assert float(energy[worst, 0] / energy[worst, 1]) == pytest.approx(bound, rel=1e-9)


def test_the_sphere_is_below_the_leading_order(predictions) -> None:
    """On the unit sphere the ratio is exactly (4/t² − 1)/2: 4/(m F t²) alone is no bound."""
    t = 0.5
    bound = predictions["per-token-bound"](dim=2, ambient_dim=3, radius_max=t, curvature_sq_max=1.0)
    graph = sphere(2)
    tangent = [graph.abscissa(w, t) for w in circle(4)]
    assert (tangent[0] ** 2 / 2) / (t**2 - tangent[0] ** 2) == pytest.approx(bound, rel=1e-12)
    assert bound < 4 / (2 * t**2)


@pytest.mark.parametrize(("dim", "ambient_dim", "curvature"), [(2, 3, 1.0), (3, 7, 0.4)])
def test_threshold_of_the_bound(predictions, dim: int, ambient_dim: int, curvature: float) -> None:
    radius = math.sqrt(4 * (ambient_dim - dim) / (ambient_dim * curvature))
    values = {"dim": dim, "ambient_dim": ambient_dim, "curvature_sq_max": curvature}
    inside, outside = (predictions["per-token-bound"](radius_max=radius * factor, **values) for factor in (0.99, 1.01))
    assert inside > 1 > outside


def test_verdicts(derivation) -> None:
    found = {(f.form, f.quantity): f.verdict for f in derivation.findings}
    assert found[Form.AS_STATED, "energy-ratio"] is Verdict.SUPPORTS
    assert found[Form.AS_STATED, "per-token-bound"] is Verdict.REFUTES
    assert {quantity for form, quantity in found if form is Form.REPAIRED} == derivation.predictions.keys()
