import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import SecondMoment, iso_score_star, participation_ratio


def covariance(seed: int, dim: int) -> torch.Tensor:
    x = torch.randn(2 * dim, dim, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return x.T @ x


@given(seed=st.integers(0, 1000), dim=st.integers(2, 12), scale=st.sampled_from([1e-150, 1e-6, 1.0, 1e100]))
def test_score_is_bounded_and_blind_to_scale_and_rotation(seed, dim, scale):
    matrix = covariance(seed, dim)
    score = iso_score_star(matrix)
    rotation = torch.linalg.qr(covariance(seed + 1, dim)).Q
    assert 0 <= score <= 1
    assert iso_score_star(scale * matrix) == pytest.approx(score, rel=1e-12)
    assert iso_score_star(rotation @ matrix @ rotation.T) == pytest.approx(score, rel=1e-9)
    order = torch.randperm(dim, generator=torch.Generator().manual_seed(seed))
    assert iso_score_star(matrix[order][:, order]) == pytest.approx(score, rel=1e-12)


def published(eigenvalues: torch.Tensor) -> float:
    """The score step by step: normalised spectrum, distance from uniform, defect, and rescaling (ICLR 2024, sec. 3)."""
    dim = len(eigenvalues)
    uniform = torch.ones(dim, dtype=torch.float64)
    normalised = dim**0.5 * eigenvalues / eigenvalues.norm()
    defect = float((normalised - uniform).norm()) / (2 * (dim - dim**0.5)) ** 0.5
    return ((dim - defect**2 * (dim - dim**0.5)) ** 2 - dim) / (dim * (dim - 1))


@given(seed=st.integers(0, 1000), dim=st.integers(2, 40), condition=st.floats(0, 12), zeta=st.sampled_from([0.0, 0.3]))
def test_equals_the_published_formula_of_the_eigenvalues(seed, dim, condition, zeta):
    spectrum = torch.logspace(0, -condition, dim, dtype=torch.float64)
    frame = torch.linalg.qr(covariance(seed, dim)).Q
    matrix = frame * spectrum @ frame.T
    score = iso_score_star((matrix + matrix.T) / 2, shrinkage=zeta, target=torch.eye(dim, dtype=torch.float64))
    assert score == pytest.approx(published((1 - zeta) * spectrum + zeta), abs=1e-12)
    shrunk = iso_score_star((matrix + matrix.T) / 2, shrinkage=zeta)
    assert shrunk == pytest.approx(published((1 - zeta) * spectrum + zeta * spectrum.mean()), abs=1e-12)


@given(dim=st.integers(2, 30), scale=st.floats(1e-300, 1e300))
def test_the_bounds_hold_to_the_last_digit(dim, scale):
    assert iso_score_star(scale * torch.eye(dim, dtype=torch.float64)) <= 1
    assert participation_ratio(torch.full((dim, dim), scale, dtype=torch.float64)) >= 1


def test_arrays_and_accumulators_give_the_same_score():
    x = np.random.default_rng(1).normal(size=(50, 4))
    score = iso_score_star(np.cov(x.T))
    assert iso_score_star(SecondMoment(4).update(x)) == pytest.approx(score, rel=1e-12)


def test_extremes():
    assert iso_score_star(torch.eye(7)) == pytest.approx(1)
    assert iso_score_star(torch.diag(torch.tensor([1.0, 0.0, 0.0]))) == pytest.approx(0)
    assert participation_ratio(torch.diag(torch.tensor([1.0, 1.0, 0.0]))) == pytest.approx(2)
    assert np.isnan(participation_ratio(torch.zeros(3, 3)))
    assert iso_score_star(torch.diag(torch.tensor([1.0, 0.0, 0.0])), shrinkage=1) == pytest.approx(1)


def test_equals_the_published_package():
    from IsoScore import IsoScore  # pyright: ignore[reportMissingImports]

    x = np.random.default_rng(0).normal(size=(400, 6)) * np.arange(1, 7)
    assert iso_score_star(torch.from_numpy(np.cov(x.T))) == pytest.approx(float(IsoScore.IsoScore(x)), abs=1e-6)


def test_published_form_shrinks_to_the_identity():
    matrix = torch.diag(torch.tensor([4.0, 1.0]))
    shrunk = torch.diag(torch.tensor([2.5, 1.0]))
    assert iso_score_star(matrix, shrinkage=0.5, target=torch.eye(2)) == pytest.approx(iso_score_star(shrunk))


def test_bad_input():
    with pytest.raises(InputError, match="at least 2"):
        iso_score_star(torch.eye(1))
    with pytest.raises(InputError, match="shrinkage"):
        iso_score_star(torch.eye(2), shrinkage=1.5)
    with pytest.raises(InputError, match="3 dimensions and the covariance 2"):
        iso_score_star(torch.eye(2), shrinkage=0.5, target=torch.eye(3))
    with pytest.raises(InputError, match="negative eigenvalues"):
        participation_ratio(torch.tensor([[1.0, 0.9], [0.9, 0.0]]))
