import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import SecondMoment
from manifoldtheory.estimators.moments import moment_matrix


def points(seed: int, n: int, dim: int, offset: float = 0.0) -> torch.Tensor:
    return torch.randn(n, dim, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) + offset


def relative_difference(a: torch.Tensor, b: torch.Tensor) -> float:
    return float((a - b).abs().max() / b.abs().max())


@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(lambda sizes: sum(sizes) > 1),
    dim=st.integers(1, 5),
    seed=st.integers(0, 1000),
    offset=st.sampled_from([0.0, 1.0, 1e3]),
)
def test_merging_in_any_grouping_equals_one_pass(sizes, dim, seed, offset):
    x = points(seed, sum(sizes), dim, offset)
    weights = torch.rand(len(x), generator=torch.Generator().manual_seed(seed + 1), dtype=torch.float64) + 0.1
    parts = [SecondMoment(dim).update(a, b) for a, b in zip(x.split(sizes), weights.split(sizes), strict=True)]
    whole = SecondMoment(dim).update(x, weights)
    left = SecondMoment(dim)
    for part in parts:
        left.merge(part)
    right = SecondMoment(dim)
    for part in reversed(parts):
        right = SecondMoment(dim).merge(part).merge(right)
    for merged in (left, right):
        assert merged.count == whole.count == len(x)
        assert relative_difference(merged.second_moment, whole.second_moment) < 1e-12
        # The covariance is compared in units of the second moment's rounding only when the mean dwarfs it.
        assert float((merged.covariance - whole.covariance).abs().max()) < 1e-12 * (1 + offset)


def test_moments_are_those_of_the_definition():
    x, weights = points(0, 50, 3), torch.rand(50, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    moment = SecondMoment(3).update(x, weights)
    mean = (weights[:, None] * x).sum(0) / weights.sum()
    torch.testing.assert_close(moment.mean, mean)
    torch.testing.assert_close(moment.second_moment, (weights[:, None] * x).T @ x / weights.sum())
    torch.testing.assert_close(moment.covariance, moment.second_moment - torch.outer(mean, mean))


def test_small_clouds_far_from_the_origin_keep_their_covariance():
    """Raw sums would lose E nᵀn here: the normal variance is 1e-14 of the squared mean."""
    x = points(3, 2000, 2) * torch.tensor([1e-3, 1e-6], dtype=torch.float64)
    moment = SecondMoment(2)
    for part in (x + 10.0).split(170):
        moment.update(part)
    exact = torch.cov(x.T, correction=0)
    assert relative_difference(moment.covariance.diagonal() / exact.diagonal(), torch.ones(2).double()) < 1e-7


def test_float32_points_are_summed_in_float64():
    x = points(4, 1000, 2).float()
    torch.testing.assert_close(SecondMoment(2).update(x).second_moment, x.double().T @ x.double() / 1000)


@pytest.mark.parametrize(
    ("x", "weights", "message"),
    [
        (torch.zeros(3, 4), None, "shape"),
        (torch.zeros(4), None, "shape"),
        (torch.full((3, 2), float("nan")), None, "3 of 3 points"),
        (torch.zeros(3, 2), torch.tensor([1.0, -1.0, 1.0]), "weights"),
        (torch.zeros(3, 2), torch.ones(2), "weights"),
    ],
)
def test_bad_points_are_refused_and_leave_no_trace(x, weights, message):
    moment = SecondMoment(2)
    with pytest.raises(InputError, match=message):
        moment.update(x, weights)
    assert moment.count == 0


def test_nothing_seen_is_an_error():
    with pytest.raises(InputError, match="no moments yet"):
        _ = SecondMoment(2).update(torch.zeros(0, 2)).mean
    with pytest.raises(InputError, match="at least 1"):
        SecondMoment(0)
    with pytest.raises(InputError, match="dimensions 2 and 3"):
        SecondMoment(2).merge(SecondMoment(3))


def test_a_matrix_that_is_no_moment_is_refused():
    for matrix, message in [
        (torch.zeros(2, 3), "square"),
        (torch.tensor([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
        (torch.full((2, 2), float("inf")), "infinite"),
    ]:
        with pytest.raises(InputError, match=message):
            moment_matrix(matrix, centered=True)
