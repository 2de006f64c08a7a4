import math

import pytest

import proofs
from proofs.majorants import RANGE

from .graphs import GRAPHS, Graph, directions

RADII = (0.003, 0.03, float(RANGE) / 2, float(RANGE))


@pytest.fixture(scope="module")
def predictions():
    derivation = proofs.derive("tangent-normal-scaling")
    assert derivation.holds
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
