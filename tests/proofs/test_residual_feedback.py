"""Rates, gradient flow, residual blocks and IsoScore* against quadrature, trained layers and automatic derivatives."""

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from scipy.special import roots_legendre

import proofs
from manifoldtheory.ledger import Form, Verdict
from manifoldtheory.manifolds import FixedRadius, MongePatch

from .graphs import Graph, circle, cylinder, random_patch, sphere

GRAPHS = [sphere(2), cylinder(), random_patch(1, 2, 1), random_patch(2, 1, 2), random_patch(2, 2, 3)]
GRAPHS += [random_patch(3, 1, 4), random_patch(3, 2, 5)]


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("residual-feedback")
    assert derivation.holds
    return derivation


@pytest.fixture(scope="module")
def predictions(derivation):
    return derivation.predictions


def design(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Directions and weights that integrate over the unit sphere, far more exactly than the remainders."""
    if dim == 1:
        return np.array([[1.0], [-1.0]]), np.array([0.5, 0.5])
    if dim == 2:
        return circle(48), np.full(48, 1 / 48)
    heights, weights = roots_legendre(8)
    ring = circle(16)
    sine = np.sqrt(1 - heights**2)
    points = [np.column_stack([s * ring, np.full(16, z)]) for s, z in zip(sine, heights, strict=True)]
    return np.concatenate(points), np.repeat(weights / 2 / 16, 16)


def second_moment(graph: Graph, t: float) -> np.ndarray:
    """E[ξ ξᵀ] over the shell of radius t, uniform by volume."""
    w, weights = design(graph.dim)
    weights = weights * np.array([graph.density(direction, t) for direction in w])
    radii = [graph.abscissa(direction, t) for direction in w]
    points = [np.append(rho * u, graph.height(rho * u)) for rho, u in zip(radii, w, strict=True)]
    return np.einsum("n,ni,nj->ij", weights / weights.sum(), points, points)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_rates_stay_within_the_remainder(predictions, graph: Graph) -> None:
    generator = np.random.default_rng(0)
    codim = graph.second_form.shape[0]
    v, nu = generator.normal(size=graph.dim), generator.normal(size=codim)
    v, nu = v / np.linalg.norm(v), nu / np.linalg.norm(nu)
    form = np.einsum("a,aij->ij", nu, graph.second_form)
    for t in (0.02, 0.1):
        moment = second_moment(graph, t)
        values = {
            "dim": graph.dim,
            "radius_sq_mean": t**2,
            "radius_4_mean": t**4,
            "radius_6_mean": t**6,
            "normal_form_sq": (form**2).sum(),
            "normal_form_trace": np.trace(form),
            "curvature_bound": graph.bound,
        }
        for name, part, axis in (("tangent", slice(graph.dim), v), ("normal", slice(graph.dim, None), nu)):
            law = predictions[f"{name}-rate"]
            measured = axis @ moment[part, part] @ axis
            assert abs(measured - law(**values)) <= law.bound(**values) + 1e-15


def test_between_t_and_n_there_is_only_the_fourth_order() -> None:
    """The cubic part of the patch correlates the two at t⁴; a term at t³ would double the quotient as t halves."""
    graph = random_patch(2, 2, 3)
    near, far = (second_moment(graph, t)[:2, 2:] / t**4 for t in (0.01, 0.02))
    assert np.abs(near).max() > 1e-3
    assert np.abs(near - far).max() < 0.1 * np.abs(near).max()


def test_rank_of_the_normal_rates(predictions) -> None:
    """Seven normal dimensions on a generic surface: the rates are those of a matrix of rank 3, and 0 on its kernel."""
    form = torch.randn(7, 2, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    form = form + form.mT
    w = torch.tensor(circle(8))
    bends = torch.einsum("aij,ni,nj->na", form, w, w)
    matrix = bends.T @ bends / len(w) / 4  # E t⁴ = 1
    assert torch.linalg.matrix_rank(matrix) == predictions["first-normal-dim"](dim=2) == 3
    for nu in torch.linalg.eigh(matrix).eigenvectors.T:
        along = torch.einsum("a,aij->ij", nu, form)
        values = {"normal_form_sq": along.square().sum(), "normal_form_trace": along.trace()}
        assert torch.isclose(
            predictions["normal-rate"](dim=2, radius_4_mean=1.0, **values), nu @ matrix @ nu, atol=1e-12
        )


def test_gradient_flow_on_a_patch(predictions) -> None:
    """A layer trained on a cloud, its flow integrated with gradients by autograd, in the eigenvectors of its moment."""
    generator = torch.Generator().manual_seed(1)
    form = torch.tensor([[[1.0, 0.3], [0.3, -0.4]], [[0.2, 0.5], [0.5, 0.9]]], dtype=torch.float64)
    patch = MongePatch(form)
    cloud = patch.sample_cloud(torch.zeros(4, dtype=torch.float64), 50, FixedRadius(0.3), generator=generator)
    x = torch.cat([cloud.tangent, cloud.normal], dim=1) / 0.3
    target, end = 0.7, 12.0

    def descent(_: float, flat: np.ndarray) -> np.ndarray:
        weight = torch.tensor(flat.reshape(4, 4), requires_grad=True)
        loss = (x @ weight.mT - target * x).square().sum(1).mean() / 2
        (slope,) = torch.autograd.grad(loss, weight)
        return -slope.numpy().ravel()

    flow = solve_ivp(descent, (0, end), np.zeros(16), "DOP853", [end], rtol=1e-7, atol=1e-10)
    weight = torch.tensor(flow.y[:, -1]).reshape(4, 4)
    rates, vectors = torch.linalg.eigh(x.T @ x / len(x))
    learnt = torch.einsum("ik,ij,jk->k", vectors, weight, vectors)
    expected = predictions["weight"](target=target, time=end, rate=rates)
    assert torch.allclose(learnt, expected, atol=1e-6)
    lead = predictions["lead"](target=target, time=end, tangent_rate=rates[3], normal_rate=rates[0])
    assert torch.isclose(learnt[3] - learnt[0], lead, atol=1e-6)
    assert lead > 0.1


@pytest.mark.parametrize(("weight", "depth"), [(0.3, 5), (-0.4, 3), (0.9, 1)])
def test_residual_blocks(predictions, weight: float, depth: int) -> None:
    layer = torch.nn.Linear(3, 3, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.diag(torch.tensor([weight, weight, 0.0], dtype=torch.float64)))
        x = torch.tensor([[0.3, -0.4, 0.2]], dtype=torch.float64)
        out = x
        for _ in range(depth):
            out = out + layer(out)
    ratio = torch.linalg.vector_norm(out[:, :2]) / torch.linalg.vector_norm(x[:, :2])
    assert float(ratio) == pytest.approx(predictions["stretch"](weight=weight, depth=depth), rel=1e-13)
    assert out[0, 2] == x[0, 2]


def published_score(covariance: torch.Tensor) -> torch.Tensor:
    """IsoScore* as Rudman and Eickhoff define it."""
    values = torch.linalg.eigvalsh(covariance)
    d = len(values)
    scaled = d**0.5 * values / torch.linalg.vector_norm(values)
    defect = torch.linalg.vector_norm(scaled - 1) / (2 * (d - d**0.5)) ** 0.5
    used = ((d - defect**2 * (d - d**0.5)) / d) ** 2
    return (d * used - 1) / (d - 1)


@pytest.mark.parametrize("wide", [0.1, 0.5, 2.0])
def test_slope_of_the_score(predictions, wide: float) -> None:
    generator = torch.Generator().manual_seed(2)
    tangent, normal = (torch.randn(9, k, generator=generator, dtype=torch.float64) for k in (2, 3))
    tangent, normal = tangent.T @ tangent, wide * normal.T @ normal
    traces = {
        f"{name}_{what}": float(value)
        for name, block in (("tangent", tangent), ("normal", normal))
        for what, value in (("trace", block.trace()), ("trace_of_square", block.square().sum()))
    }
    condition = traces["normal_trace_of_square"] / traces["normal_trace"]
    for stretch in (1.0, 1.4):
        g = torch.tensor(stretch, dtype=torch.float64, requires_grad=True)
        (slope,) = torch.autograd.grad(published_score(torch.block_diag(g**2 * tangent, normal)), g)
        expected = predictions["iso-score-slope"](ambient_dim=5, stretch=stretch, **traces)
        assert float(slope) == pytest.approx(expected, rel=1e-9)
        falls = stretch**2 * traces["tangent_trace_of_square"] / traces["tangent_trace"] > condition
        assert (slope < 0) == falls


@pytest.mark.parametrize(("target", "sign"), [(0.8, -1), (-0.5, 1)])
def test_the_loop_on_a_patch(predictions, target: float, sign: int) -> None:
    """A cloud through three trained blocks: its score falls for a positive target, and rises for a negative one."""
    moment = torch.tensor(second_moment(random_patch(2, 2, 3), 0.1))
    before = published_score(moment)
    tangent, normal = moment[:2, :2], moment[2:, 2:]
    assert tangent.square().sum() / tangent.trace() > normal.square().sum() / normal.trace()
    time = 1 / float(tangent[0, 0])
    weight = target * (torch.eye(4, dtype=moment.dtype) - torch.linalg.matrix_exp(-time * moment))
    stack = torch.linalg.matrix_power(torch.eye(4, dtype=moment.dtype) + weight, 3)
    change = published_score(stack @ moment @ stack.mT) - before
    assert sign * change > 1e-10  # rounding is below 1e-15
    # One rate on T and hardly any on N: the score as a function of the stretch has a slope of that sign all the way.
    learnt = predictions["weight"](target=target, rate=float(tangent[0, 0]), time=time)
    stretch = predictions["stretch"](weight=learnt, depth=3)
    blocks = {"tangent": tangent, "normal": normal}
    traces = {f"{name}_trace": block.trace().item() for name, block in blocks.items()}
    traces |= {f"{name}_trace_of_square": block.square().sum().item() for name, block in blocks.items()}
    slopes = [predictions["iso-score-slope"](ambient_dim=4, stretch=g, **traces) for g in (1.0, stretch)]
    assert all(sign * (stretch - 1) * slope > 0 for slope in slopes)


def test_verdicts(derivation) -> None:
    found = {(f.form, f.quantity): f.verdict for f in derivation.findings}
    for quantity in ("lead", "negative-target", "wide-normals"):
        assert found[Form.AS_STATED, quantity] is Verdict.REFUTES
    repaired = {quantity for form, quantity in found if form is Form.REPAIRED}
    assert repaired == derivation.predictions.keys()
    assert {verdict for (form, _), verdict in found.items() if form is Form.REPAIRED} == {Verdict.SUPPORTS}
    (target,) = derivation.chain("trained-weight").conclusion.free_symbols
    assert str(target) == "target"
