from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from manifoldtheory.arrays import numpy_in_numpy_out


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
