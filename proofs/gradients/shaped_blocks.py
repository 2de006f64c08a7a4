"""Counterexamples to the feedback loop: trained layers and residual blocks on a shell of a sphere, and wide normals."""

from collections.abc import Mapping
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.gradients.linear_flow import rate
from proofs.gradients.linear_training import (
    ROUNDING,
    fixed_radius,
    gradient_flow,
    linear_layer,
    shell,
    spheres,
    squared_error,
)
from proofs.symbols import tangent_rate, target, time


def counterexamples(laws: Mapping[str, Prediction], negative: Chain, wide: Chain) -> tuple[Counterexample, ...]:
    """A lead that is lost, a target that shrinks T, and a cloud that is wider in N than in T."""
    return (
        Counterexample(
            "lead",
            "A layer learns the identity map, times c, on a shell of a sphere S²: late in training it knows N too",
            "lead",
            {"manifold": spheres, "law": fixed_radius, "loss": squared_error, "architecture": linear_layer},
            laws["lead"],
            _measured_lead,
            Prediction("lead claimed", target * (1 - sympy.exp(-tangent_rate * time))),  # nothing is learnt off T
            {"target": 0.8, "tangent_rate": 0.5, "normal_rate": 0.02, "time": 100.0},
        ),
        Counterexample(
            negative.name,
            "Blocks that learn −c on T and c on N, on a shell of a sphere S²: T shrinks",
            negative.name,
            {"manifold": spheres, "law": fixed_radius, "loss": squared_error, "architecture": _blocks},
            Prediction(negative.name, negative.conclusion.xreplace({rate: tangent_rate})),
            _measured_stretch,
            Prediction(f"{negative.name} claimed", sympy.Integer(1)),  # the least that is a stretch
            {"shrink": 0.4, "tangent_rate": 0.5, "time": 3.0, "depth": 4.0},
        ),
        Counterexample(
            wide.name,
            "Points with variance 1 on T and v on N, g² < v: stretching T makes them more isotropic",
            wide.name,
            {"law": _diagonal, "architecture": _stretching},
            Prediction(wide.name, wide.conclusion),
            _measured_slope,
            Prediction(f"{wide.name} claimed", sympy.Integer(0)),  # the most that is no rise
            {"dim": 2.0, "ambient_dim": 5.0, "normal_variance": 3.0, "stretch": 1.2},
        ),
    )


def _blocks() -> Any:
    """`depth` residual blocks that share their weight."""

    def stack(weight: Any, x: Any, depth: int) -> Any:
        for _ in range(depth):
            x = x + x @ weight.mT
        return x

    return stack


def _measured_lead(
    manifold: Any,
    law: Any,
    loss: Any,
    architecture: Any,
    *,
    target: float,
    tangent_rate: float,
    normal_rate: float,
    time: float,
) -> tuple[float, float]:
    """The trained weights on T and N, by the exponential of the loss's own Hessian."""
    import torch

    points = shell(manifold, law, tangent_rate, normal_rate)
    weight = gradient_flow(loss, architecture, points, target * torch.eye(3, dtype=points.dtype), time)
    return float(weight[0, 0] - weight[2, 2]), ROUNDING


def _measured_stretch(
    manifold: Any,
    law: Any,
    loss: Any,
    architecture: Any,
    *,
    shrink: float,
    tangent_rate: float,
    time: float,
    depth: float,
) -> tuple[float, float]:
    """The length of the tangent part after the blocks, relative to before."""
    import torch

    points = shell(manifold, law, tangent_rate, 0.02)
    wanted = shrink * torch.diag(torch.tensor([-1.0, -1.0, 1.0], dtype=points.dtype))
    weight = gradient_flow(loss, lambda w, x: architecture(w, x, 1) - x, points, wanted, time)
    after = architecture(weight, points, int(depth))
    lengths = [torch.linalg.vector_norm(x[:, :2]) for x in (after, points)]
    return float(lengths[0] / lengths[1]), ROUNDING


def _diagonal() -> Any:
    """Points ±√(d v_i) e_i: their covariance is diag(v)."""
    import torch

    def points(variances: Any) -> Any:
        half = torch.diag((len(variances) * variances).sqrt())
        return torch.cat([half, -half])

    return points


def _stretching() -> Any:
    """A residual block that stretches the first coordinates."""
    import torch

    def block(x: Any, dim: int, stretch: float) -> Any:
        weight = torch.zeros(x.shape[1], dtype=x.dtype)
        weight[:dim] = stretch - 1
        return x + x * weight

    return block


_DIFFERENCE = 1e-4


def _measured_slope(
    law: Any, architecture: Any, *, dim: float, ambient_dim: float, normal_variance: float, stretch: float
) -> tuple[float, float]:
    """IsoScore* of the block's outputs, differenced in the stretch: the error is of the square of the difference."""
    import torch

    from manifoldtheory.estimators import iso_score_star

    variances = torch.full((int(ambient_dim),), normal_variance, dtype=torch.float64)
    variances[: int(dim)] = 1.0

    def score(at: float) -> float:
        outputs = architecture(law(variances), int(dim), at)
        return iso_score_star(outputs.mT @ outputs / len(outputs))

    rise = score(stretch + _DIFFERENCE) - score(stretch - _DIFFERENCE)
    return rise / (2 * _DIFFERENCE), 100 * _DIFFERENCE**2
