"""The geodesic between two points, by shooting."""

import math

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.charts import Chart, inner
from manifoldtheory.manifolds.linear import solve_definite

ITERATIONS = 60
TOLERANCE = 3e-8
"""Largest last change of an initial velocity, of its length: Newton's method squares it."""

COARSENING, COARSE = 4, 1e-5
"""The steps of the integrator are this many times as long until changes are this small."""


def initial_velocity(chart: Chart, tangent: Tensor, normal: Tensor) -> Tensor:
    """a (n, m) whose geodesic ends at the displacement with these parts (n, m), (n, codim), in the chart's frames.

    Gauss-Newton steps from the displacement itself, damped after Levenberg and Marquardt where they miss by more. The
    geodesic found is the shortest within the injectivity radius; beyond, it may be another one. Relative accuracy is
    that of the displacement. Raises `InputError` where none is found.
    """
    dim = tangent.shape[-1]
    target = torch.cat([tangent, normal], -1)
    chord = torch.linalg.vector_norm(target, dim=-1, keepdim=True)
    a = tangent * (chord / torch.linalg.vector_norm(tangent, dim=-1, keepdim=True).clamp(min=1e-300))
    across = torch.eye(dim, dtype=a.dtype, device=a.device)[:, None].expand(dim, *a.shape).contiguous()
    best, missed = a, torch.full_like(chord[:, 0], torch.inf)
    damping = torch.zeros_like(missed)
    slope, gap = target.new_zeros(len(a), target.shape[-1], dim), target
    coarse = True
    for _ in range(ITERATIONS):
        steps = chart.steps(_longest(a))
        arc, jacobian = chart.variation(a, across, math.ceil(steps / COARSENING) if coarse else steps)
        end = torch.cat([arc.tangent, chart.expand_normal(arc.normal)], -1)
        moved = torch.cat([jacobian[..., :dim], chart.expand_normal(jacobian[..., dim:])], -1).movedim(0, -1)
        miss = torch.linalg.vector_norm(target - end, dim=-1)
        nearer = miss < missed
        best, missed = torch.where(nearer[:, None], a, best), torch.where(nearer, miss, missed)
        slope = torch.where(nearer[:, None, None], moved, slope)
        gap = torch.where(nearer[:, None], target - end, gap)
        damping = torch.where(nearer, damping / 8, (8 * damping).clamp(min=1e-3))
        gram = slope.mT @ slope
        gram = gram + torch.diag_embed(damping[:, None] * gram.diagonal(dim1=-2, dim2=-1) + 1e-300)
        pull = (slope.mT @ gap[..., None])[..., 0]
        step = solve_definite(gram.movedim((-2, -1), (0, 1)), pull.mT).mT
        size = torch.linalg.vector_norm(step, dim=-1)
        full = torch.where(nearer[:, None], step, 0.0)
        if coarse and bool((size <= COARSE * chord[:, 0]).all()):
            coarse, a = False, best + full
            missed, damping = torch.full_like(missed, torch.inf), torch.zeros_like(damping)
            continue
        near = (size <= TOLERANCE * chord[:, 0]) & (missed <= 10 * TOLERANCE * chord[:, 0])
        if not coarse and bool((near | (chord[:, 0] == 0)).all()):
            return best + full
        # Steps longer than the distance itself would leave the range of the linearisation.
        a = best + step * torch.minimum(torch.ones_like(size), chord[:, 0] / size.clamp(min=1e-300))[:, None]
    if not coarse and bool((missed <= 1e-10 * chord[:, 0]).all()):
        return best
    worst = int((missed / chord[:, 0].clamp(min=1e-300)).argmax())
    raise InputError(
        f"no geodesic was found between points {float(chord[worst, 0]):.6g} apart: shooting misses by "
        f"{float(missed[worst]):.3g}; take points that are nearer than the injectivity radius"
    )


def _longest(a: Tensor) -> float:
    return float(torch.sqrt(inner(a, a)).max())
