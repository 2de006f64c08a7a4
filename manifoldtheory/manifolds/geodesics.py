"""Second-order differential equations by extrapolation of the midpoint rule."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from manifoldtheory.errors import InputError

SUBSTEPS = (2, 4, 6, 8, 10, 12)
"""Substeps of the midpoint runs; their error expands in even powers of the step, so six runs give order 12."""

WEIGHTS = tuple(math.prod(n * n / (n * n - other * other) for other in SUBSTEPS if other != n) for n in SUBSTEPS)
"""What each run counts for in the extrapolation to step 0; their absolute values add up to 26."""

STEP_ANGLE = 0.32
"""Largest (curvature bound) × (arclength) crossed in one extrapolated step; its error is about 1e-14 of the whole."""

MAXIMUM_ANGLE = 32.0
"""Largest (curvature bound) × (arclength) of a geodesic: beyond, errors have grown past several conjugate points."""


def steps_for(curvature: float, length: float) -> int:
    """Number of steps for a geodesic of the given length; raises `InputError` above `MAXIMUM_ANGLE` / curvature."""
    angle = curvature * length
    if not angle <= MAXIMUM_ANGLE:
        limit = MAXIMUM_ANGLE / curvature if curvature else math.inf
        raise InputError(
            f"a geodesic of length {length:.6g} is out of range where curvature reaches {curvature:.6g}: "
            f"the limit is {limit:.6g}; take a shorter tangent vector"
        )
    return max(1, math.ceil(angle / STEP_ANGLE))


def integrate(acceleration: Callable[[Tensor, Tensor], Tensor], velocity: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """Position and velocity at time 1 of y″ = acceleration(y, y′), y(0) = 0, y′(0) = velocity.

    Starting at 0 is the point: components of y of different orders in the velocity keep their relative accuracy.
    Midpoint runs of 2, 4, …, 12 substeps, extrapolated to step 0 (Hairer, Nørsett and Wanner, *Solving Ordinary
    Differential Equations I*, II.9). Shapes: (…, k) → (…, k), (…, k). Differentiable with `torch.func`.
    """
    position = torch.zeros_like(velocity)
    duration = 1.0 / steps
    for _ in range(steps):
        start = acceleration(position, velocity)
        # Extrapolated are the deviations from free motion: the weights would multiply the rounding of the whole.
        bend, turn = torch.zeros_like(position), torch.zeros_like(velocity)
        for substeps, weight in zip(SUBSTEPS, WEIGHTS, strict=True):
            run = _midpoint(acceleration, position, velocity, start, substeps, duration / substeps)
            bend, turn = torch.add(bend, run[0], alpha=weight), torch.add(turn, run[1], alpha=weight)
        position, velocity = position + duration * velocity + bend, velocity + turn
    return position, velocity


def _midpoint(
    acceleration: Callable[[Tensor, Tensor], Tensor],
    position: Tensor,
    velocity: Tensor,
    start: Tensor,
    substeps: int,
    step: float,
) -> tuple[Tensor, Tensor]:
    """Deviation (bend, turn) of position and velocity from free motion after one midpoint run."""
    bend_before, turn_before = torch.zeros_like(position), torch.zeros_like(velocity)
    bend, turn = bend_before, step * start
    for done in range(1, substeps):
        force = acceleration(torch.add(position, velocity, alpha=done * step) + bend, velocity + turn)
        bend, bend_before = torch.add(bend_before, turn, alpha=2 * step), bend
        turn, turn_before = torch.add(turn_before, force, alpha=2 * step), turn
    return bend, turn
