"""An attention layer with what real ones have, each of it an option: the architecture of the instances."""

import math
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

_FREQUENCY_BASE = 10.0
"""Rotary frequencies fall from 1 to 1/10: a short context sees all of them turn."""


class Attention(nn.Module):
    """Attention over keys (n, dim) from queries (k, dim), in float64; the queries are the last k of n positions.

    - `norm` before the maps; `bias` on them; `heads`, with `shared_keys` one key and value map for all of them.
    - `rotated` leading dimensions of every head turn with the position; `slope` |i − j| is taken from scores;
      `positions` (n, dim) are added to the inputs; `query_key_norm` scales queries and keys to length 1.
    - `causal`, within a `window` of positions where given.
    - `kernel`: ``softmax``, ``sigmoid`` (every key by itself) or ``sink`` (a further key of score 0 and value 0).
    """

    def __init__(
        self,
        dim: int,
        head_dim: int,
        *,
        generator: torch.Generator,
        heads: int = 1,
        shared_keys: bool = False,
        norm: bool = False,
        bias: bool = False,
        rotated: int = 0,
        slope: float = 0.0,
        positions: Tensor | None = None,
        query_key_norm: bool = False,
        causal: bool = False,
        window: int | None = None,
        kernel: Literal["softmax", "sigmoid", "sink"] = "softmax",
    ) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, head_dim
        self.rotated, self.slope, self.positions = rotated, slope, positions
        self.query_key_norm, self.causal, self.window, self.kernel = query_key_norm, causal, window, kernel
        of_keys = head_dim if shared_keys else heads * head_dim
        # ε = 0: with it outputs would not lie on a sphere exactly.
        self.norm = nn.LayerNorm(dim, eps=0.0, elementwise_affine=False) if norm else nn.Identity()
        self.query = nn.Linear(dim, heads * head_dim, bias=bias, dtype=torch.float64)
        self.key = nn.Linear(dim, of_keys, bias=bias, dtype=torch.float64)
        self.value = nn.Linear(dim, of_keys, bias=bias, dtype=torch.float64)
        for parameter in self.parameters():
            with torch.no_grad():
                parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) / dim**0.5)

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Outputs (k, heads · head_dim)."""
        n, k = len(keys), len(queries)
        if self.positions is not None:
            queries, keys = queries + self.positions[n - k :], keys + self.positions
        queries, keys = self.norm(queries), self.norm(keys)
        q, key, value = self.query(queries), self.key(keys), self.value(keys)
        q, key, value = (rows.unflatten(-1, (-1, self.head_dim)).transpose(0, 1) for rows in (q, key, value))
        if self.query_key_norm:
            q, key = functional.normalize(q, dim=-1) * self.head_dim**0.5, functional.normalize(key, dim=-1)
        at = torch.arange(n, dtype=torch.float64)
        q, key = self._turned(q, at[n - k :]), self._turned(key, at)
        distance = at[n - k :, None] - at
        hidden = (distance < 0) & torch.tensor(self.causal)
        if self.window is not None:
            hidden = hidden | (distance >= self.window)
        mask = (-self.slope * distance.abs()).masked_fill(hidden, -math.inf)
        scores = q @ key.transpose(1, 2) / self.head_dim**0.5 + mask
        return (self._weights(scores) @ value).transpose(0, 1).flatten(1)

    def _weights(self, scores: Tensor) -> Tensor:
        if self.kernel == "sigmoid":
            return torch.sigmoid(scores)
        if self.kernel == "sink":
            return torch.softmax(functional.pad(scores, (0, 1)), dim=-1)[..., :-1]
        return torch.softmax(scores, dim=-1)

    def _turned(self, rows: Tensor, at: Tensor) -> Tensor:
        """Rotary positions on the leading dimensions, in planes of coordinates i and i + rotated/2."""
        if not self.rotated:
            return rows
        half = self.rotated // 2
        angle = at[:, None] * _FREQUENCY_BASE ** (-torch.arange(half, dtype=torch.float64) / half)
        first, second, rest = rows.split([half, half, rows.shape[-1] - self.rotated], dim=-1)
        cos, sin = angle.cos(), angle.sin()
        return torch.cat([first * cos - second * sin, first * sin + second * cos, rest], dim=-1)
