import math

import numpy as np
import pytest
import torch
from torch import Tensor

import proofs
from manifoldtheory.ledger import Form, Verdict
from proofs.geometry.dropped_hypothesis_instances import SHEETS
from proofs.majorants import RANGE
from proofs.symbols import normal_curvature_sq

from .graphs import GRAPHS, Graph, directions, random_patch
from .random_patches import patch

RADII = (0.003, 0.03, float(RANGE) / 2, float(RANGE))


@pytest.fixture(scope="module")
def derivation():
    found = proofs.derive("tangent-normal-scaling")
    assert found.holds
    return found


@pytest.fixture(scope="module")
def predictions(derivation):
    return derivation.predictions


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_geodesics_stay_within_the_remainder(predictions, graph: Graph) -> None:
    for v in directions(graph.dim, 4):
        for scaled in RADII:
            t = scaled / graph.bound
            values = {"radius": t, "normal_curvature_sq": graph.normal_curvature_sq(v), "curvature_bound": graph.bound}
            for measured, name in zip(graph.geodesic_parts(v, t), ("tangent_norm", "normal_norm"), strict=True):
                error = abs(measured - predictions[name](**values))
                assert error <= predictions[name].bound(**values) + 1e-11 * t


def test_remainders_fall_faster_than_the_corrections(predictions) -> None:
    tangent, normal = predictions["tangent_norm"], predictions["normal_norm"]
    assert tangent.exponent("radius") == 1
    assert normal.exponent("radius") == 2
    assert tangent.remainder.exponent("radius") == 4
    assert normal.remainder.exponent("radius") == 3


def test_sphere_is_exact_to_third_order(predictions) -> None:
    """On the unit sphere |P_N ξ| = t²/2 exactly, and |P_T ξ| = t√(1 − t²/4)."""
    t = 0.01
    assert predictions["normal_norm"](radius=t, normal_curvature_sq=1.0) == pytest.approx(t**2 / 2, rel=1e-15)
    exact = t * math.sqrt(1 - t**2 / 4)
    assert predictions["tangent_norm"](radius=t, normal_curvature_sq=1.0) == pytest.approx(exact, rel=t**4)


@pytest.mark.parametrize(("dim", "codim"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)])
def test_jets_along_geodesics(predictions, dim: int, codim: int) -> None:
    """Derivatives by torch.func of |P_N ξ|² and |ξ|² in the arclength, the geodesic's jet from its own equation."""
    graph = random_patch(dim, codim, seed=5 * dim + codim)
    manifold, second_form = patch(graph), torch.tensor(graph.second_form)

    def squares(s: Tensor, v: Tensor) -> Tensor:
        # u″ = −J⁺ D²z(u′, u′) vanishes at the vertex, where u‴ = −Σ_a h^a v ⟨h^a v, v⟩
        height = second_form @ v
        point = manifold.immersion(s * v - s**3 / 6 * height.T @ (height @ v))
        return torch.stack([point[dim:].square().sum(), point.square().sum()])

    chosen = directions(dim, 3, seed=codim)
    found, function = [], squares
    for _ in range(5):
        along = torch.func.vmap(function, in_dims=(None, 0))
        found.append(along(torch.zeros((), dtype=torch.float64), torch.tensor(chosen)))
        function = torch.func.jacfwd(function)
    normal, whole = torch.stack(found).numpy().transpose(2, 1, 0)
    assert np.abs(normal[:, :4]).max() < 1e-14
    assert np.abs(whole[:, :4] - [0, 0, 2, 0]).max() < 1e-14
    # |P_N ξ|² = N s⁴ + … and t² = s² + T s⁴ + …, so that |P_T ξ|² = s² + (T − N)s⁴ = t² − N t⁴, |P_T ξ| = t − ½N t³
    for v, n, whole_fourth in zip(chosen, normal[:, 4] / 24, whole[:, 4] / 24, strict=True):
        values = {"radius": 1, "normal_curvature_sq": graph.normal_curvature_sq(v)}
        assert math.sqrt(n) == pytest.approx(predictions["normal_norm"](**values))
        assert -n / 2 == pytest.approx(predictions["tangent_norm"](**values) - 1)
        assert whole_fourth == pytest.approx(-values["normal_curvature_sq"] / 12)


def test_straight_directions(derivation) -> None:
    """z = u³/6 has F = 0 along the axis, and a normal part of t³/6."""
    assert derivation.chain("straight-limit").conclusion == 0
    graph = random_patch(2, 1, 1)
    flat = np.linalg.eigh(graph.second_form[0])
    a, b = flat.eigenvalues
    assert a * b < 0  # a saddle has straight directions
    v = flat.eigenvectors @ np.array([math.sqrt(-b / (a - b)), math.sqrt(a / (a - b))])
    assert graph.normal_curvature_sq(v) == pytest.approx(0, abs=1e-30)
    coarse, fine = (graph.geodesic_parts(v, t)[1] for t in (0.02, 0.01))
    assert coarse / fine == pytest.approx(8, rel=0.05)


def test_verdicts(derivation) -> None:
    verdicts = {(finding.form, finding.quantity): finding.verdict for finding in derivation.findings}
    assert set(verdicts.values()) == {Verdict.SUPPORTS}
    assert {quantity for form, quantity in verdicts if form is Form.AS_STATED} == {"tangent_norm", "normal_norm"}


@pytest.mark.parametrize("alpha", [0.5, 0.7, 0.9])
def test_rough_graphs_of_any_exponent(derivation, alpha: float) -> None:
    (instance,) = (found for found in derivation.counterexamples if found.name == "rough-graph")
    measured = instance.measure(holder_exponent=alpha)
    assert measured.agrees
    assert measured.contradicts
    assert measured.derived == 1 + alpha


def test_a_centre_moved_along_m(derivation) -> None:
    """|P_N γ′| of the tangent to a sphere at a distance h, in the frame kept, is sin h = h |II| + O(h³)."""
    assert derivation.chain("moved-centre").conclusion.name == "bend"
    sheet = SHEETS["moved-centre"]()()
    t = 1e-6
    assert sheet.normal_norm(t) / t == pytest.approx(math.sin(0.5), rel=1e-5)


def test_a_centre_off_m() -> None:
    sheet = SHEETS["centre-off"]()()
    for t in (1e-3, 1e-5):
        assert sheet.normal_norm(t) == pytest.approx(0.1, abs=t**2)


def test_noise_flattens_below_the_crossover(derivation, predictions) -> None:
    """By quadrature over Gaussian noise on a circle of radius r: the mean square doubles the noise at the crossover."""
    r, sigma = 0.5, 0.01
    nodes, weights = np.polynomial.hermite_e.hermegauss(3)  # exact for squares
    crossover = predictions["crossover-radius"](normal_curvature_sq=1 / r**2, normal_noise=sigma)

    def mean_square(t: float) -> float:
        height = t**2 / (2 * r)  # exact on a circle
        return float(weights @ (height + sigma * nodes) ** 2 / weights.sum())

    assert mean_square(crossover) == pytest.approx(2 * sigma**2, rel=1e-12)
    assert mean_square(crossover / 10) == pytest.approx(sigma**2, rel=1e-3)
    (instance,) = (found for found in derivation.counterexamples if found.name == "noisy-circle")
    assert instance.holds(radius=crossover / 2, normal_noise=sigma) == pytest.approx(
        sigma**2 + crossover**4 / 64, rel=1e-12
    )


def test_the_coefficient_needs_c2_only(derivation) -> None:
    """The curve z = u²/2 + u^{5/2} is C² and no more: z/t² falls to ½√F = ½ like √t."""
    exact = float(derivation.chain("normal-where-c2").conclusion.subs({normal_curvature_sq: 1}))
    ratios = [z / (u**2 + z**2) for u in (1e-4, 2.5e-5) for z in [u**2 / 2 + u**2.5]]
    coarse, fine = (ratio - exact for ratio in ratios)
    assert coarse / fine == pytest.approx(2, rel=1e-3)
