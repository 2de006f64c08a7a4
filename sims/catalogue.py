"""The manifolds that simulations run on, each with a base point: geomstats spaces, taken through the bridge."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import torch
from torch import Tensor

from manifoldtheory.errors import select
from manifoldtheory.manifolds import Cylinder, Ellipsoid, MongePatch, Sphere, Submanifold, Torus, from_geomstats
from sims.engine import Stream


@dataclass(frozen=True)
class Subject:
    """A manifold and a point on it, in float64 on the stream's device."""

    name: str
    manifold: Submanifold
    base_point: Tensor

    @property
    def dim(self) -> int:
        """Dimension m."""
        return self.manifold.dim

    @property
    def ambient_dim(self) -> int:
        """Dimension d of the surrounding space."""
        return self.manifold.ambient_dim


def _random_patch(dim: int, codim: int, stream: Stream) -> MongePatch:
    """Random symmetric h and k, scaled so that no normal curvature exceeds 1 by much in any codimension."""
    generator = torch.Generator().manual_seed(stream.generator().initial_seed())  # the same patch on every device
    second = torch.randn(codim, dim, dim, generator=generator, dtype=torch.float64)
    third = torch.randn(codim, dim, dim, dim, generator=generator, dtype=torch.float64)
    second = (second + second.mT) / 2
    third = sum((third.permute(0, *(1 + axis for axis in order)) for order in permutations(range(3))), third * 0) / 6
    return MongePatch(second / torch.linalg.vector_norm(second), third / torch.linalg.vector_norm(third))


_MAKERS: dict[str, Callable[[Stream], Submanifold]] = {
    "S2": lambda _: Sphere(2),
    "S5": lambda _: Sphere(5),
    "torus": lambda _: Torus(3.0, 1.0),
    "ellipsoid": lambda _: Ellipsoid((1.3, 1.6, 2.0)),
    "cylinder": lambda _: Cylinder(1.0),
    "monge-3-8": lambda stream: _random_patch(3, 5, stream),
    "monge-3-32": lambda stream: _random_patch(3, 29, stream),
}

NAMES = tuple(_MAKERS)
SMOKE_NAMES = ("S2", "torus", "cylinder", "monge-3-8")
"""The ones of a smoke run that asks for none by name."""


def subject(name: str, *, seed: int, device: str = "cpu") -> Subject:
    """A manifold of the catalogue with a base point drawn from it by volume (of a Monge patch, its vertex)."""
    (name,) = select("manifold", NAMES, [name])
    stream = Stream(seed, f"catalogue/{name}")
    # There and back: what the simulation walks on is the geomstats space, whose immersion drives our torch code.
    manifold = from_geomstats(_MAKERS[name](stream).geomstats)
    if isinstance(manifold, MongePatch):
        base_point = torch.zeros(manifold.ambient_dim, dtype=torch.float64)
    else:
        base_point = manifold.sample(1, generator=stream.generator(1))[0]
    return Subject(name, manifold, base_point.to(device))
