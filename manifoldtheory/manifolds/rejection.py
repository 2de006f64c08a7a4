"""Rejection sampling in rounds."""

from collections.abc import Callable

import torch
from torch import Tensor

ROUND = 2**20
"""Most proposals drawn at a time."""


def draw_accepted(propose: Callable[[int], tuple[Tensor, Tensor]], n: int, generator: torch.Generator) -> Tensor:
    """n accepted proposals. `propose(size)` returns points (size, d) and their acceptance probabilities (size)."""
    kept: list[Tensor] = []
    count, proposed = 0, 0
    while count < n:
        rate = (count + 1) / (proposed + 2)
        size = min(ROUND, int(1.1 * (n - count) / rate) + 16)
        points, probability = propose(size)
        uniform = torch.rand(size, generator=generator, device=generator.device, dtype=torch.float64)
        kept.append(points[uniform < probability])
        count, proposed = count + kept[-1].shape[0], proposed + size
    return torch.cat(kept)[:n]
