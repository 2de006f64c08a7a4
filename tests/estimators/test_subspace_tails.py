"""The tail probabilities against Imhof's exact formula (k = 1), plain Monte Carlo, and their own calibration."""

import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import beta, kstest

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.energy import subspace_energy
from manifoldtheory.estimators.subspace_tails import subspace_tail


def imhof(eigenvalues: np.ndarray) -> float:
    """P(Σ aᵢ zᵢ² > 0) for standard normal z (Imhof 1961)."""

    def integrand(u: float) -> float:
        angle = 0.5 * np.arctan(eigenvalues * u).sum()
        modulus = np.prod((1 + (eigenvalues * u) ** 2) ** 0.25)
        return float(math.sin(angle) / (u * modulus))

    return 0.5 + quad(integrand, 0, np.inf, limit=500)[0] / math.pi


def random_bases(count: int, dim: int, rank: int, seed: int, root: torch.Tensor | None = None) -> torch.Tensor:
    z = torch.randn(count, dim, rank, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return torch.linalg.qr(z if root is None else root @ z).Q


@pytest.mark.parametrize("energy", [1.2, 2.0, 3.0, 3.8])
def test_one_direction_equals_imhof(generator, energy):
    eigenvalues = torch.tensor([4.0, 2.0, 1.0, 0.5, 0.2, 0.1], dtype=torch.float64)
    tail = subspace_tail(torch.diag(eigenvalues), 1, energy, draws=20_000, generator=generator)
    exact = imhof(eigenvalues.numpy() - energy)
    assert abs(tail.probability - exact) < 4.5 * tail.stderr  # false alarm 7e-6
    assert tail.stderr < 0.05 * exact


def test_one_direction_of_a_given_covariance_equals_imhof(generator):
    """With y = C^½ z, yᵀAy ≥ e yᵀy is a quadratic form in z with the eigenvalues of C^½(A − eI)C^½."""
    matrix = torch.diag(torch.tensor([4.0, 2.0, 1.0, 0.5], dtype=torch.float64))
    root = torch.diag(torch.tensor([2.0, 1.0, 1.0, 3.0], dtype=torch.float64))
    tail = subspace_tail(matrix, 1, 3.5, shape=root @ root, draws=20_000, generator=generator)
    form = torch.linalg.eigvalsh(root @ (matrix - 3.5 * torch.eye(4)) @ root).numpy()
    assert abs(tail.probability - imhof(form)) < 4.5 * tail.stderr


@pytest.mark.parametrize("matched", [False, True])
def test_three_directions_equal_plain_monte_carlo(generator, matched):
    dim, rank = 9, 3
    matrix = torch.diag(torch.arange(1, dim + 1, dtype=torch.float64) ** 2)
    root = torch.diag(torch.arange(1, dim + 1, dtype=torch.float64)) if matched else None
    bases = random_bases(40_000, dim, rank, 5, root)
    energies = (bases * (matrix @ bases)).sum((1, 2)) / rank
    threshold = float(energies.quantile(0.98))
    shape = None if root is None else root @ root
    tail = subspace_tail(matrix, rank, threshold, shape=shape, draws=20_000, generator=generator)
    plain = float((energies >= threshold).double().mean())
    assert abs(tail.probability - plain) < 4.5 * math.hypot(tail.stderr, (plain * (1 - plain) / 40_000) ** 0.5)


def test_no_floor(generator):
    """For one direction of a spiked moment, P(z₁² ≥ …) is known: far below one over the draws, and still accurate."""
    matrix = torch.diag(torch.tensor([1.0] + [0.0] * 63, dtype=torch.float64))
    tail = subspace_tail(matrix, 1, 0.6, draws=2000, generator=generator)
    exact = float(beta.sf(0.6, 1 / 2, 63 / 2))  # the share of one of 64 coordinates in a Haar direction
    assert exact < 1e-12
    assert abs(tail.probability - exact) < 4.5 * tail.stderr
    assert tail.stderr < 0.2 * exact


def test_p_values_of_random_subspaces_are_uniform(generator):
    dim, rank = 16, 4
    eigenvalues = torch.logspace(0, -2, dim, dtype=torch.float64)
    matrix = torch.diag(eigenvalues)
    p_values = [
        subspace_tail(matrix, rank, subspace_energy(matrix, basis), draws=400, generator=generator).probability
        for basis in random_bases(300, dim, rank, 7)
    ]
    assert kstest(p_values, "uniform").pvalue > 1e-3


def test_degenerate_cases(generator):
    flat = torch.eye(5).double()
    assert subspace_tail(flat, 2, 1.0, draws=10, generator=generator).probability == 1.0
    assert subspace_tail(flat, 2, 1.1, draws=10, generator=generator).probability == 0.0
    with pytest.raises(InputError, match="generator"):
        subspace_tail(flat, 2, 1.0, draws=10, generator=None)
    with pytest.raises(InputError, match="fewer than 2 directions"):
        subspace_tail(
            torch.diag(torch.arange(5.0).double()),
            2,
            3.0,
            shape=torch.diag(torch.tensor([1.0, 0, 0, 0, 0]).double()),
            draws=10,
            generator=generator,
        )


def test_what_hardly_any_draw_reaches_is_bounded_from_above(generator):
    matrix = torch.diag(torch.tensor([1.0] + [0.0] * 63, dtype=torch.float64))
    energy = 1 - 1e-12
    tail = subspace_tail(matrix, 1, energy, draws=64, generator=generator)
    exact = float(beta.cdf(1 - energy, 63 / 2, 1 / 2))
    assert exact <= tail.probability < 1e-100
