"""Ambient noise on a sphere: near its centre the energy is no longer tangent (see `proofs.energy_concentration`)."""

from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.symbols import (
    ambient_dim,
    curvature_bound,
    curvature_sq_mean,
    dim,
    noise_variance,
    radius,
    radius_4_mean,
    radius_6_mean,
    radius_sq_mean,
)

UNIT_SPHERE: dict[Any, Any] = {
    dim: sympy.Integer(2),
    ambient_dim: sympy.Integer(3),
    curvature_sq_mean: sympy.Integer(1),
    curvature_bound: sympy.Integer(1),
    radius_sq_mean: radius**2,
    radius_4_mean: radius**4,
    radius_6_mean: radius**6,
}
"""One shell of radius t on S²."""

SAMPLE = 40_000


def noisy_sphere(limit: Chain, ratio: Prediction) -> Counterexample:
    """A shell of S² below the scale of the noise: the ratio is near 1, where it would be 8/t² without noise."""
    laws: list[Any] = [ratio.expression, ratio.remainder and ratio.remainder.expression]
    noisy, rest = (law.xreplace(UNIT_SPHERE) for law in laws)
    silent = noisy.xreplace({noise_variance: sympy.Integer(0)})
    return Counterexample(
        limit.name,
        "A shell of the unit sphere S², with ambient noise: the closer to the centre, the less the energy concentrates",
        limit.name,
        NOISY_SPHERE,
        Prediction(limit.name, noisy, Prediction(f"{limit.name} remainder", rest)),
        measured_ratio,
        Prediction(f"{limit.name} claimed", silent),
        {"radius": 0.05, "noise_variance": 0.01},
    )


def _sphere() -> Any:
    from manifoldtheory.manifolds import Sphere

    return Sphere(2)


def _law() -> Any:
    from manifoldtheory.manifolds import FixedRadius

    return FixedRadius


def _loss() -> Any:
    """⟨target, output⟩: its gradient at the output is the target, drawn independently of the input."""
    import torch

    return lambda output, target: torch.einsum("ni,ni->n", output, target)


NOISY_SPHERE = {"manifold": _sphere, "law": _law, "loss": _loss}
"""The parts of a noisy shell."""


def measured_ratio(
    manifold: Any, law: Any, loss: Any, *, radius: float, noise_variance: float, sample: int = SAMPLE
) -> tuple[float, float]:
    """Per-token gradients of a linear layer by autograd, and their energies per dimension; three standard errors."""
    import torch

    generator = torch.Generator().manual_seed(0)
    point = manifold.sample(1, generator=generator)[0]
    cloud = manifold.sample_cloud(point, sample, law(radius), direction="projected", generator=generator)
    clean = torch.cat([cloud.tangent, cloud.normal], dim=1)
    noise = torch.randn(clean.shape, generator=generator, dtype=clean.dtype) * noise_variance**0.5
    target = torch.randn((sample, 4), generator=generator, dtype=clean.dtype)
    layer = torch.zeros((4, clean.shape[1]), dtype=clean.dtype)

    def token_loss(weight: Any, token: Any, wanted: Any) -> Any:
        return loss((weight @ token)[None], wanted[None])[0]

    gradient = torch.func.vmap(torch.func.grad(token_loss), in_dims=(None, 0, 0))(layer, clean + noise, target)
    energy = gradient.square().sum(dim=1) * cloud.weight[:, None]
    tangent, normal = energy[:, : manifold.dim].mean(dim=1), energy[:, manifold.dim :].mean(dim=1)
    ratio = (tangent.mean() / normal.mean()).item()
    spread = (tangent - ratio * normal).std() / normal.mean() / sample**0.5
    return ratio, 3 * spread.item()
