"""Gradients of single tokens late in training, on a shell of a sphere (see `proofs.early_peak`)."""

from collections.abc import Mapping
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.counterexample import Counterexample
from proofs.gradients.linear_training import (
    ROUNDING,
    fixed_radius,
    gradient_flow,
    linear_layer,
    shell,
    spheres,
    squared_error,
)
from proofs.symbols import ambient_dim, curvature_sq_max, dim, normal_rate, radius_max, tangent_rate

_SQUARE = 2 * tangent_rate + normal_rate
SHELL: dict[Any, Any] = {
    dim: sympy.Integer(2),
    ambient_dim: sympy.Integer(3),
    radius_max: sympy.sqrt(_SQUARE),
    curvature_sq_max: 4 * normal_rate / _SQUARE**2,
}
"""The shell of `proofs.gradients.linear_training.shell`: t² = 2λ_T + λ_N, and t⁴/(4r²) = λ_N."""


def late_tokens(laws: Mapping[str, Prediction]) -> Counterexample:
    """When the mean gradient has become normal, the gradients of single tokens are as tangent as ever."""
    bound: Any = laws["per-token-bound"].expression
    return Counterexample(
        "per-token-bound",
        "A layer that learns a multiple of the identity on a shell of S², after the mean gradient's ratio is 1",
        "per-token-bound",
        {"manifold": spheres, "law": fixed_radius, "loss": squared_error, "architecture": linear_layer},
        Prediction("per-token-bound", bound.xreplace(SHELL)),
        _measured,
        Prediction("per-token-bound claimed", laws["energy-ratio"].expression),
        {"tangent_rate": 0.5, "normal_rate": 0.02, "time": 12.0},
    )


def _measured(
    manifold: Any, law: Any, loss: Any, architecture: Any, *, tangent_rate: float, normal_rate: float, time: float
) -> tuple[float, float]:
    """Energies of every token's own gradient, by automatic differentiation."""
    import torch

    points = shell(manifold, law, tangent_rate, normal_rate)
    wanted = torch.eye(3, dtype=points.dtype)
    weight = gradient_flow(loss, architecture, points, wanted, time)

    def token_loss(weight: Any, token: Any) -> Any:
        return loss(architecture(weight, token[None]), architecture(wanted, token[None]))

    gradients = torch.func.vmap(torch.func.grad(token_loss), in_dims=(None, 0))(weight, points)
    energy = gradients.square().sum(dim=(0, 1))
    ratio = float(energy[:2].mean() / energy[2:].mean())
    return ratio, ROUNDING * ratio
