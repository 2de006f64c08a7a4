"""The catalogue under test, and the ways to look at it."""

import math
from collections.abc import Iterator
from itertools import permutations

import pytest
import torch
from torch import Tensor

from manifoldtheory.manifolds import (
    Cylinder,
    Ellipsoid,
    Grassmannian,
    MongePatch,
    Product,
    SpecialOrthogonal,
    Sphere,
    Stiefel,
    Submanifold,
    Torus,
    Veronese,
)


def random_forms(codim: int, dim: int, seed: int) -> tuple[Tensor, Tensor]:
    """Symmetric quadratic and cubic forms with entries of order 1/√codim."""
    generator = torch.Generator().manual_seed(seed)
    second = torch.randn(codim, dim, dim, generator=generator, dtype=torch.float64)
    third = torch.randn(codim, dim, dim, dim, generator=generator, dtype=torch.float64)
    second = (second + second.mT) / 2
    third = torch.stack([third.permute(0, *order) for order in permutations((1, 2, 3))]).mean(0)
    return second / math.sqrt(codim), third / math.sqrt(codim)


QUADRATIC, CUBIC = random_forms(5, 3, seed=1)
SURFACE_QUADRATIC, SURFACE_CUBIC = random_forms(2, 2, seed=2)
WIDE, _ = random_forms(29, 3, seed=3)

CATALOGUE: dict[str, Submanifold] = {
    "S2": Sphere(2),
    "S5": Sphere(5, radius=2.0),
    "ellipse": Ellipsoid((1.0, 0.6)),
    "ellipsoid": Ellipsoid((1.0, 1.3, 0.8)),
    "torus": Torus(2.0, 0.7),
    "cylinder": Cylinder(1.0),
    "cylinder-3": Cylinder(1.5, length_dim=2),
    "monge-3-8": MongePatch(QUADRATIC),
    "monge-3-8-cubic": MongePatch(QUADRATIC, CUBIC),
    "monge-2-4-cubic": MongePatch(SURFACE_QUADRATIC, SURFACE_CUBIC),
    "monge-3-32": MongePatch(WIDE),
    "stiefel-4-2": Stiefel(4, 2),
    "so-3": SpecialOrthogonal(3),
    "grassmannian-4-2": Grassmannian(4, 2),
    "veronese": Veronese(),
    "product": Product(Sphere(1, 0.8), Torus(2.0, 0.7)),
}


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    """Hundreds of small operations: on a shared machine waiting for the other threads costs a hundred times more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(params=CATALOGUE)
def manifold(request: pytest.FixtureRequest) -> Submanifold:
    return CATALOGUE[request.param]


PLACES = [(name, name in ("monge-3-8-cubic", "monge-3-32")) for name in CATALOGUE if name != "monge-3-8"]
PLACES += [("monge-2-4-cubic", True)]


@pytest.fixture(params=PLACES, ids=lambda place: f"{place[0]}-vertex" if place[1] else place[0])
def place(request: pytest.FixtureRequest) -> tuple[Submanifold, Tensor]:
    """A manifold and a base point on it: a random one, or the vertex of a Monge patch (one is seen from both)."""
    name, vertex = request.param
    manifold = CATALOGUE[name]
    if vertex:
        return manifold, torch.zeros(manifold.ambient_dim, dtype=torch.float64)
    return manifold, manifold.sample(1, generator=torch.Generator().manual_seed(11))[0]


@pytest.fixture
def directions() -> "Directions":
    return Directions()


class Directions:
    """Random unit vectors, the same for everyone who asks."""

    def __call__(self, n: int, dim: int) -> Tensor:
        w = torch.randn(n, dim, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
        return w / torch.linalg.vector_norm(w, dim=-1, keepdim=True)
