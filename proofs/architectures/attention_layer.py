"""An attention layer of a setting, with keys at scale t around its base point, and the parts of its gradients."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from proofs.architectures.attention import Attention
from proofs.attention_settings import Setting

DIM, TANGENT, HEAD_DIM, KEYS = 8, 3, 8, 6
SEED = 5


@dataclass(frozen=True)
class Parts:
    """Norms of the tangent and the normal part of a gradient, and a bound on their rounding errors."""

    tangent: float
    normal: float
    rounding: float


class AttentionLayer:
    """The layer of a setting with random weights; the loss is ⟨g, output⟩."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.generator = torch.Generator().manual_seed(SEED)
        positions = self._draw(KEYS, DIM) if setting.positions else None
        self.module = Attention(DIM, HEAD_DIM, generator=self.generator, positions=positions, **setting.layer)
        self.base_points = self._draw(2, DIM)
        queries = KEYS if setting.query == "every" else 1
        self.query = self._draw(1, DIM)
        self.output_gradient = self._draw(queries, HEAD_DIM * self.module.heads)
        if setting.normal_values:
            frame, _ = torch.linalg.qr(self.module.value.weight[:, :TANGENT].detach())
            self.output_gradient -= self.output_gradient @ frame @ frame.T
        pairs = self._draw(KEYS // 2, TANGENT)
        self.displacements = torch.cat([pairs, -pairs if setting.symmetric else self._draw(KEYS // 2, TANGENT)])

    def _draw(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self.generator, dtype=torch.float64)

    def inputs(self, manifold: Any, t: float) -> tuple[Tensor, Tensor]:
        """Queries and keys: points of the manifold at scale t, moved to the base points."""
        base = self.base_points[torch.arange(KEYS) % self.setting.base_points]
        keys = base + manifold.immersion(t * self.displacements)
        return {"fixed": self.query, "last": keys[-1:], "every": keys}[self.setting.query], keys

    def frames(self) -> tuple[Tensor, Tensor]:
        """Orthonormal frames of T and N on the measured side of the map."""
        directions = torch.eye(DIM, dtype=torch.float64)[:, :TANGENT]
        if not self.setting.before:
            directions = torch.func.jacrev(self.module.norm)(self.base_points[0]) @ directions
        if self.setting.side == "output":
            directions = self.module.key.weight.detach() @ directions
        frame, _ = torch.linalg.qr(directions, mode="complete")
        return frame[:, :TANGENT], frame[:, TANGENT:]

    def gradient(self, manifold: Any, t: float) -> tuple[Tensor, float]:
        """The gradient of the map by autograd, the measured side last, and a bound on its rounding error."""
        linear = getattr(self.module, self.setting.gradient)
        seen: list[Tensor] = []
        hook = linear.register_forward_hook(lambda _, inputs, output: seen.extend((*inputs, output)))
        loss = (self.output_gradient * self.module(*self.inputs(manifold, t))).sum()
        hook.remove()
        given, output = seen
        weight, outward = torch.autograd.grad(loss, (linear.weight, output))
        weight = weight if self.setting.rows is None else weight[slice(*self.setting.rows)]
        rounding = 2.0**-48 * float(outward.norm() * given.norm())  # 16 units in the last place of the terms
        return (weight if self.setting.side == "input" else weight.T), rounding

    def parts(self, manifold: Any, t: float) -> Parts:
        """The parts of the gradient at scale t."""
        gradient, rounding = self.gradient(manifold, t)
        tangent, normal = (float((gradient @ frame).norm()) for frame in self.frames())
        return Parts(tangent, normal, rounding)


def patch() -> Any:
    """A generic graph over T = R³ in R⁸."""
    from manifoldtheory.manifolds import MongePatch

    generator = torch.Generator().manual_seed(SEED)
    shape = (DIM - TANGENT, TANGENT, TANGENT, TANGENT)
    third = torch.randn(shape, generator=generator, dtype=torch.float64)
    third = torch.stack([third.permute(0, *order) for order in _ORDERS]).mean(0)
    second = torch.randn(shape[:-1], generator=generator, dtype=torch.float64)
    return MongePatch(second + second.mT, third)


_ORDERS = ((1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1))
