"""Losses on the outputs of a linear map, with their gradients and Hessians in closed form.

The gradient of a linear map y = Wx is δ xᵀ with δ = ∂loss/∂y (`output_gradient`). How it splits into a tangent and a
normal part depends on two things at the base point: whether δ(p) = 0, and whether Dδ|_T = H W|_T = 0, H the Hessian.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.arrays import numpy_in_numpy_out
from manifoldtheory.errors import InputError
from manifoldtheory.testing.checks import require_numbers

LABEL_ROUNDING = 1e-6
"""By how much a label distribution may miss the sum 1: that of a float32 softmax does by several eps = 1.2e-7."""


@dataclass(frozen=True)
class Loss(ABC):
    """A smooth loss of outputs (…, o) with one parameter vector (o): a target, a label, or a slope.

    Calling it gives the loss (…); `gradient` is δ (…, o), `hessian` is Dδ by the outputs (…, o, o). All three take
    numpy arrays too; integers are converted to float64. Raises `InputError` for outputs of another size, and for
    parameters that the loss has not.
    """

    parameter: tuple[float, ...]
    name = ""  # no annotation: Hypothesis would print a class variable as an argument

    def __post_init__(self) -> None:
        parameter = require_numbers(f"the parameter of the {self.name} loss", self.parameter)
        if not parameter:
            raise InputError(f"the {self.name} loss takes finite numbers, one per output; got {self.parameter}")
        object.__setattr__(self, "parameter", parameter)

    @property
    def output_dim(self) -> int:
        """o."""
        return len(self.parameter)

    @numpy_in_numpy_out
    def __call__(self, output: Float[Tensor, "*batch o"]) -> Float[Tensor, "*batch"]:
        y = self._floating(output)
        return self._value(y, self._parameter(y))

    @numpy_in_numpy_out
    def gradient(self, output: Float[Tensor, "*batch o"]) -> Float[Tensor, "*batch o"]:
        """δ = ∂loss/∂y."""
        y = self._floating(output)
        return self._gradient(y, self._parameter(y))

    @numpy_in_numpy_out
    def hessian(self, output: Float[Tensor, "*batch o"]) -> Float[Tensor, "*batch o o"]:
        """∂δ/∂y."""
        y = self._floating(output)
        return self._hessian(y, self._parameter(y))

    @abstractmethod
    def _value(self, y: Tensor, parameter: Tensor) -> Tensor: ...

    @abstractmethod
    def _gradient(self, y: Tensor, parameter: Tensor) -> Tensor: ...

    @abstractmethod
    def _hessian(self, y: Tensor, parameter: Tensor) -> Tensor: ...

    def _floating(self, output: Any) -> Tensor:
        if not isinstance(output, Tensor) or output.ndim == 0 or output.shape[-1] != self.output_dim:
            shape = tuple(output.shape) if isinstance(output, Tensor) else type(output).__name__
            raise InputError(f"this loss takes outputs of shape (…, {self.output_dim}), got {shape}")
        if output.is_complex():
            raise InputError(f"this loss takes real outputs, got {output.dtype}")
        return output if output.is_floating_point() else output.double()

    def _parameter(self, y: Tensor) -> Tensor:
        return torch.tensor(self.parameter, dtype=y.dtype, device=y.device)


class SquaredLoss(Loss):
    """½ |y − target|²: δ = y − target, Hessian I."""

    name = "squared"

    def _value(self, y: Tensor, parameter: Tensor) -> Tensor:
        return ((y - parameter) ** 2).sum(-1) / 2

    def _gradient(self, y: Tensor, parameter: Tensor) -> Tensor:
        return y - parameter

    def _hessian(self, y: Tensor, parameter: Tensor) -> Tensor:
        return torch.eye(self.output_dim, dtype=y.dtype, device=y.device).expand(*y.shape, self.output_dim)


class LogisticLoss(Loss):
    """Σ log(1 + e^y) − label · y, one label in [0, 1] per output: δ = σ(y) − label, Hessian diag σ(1 − σ) > 0."""

    name = "logistic"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(0 <= label <= 1 for label in self.parameter):
            raise InputError(f"labels of the logistic loss lie between 0 and 1, got {self.parameter}")

    def _value(self, y: Tensor, parameter: Tensor) -> Tensor:
        return (torch.nn.functional.softplus(y) - parameter * y).sum(-1)

    def _gradient(self, y: Tensor, parameter: Tensor) -> Tensor:
        return torch.sigmoid(y) - parameter

    def _hessian(self, y: Tensor, parameter: Tensor) -> Tensor:
        return torch.diag_embed(torch.sigmoid(y) * torch.sigmoid(-y))


class SoftmaxLoss(Loss):
    """Cross-entropy log Σ e^y − label · y for a label distribution: δ = softmax(y) − label.

    The Hessian diag s − s sᵀ is positive on differences of outputs and 0 along (1, …, 1).
    """

    name = "softmax"

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.parameter) < 0 or abs(sum(self.parameter) - 1) > LABEL_ROUNDING:
            raise InputError(
                f"labels of the softmax loss are ≥ 0 with sum 1, got {self.parameter} with sum {sum(self.parameter):g}"
            )

    def _value(self, y: Tensor, parameter: Tensor) -> Tensor:
        return torch.logsumexp(y, -1) - (parameter * y).sum(-1)

    def _gradient(self, y: Tensor, parameter: Tensor) -> Tensor:
        return torch.softmax(y, -1) - parameter

    def _hessian(self, y: Tensor, parameter: Tensor) -> Tensor:
        share = torch.softmax(y, -1)
        return torch.diag_embed(share) - share[..., :, None] * share[..., None, :]


class LinearLoss(Loss):
    """slope · y: δ is constant, the Hessian 0."""

    name = "linear"

    def _value(self, y: Tensor, parameter: Tensor) -> Tensor:
        return (parameter * y).sum(-1)

    def _gradient(self, y: Tensor, parameter: Tensor) -> Tensor:
        return parameter.expand_as(y)

    def _hessian(self, y: Tensor, parameter: Tensor) -> Tensor:
        return y.new_zeros(*y.shape, self.output_dim)


class QuarticLoss(Loss):
    """¼ |y − target|⁴: δ = |y − target|² (y − target); gradient and Hessian both vanish at the target."""

    name = "quartic"

    def _value(self, y: Tensor, parameter: Tensor) -> Tensor:
        return ((y - parameter) ** 2).sum(-1) ** 2 / 4

    def _gradient(self, y: Tensor, parameter: Tensor) -> Tensor:
        error = y - parameter
        return (error**2).sum(-1, keepdim=True) * error

    def _hessian(self, y: Tensor, parameter: Tensor) -> Tensor:
        error = y - parameter
        identity = torch.eye(self.output_dim, dtype=y.dtype, device=y.device)
        return (error**2).sum(-1)[..., None, None] * identity + 2 * error[..., :, None] * error[..., None, :]
