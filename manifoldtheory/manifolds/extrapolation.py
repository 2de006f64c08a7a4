"""The extrapolated midpoint rule with all its runs side by side, and an estimate of its error."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from manifoldtheory.manifolds.geodesics import SUBSTEPS, WEIGHTS

WEIGHTS_BELOW = tuple(
    math.prod(n * n / (n * n - other * other) for other in SUBSTEPS[:-1] if other != n) for n in SUBSTEPS[:-1]
)
"""Without the finest run: an extrapolation of order 10, whose distance from that of order 12 is its error."""


def integrate_stacked(
    acceleration: Callable[[Tensor, Tensor], Tensor], velocity: Tensor, steps: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Like `geodesics.integrate`, for accelerations that cost as much for one row as for thousands.

    The six runs are independent of each other: stacked on a new first axis they take 12 calls a step instead of 37.
    The third result is the sum over the steps of what order 12 changed in order 10, a bound of the error that remains
    unless the steps are far too long. Shapes: (…, k) → three times (…, k).
    """
    position, error = torch.zeros_like(velocity), torch.zeros_like(velocity)
    duration = 1.0 / steps
    for _ in range(steps):
        bends, turns = _midpoints(acceleration, position, velocity, duration)
        # Extrapolated are the deviations from free motion: the weights would multiply the rounding of the whole.
        bend, turn = _weighted(WEIGHTS, bends), _weighted(WEIGHTS, turns)
        error = error + (bend - _weighted(WEIGHTS_BELOW, bends[:-1])).abs()
        position, velocity = position + duration * velocity + bend, velocity + turn
    return position, velocity, error


def _weighted(weights: Sequence[float], parts: Sequence[Tensor]) -> Tensor:
    total = weights[0] * parts[0]
    for weight, part in zip(weights[1:], parts[1:], strict=True):
        total = torch.add(total, part, alpha=weight)
    return total


def _midpoints(
    acceleration: Callable[[Tensor, Tensor], Tensor], position: Tensor, velocity: Tensor, duration: float
) -> tuple[list[Tensor], list[Tensor]]:
    """Deviations (bends, turns) of position and velocity from free motion after each of the runs."""
    shape = (-1, *(1,) * velocity.ndim)
    size = torch.tensor([duration / n for n in SUBSTEPS], dtype=velocity.dtype, device=velocity.device).reshape(shape)
    start = acceleration(position, velocity)
    bend_before, turn_before = torch.zeros_like(start).expand(len(SUBSTEPS), *start.shape), 0.0 * size * start
    bend, turn = bend_before, size * start
    bends, turns = [], []
    for done in range(1, SUBSTEPS[-1]):
        free = position + done * size * velocity
        force = acceleration(free + bend, velocity + turn)
        bend, bend_before = bend_before + 2 * size * turn, bend
        turn, turn_before = turn_before + 2 * size * force, turn
        if done + 1 == SUBSTEPS[len(bends)]:
            bends.append(bend[0])
            turns.append(turn[0])
            bend, bend_before, turn, turn_before, size = (
                part[1:] for part in (bend, bend_before, turn, turn_before, size)
            )
    return bends, turns
