import pickle

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import SecondMoment, pooled
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
        assert float((merged.covariance - whole.covariance).abs().max()) < 1e-12  # of variances of order 1


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
        (torch.eye(3, 2, dtype=torch.float64) * 1e200, None, "overflow"),
        (torch.full((3, 2), 1e-200, dtype=torch.float64), None, "underflow"),
        (torch.zeros(3, 2, dtype=torch.complex64), None, "real numbers"),
        (torch.zeros(3, 2, dtype=torch.bool), None, "real numbers"),
    ],
)
def test_bad_points_are_refused_and_leave_no_trace(x, weights, message):
    moment = SecondMoment(2).update(points(5, 7, 2))
    before = pickle.dumps(moment)
    with pytest.raises(InputError, match=message):
        moment.update(x, weights)
    assert pickle.dumps(moment) == before


def test_nothing_seen_is_an_error():
    with pytest.raises(InputError, match="no moments yet"):
        _ = SecondMoment(2).update(torch.zeros(0, 2)).mean
    with pytest.raises(InputError, match="at least 1"):
        SecondMoment(0)
    for dim in (2.0, True, -1):
        with pytest.raises(InputError, match="integer dimension"):
            SecondMoment(dim)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"float64 or torch\.float32"):
        SecondMoment(2, torch.int64)
    with pytest.raises(InputError, match="dimensions 2 and 3"):
        SecondMoment(2).merge(SecondMoment(3))


def test_a_matrix_that_is_no_moment_is_refused():
    for matrix, message in [
        (torch.zeros(2, 3), "square"),
        (torch.tensor([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
        (torch.full((2, 2), float("inf")), "infinite"),
        (torch.tensor([[1.0, float("nan")], [0.0, 1.0]]), "infinite"),
        (-torch.eye(2), "semi-definite"),
        (torch.tensor([[1.0, 2.0], [2.0, 1.0]]), "semi-definite"),
        (torch.eye(2, dtype=torch.complex64), "real numbers"),
        (torch.zeros(0, 0), "square"),
    ]:
        with pytest.raises(InputError, match=message):
            moment_matrix(matrix, centered=True)


def test_a_matrix_that_is_symmetric_to_rounding_is_made_so():
    matrix = torch.tensor([[1.0, 0.5], [0.5 + 1e-8, 1.0]], dtype=torch.float64)
    found = moment_matrix(matrix, centered=True)
    assert torch.equal(found, found.T)
    assert float(found[0, 1]) == pytest.approx(0.5 + 5e-9, abs=1e-15)


def test_leading_points_far_from_the_mean_cost_no_digits():
    """The provisional centre is theirs, 1e8 deviations away from all the weight: a second look must find the mean."""
    x = points(8, 5000, 3)
    weights = torch.ones(5000, dtype=torch.float64)
    x[:100] += 1e8
    weights[:100] = 1e-30  # 1e-14 of the variance
    found = SecondMoment(3).update(x, weights).covariance
    assert relative_difference(found, torch.cov(x[100:].T, correction=0)) < 1e-12


def test_many_slices_and_blocks_are_one():
    """More points and dimensions than are multiplied at once."""
    x = points(9, 2500, 200)
    moment = SecondMoment(200).update(x)
    assert relative_difference(moment.covariance, torch.cov(x.T, correction=0)) < 1e-13
    assert torch.equal(moment.covariance, moment.covariance.T)


def test_nothing_leads_back_to_the_points():
    x = points(10, 9, 2).requires_grad_()
    moment = SecondMoment(2).update(x, torch.ones(9, dtype=torch.float64, requires_grad=True))
    assert not any(value.requires_grad for value in (moment.mean, moment.covariance, moment.second_moment))
    moment.mean.zero_()
    assert float(moment.mean.abs().max()) > 0


def test_integers_and_short_floats_are_converted():
    x = torch.arange(12).reshape(6, 2)
    exact = SecondMoment(2).update(x.double()).covariance
    for dtype in (torch.int64, torch.uint8, torch.float16, torch.bfloat16):
        assert torch.equal(SecondMoment(2).update(x.to(dtype)).covariance, exact)


def test_arrays_in_arrays_out_until_a_tensor_comes():
    x = points(11, 20, 3)
    moment = SecondMoment(3).update(x.numpy(), np.ones(20))
    assert all(isinstance(part, np.ndarray) for part in (moment.mean, moment.covariance, moment.second_moment))
    assert isinstance(pooled([moment, moment]).mean, np.ndarray)
    np.testing.assert_array_equal(moment.covariance, SecondMoment(3).update(x).covariance.numpy())
    assert isinstance(moment.update(x).mean, torch.Tensor)


def test_only_accumulators_are_merged_and_pooled():
    with pytest.raises(InputError, match="use update for points"):
        SecondMoment(2).merge(torch.eye(2))  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="at least one SecondMoment"):
        pooled([])
    for bad in (None, "a", [[None]]):
        with pytest.raises(InputError, match="tensor or an array of numbers"):
            SecondMoment(2).update(bad)  # pyright: ignore[reportArgumentType]
