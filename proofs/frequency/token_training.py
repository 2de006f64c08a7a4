r"""A token trained by SGD on a quadratic loss, as an instance on which its spread is measured.

The loss of an occurrence is ½λ(x − µ − e)², e = ±σ/λ with probability ½ each: its gradient is λ(x − µ) ∓ σ.
"""

from itertools import product
from typing import TYPE_CHECKING, Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample

if TYPE_CHECKING:
    from torch import Tensor

COPIES = 5_000
LONG = 120
"""Steps after which the start is forgotten: 0.775¹²⁰ < 10⁻¹³ of it is left."""
_CENTRE = 0.7


def _loss() -> Any:
    def loss(x: "Tensor", target: "Tensor", restoring_rate: float) -> "Tensor":
        return restoring_rate * (x - target).square() / 2

    return loss


def _optimizer() -> Any:
    from torch.optim import SGD

    return SGD


_PARTS = {"loss": _loss, "optimizer": _optimizer}


def _trained(loss: Any, optimizer: Any, occurs: "Tensor", signs: "Tensor", **values: float) -> "Tensor":
    """Displacements from the centre after the steps (rows) of `occurs` and `signs`, for every copy (column)."""
    import torch

    x = torch.full(occurs.shape[1:], _CENTRE, dtype=torch.float64, requires_grad=True)
    sgd = optimizer([x], lr=values["step_size"])
    shift = values["noise_variance"] ** 0.5 / values["restoring_rate"]
    for occurrence, sign in zip(occurs, signs, strict=True):
        sgd.zero_grad()
        (occurrence * loss(x, _CENTRE + shift * sign, values["restoring_rate"])).sum().backward()
        sgd.step()
    return x.detach() - _CENTRE


def _measured_slope(loss: Any, optimizer: Any, frequency: float, steps: float, **values: float) -> tuple[float, float]:
    """∂E ξ²/∂f over all histories of so many steps, by automatic differentiation of their probabilities."""
    import torch

    histories = torch.tensor(list(product((0.0, 1.0, -1.0), repeat=round(steps))), dtype=torch.float64).T
    occurs = histories.abs()
    displacement = _trained(loss, optimizer, occurs, histories, **values)
    f = torch.tensor(frequency, dtype=torch.float64, requires_grad=True)
    probability = torch.where(occurs > 0, f / 2, 1 - f).prod(0)
    (slope,) = torch.autograd.grad((probability * displacement.square()).sum(), f)
    return float(slope), 1e-12 * float(displacement.square().sum())


def _measured_limit(loss: Any, optimizer: Any, frequency: float, **values: float) -> tuple[float, float]:
    """E ξ² after many steps, over independent copies that start at the centre; three standard errors."""
    import torch

    generator = torch.Generator().manual_seed(20260409)
    uniform = torch.rand(LONG, COPIES, generator=generator, dtype=torch.float64)
    signs = 2.0 * torch.randint(2, (LONG, COPIES), generator=generator).double() - 1.0
    squares = _trained(loss, optimizer, (uniform < frequency).double(), signs, **values).square()
    return float(squares.mean()), 3 * float(squares.std()) / COPIES**0.5


def limit_instance(chain: Chain) -> Counterexample:
    """A token in the long run: its spread has not collapsed."""
    return Counterexample(
        chain.name,
        "A token that occurs in 30 % of the steps keeps the spread of its gradient noise however long it is trained",
        chain.name,
        _PARTS,
        Prediction(chain.name, chain.conclusion),
        _measured_limit,
        Prediction("collapsed", sympy.Integer(0)),
        {"frequency": 0.3, "step_size": 0.5, "restoring_rate": 1.0, "noise_variance": 1.0},
    )


def reversed_instance(chain: Chain) -> Counterexample:
    """A token that starts at its centre: ∂V/∂f > 0, where the statement leaves at most 0."""
    return Counterexample(
        chain.name,
        "A token that starts at its centre: after six steps it is the wider the more frequent it is",
        chain.name,
        _PARTS,
        Prediction(chain.name, chain.conclusion),
        _measured_slope,
        Prediction("not wider", sympy.Integer(0)),
        {"frequency": 0.3, "step_size": 0.5, "restoring_rate": 1.0, "noise_variance": 1.0, "steps": 6.0},
    )
