"""Geodesics of a submanifold in the intrinsic coordinates of its immersion."""

import math
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.charts import Chart, apply
from manifoldtheory.manifolds.cylinder import Cylinder
from manifoldtheory.manifolds.immersed import ImmersedManifold
from manifoldtheory.manifolds.immersed_charts import ImmersedChart
from manifoldtheory.manifolds.immersions import Immersion
from manifoldtheory.manifolds.locating import Grid, refine, rounding, spread
from manifoldtheory.manifolds.logarithm import initial_velocity
from manifoldtheory.manifolds.monge import MongePatch

REACHED = 1e-11
"""Largest relative distance from the image of the immersion that counts as rounding."""

NODES = 16
"""Of the integral along the straight line between the coordinates of two points."""


class GeodesicCoordinates:
    """exp and log between intrinsic coordinates q (…, m), by the manifold's own geodesics, in float64."""

    def __init__(self, manifold: Submanifold) -> None:
        self.manifold = manifold

    @cached_property
    def immersion(self) -> Immersion:
        if isinstance(self.manifold, ImmersedManifold):
            return self.manifold._immersion
        return Immersion(self.manifold.immersion, self.manifold.dim, spread(coordinate_box(self.manifold), 64))

    @cached_property
    def _grid(self) -> Grid:
        if isinstance(self.manifold, ImmersedManifold):
            return self.manifold._grid
        return Grid(self.immersion, coordinate_box(self.manifold))

    @property
    def box(self) -> Tensor:
        """The box (m, 2) of coordinates over the part of the manifold that `sample` draws from."""
        return self._grid.box

    def locate(self, x: Tensor) -> Tensor:
        """Coordinates of the nearest points found: (…, d) → (…, m)."""
        return self._grid.locate(x)[0]

    def exp(self, q: Tensor, v: Tensor) -> Tensor:
        """End of the geodesic from q with velocity v (…, m), in the coordinates that lead on from q."""
        q, v = torch.broadcast_tensors(q, v)
        flat, rows = q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1])
        x, jacobian = self.immersion.jacobian(flat)
        chart = self._chart(flat, x)
        a = apply(chart.tangent_frame.mT, apply(jacobian, rows))
        if isinstance(chart, ImmersedChart):
            return chart.resolved(a)[0].reshape(q.shape)
        arc = chart.geodesic(a, chart.steps(_longest(a)))
        end = x + apply(chart.tangent_frame, arc.tangent) + apply(chart.normal_frame, chart.expand_normal(arc.normal))
        found, distance = refine(self.immersion, end, flat + rows)
        lost = distance > 100 * rounding(end)
        if bool(lost.any()):
            found[lost], distance[lost] = self._grid.locate(end[lost])
            if bool((distance > REACHED * (self.manifold.size + torch.linalg.vector_norm(end, dim=-1))).any()):
                raise InputError(
                    f"a geodesic of {self.manifold!r} ends {float(distance.max()):.3g} from what its immersion covers: "
                    "take a shorter tangent vector, or points that are nearer to each other"
                )
        return found.reshape(q.shape)

    def sample(self, n: int, generator: torch.Generator) -> Tensor:
        """Coordinates (n, m) of points uniform by volume, on the part that the immersion covers."""
        kept: list[Tensor] = []
        while sum(map(len, kept)) < n:
            x = self.manifold.sample(n, generator=generator)
            q, distance = self._grid.locate(x)
            kept.append(q[distance <= REACHED * (self.manifold.size + torch.linalg.vector_norm(x, dim=-1))])
        return torch.cat(kept)[:n]

    def log(self, q: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
        """The velocity (…, m) whose geodesic from q ends at `other`, and its length (…).

        Both to relative accuracy, however near the points are. Raises `InputError` where no geodesic is found.
        """
        q, other = torch.broadcast_tensors(q, other)
        flat, rows = q.reshape(-1, q.shape[-1]), other.reshape(-1, q.shape[-1])
        x, jacobian = self.immersion.jacobian(flat)
        chart = self._chart(flat, x)
        xi = self._displacement(flat, x, rows - flat)
        a = initial_velocity(chart, apply(chart.tangent_frame.mT, xi), apply(chart.normal_frame.mT, xi))
        straight = chart.tangent_frame.mT @ jacobian
        v = torch.linalg.solve(straight, a[..., None])[..., 0]
        return v.reshape(q.shape), torch.linalg.vector_norm(a, dim=-1).reshape(q.shape[:-1])

    def _displacement(self, q: Tensor, x: Tensor, step: Tensor) -> Tensor:
        """f(q + step) − f(q) as ∫ ∂f(step) along the straight line, without subtraction, where that is exact.

        Across a period the line is long, the points are near, and their difference is what there is.
        """
        place, weight = (torch.from_numpy(part).to(q) for part in np.polynomial.legendre.leggauss(NODES))
        s = (place.reshape(-1, 1, 1) + 1) / 2
        integral = torch.einsum("k,knd->nd", weight / 2, apply(self.immersion.jacobian(q + s * step)[1], step))
        difference = self.immersion.value(q + step) - x
        scale = torch.linalg.vector_norm(x, dim=-1) + torch.linalg.vector_norm(difference, dim=-1)
        agrees = torch.linalg.vector_norm(integral - difference, dim=-1) <= 1e-14 * scale
        return torch.where(agrees[:, None], integral, difference)

    def _chart(self, q: Tensor, x: Tensor) -> Chart:
        return self.manifold.chart_at(q) if isinstance(self.manifold, ImmersedManifold) else self.manifold.chart(x)


def coordinate_box(manifold: Submanifold) -> Tensor:
    """A box (m, 2) of the immersion's coordinates over the part of the manifold that `sample` draws from."""
    dim = manifold.dim
    if isinstance(manifold, MongePatch):
        intervals = [(-manifold.sample_radius, manifold.sample_radius)] * dim
    elif isinstance(manifold, Cylinder):
        intervals = [(0.0, 2 * math.pi), *[(0.0, 1.0)] * (dim - 1)]
    elif type(manifold).__name__ in ("Sphere", "Ellipsoid"):
        intervals = [*[(0.0, math.pi)] * (dim - 1), (0.0, 2 * math.pi)]
    elif type(manifold).__name__ == "Torus":
        intervals = [(0.0, 2 * math.pi)] * dim
    else:
        # Of graphs over a plane and of Cayley transforms.
        intervals = [(-4.0, 4.0)] * dim
    return torch.tensor(intervals, dtype=torch.float64)


def _longest(a: Tensor) -> float:
    return float(torch.linalg.vector_norm(a, dim=-1).max()) if a.numel() else 0.0
