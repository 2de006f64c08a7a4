import numpy as np
import pytest

import proofs
from manifoldtheory.ledger import Form, Verdict
from proofs.expressions import without_remainders
from proofs.majorants import RANGE

from .graphs import Graph, cylinder, quadrature, random_patch, sphere

GRAPHS = (
    sphere(2),
    cylinder(),
    random_patch(2, 1, 5),
    random_patch(2, 2, 6),
    random_patch(3, 1, 7),
    random_patch(3, 2, 8),
)


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("shell-covariance")
    assert derivation.holds
    return derivation


def covariance(graph: Graph, t: float) -> np.ndarray:
    """E[P_T ξ (P_T ξ)ᵀ] over the shell, from exact abscissas and densities, by quadrature over directions."""
    w, weights = quadrature(graph.dim)
    rho = np.array([graph.abscissa(direction, t) for direction in w])
    density = weights * np.array([graph.density(direction, t) for direction in w])
    return np.einsum("n,ni,nj->ij", density * rho**2, w, w) / density.sum()


def form(graph: Graph) -> np.ndarray:
    """A = Σ_a tr(h^a) h^a."""
    return np.einsum("aii,ajk->jk", graph.second_form, graph.second_form)


def traceless(dim: int, seed: int) -> np.ndarray:
    """A random symmetric matrix of trace 0 with eigenvalues in [−1, 1]."""
    matrix = np.random.default_rng(seed).normal(size=(dim, dim))
    matrix = matrix + matrix.T
    matrix -= np.eye(dim) * np.trace(matrix) / dim
    return matrix / np.abs(np.linalg.eigvalsh(matrix)).max()


def values(graph: Graph, matrix: np.ndarray, t: float) -> dict[str, float]:
    component = float((matrix * form(graph)).sum())
    return {"radius": t, "dim": graph.dim, "trace_form_component": component, "curvature_bound": graph.bound}


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_random_patches_stay_within_the_remainder(derivation, graph: Graph) -> None:
    prediction = derivation.predictions["traceless-covariance"]
    for seed, t in enumerate((0.02, 0.05, float(RANGE))):
        matrix = traceless(graph.dim, seed)
        given = values(graph, matrix, t / graph.bound)
        measured = (matrix * covariance(graph, given["radius"])).sum()
        # abscissas are found to 1e-16
        assert abs(measured - prediction(**given)) <= prediction.bound(**given) + 4e-16


def test_the_remainder_leaves_something_to_see(derivation) -> None:
    """On the cylinder at t = 0.03: more variance along the straight direction, by t⁴/16."""
    prediction = derivation.predictions["traceless-covariance"]
    along = np.diag([-1.0, 1.0])
    given = values(cylinder(), along, 0.03)
    assert prediction(**given) == pytest.approx(0.03**4 / 16)
    assert prediction.bound(**given) < prediction(**given) / 4
    assert prediction.exponent("radius") == 4
    near, nearer = (prediction.bound(**given | {"radius": t}) for t in (1e-3, 1e-4))
    assert near / nearer == pytest.approx(10**6, rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_the_first_principal_component_is_the_flattest_direction(derivation, seed: int) -> None:
    """It is the eigenvector of A to its least eigenvalue, up to the remainder over the gap of the eigenvalues."""
    graph, t = random_patch(3, 2, seed), 0.01
    eigenvalues, axes = np.linalg.eigh(form(graph))
    principal = np.linalg.eigh(covariance(graph, t))[1][:, -1]
    prediction = derivation.predictions["traceless-covariance"]
    gap = prediction(radius=t, dim=3, trace_form_component=eigenvalues[1] - eigenvalues[0])
    remainder = prediction.bound(radius=t, dim=3, curvature_bound=graph.bound)
    sine = np.linalg.norm(principal - axes[:, 0] * (principal @ axes[:, 0]))
    assert sine <= 2 * 2 * remainder / abs(gap)  # Davis and Kahan, ‖error‖ ≤ 2·remainder for an error of trace 0
    assert sine < 0.2


def test_a_minimal_surface_has_an_isotropic_covariance(derivation) -> None:
    """z = (u² − v²)/2 against the cylinder z = u²/2: t⁶ against t⁴."""
    t = 0.03
    saddle, bent = (
        Graph(
            "quadric",
            2,
            lambda u, k=k: np.array([(u[0] ** 2 + k * u[1] ** 2) / 2]),
            lambda u, k=k: np.array([[u[0], k * u[1]]]),
            lambda u, k=k: np.diag([1.0, k])[None],
            1.0,
        )
        for k in (-1.0, 0.0)
    )
    rest = [covariance(graph, t) for graph in (saddle, bent)]
    spread = [np.ptp(np.linalg.eigvalsh(found)) for found in rest]
    assert spread[0] < t**6
    assert spread[1] == pytest.approx(t**4 / 16, rel=t)
    assert without_remainders(derivation.chain("minimal-submanifold").conclusion) == 0


def test_verdicts(derivation) -> None:
    found = {(finding.form, finding.verdict, finding.quantity) for finding in derivation.findings}
    names = ("traceless-covariance", "leading-direction", "minimal-submanifold")
    assert found == {(Form.REPAIRED, Verdict.SUPPORTS, name) for name in names}
