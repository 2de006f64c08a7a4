"""`sample` is uniform by volume: moments against quadrature of the area element.

All |z| < 5: a false alarm once in 60 000 seeds for the 27 moments of the first five together, or for one other test.
"""

import math
from collections.abc import Callable

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

N = 60_000


def z_scores(manifold: Submanifold, statistics: Callable[[Tensor], Tensor], exact: Tensor) -> Tensor:
    values = statistics(manifold.sample(N, generator=torch.Generator().manual_seed(8)))
    return (values.mean(0) - exact) / (values.std(0) / math.sqrt(N))


def by_quadrature(manifold: Submanifold, q: Tensor, rule: Tensor, statistics: Callable[[Tensor], Tensor]) -> Tensor:
    """Mean of the statistics over nodes q in the coordinates of the immersion, with its own area element."""
    jacobian = torch.func.vmap(torch.func.jacfwd(manifold.immersion))(q)
    element = rule * torch.sqrt(torch.linalg.det(jacobian.mT @ jacobian))
    return (element[:, None] * statistics(manifold.immersion(q))).sum(0) / element.sum()


def midpoints(low: float, high: float, n: int) -> Tensor:
    return low + (high - low) * (torch.arange(n, dtype=torch.float64) + 0.5) / n


def powers(x: Tensor) -> Tensor:
    return torch.cat([x, x**2, x[:, :1] * x[:, 1:]], -1)


def test_sphere() -> None:
    """The fourth moments 3r⁴/(d(d + 2)) tell it from a cube's directions, which share the second ones."""
    exact = torch.cat([torch.zeros(6), torch.full((6,), 4 / 6), torch.zeros(5), torch.ones(6)])
    statistics = lambda x: torch.cat([powers(x), x**4], -1)  # noqa: E731
    assert z_scores(Sphere(5, 2.0), statistics, exact).abs().max() < 5


def test_ellipsoid() -> None:
    ellipsoid = Ellipsoid((1.0, 2.0, 0.5))
    q = torch.cartesian_prod(midpoints(0, math.pi, 400), midpoints(0, 2 * math.pi, 100))
    square = lambda x: x**2  # noqa: E731
    assert z_scores(ellipsoid, square, by_quadrature(ellipsoid, q, torch.ones(len(q)), square)).abs().max() < 5


def test_torus() -> None:
    def statistics(x: Tensor) -> Tensor:
        cosine = (torch.hypot(x[:, 0], x[:, 1]) - 2.0) / 0.7
        return torch.stack([cosine, cosine**2, x[:, 2], x[:, 0], x[:, 0] * x[:, 1]], -1)

    exact = torch.tensor([0.7 / 4, 0.5, 0.0, 0.0, 0.0])
    assert z_scores(Torus(2.0, 0.7), statistics, exact).abs().max() < 5


def test_cylinder() -> None:
    exact = torch.tensor([0.0, 0.0, 0.5, 0.5, 4.5, 4.5, 1 / 3, 1 / 3, 0.0, 0.0, 0.0])
    assert z_scores(Cylinder(3.0, 2), powers, exact).abs().max() < 5


def test_monge_patch() -> None:
    patch = MongePatch(torch.tensor([[[2.0, 0.5], [0.5, -1.0]], [[0.3, 0.0], [0.0, 0.2]]], dtype=torch.float64))
    radius, angle = midpoints(0, patch.sample_radius, 400), midpoints(0, 2 * math.pi, 64)
    polar = torch.cartesian_prod(radius, angle)
    q = polar[:, :1] * torch.stack([polar[:, 1].cos(), polar[:, 1].sin()], -1)
    statistics = lambda x: torch.cat([x[:, :2] ** 2, x[:, :1] * x[:, 1:2], x[:, 2:]], -1)  # noqa: E731
    exact = by_quadrature(patch, q, polar[:, 0], statistics)
    assert z_scores(patch, statistics, exact).abs().max() < 5
    sample = patch.sample(1000, generator=torch.Generator().manual_seed(1))
    assert torch.linalg.vector_norm(sample[:, :2], dim=-1).max() <= patch.sample_radius


@pytest.mark.parametrize("n", [2, 3, 4])
def test_rotations_are_haar(n: int) -> None:
    """E X = 0, E tr X = 0, and for n ≥ 3 E (tr X)² = 1 (2 for n = 2), with E X_11² = 1/n, E X_11⁴ = 3/(n(n+2)).

    Without the signs of R, a QR sampler gives E tr X = −0.5 for n = 3.
    """

    def statistics(x: Tensor) -> Tensor:
        trace = torch.diagonal(x.reshape(-1, n, n), dim1=1, dim2=2).sum(-1, keepdim=True)
        return torch.cat([x, trace, trace**2, x[:, -1:] ** 2, x[:, -1:] ** 4], -1)

    exact = torch.zeros(n * n + 4, dtype=torch.float64)
    exact[n * n + 1 :] = torch.tensor([2.0 if n == 2 else 1.0, 1 / n, 3 / (n * (n + 2))])
    rotations = SpecialOrthogonal(n)
    assert z_scores(rotations, statistics, exact).abs().max() < 5
    x = rotations.sample(100, generator=torch.Generator().manual_seed(1)).reshape(-1, n, n)
    assert torch.allclose(torch.linalg.det(x), torch.ones(100, dtype=x.dtype), rtol=1e-13)


def test_stiefel_matrices() -> None:
    """Columns are uniform unit vectors, and E X_11² X_22² = (n+1)/((n−1) n (n+2)) ties two of them together."""

    def statistics(x: Tensor) -> Tensor:
        return torch.cat([x, x**2, x**4, (x[:, 0] * x[:, 3])[:, None] ** 2], -1)

    exact = torch.cat([torch.zeros(8), torch.full((8,), 1 / 4), torch.full((8,), 3 / 24), torch.tensor([5 / 72])])
    assert z_scores(Stiefel(4, 2), statistics, exact).abs().max() < 5


def test_projectors() -> None:
    """E P = (p/n) I; P_11 has the law Beta(p/2, (n−p)/2)."""

    def statistics(x: Tensor) -> Tensor:
        return torch.cat([x[:, :4], x[:, 5:8], x[:, :1] ** 2, x[:, -1:] ** 2], -1)

    mean, square = 2 / 5, 2 * 4 / (5 * 7)
    exact = torch.tensor([mean, 0.0, 0.0, 0.0, 0.0, mean, 0.0, square, square])
    assert z_scores(Grassmannian(5, 2), statistics, exact).abs().max() < 5


def test_veronese_surface() -> None:
    """Five eigenfunctions of one eigenvalue: E y = 0, E yyᵀ = I/5."""
    exact = torch.cat([torch.zeros(5), torch.full((5,), 1 / 5), torch.zeros(4)])
    assert z_scores(Veronese(), powers, exact).abs().max() < 5


def test_factors_of_a_product_are_independent() -> None:
    product = Product(Sphere(1), Sphere(2, 2.0))
    statistics = lambda x: torch.cat([x, x**2, x[:, :1] * x[:, 2:], x[:, :1] ** 2 * x[:, 2:] ** 2], -1)  # noqa: E731
    squares = [0.5, 0.5, 4 / 3, 4 / 3, 4 / 3]
    exact = torch.tensor([*[0.0] * 5, *squares, *[0.0] * 3, *[2 / 3] * 3])
    assert z_scores(product, statistics, exact).abs().max() < 5
