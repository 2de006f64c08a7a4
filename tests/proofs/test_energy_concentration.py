import numpy as np
import pytest

import proofs
from manifoldtheory.ledger import Form, Verdict

from .graphs import Graph, circle, cylinder, random_patch, sphere


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("energy-concentration")
    assert derivation.holds
    return derivation


def shell_directions(graph: Graph) -> np.ndarray:
    return np.array([[1.0], [-1.0]]) if graph.dim == 1 else circle(48)


@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize(
    "graph", [sphere(2), cylinder(), random_patch(1, 3, 4), random_patch(2, 3, 5)], ids=lambda g: g.name
)
def test_shells_stay_within_the_remainder(derivation, graph: Graph, noise: float) -> None:
    prediction = derivation.predictions["energy-ratio"]
    w = shell_directions(graph)
    codim = graph.second_form.shape[0]
    for t in (0.01, 0.05, 0.1):
        q = np.array([graph.density(direction, t) for direction in w])
        normal = (q * np.array([graph.normal_norm(direction, t) ** 2 for direction in w])).sum() / q.sum()
        ratio = ((t**2 - normal) / graph.dim + noise) / (normal / codim + noise)
        values = {
            "dim": graph.dim,
            "ambient_dim": graph.dim + codim,
            "curvature_sq_mean": np.mean([graph.normal_curvature_sq(direction) for direction in w]),
            "radius_sq_mean": t**2,
            "radius_4_mean": t**4,
            "radius_6_mean": t**6,
            "noise_variance": noise,
            "curvature_bound": graph.bound,
        }
        assert abs(ratio - prediction(**values)) <= prediction.bound(**values)


def test_curvature_mean_by_quadrature(derivation) -> None:
    graph = random_patch(2, 3, 6)
    form = graph.second_form
    values = {
        "dim": 2,
        "second_form_sq": (form**2).sum(),
        "trace_form_sq": (np.trace(form, axis1=1, axis2=2) ** 2).sum(),
    }
    measured = np.mean([graph.normal_curvature_sq(w) for w in circle(16)])
    assert derivation.predictions["curvature-sq-mean"](**values) == pytest.approx(measured, rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(3, 1), (6, 2), (7, 7), (9, 4)])
def test_null_moments_by_sampling(derivation, n: int, k: int) -> None:
    generator = np.random.default_rng(n)
    b = generator.normal(size=(n, n))
    b = b @ b.T
    draws = 20000
    frames, _ = np.linalg.qr(generator.normal(size=(draws, n, k)))
    energy = np.einsum("sik,ij,sjk->s", frames, b, frames) / k
    values = {"trace": np.trace(b), "trace_of_square": (b * b).sum(), "null_dim": n, "rank": k}
    mean, variance = (derivation.predictions[name](**values) for name in ("null-mean", "null-variance"))
    assert abs(energy.mean() - mean) <= 5 * np.sqrt(variance / draws) + 1e-10
    fourth = ((energy - mean) ** 4).mean()
    assert abs(energy.var() - variance) <= 5 * np.sqrt(fourth / draws) + 1e-10
    if n == k:
        assert variance == 0


def test_noise_refutes_the_claim_as_stated(derivation) -> None:
    assert derivation.chain("noisy-limit").conclusion == 1
    verdicts = {f.verdict for f in derivation.findings if f.form == Form.AS_STATED}
    assert verdicts == {Verdict.REFUTES}
    ratio = derivation.predictions["energy-ratio"]
    values = {"dim": 3, "ambient_dim": 8, "curvature_sq_mean": 1.0, "noise_variance": 1e-4}
    small, peak = (ratio(radius_sq_mean=t**2, radius_4_mean=t**4, **values) for t in (1e-4, 0.3))
    assert small == pytest.approx(1, rel=1e-3)
    assert peak > 10
