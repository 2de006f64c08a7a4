"""A parameterisation f: R^m → R^d given as a function, checked, batched and differentiated."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import functional_call, jacfwd, jvp, vmap

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.checks import require_dim

Function = Callable[[Tensor], Tensor]

CHUNK = 2**21
"""Most numbers in one tensor of derivatives: bounds the memory of large batches."""


class Immersion:
    """f over any batch axes, with derivatives; computes in float64 whatever the dtype asked for, and casts."""

    def __init__(self, function: Function, dim: int, examples: Tensor) -> None:
        """Takes f for one point (m,) → (d,), or for a batch (n, m) → (n, d), and points (n, m) it must be good at.

        Raises `InputError` unless f gives finite real vectors longer than m there, through operations of torch.
        """
        require_dim("dim", dim)
        if not callable(function):
            raise InputError(
                f"an immersion must be a function from (m,) to (d,) tensors, got {type(function).__name__}"
            )
        self.dim = dim
        if isinstance(function, torch.nn.Module):  # whose parameters are constants here
            constants = {name: parameter.detach() for name, parameter in function.named_parameters()}
            module, function = function, lambda q: functional_call(module, constants, (q,))
        # A copy, because the function may work in place.
        self._point, self.ambient_dim = _for_one_point(lambda q: function(q.clone()), examples[0])
        if dim >= self.ambient_dim:
            raise InputError(
                f"an immersion of dimension {dim} needs more than {dim} ambient coordinates, got {self.ambient_dim}: "
                "append a coordinate, or lower dim"
            )
        try:
            value, jacobian = self.jacobian(examples)
            second = self.second(examples[:1])[2]
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"torch.func cannot differentiate the immersion ({_one_line(error)}): "
                "build its result from torch operations on the coordinates, as torch.stack, without branches on values"
            ) from error
        require_finite(examples, value, jacobian)
        require_finite(examples[:1], second)

    def value(self, q: Tensor) -> Tensor:
        """f(q): (…, m) → (…, d)."""
        return self._over(self._point, q)[0]

    def jacobian(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """f and ∂f (…, d, m)."""
        f = self._point
        value, jacobian = self._over(lambda p: _value_and(jacfwd(lambda q: (f(q), f(q)), has_aux=True)(p)), q)
        return value, jacobian

    def second(self, q: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """f, ∂f and ∂²f (…, d, m, m)."""
        f = self._point

        def first(p: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
            slope, value = jacfwd(lambda q: (f(q), f(q)), has_aux=True)(p)
            return slope, (value, slope)

        def all_three(p: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            bend, (value, slope) = jacfwd(first, has_aux=True)(p)
            return value, slope, bend

        value, slope, bend = self._over(all_three, q)
        return value, slope, bend

    def along(self, q: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """∂f and its derivative along v, ∂²f(v, ·): (…, m), (…, m) → (…, d, m), (…, d, m)."""
        slope, turn = self._over(lambda p, w: jvp(jacfwd(self._point), (p,), (w,)), *torch.broadcast_tensors(q, v))
        return slope, turn

    def _over(self, function: Callable, *arguments: Tensor) -> tuple[Tensor, ...]:
        batch = arguments[0].shape[:-1]
        if 0 in batch:  # what vmap refuses: as many results of nothing
            sample = self._over(function, *(argument.new_zeros(1, self.dim) for argument in arguments))
            return tuple(result[:0].reshape(*batch, *result.shape[1:]) for result in sample)
        # Forward mode writes tangents beside their values, which must not share memory.
        rows = [argument.reshape(-1, self.dim).contiguous() for argument in arguments]
        size = max(256, CHUNK // (self.ambient_dim * self.dim**2))
        results = vmap(function, chunk_size=size if rows[0].shape[0] > size else None)(*rows)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(result.reshape(*batch, *result.shape[1:]) for result in results)


def require_finite(q: Tensor, *results: Tensor) -> None:
    """Raises `InputError` with the first of the coordinates q (n, m) whose results (n, …) are not all finite."""
    finite = torch.stack([result.flatten(1).isfinite().all(1) for result in results]).all(0)
    if not bool(finite.all()):
        raise InputError(
            f"the immersion or its derivatives are not finite at coordinates {q[~finite][0].tolist()}: "
            "choose a domain where they are"
        )


def _for_one_point(function: Function, example: Tensor) -> tuple[Function, int]:
    """The function of one point (m,) → (d,), and d."""
    dim = example.shape[0]
    try:
        result = function(example)
        _require_tensor_of_doubles(result)
        if isinstance(result, Tensor) and result.ndim == 1:
            return function, result.shape[0]
        problem = f"{_describe(result)} for coordinates of shape ({dim},)"
    except InputError:
        raise
    except Exception as error:  # whatever the user's function raises; it may ask for a batch
        if "dtype" in str(error) or "scalar type" in str(error):
            raise InputError(
                f"the immersion does not compute in float64 ({_one_line(error)}): convert what it is made of, "
                "as module.double()"
            ) from error
        problem = f"an error ({_one_line(error)}) for coordinates of shape ({dim},)"
    try:
        result = function(example[None])
    except Exception as error:
        raise InputError(
            f"the immersion gave {problem} and of shape (1, {dim}): it must give (d,) or (1, d)"
        ) from error
    _require_tensor_of_doubles(result)
    if not isinstance(result, Tensor) or result.ndim != 2 or result.shape[0] != 1:
        raise InputError(
            f"the immersion gave {problem}, and {_describe(result)} for coordinates of shape (1, {dim}): "
            "it must give a torch.Tensor of shape (d,) or (1, d)"
        )
    return lambda q: function(q[None])[0], result.shape[1]


def _require_tensor_of_doubles(result: object) -> None:
    if isinstance(result, list | tuple):
        raise InputError(f"the immersion gave a {type(result).__name__} of results: it must give torch.stack of them")
    if isinstance(result, Tensor) and result.dtype != torch.float64:
        raise InputError(
            f"the immersion gave {result.dtype} for float64 coordinates: it must stay in float64, without casts"
        )


def _describe(result: object) -> str:
    return f"shape {tuple(result.shape)}" if isinstance(result, Tensor) else type(result).__name__


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _value_and(pair: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return pair[1], pair[0]
