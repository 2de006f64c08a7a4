"""Geodesics of matrices against matrix exponentials in forty digits, and against geomstats."""

import math

import pytest
import torch
from mpmath import mp, mpf
from torch import Tensor

from manifoldtheory.manifolds import Grassmannian, SpecialOrthogonal, Stiefel, Submanifold, Veronese
from manifoldtheory.manifolds.geomstats_bridge import double_precision, load_geomstats


def exact_displacement(manifold: Submanifold, velocity):
    """exp(E, V) − E in mpmath, from the simplest point E; the velocity is flattened by rows.

    Stiefel: (E, V) expm((EᵀV, −VᵀV; I, EᵀV)) (I; 0) expm(−EᵀV) − E (Edelman, Arias and Smith 1998, 2.2.2); rotations:
    expm(V) − I; projectors: expm([V, E]) E expm(−[V, E]) − E.
    """
    if isinstance(manifold, Stiefel):
        n, p = manifold.n, manifold.p
        start, v = mp.eye(n)[:, :p], mp.matrix(n, p)
        for k, value in enumerate(velocity):
            v[k // p, k % p] = value
        turn, square = start.T * v, v.T * v
        block = mp.zeros(2 * p)
        for i in range(p):
            block[p + i, i] = 1
            for j in range(p):
                block[i, j] = block[p + i, p + j] = turn[i, j]
                block[i, p + j] = -square[i, j]
        power = mp.expm(block, method="taylor")[:, :p] * mp.expm(-turn, method="taylor")
        end = start * power[:p, :] + v * power[p:, :]
        return [end[i, j] - start[i, j] for i in range(n) for j in range(p)]
    assert isinstance(manifold, SpecialOrthogonal | Grassmannian)
    n = manifold.n
    v = mp.matrix(n, n)
    for k, value in enumerate(velocity):
        v[k // n, k % n] = value
    start = mp.eye(n)
    if isinstance(manifold, Grassmannian):
        for i in range(manifold.p, n):
            start[i, i] = 0
        turn = v * start - start * v
        end = mp.expm(turn, method="taylor") * start * mp.expm(-turn, method="taylor")
    else:
        end = mp.expm(v, method="taylor")
    return [end[i, j] - start[i, j] for i in range(n) for j in range(n)]


def simplest(manifold: Submanifold) -> Tensor:
    if isinstance(manifold, Grassmannian):
        return torch.diag((torch.arange(manifold.n) < manifold.p).double()).flatten()
    assert isinstance(manifold, SpecialOrthogonal | Stiefel)
    return torch.eye(manifold.n, getattr(manifold, "p", manifold.n), dtype=torch.float64).flatten()


@pytest.mark.parametrize("length", [2.0, 0.1, 1e-4, 1e-8])
@pytest.mark.parametrize(
    "manifold", [Stiefel(4, 2), Stiefel(5, 3), Stiefel(3, 3), SpecialOrthogonal(4), Grassmannian(5, 2)], ids=repr
)
def test_displacement_matches_forty_digits(manifold: Submanifold, length: float) -> None:
    """At a point that floats hold exactly, each part is right relative to its own size: 50 roundings."""
    x = simplest(manifold)
    frame, normals = manifold.tangent_frame(x), manifold.normal_frame(x)
    w = torch.randn(manifold.dim, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    a = length / torch.linalg.vector_norm(w) * w
    with mp.workdps(40):
        bases = [[[mpf(value) for value in column] for column in basis.mT.tolist()] for basis in (frame, normals)]
        v = [sum(mpf(c) * column[k] for c, column in zip(a.tolist(), bases[0], strict=True)) for k in range(len(x))]
        xi = exact_displacement(manifold, v)
        parts = [[float(sum(f * c for f, c in zip(column, xi, strict=True))) for column in basis] for basis in bases]
    for dtype in (torch.float64, torch.float32):
        found = manifold.displacement(x.to(dtype), (frame @ a).to(dtype))
        for part, exact in zip(found, parts, strict=True):
            expected = torch.tensor(exact, dtype=torch.float64)
            error = torch.linalg.vector_norm(part.double() - expected) / torch.linalg.vector_norm(expected)
            assert error < 50 * torch.finfo(dtype).eps


def test_grassmannian_matches_geomstats(generator: torch.Generator) -> None:
    manifold = Grassmannian(5, 2)
    space = load_geomstats("geomstats.geometry.grassmannian").Grassmannian(5, 2)
    x = manifold.sample(4, generator=generator)
    v = 0.5 * torch.randn(4, manifold.dim, 1, generator=generator, dtype=torch.float64)
    v = (manifold.tangent_frame(x) @ v)[..., 0]
    with double_precision():
        assert bool(space.belongs(x.reshape(4, 5, 5), atol=1e-12).all())
        end = space.metric.exp(v.reshape(4, 5, 5), x.reshape(4, 5, 5))
        length = space.metric.norm(v.reshape(4, 5, 5), x.reshape(4, 5, 5))
    assert torch.allclose(manifold.exp(x, v), end.flatten(1), rtol=0, atol=1e-10)
    assert torch.allclose(torch.linalg.vector_norm(v, dim=-1), length, rtol=1e-10)


def test_rotations_match_geomstats_but_for_the_unit_of_length(generator: torch.Generator) -> None:
    """Its bi-invariant metric on rotation matrices is ½⟨·,·⟩: the same geodesics, √2 times shorter."""
    manifold = SpecialOrthogonal(3)
    space = load_geomstats("geomstats.geometry.special_orthogonal").SpecialOrthogonal(3)
    x = manifold.sample(4, generator=generator)
    v = (manifold.tangent_frame(x) @ torch.randn(4, 3, 1, generator=generator, dtype=torch.float64))[..., 0]
    with double_precision():
        assert bool(space.belongs(x.reshape(4, 3, 3), atol=1e-12).all())
        end = space.metric.exp(v.reshape(4, 3, 3), x.reshape(4, 3, 3))
        length = space.metric.norm(v.reshape(4, 3, 3), x.reshape(4, 3, 3))
    assert torch.allclose(manifold.exp(x, v), end.flatten(1), rtol=0, atol=1e-10)
    assert torch.allclose(torch.linalg.vector_norm(v, dim=-1), math.sqrt(2) * length, rtol=1e-10)


@pytest.mark.parametrize(
    "manifold", [Stiefel(6, 2), Stiefel(4, 3), SpecialOrthogonal(5), Grassmannian(5, 2), Veronese()]
)
def test_heights_up_to_the_edge(manifold: Submanifold) -> None:
    """Newton's method keeps its digits near the end of the range, where slopes grow without bound."""
    x = manifold.sample(1, generator=torch.Generator().manual_seed(2))[0]
    w = torch.randn(200, manifold.dim, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    u = 0.999 * manifold.chart(x).projected_limit * w / torch.linalg.vector_norm(w, dim=-1, keepdim=True)
    point = x + u @ manifold.tangent_frame(x).mT + manifold.graph(x, u) @ manifold.normal_frame(x).mT
    assert manifold.distance_estimate(point).max() < 1e-14


def test_reflections_and_other_ranks_are_far_away() -> None:
    reflection = torch.diag(torch.tensor([1.0, 1.0, -1.0], dtype=torch.float64)).flatten()
    assert float(SpecialOrthogonal(3).distance_estimate(reflection)) == 2.0
    assert float(Stiefel(3, 3).distance_estimate(reflection)) == 0.0
    projector = torch.diag(torch.tensor([1.0, 1.0, 0.0], dtype=torch.float64)).flatten()
    assert float(Grassmannian(3, 1).distance_estimate(projector)) == 1.0
    assert float(Grassmannian(3, 2).distance_estimate(projector)) == 0.0
