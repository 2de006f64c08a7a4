"""What the samplers ask of their arguments."""

import math

import torch

from manifoldtheory.errors import InputError


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


def require_length(name: str, value: float) -> None:
    """Raises `InputError` unless the value is positive and finite."""
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{name} must be positive and finite, got {value}")


def require_dim(name: str, value: int) -> None:
    """Raises `InputError` unless the value is a positive integer."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name} must be a positive integer, got {value!r}")
