"""Token clouds: the points are those of `sample_cloud`, in ambient coordinates."""

import pytest
import torch

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import FixedRadius, Sphere, Torus
from manifoldtheory.testing import TokenCloud, monge_patch


@pytest.mark.parametrize(
    "tokens",
    [
        TokenCloud(Torus(2.0, 1.0), FixedRadius(0.25), 7, 3, 5),
        TokenCloud(Sphere(2), FixedRadius(0.25), 7, 3, 5, "arc", "geodesic"),
        TokenCloud(monge_patch(2, 5, (1.0,), 3), FixedRadius(0.25), 7),
    ],
    ids=lambda tokens: type(tokens.manifold).__name__,
)
def test_points_lie_on_the_manifold_at_their_radii(tokens: TokenCloud) -> None:
    assert tokens.points.shape == (7, tokens.manifold.ambient_dim)
    assert float(tokens.manifold.distance_estimate(tokens.points).max()) < 1e-14
    assert torch.allclose(tokens.displacements.norm(dim=-1), tokens.cloud.radius, rtol=1e-13)
    assert torch.equal(TokenCloud(*vars_of(tokens)).points, tokens.points)


def vars_of(tokens: TokenCloud) -> tuple:
    return tuple(getattr(tokens, name) for name in tokens.__dataclass_fields__)


def test_radii_out_of_reach_are_refused() -> None:
    with pytest.raises(InputError, match="out of range for projected directions"):
        _ = TokenCloud(Sphere(2), FixedRadius(1.5), 3).cloud
