"""What manifolds and samplers ask of their arguments."""

import contextlib
import math
from numbers import Real

import torch
from torch.autograd import forward_ad

from manifoldtheory.errors import InputError

LENGTHS = (1e-75, 1e75)
"""Lengths whose fourth powers are float64 numbers: second forms, moments and level sets of degree four need them."""

SINGLE_LENGTHS = (1e-9, 1e9)
"""The same for float32."""

PROPORTION = 1e8
"""Largest ratio of the lengths of one manifold: its square is 1/eps, and no digits would be left."""

LARGEST_DIM = 2**14
"""Largest dimension of an ambient space: one frame there takes 2 GiB."""


def require_generator(generator: torch.Generator) -> torch.Generator:
    """The generator; raises `InputError` for anything else, because nothing here draws from global random state."""
    if not isinstance(generator, torch.Generator):
        raise InputError(
            f"sampling needs an explicit torch.Generator, got {type(generator).__name__}: "
            "pass generator=torch.Generator(device).manual_seed(seed)"
        )
    return generator


def require_count(n: int) -> int:
    """The number of samples; raises `InputError` unless it is a positive integer."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InputError(f"the number of samples must be a positive integer, got {n!r}")
    return n


def require_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype; raises `InputError` unless it is float64 or float32."""
    if dtype not in (torch.float64, torch.float32):
        raise InputError(f"manifolds compute in torch.float64 or torch.float32, got {dtype}")
    return dtype


def require_shape(name: str, tensor: torch.Tensor, size: int) -> torch.Tensor:
    """The tensor; raises `InputError` unless it is floating, with a last axis of the given size."""
    if not isinstance(tensor, torch.Tensor):
        raise InputError(f"{name} must be a torch.Tensor of shape (…, {size}), got {type(tensor).__name__}")
    require_dtype(tensor.dtype)
    if tensor.ndim == 0 or tensor.shape[-1] != size:
        raise InputError(f"{name} must have shape (…, {size}), got {tuple(tensor.shape)}")
    return tensor


def require_alike(name: str, vectors: torch.Tensor, points: torch.Tensor) -> None:
    """Raises `InputError` unless the vectors have the dtype and device of the points, and batch axes that broadcast."""
    if (vectors.dtype, vectors.device) != (points.dtype, points.device):
        raise InputError(
            f"{name} are {vectors.dtype} on {vectors.device} and the points {points.dtype} on {points.device}: "
            f"convert one of them with .to"
        )
    if vectors.shape[:-1] != points.shape[:-1] and points.ndim > 1 and vectors.ndim > 1:
        try:
            torch.broadcast_shapes(vectors.shape[:-1], points.shape[:-1])
        except RuntimeError:
            raise InputError(
                f"batch axes of {name}, {tuple(vectors.shape[:-1])}, and of points, {tuple(points.shape[:-1])}, "
                "do not broadcast: add an axis of size 1"
            ) from None


def require_finite(name: str, tensor: torch.Tensor) -> None:
    """Raises `InputError` for NaN or infinite entries; checks nothing inside `torch.func.vmap`."""
    # The sum costs a quarter of testing every entry, and only overflow can make it infinite for finite ones.
    if anywhere(~tensor.detach().sum().isfinite()) and not bool(tensor.isfinite().all()):
        where = (~tensor.isfinite()).nonzero()[0].tolist()
        raise InputError(f"{name} must be finite, got {float(tensor[tuple(where)])} at index {tuple(where)}")


def anywhere(mask: torch.Tensor) -> bool:
    """Whether the mask holds anywhere; no, where values cannot be read, inside `torch.func.vmap`."""
    try:
        return bool(mask.any())
    except RuntimeError:
        return False


def plain(tensor: torch.Tensor) -> bool:
    """Whether the tensor holds values alone: no derivative recorded or carried along, no `torch.func.vmap` around."""
    if tensor.requires_grad or forward_ad.unpack_dual(tensor).tangent is not None:
        return False
    try:
        return tensor.numel() > 0 and tensor.flatten()[0].item() is not None
    except RuntimeError:
        return False


def require_number(name: str, value: float) -> float:
    """The value as a float; raises `InputError` unless it is a real number, finite in float64."""
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):
            number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name} must be a finite number, got {_shortened(value)}")
    return number


def require_length(name: str, value: float) -> None:
    """Raises `InputError` unless the value is positive, finite and within `LENGTHS`."""
    try:
        positive = require_number(name, value) > 0
    except InputError:
        positive = False
    if not positive:
        raise InputError(f"{name} must be positive and finite, got {_shortened(value)}")
    if not LENGTHS[0] <= value <= LENGTHS[1]:
        raise InputError(f"{name} must lie between {LENGTHS[0]:g} and {LENGTHS[1]:g}, got {value}: choose other units")


def require_scale(size: float, dtype: torch.dtype) -> None:
    """Raises `InputError` when fourth powers of the size are no float32 numbers (`SINGLE_LENGTHS`)."""
    if dtype == torch.float32 and not SINGLE_LENGTHS[0] <= size <= SINGLE_LENGTHS[1]:
        raise InputError(
            f"lengths of {size:.3g} are out of range in float32, which serves {SINGLE_LENGTHS[0]:g} to "
            f"{SINGLE_LENGTHS[1]:g}: use float64 or other units"
        )


def require_proportion(name: str, small: float, large: float) -> None:
    """Raises `InputError` when one length is too small beside another for float64 (`PROPORTION`)."""
    if large > PROPORTION * small:
        raise InputError(f"{name} {small:g} is too small beside {large:g}: the limit is a factor of {PROPORTION:g}")


def require_dim(name: str, value: int) -> None:
    """Raises `InputError` unless the value is a positive integer, at most `LARGEST_DIM`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name} must be a positive integer, got {value!r}")
    if value > LARGEST_DIM:
        raise InputError(f"{name} must be at most {LARGEST_DIM}, or frames do not fit in memory; got {value}")


def _shortened(value: object) -> str:
    """The value as a message shows it; integers of hundreds of digits by their size."""
    if isinstance(value, int) and abs(value) >= 10**20:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
