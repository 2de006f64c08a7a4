import math

import numpy as np
import pytest
import torch
from torch import Tensor

import proofs
from manifoldtheory.ledger import Form, Verdict
from proofs.expressions import without_remainders
from proofs.majorants import RANGE, geodesic_arclength_tail
from proofs.patches.geodesic_series import geodesic
from proofs.patches.monge_graphs import monge_patch
from proofs.symbols import curvature_bound, radius

from .graphs import GRAPHS, Graph, directions, random_patch
from .random_patches import patch

RADII = (0.003, 0.03, float(RANGE) / 2, float(RANGE))
ROUNDING = 1e-11
"""Of integrated geodesics, relative."""


@pytest.fixture(scope="module")
def derivation():
    found = proofs.derive("chord-arc")
    assert found.holds
    return found


def tail(start: int, t: float) -> float:
    """Bound on the terms of the arclength of degree ≥ start, for K = 1."""
    return float(geodesic_arclength_tail(start).subs({curvature_bound: 1, radius: t}))


def curvature_rate(graph: Graph, v: np.ndarray) -> float:
    """dF/ds at p by automatic differentiation: F = |γ″|² as a function of position and velocity, along the geodesic."""
    manifold = patch(graph)

    def acceleration(u: Tensor, velocity: Tensor) -> Tensor:
        jacobian = torch.func.jacrev(manifold.immersion)(u)

        def moved(step: Tensor) -> Tensor:
            return manifold.immersion(u + step * velocity)

        zero = torch.zeros((), dtype=u.dtype)
        bend = torch.func.jacfwd(torch.func.jacfwd(moved))(zero)
        return bend - jacobian @ torch.linalg.solve(jacobian.T @ jacobian, jacobian.T @ bend)

    def curvature_sq(u: Tensor, velocity: Tensor) -> Tensor:
        return acceleration(u, velocity).square().sum()

    u, velocity = torch.zeros(graph.dim, dtype=torch.float64), torch.tensor(v)
    # The Christoffel symbols vanish at p, and so does the derivative of the velocity.
    return float(torch.func.jvp(curvature_sq, (u, velocity), (velocity, torch.zeros_like(u)))[1])


def test_verdicts(derivation) -> None:
    verdicts = {(finding.form, finding.quantity): finding.verdict for finding in derivation.findings}
    assert verdicts[Form.AS_STATED, "longer-arc"] is Verdict.SUPPORTS
    assert set(verdicts.values()) == {Verdict.SUPPORTS}


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_geodesics_stay_within_the_remainder(derivation, graph: Graph) -> None:
    prediction = derivation.predictions["arclength"]
    for v in directions(graph.dim, 4):
        for scaled in RADII:
            t = scaled / graph.bound
            values = {"radius": t, "normal_curvature_sq": graph.normal_curvature_sq(v), "curvature_bound": graph.bound}
            error = abs(graph.arclength(v, t) - prediction(**values))
            assert error <= prediction.bound(**values) + ROUNDING * t


def test_sphere(derivation) -> None:
    """s = 2 asin(t/2) = t + t³/24 + 3t⁵/640 + … on the unit sphere, whose remainder is the fifth order."""
    prediction = derivation.predictions["arclength"]
    t = 0.1
    error = 2 * math.asin(t / 2) - prediction(radius=t, normal_curvature_sq=1.0)
    assert error == pytest.approx(3 * t**5 / 640, rel=t**2)
    assert prediction.remainder.exponent("radius") == 4
    assert prediction.exponent("radius") == 1


@pytest.mark.parametrize(("dim", "codim"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)])
def test_fourth_order_is_odd(derivation, dim: int, codim: int) -> None:
    """½(s(v) ∓ s(−v)): the odd part is F′t⁴/48, F′ by torch.func along the geodesic, the even one has no t⁴."""
    graph, t = random_patch(dim, codim, seed=3 * dim + codim), 0.005
    rounding = 1e-12 * t  # the integrator's tolerance
    for v in directions(dim, 3, seed=codim):
        there, back = graph.arclength(v, t), graph.arclength(-v, t)
        rate, curvature = curvature_rate(graph, v), graph.normal_curvature_sq(v)
        assert (there - back) / 2 == pytest.approx(rate * t**4 / 48, abs=tail(6, t) + rounding)
        assert (there + back) / 2 == pytest.approx(t + curvature * t**3 / 24, abs=tail(5, t) + rounding)


@pytest.mark.parametrize(("dim", "codim"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)])
def test_general_monge_patches_have_the_derived_terms(derivation, dim: int, codim: int) -> None:
    """On the graph F = Σ_a (h^a_11)² and F′ = 2 Σ_a h^a_11 k^a_111, the first axis being the direction."""
    found = geodesic(monge_patch(dim, codim, 4), [1] + [0] * (dim - 1))
    labels = [f"_{number}" if codim > 1 else "" for number in range(1, codim + 1)]
    names = {str(symbol): symbol for symbol in found.expression(found.arclength, radius).free_symbols}
    curvature = sum(names[f"h{label}_11"] ** 2 for label in labels)
    rate = sum(2 * names[f"h{label}_11"] * names[f"k{label}_111"] for label in labels)
    general = without_remainders(derivation.chain("arclength-either-way").conclusion)
    values = {"normal_curvature_sq": curvature, "bending_rate": rate, "sense": 1}
    here = general.subs({symbol: values.get(symbol.name, symbol) for symbol in general.free_symbols})
    assert (here - found.expression(found.arclength, radius)).expand() == 0
    chord = without_remainders(derivation.chain("ambient-radius-either-way").conclusion)
    values |= {"arclength": radius}
    here = chord.subs({symbol: values.get(symbol.name, symbol) for symbol in chord.free_symbols})
    assert (here - found.expression(found.radius, radius)).expand() == 0
