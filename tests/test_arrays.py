from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from manifoldtheory.arrays import numpy_in_numpy_out
from manifoldtheory.errors import InputError


@dataclass(frozen=True)
class Pair:
    first: Tensor
    label: str


@numpy_in_numpy_out
def doubled(x: Tensor, *, shift: Tensor | float = 0.0) -> tuple[Tensor, Pair, float]:
    assert isinstance(x, Tensor)
    return 2 * x + shift, Pair(x, "twice"), 3.0


def test_arrays_come_back_as_arrays_of_the_same_dtype():
    ones: Any = np.ones(3, dtype=np.float32)
    plain, pair, number = doubled(ones, shift=ones)
    assert isinstance(plain, np.ndarray)
    assert isinstance(pair.first, np.ndarray)
    assert plain.dtype == pair.first.dtype == np.float32
    assert plain.tolist() == [3, 3, 3]
    assert pair.label == "twice"
    assert number == 3.0


def test_tensors_stay_tensors_also_beside_an_array():
    assert isinstance(doubled(torch.ones(3))[0], Tensor)
    beside: Any = np.ones(3)
    assert isinstance(doubled(torch.ones(3), shift=beside)[0], Tensor)


@pytest.mark.parametrize("array", [np.arange(4.0)[::-1], np.broadcast_to(np.arange(4.0), (2, 4))])
def test_views_that_torch_does_not_share_are_copied(array: Any):
    assert np.array_equal(doubled(array)[0], 2 * array)


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4", np.longdouble])
def test_other_byte_orders_and_wider_floats_are_converted(dtype: Any):
    array: Any = np.arange(4).astype(dtype)
    assert np.asarray(doubled(array)[0]).tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("array", [np.array([None]), np.array(["a"]), np.array(["2020-01-01"], dtype="datetime64[D]")])
def test_what_are_no_numbers_is_refused_by_its_dtype(array: Any):
    with pytest.raises(InputError, match=f"dtype {array.dtype}".replace("[", r"\[").replace("]", r"\]")):
        doubled(array)
