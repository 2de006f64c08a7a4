from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.semi_nmf import semi_nmf


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def cloud(seed: int, n: int, dim: int) -> torch.Tensor:
    return torch.randn(n, dim, generator=seeded(seed), dtype=torch.float64)


@given(
    seed=st.integers(0, 1000), rank=st.integers(1, 5), dim=st.integers(2, 8), scale=st.sampled_from([1e-9, 1.0, 1e9])
)
def test_the_objective_never_rises_and_is_that_of_the_factors(seed, rank, dim, scale):
    x = scale * (cloud(seed, 30, dim) + 1)
    factors = semi_nmf(x, rank, generator=seeded(seed), iterations=60, tolerance=0)
    falls = torch.tensor(factors.objectives).diff()
    size = float(x.square().sum())
    assert float(falls.max()) <= 1e-12 * size  # rounding of the objective
    assert float(factors.codes.min()) >= 0
    assert factors.objectives[-1] == pytest.approx(
        float((x - factors.codes @ factors.dictionary).square().sum()), rel=1e-9, abs=1e-12 * size
    )


def test_it_beats_the_clusters_it_starts_from_and_not_the_best_subspace():
    x = cloud(1, 200, 10) * torch.linspace(0.3, 3, 10, dtype=torch.float64)
    objectives = semi_nmf(x, 4, generator=seeded(1)).objectives
    best = float(torch.linalg.svdvals(x)[4:].square().sum())
    assert best < objectives[-1] < 0.9 * objectives[0]


def test_rounds_end_when_the_objective_settles():
    x = cloud(2, 100, 6)
    objectives = semi_nmf(x, 3, generator=seeded(2), tolerance=1e-3).objectives
    falls = [1 - after / before for before, after in pairwise(objectives)]
    assert falls[-1] <= 1e-3 < min(falls[:-1])
    assert len(semi_nmf(x, 3, generator=seeded(2), iterations=5, tolerance=0).objectives) == 6


def test_a_seed_gives_the_same_factors_again():
    x = cloud(3, 50, 5)
    assert torch.equal(semi_nmf(x, 2, generator=seeded(3)).codes, semi_nmf(x, 2, generator=seeded(3)).codes)


def test_fewer_distinct_points_than_concepts():
    x = torch.eye(2, dtype=torch.float64).repeat(3, 1)
    factors = semi_nmf(x, 4, generator=seeded(4))
    assert factors.objectives[-1] < 1e-20


def test_bad_input():
    with pytest.raises(InputError, match="generator"):
        semi_nmf(cloud(5, 9, 2), 2, generator=None)
    with pytest.raises(InputError, match="at least 10 points, got 9"):
        semi_nmf(cloud(5, 9, 2), 10, generator=seeded(5))
    with pytest.raises(InputError, match="nothing to factorise"):
        semi_nmf(torch.zeros(9, 2), 2, generator=seeded(5))
