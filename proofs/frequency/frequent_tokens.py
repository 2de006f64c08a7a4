"""Frequent tokens that are the less aligned ones: below the scale of ambient noise, and where training spreads them."""

from collections.abc import Callable
from itertools import product
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.energy.noisy_sphere import NOISY_SPHERE, UNIT_SPHERE, measured_ratio
from proofs.symbols import kurtosis, radius_6_mean, variance

SAMPLE = 4_000
frequent, rare = sympy.symbols("frequent_variance rare_variance", positive=True)


def noisy_tokens(ratio: Chain, law: Prediction) -> Counterexample:
    """Two tokens on S² with ambient noise, both tighter than where the ratio is largest."""

    def at(spread: Any, prediction: Any) -> Any:
        shell = {**UNIT_SPHERE, kurtosis: sympy.Integer(1), variance: spread, radius_6_mean: spread**3}
        return prediction.expression.xreplace(shell)

    rest = at(frequent, law.remainder) + at(rare, law.remainder)
    return Counterexample(
        "noisy-order",
        "Shells of the unit sphere S² with ambient noise: by how much the ratio of the tighter token exceeds the other",
        ratio.name,
        NOISY_SPHERE,
        Prediction("noisy-order", at(frequent, law) - at(rare, law), Prediction("noisy-order remainder", rest)),
        _measured_difference,
        Prediction("noisy-order claimed", sympy.Integer(0)),  # the least for a token that is not less aligned
        {"frequent_variance": 4e-4, "rare_variance": 1e-2, "noise_variance": 2.5e-5},
    )


def _measured_difference(
    manifold: Any, law: Any, loss: Any, *, frequent_variance: float, rare_variance: float, noise_variance: float
) -> tuple[float, float]:
    """The energies of per-token gradients by automatic differentiation, on two shells."""
    shells = [
        measured_ratio(manifold, law, loss, radius=spread**0.5, noise_variance=noise_variance, sample=SAMPLE)
        for spread in (frequent_variance, rare_variance)
    ]
    (first, error), (second, other) = shells
    return first - second, error + other


def spreading_tokens(reversed_order: Chain) -> Counterexample:
    """Tokens that start at their centres: training spreads the frequent ones first."""
    return Counterexample(
        reversed_order.name,
        "Tokens that start at their centres, after six steps: how 1/V, and with it R_energy, changes with frequency",
        reversed_order.name,
        {"loss": _loss, "optimizer": _optimizer},
        Prediction(reversed_order.name, reversed_order.conclusion),
        _measured_slope,
        Prediction(f"{reversed_order.name} claimed", sympy.Integer(0)),  # the least for alignment that does not fall
        {"frequency": 0.3, "step_size": 0.5, "restoring_rate": 1.0, "noise_variance": 1.0, "steps": 6.0},
    )


def _loss() -> Callable[..., Any]:
    """½λ(x − e)² around a target e."""
    return lambda x, target, restoring_rate: restoring_rate * (x - target).square() / 2


def _optimizer() -> Any:
    from torch.optim import SGD

    return SGD


def _measured_slope(
    loss: Any,
    optimizer: Any,
    *,
    frequency: float,
    step_size: float,
    restoring_rate: float,
    noise_variance: float,
    steps: float,
) -> tuple[float, float]:
    """∂(1/E x²)/∂f over all histories of occurrences and of noise ±σ; their probabilities are differentiated."""
    import torch

    histories = torch.tensor(list(product((0.0, 1.0, -1.0), repeat=round(steps))), dtype=torch.float64)
    shift = noise_variance**0.5 / restoring_rate
    x = torch.zeros(len(histories), dtype=torch.float64, requires_grad=True)
    trainer = optimizer([x], lr=step_size)
    for signs in histories.T:
        trainer.zero_grad()
        (signs.abs() * loss(x, shift * signs, restoring_rate)).sum().backward()
        trainer.step()
    often = torch.tensor(frequency, dtype=torch.float64, requires_grad=True)
    probability = torch.where(histories != 0, often / 2, 1 - often).prod(1)
    (slope,) = torch.autograd.grad(1 / (probability * x.detach().square()).sum(), often)
    return float(slope), 1e-12 * abs(float(slope))
