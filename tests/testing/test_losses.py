"""Losses: closed forms against automatic differentiation, and arguments that don't fit."""

from typing import Any

import numpy as np
import pytest
import torch

from manifoldtheory.errors import InputError
from manifoldtheory.testing import LinearLoss, LogisticLoss, Loss, QuarticLoss, SoftmaxLoss, SquaredLoss

LOSSES: list[Loss] = [
    kind(parameter)
    for kind in (SquaredLoss, LogisticLoss, SoftmaxLoss, LinearLoss, QuarticLoss)
    for parameter in ((1.0, 0.0, 0.0), (0.25, 0.25, 0.5))
]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_derivatives_match_autograd(loss: Loss, generator: torch.Generator) -> None:
    y = torch.randn(5, 3, generator=generator, dtype=torch.float64)
    gradient = torch.func.vmap(torch.func.grad(loss))(y)
    hessian = torch.func.vmap(torch.func.jacrev(torch.func.grad(loss)))(y)
    assert loss(y).shape == (5,)
    assert torch.allclose(loss.gradient(y), gradient, rtol=1e-12, atol=1e-14)
    assert torch.allclose(loss.hessian(y), hessian, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_repr_rebuilds(loss: Loss) -> None:
    assert eval(repr(loss), {type(loss).__name__: type(loss)}) == loss


def test_arrays_come_back_as_arrays() -> None:
    y: Any = np.ones((2, 3))
    for result in (LOSSES[0](y), LOSSES[0].gradient(y), LOSSES[0].hessian(y)):
        assert isinstance(result, np.ndarray)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_integers_are_as_good_as_the_numbers_they_stand_for(loss: Loss) -> None:
    whole, real = torch.tensor([[1, -2, 0]]), torch.tensor([[1.0, -2.0, 0.0]], dtype=torch.float64)
    for function in (loss, loss.gradient, loss.hessian):
        assert torch.equal(function(whole), function(real))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SquaredLoss(()), "the squared loss takes finite numbers"),
        (lambda: LinearLoss((float("nan"),)), r"parameter of the linear loss\[0\] must be finite, got nan"),
        (lambda: LinearLoss(1.0), r"linear loss must be a sequence of numbers, got 1\.0"),  # pyright: ignore[reportArgumentType]
        (lambda: LogisticLoss((5.0,)), r"labels of the logistic loss lie between 0 and 1, got \(5\.0,\)"),
        (lambda: SoftmaxLoss((2.0, -1.0)), "labels of the softmax loss are ≥ 0 with sum 1"),
        (lambda: SoftmaxLoss((0.5, 0.25)), r"with sum 0\.75"),
        (lambda: SquaredLoss((0.0,))(torch.zeros(1, dtype=torch.complex64)), "real outputs, got torch.complex64"),
        (lambda: SquaredLoss((0.0, 1.0)).gradient(torch.zeros(3)), r"outputs of shape \(…, 2\), got \(3,\)"),
        (lambda: SquaredLoss((0.0, 1.0))(torch.tensor(0.0)), r"got \(\)"),
        (lambda: SquaredLoss((0.0,))([0.0]), "got list"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
