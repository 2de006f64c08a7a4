"""An attention layer of a setting, with keys at scale t around its base point, and the parts of its gradients."""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from proofs.gradients.architectures.attention import Attention
from proofs.gradients.attention_settings import Setting

HEAD_DIM, KEYS = 8, 6
SEED = 5


@dataclass(frozen=True)
class Parts:
    """Norms of the tangent and the normal part of a gradient, and a bound on their rounding errors."""

    tangent: float
    normal: float
    rounding: float


class AttentionLayer:
    """The layer of a setting with random weights; the loss is ⟨g, output⟩."""

    def __init__(self, setting: Setting, dim: int = 3, codim: int = 5) -> None:
        self.setting = setting
        self.dim, self.ambient_dim = dim, dim + codim
        self.generator = torch.Generator().manual_seed(SEED)
        positions = self._draw(KEYS, self.ambient_dim) if setting.positions else None
        self.module = Attention(
            self.ambient_dim, HEAD_DIM, generator=self.generator, positions=positions, **setting.layer
        )
        self.base_points = self._draw(2, self.ambient_dim)
        queries = KEYS if setting.query == "every" else 1
        self.query = self._draw(1, self.ambient_dim)
        self.output_gradient = self._draw(queries, HEAD_DIM * self.module.heads)
        if setting.normal_values:
            frame, _ = torch.linalg.qr(self.module.value.weight[:, :dim].detach())
            self.output_gradient -= self.output_gradient @ frame @ frame.T
        pairs = self._draw(KEYS // 2, dim)
        self.displacements = torch.cat([pairs, -pairs if setting.symmetric else self._draw(KEYS // 2, dim)])

    def _draw(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self.generator, dtype=torch.float64)

    def inputs(self, manifold: Any, t: float) -> tuple[Tensor, Tensor]:
        """Queries and keys: points of the manifold at scale t, moved to the base points."""
        base = self.base_points[torch.arange(KEYS) % self.setting.base_points]
        keys = base + manifold.immersion(t * self.displacements)
        return {"fixed": self.query, "last": keys[-1:], "every": keys}[self.setting.query], keys

    @cached_property
    def frames(self) -> tuple[Tensor, Tensor]:
        """Orthonormal frames of T and N on the measured side of the map."""
        directions = torch.eye(self.ambient_dim, dtype=torch.float64)[:, : self.dim]
        if not self.setting.before:
            directions = torch.autograd.functional.jacobian(self.module.norm, self.base_points[0]) @ directions
        if self.setting.side == "output":
            directions = self.module.key.weight.detach() @ directions
        frame, _ = torch.linalg.qr(directions, mode="complete")
        return frame[:, : self.dim], frame[:, self.dim :]

    def gradient(self, manifold: Any, t: float) -> tuple[Tensor, float]:
        """The gradient of the map by autograd, the measured side last, and a bound on its rounding error."""
        queries, keys = self.inputs(manifold, t)
        loss = (self.output_gradient * self.module(queries, keys)).sum()
        linear = getattr(self.module, self.setting.gradient)
        (weight,) = torch.autograd.grad(loss, linear.weight)
        weight = weight if self.setting.rows is None else weight[slice(*self.setting.rows)]
        # Terms that cancel are products of an input, a value and a query or a key, with g: units in their last place.
        value = float(self.module.value.weight.detach().norm() * self.output_gradient.norm())
        inputs = float(keys.norm() * max(queries.norm(), keys.norm()))
        rounding = 2.0**-53 * value * inputs
        return (weight if self.setting.side == "input" else weight.T), rounding

    def parts(self, manifold: Any, t: float) -> Parts:
        """The parts of the gradient at scale t."""
        gradient, rounding = self.gradient(manifold, t)
        tangent, normal = (float((gradient @ frame).norm()) for frame in self.frames)
        return Parts(tangent, normal, rounding)


def patch(dim: int = 3, codim: int = 5) -> Any:
    """A generic graph over T = R^dim."""
    from manifoldtheory.manifolds import MongePatch

    generator = torch.Generator().manual_seed(SEED)
    third = torch.randn((codim, dim, dim, dim), generator=generator, dtype=torch.float64)
    third = torch.stack([third.permute(0, *order) for order in permutations((1, 2, 3))]).mean(0)
    second = torch.randn((codim, dim, dim), generator=generator, dtype=torch.float64)
    return MongePatch(second + second.mT, third)
