"""Token clouds: what the arguments promise, shrinking, and arguments that can't be met."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import Cylinder, FixedRadius, MongePatch, Sphere
from manifoldtheory.testing import TokenCloud, monge_patch
from manifoldtheory.testing.strategies import submanifolds, token_clouds


@settings(max_examples=20)
@given(token_clouds())
def test_points_lie_on_the_manifold_around_the_base_point(tokens: TokenCloud) -> None:
    points = tokens.points
    assert points.shape == (tokens.count, tokens.manifold.ambient_dim)
    scale = 1 + float(points.abs().max())
    assert float(tokens.manifold.distance_estimate(points).max()) < 1e-13 * scale
    radius = torch.linalg.vector_norm(points - tokens.base_point, dim=-1)
    assert float(radius.max()) <= tokens.law.upper * (1 + 1e-12)
    if isinstance(tokens.manifold, MongePatch):
        assert not tokens.base_point.any()


@settings(max_examples=5)
@given(token_clouds(submanifolds(families=["sphere", "cylinder"]), reach=0.99, measure="polar", direction="geodesic"))
def test_geodesic_clouds_are_within_reach(tokens: TokenCloud) -> None:
    assert len(tokens.cloud) == tokens.count
    assert tokens.measure == "polar"


def test_shrinking(minimal) -> None:
    assert repr(minimal(token_clouds()).manifold) == "monge_patch(1, 2)"
    assert minimal(token_clouds(Cylinder(2.0), reach=0.25)) == TokenCloud(Cylinder(2.0), FixedRadius(0.7071), 1)
    tilted = minimal(token_clouds(monge_patch(1, 2, (1.0,)), vertex=False, count=3), lambda tokens: tokens.place > 0)
    assert tilted.base_point.any()
    assert tilted.count == 3


@given(st.data(), st.sampled_from([0.1, 0.99]))
def test_radii_stay_within_the_reach(data: st.DataObject, reach: float) -> None:
    tokens = data.draw(token_clouds(Sphere(2), reach=reach))
    assert tokens.law.upper <= reach * 2**0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: token_clouds(2), r"manifold must be a Submanifold or a strategy for one, got 2: e\.g\. Sphere\(2\)"),  # pyright: ignore[reportArgumentType]
        (lambda: token_clouds(count=0), "count must be between 1 and 10000000, got 0"),
        (lambda: token_clouds(reach=1), r"reach must be above 0 and at most 0\.99, got 1"),
        (lambda: token_clouds(vertex=0), "vertex must be True, False"),  # pyright: ignore[reportArgumentType]
        (lambda: token_clouds(measure=0), "a measure is asked for by name, got 0"),  # pyright: ignore[reportArgumentType]
        (lambda: token_clouds(direction=0), "a direction is asked for by name, got 0"),  # pyright: ignore[reportArgumentType]
        (lambda: token_clouds(measure="haar"), "unknown measure 'haar'"),  # pyright: ignore[reportArgumentType]
        (lambda: token_clouds(direction="up"), "unknown direction 'up'"),  # pyright: ignore[reportArgumentType]
        (lambda: token_clouds(measure="arc"), "the arc measure has no projected form"),
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
