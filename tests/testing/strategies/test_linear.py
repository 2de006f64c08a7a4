"""Frames, subspaces and covariances: what the arguments promise, shrinking, and arguments that can't be met."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.testing.strategies import covariances, orthonormal_frames, subspaces


@given(st.data(), st.integers(1, 40))
def test_frames_are_orthonormal(data: st.DataObject, ambient_dim: int) -> None:
    dim = data.draw(st.integers(1, ambient_dim))
    for frame in (
        data.draw(orthonormal_frames(ambient_dim, dim)),
        data.draw(orthonormal_frames(st.just(ambient_dim), st.integers(1, 41))),
        data.draw(orthonormal_frames(dim=dim)),
        data.draw(orthonormal_frames()),
    ):
        assert frame.dtype == torch.float64
        gram = frame.mT @ frame
        assert torch.allclose(gram, torch.eye(len(gram), dtype=torch.float64), rtol=0, atol=1e-14)
    assert data.draw(orthonormal_frames(ambient_dim, dim)).shape == (ambient_dim, dim)


@given(st.data(), st.integers(2, 12))
def test_subspaces_leave_a_complement(data: st.DataObject, ambient_dim: int) -> None:
    rank = data.draw(st.integers(1, ambient_dim - 1))
    given_rank, any_rank = data.draw(subspaces(ambient_dim, rank)), data.draw(subspaces(ambient_dim))
    assert (given_rank.dim, given_rank.rank) == (ambient_dim, rank)
    assert 1 <= any_rank.rank < any_rank.dim == ambient_dim


@given(st.data(), st.integers(2, 20), st.sampled_from([1.0, 7.0, 1e3, 1e6, 1e12]))
def test_covariances_reach_their_condition(data: st.DataObject, dim: int, condition: float) -> None:
    matrix = data.draw(covariances(dim, condition=condition))
    assert matrix.shape == (dim, dim)
    assert torch.equal(matrix, matrix.mT)
    spectrum = torch.linalg.eigvalsh(matrix)
    # Rounding in QDQᵀ and in eigvalsh: a few d eps of the largest eigenvalue, 1.
    assert float(spectrum[-1]) == pytest.approx(1, rel=1e-13)
    assert float(spectrum[0]) == pytest.approx(1 / condition, rel=1e-13, abs=2e-14)


def test_shrinking(minimal) -> None:
    assert minimal(orthonormal_frames()).tolist() == [[1.0]]
    assert minimal(orthonormal_frames(3, 2)).tolist() == [[1, 0], [0, 1], [0, 0]]
    assert minimal(subspaces()).basis.tolist() == [[1.0], [0.0]]
    assert minimal(covariances()).tolist() == [[1.0]]
    assert torch.equal(minimal(covariances(4)), torch.eye(4, dtype=torch.float64))
    assert minimal(covariances(2), lambda matrix: bool(matrix[1, 1] < 0.05)).tolist() == [[1, 0], [0, 0.01]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: orthonormal_frames(2, 3), "dim 3 is too large in 2 dimensions: at most 2"),
        (lambda: orthonormal_frames(0), "ambient_dim must be between 1 and 16384, got 0"),
        (lambda: orthonormal_frames(3, 0), "dim must be between 1 and 16384, got 0"),
        (lambda: subspaces(3, 3), "rank 3 is too large in 3 dimensions: at most 2"),
        (lambda: subspaces(1), "ambient_dim must be between 2 and 16384, got 1"),
        (lambda: covariances(0), "dim must be between 1 and 16384, got 0"),
        (lambda: covariances(condition=0.5), r"condition must be at least 1 and at most 1e\+12, got 0\.5"),
        (lambda: covariances(condition=1e13), r"at most 1e\+12, got 1e\+13"),
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
