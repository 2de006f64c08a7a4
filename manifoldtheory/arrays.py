"""numpy in, numpy out: the one place where arrays become tensors and tensors arrays again."""

import dataclasses
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numpy as np
import torch
from torch import Tensor

from manifoldtheory.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")


def numpy_in_numpy_out(function: Callable[P, R]) -> Callable[P, R]:
    """A function of tensors that also takes numpy arrays, and then returns them.

    When an argument is an array and none is a tensor, the tensors of the result (also those inside a tuple or a
    dataclass) become arrays, with the dtype they were computed in. Beside a tensor an array is just converted.
    """

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        values = (*args, *kwargs.values())
        if not any(isinstance(value, np.ndarray) for value in values):
            return function(*args, **kwargs)
        converted = cast("Callable[..., R]", function)(
            *map(as_tensor, args), **{name: as_tensor(value) for name, value in kwargs.items()}
        )
        return converted if any(isinstance(value, Tensor) for value in values) else cast("R", as_numpy(converted))

    return wrapper


def as_tensor(value: object) -> object:
    """A numpy array as a tensor that shares its memory where it can; anything else as it is.

    Numbers in another byte order are converted, and those wider than float64 rounded to it. Raises `InputError` for an
    array of anything but numbers and booleans.
    """
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind not in "biufc":
        raise InputError(f"an array of numbers is needed, got dtype {value.dtype}: convert it first")
    if value.dtype.kind in "fc" and value.dtype.itemsize > (8 if value.dtype.kind == "f" else 16):
        value = value.astype(np.float64 if value.dtype.kind == "f" else np.complex128)
    value = value.astype(value.dtype.newbyteorder("="), copy=False)
    # torch takes no negative strides and warns of read-only memory, which nothing here writes to.
    shareable = value.flags.writeable and all(stride >= 0 for stride in value.strides)
    return torch.from_numpy(value if shareable else value.copy())


def as_numpy(value: object) -> object:
    """A tensor as a numpy array; inside a tuple or a dataclass each of them; anything else as it is."""
    if isinstance(value, Tensor):
        return value.detach().cpu().numpy()
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(as_numpy, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        changed = {name: as_numpy(item) for name, item in fields.items()}
        if any(changed[name] is not item for name, item in fields.items()):
            return dataclasses.replace(value, **changed)
    return value
