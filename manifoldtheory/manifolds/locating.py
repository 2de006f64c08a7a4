"""From points back to intrinsic coordinates: nearest neighbour on a grid, then damped Gauss-Newton."""

import math
from functools import cached_property

import numpy as np
import torch
from scipy.spatial import KDTree
from torch import Tensor

from manifoldtheory.manifolds.immersed_charts import curvatures
from manifoldtheory.manifolds.immersions import Immersion
from manifoldtheory.manifolds.linear import solve_definite

GRID = 2**12
"""Grid points for curves and surfaces; four times as many above, and fewer where a point has many coordinates."""

AXES = 12
"""Principal directions of the grid in which neighbours are looked for: trees slow down beyond."""

CANDIDATES = 8
"""Neighbours tried, nearest first: sheets that come near each other give the wrong ones first."""

ITERATIONS = 60
IDLE, SETTLED = 3, 1e-3
"""Steps in a row that come nearer by less than this part of the distance: no point of the manifold is there.

Towards a point of the manifold the distance falls by large factors, and in the end quadratically.
"""

FARTHEST = 1e100
"""Coordinates beyond it are looked for from there."""

ROWS = 2**15
"""Points located at a time."""


class Grid:
    """Points spread evenly over a box of coordinates, with what the immersion is like there, computed on demand."""

    def __init__(self, immersion: Immersion, box: Tensor) -> None:
        self.immersion, self.box = immersion, box

    @cached_property
    def coordinates(self) -> Tensor:
        count = GRID if self.immersion.dim <= 2 else 4 * GRID
        return spread(self.box, max(256, min(count, 2**22 // self.immersion.ambient_dim)))

    @cached_property
    def _first(self) -> tuple[Tensor, Tensor]:
        value, jacobian = (part.detach() for part in self.immersion.jacobian(self.coordinates))
        return value, torch.linalg.qr(jacobian.nan_to_num(), mode="r")[1].diagonal(dim1=-2, dim2=-1).abs().prod(-1)

    @property
    def points(self) -> Tensor:
        """(n, d)"""
        return self._first[0]

    @property
    def volumes(self) -> Tensor:
        """√det g (n)."""
        return self._first[1]

    @cached_property
    def curvatures(self) -> Tensor:
        """Bounds of |II(v, v)|, |v| = 1 (n); NaN where the rank drops. They cost six times the rest."""
        return curvatures(*self.immersion.second(self.coordinates)[1:])

    @cached_property
    def extent(self) -> float:
        """Diagonal of the box around the points."""
        points = self.points[self.points.isfinite().all(-1)]
        return float(torch.linalg.vector_norm(points.amax(0) - points.amin(0)))

    def curvature(self, distance: float, point: Tensor) -> float:
        """The largest curvature of grid points within a distance of a point; 0 without any."""
        curvatures = self.curvatures
        if math.isfinite(distance):
            near = torch.linalg.vector_norm(self.points - point.to(self.points), dim=-1) <= distance
            curvatures = curvatures[near]
        curvatures = curvatures[curvatures.isfinite()]
        return float(curvatures.max()) if len(curvatures) else 0.0

    @cached_property
    def _tree(self) -> tuple[KDTree, np.ndarray, np.ndarray, np.ndarray]:
        finite = self.points.isfinite().all(-1).numpy()
        points = self.points.numpy()[finite]
        centre = points.mean(0)
        axes = np.linalg.svd(points - centre, full_matrices=False)[2][:AXES].T
        return KDTree((points - centre) @ axes), centre, axes, np.flatnonzero(finite)

    def locate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Coordinates of the nearest points found, and their distances: (…, d) → (…, m), (…), float64.

        Converged to rounding, for points on the manifold; the box is where the search starts, not where it ends.
        """
        rows = x.detach().reshape(-1, x.shape[-1]).double()
        if not len(rows):
            return x.new_zeros(*x.shape[:-1], self.immersion.dim, dtype=torch.float64), x.new_zeros(
                x.shape[:-1], dtype=torch.float64
            )
        found = [self._locate(chunk) for chunk in rows.split(ROWS)]
        q, distance = (torch.cat(part) for part in zip(*found, strict=True))
        return q.reshape(*x.shape[:-1], -1), distance.reshape(x.shape[:-1])

    def _locate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        tree, centre, axes, finite = self._tree
        # Beyond, squares of differences overflow, and the tree finds nothing; as far away every point is as good.
        readable = x.nan_to_num().clamp(-FARTHEST, FARTHEST).cpu().numpy()
        neighbours = tree.query((readable - centre) @ axes, k=min(CANDIDATES, tree.n))[1].reshape(len(x), -1)
        neighbours = self.coordinates[torch.from_numpy(finite[neighbours])].to(x.device)
        q, distance = refine(self.immersion, x, neighbours[:, 0])
        limit = rounding(x)
        for k in range(1, neighbours.shape[1]):
            (open_rows,) = (distance > limit).nonzero(as_tuple=True)
            if not len(open_rows):
                break
            other, further = refine(self.immersion, x[open_rows], neighbours[open_rows, k], until_settled=True)
            better = further < distance[open_rows]
            q[open_rows[better]], distance[open_rows[better]] = other[better], further[better]
        return q, distance


def refine(immersion: Immersion, x: Tensor, q: Tensor, *, until_settled: bool = False) -> tuple[Tensor, Tensor]:
    """Coordinates of the point nearest to x, from starting coordinates, and its distance: (n, d), (n, m) → (n, m), (n).

    Gauss-Newton steps, damped after Levenberg and Marquardt where they do not come nearer. `until_settled` gives points
    up whose distance three steps in a row hardly change, because they are not on the manifold: only there are the
    coordinates found less exact.
    """
    q, found, distance = q.clone(), q.clone(), torch.full_like(q[:, 0], math.inf)
    damping = torch.zeros_like(distance)
    slope, residual = q.new_zeros(*x.shape, q.shape[-1]), torch.zeros_like(x)
    active = torch.arange(len(x), device=x.device)
    idle = torch.zeros_like(active)
    for _ in range(ITERATIONS):
        value, jacobian = (part.detach() for part in immersion.jacobian(q[active]))
        missing = x[active] - value
        length = torch.linalg.vector_norm(missing, dim=-1).nan_to_num(math.inf)
        nearer = length < distance[active]
        hardly = nearer & (length > (1 - SETTLED) * distance[active])
        idle[active] = torch.where(hardly, idle[active] + 1, torch.where(nearer, 0, idle[active]))
        moved = active[nearer]
        found[moved], distance[moved] = q[moved], length[nearer]
        slope[moved], residual[moved] = jacobian[nearer], missing[nearer]
        damping[active] = torch.where(nearer, damping[active] / 8, (8 * damping[active]).clamp(min=1e-3))
        gram = slope[active].mT @ slope[active]
        diagonal = gram.diagonal(dim1=-2, dim2=-1)
        diagonal += damping[active, None] * diagonal + 1e-300
        pull = (slope[active].mT @ residual[active, :, None])[..., 0]
        step = solve_definite(gram.movedim((-2, -1), (0, 1)), pull.mT).mT
        q[active] = found[active] + step
        change = torch.linalg.vector_norm((slope[active] @ step[..., None])[..., 0], dim=-1)
        # At a point of the manifold steps are as long as the distance that is left; away from it they become shorter.
        done = (change <= 0.01 * rounding(x[active])) | (change <= 1e-8 * distance[active])
        active = active[~(done | (idle[active] >= IDLE))] if until_settled else active[~done]
        if not len(active):
            break
    return found, distance


def rounding(x: Tensor) -> Tensor:
    """A hundred roundings of points (…, d), what a distance of 0 comes out as."""
    return 100 * torch.finfo(torch.float64).eps * (1e-300 + torch.linalg.vector_norm(x, dim=-1))


def spread(box: Tensor, count: int) -> Tensor:
    """Points (count, m) spread evenly over a box (m, 2); none on its faces or in its middle."""
    unit = torch.quasirandom.SobolEngine(box.shape[0], scramble=True, seed=1).draw(count, dtype=torch.float64)
    return box[:, 0] + (box[:, 1] - box[:, 0]) * (0.99999 * unit + 4e-6)
