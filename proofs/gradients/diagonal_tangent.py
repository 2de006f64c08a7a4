"""A tangent space along a vector of signs: a sign-like update of a gradient in it stays in it (see `adam_step_cap`)."""

from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.expansion import ChainBuilder
from proofs.rules.gaussian import size
from proofs.symbols import ambient_dim, dim, tangent_share

along = sympy.Symbol("along", positive=True)
component = sympy.Symbol("unit_1")


def diagonal_energy() -> Chain:
    """The share of sgn u in T, the line of u = (1, …, 1)/√d: ⟨sgn u, u⟩² of |sgn u|² = d."""
    equal_components = (component, 1 / sympy.sqrt(ambient_dim))
    sizes = (along, ambient_dim * size(component))
    build = ChainBuilder(
        "diagonal-tangent",
        "The share of the update's energy in T, for a gradient along the diagonal that spans T",
        along**2 / ambient_dim,
        hypotheses=[sizes, equal_components],
    )
    build.substitute("Σ|u_i|", sizes)
    return build.substitute("all components are alike", equal_components).done()


def diagonal_tangent(diagonal: Chain, general: Chain) -> Counterexample:
    """Where T is not in general position to the axes the share is 1, beyond the cap."""
    capped = general.conclusion.xreplace({dim: sympy.Integer(1), tangent_share: sympy.Integer(1)}) / ambient_dim
    return Counterexample(
        diagonal.name,
        "A linear layer whose inputs lie along (1, …, 1), its first step by Adam: all of the update stays along it",
        diagonal.name,
        {"architecture": _architecture, "loss": _loss, "optimizer": _optimizer},
        Prediction(diagonal.name, diagonal.conclusion),
        _measured,
        Prediction(f"{diagonal.name} claimed", capped),
        {"ambient_dim": 64},
    )


def _architecture() -> Any:
    import torch

    return lambda width: torch.nn.Linear(width, 1, bias=False, dtype=torch.float64)


def _loss() -> Any:
    import torch

    return torch.nn.functional.mse_loss


def _optimizer() -> Any:
    import torch

    return lambda parameters: torch.optim.Adam(parameters, eps=0.0)


def _measured(architecture: Any, loss: Any, optimizer: Any, *, ambient_dim: float) -> tuple[float, float]:
    """The share of the weight's first update along the diagonal; rounding of float64."""
    import torch

    layer = architecture(int(ambient_dim))
    torch.nn.init.zeros_(layer.weight)
    point = torch.ones((1, int(ambient_dim)), dtype=torch.float64)
    loss(layer(point), torch.ones((1, 1), dtype=torch.float64)).backward()
    optimizer(layer.parameters()).step()
    update = layer.weight.detach()
    share = (update @ point.T).square().sum() / (update.square().sum() * point.square().sum())
    return share.item(), 1e-12
