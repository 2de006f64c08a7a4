"""Ellipsoids with any semi-axes."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.checks import require_dim, require_length, require_number, require_proportion
from manifoldtheory.manifolds.hypersurfaces import QuadricChart
from manifoldtheory.manifolds.rejection import draw_accepted
from manifoldtheory.manifolds.sphere import uniform_directions


@dataclass(frozen=True)
class Ellipsoid(Submanifold):
    """Σ x_i²/a_i² = 1 in R^d for semi-axes (a_1, …, a_d), d ≥ 2; normals point outwards."""

    semi_axes: tuple[float, ...]
    dim: int = field(init=False, repr=False)
    ambient_dim: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.semi_axes, str) or not isinstance(self.semi_axes, Iterable):
            raise InputError(f"semi-axes must be a sequence of lengths, got {self.semi_axes!r}: Ellipsoid((1.0, 0.5))")
        given = self.semi_axes.tolist() if isinstance(self.semi_axes, Tensor) else self.semi_axes
        axes = tuple(require_number("a semi-axis", axis) for axis in given)
        if len(axes) < 2:
            raise InputError(f"an ellipsoid needs at least two semi-axes, got {len(axes)}")
        for axis in axes:
            require_length("a semi-axis", axis)
        require_dim("the number of semi-axes", len(axes))
        require_proportion("a semi-axis", min(axes), max(axes))
        object.__setattr__(self, "semi_axes", axes)
        object.__setattr__(self, "dim", len(axes) - 1)
        object.__setattr__(self, "ambient_dim", len(axes))

    @property
    def size(self) -> float:
        return max(self.semi_axes)

    def chart(self, x: Tensor) -> QuadricChart:
        axes = self._axes(x)
        gradient = x / axes**2
        norm = torch.linalg.vector_norm(gradient, dim=-1)
        # The largest principal curvature: at the end of the longest axis, across the shortest.
        curvature = max(self.semi_axes) / min(self.semi_axes) ** 2
        return QuadricChart(gradient / norm[..., None], norm, torch.diag(1 / axes**2), curvature)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """Hyperspherical angles on the unit sphere, stretched by the semi-axes."""
        ones = torch.ones_like(coordinates[..., :1])
        sines = torch.cat([ones, torch.cumprod(torch.sin(coordinates), -1)], -1)
        return self._axes(coordinates) * sines * torch.cat([torch.cos(coordinates), ones], -1)

    def distance_estimate(self, x: Tensor) -> Tensor:
        scaled = x / self._axes(x)
        gradient = torch.linalg.vector_norm(scaled / self._axes(x), dim=-1)
        return ((scaled**2).sum(-1) - 1).abs() / (2 * gradient)

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        """Stretched uniform directions w: the area element is proportional to |w / a|, at most 1/min a."""

        def propose(size: int) -> tuple[Tensor, Tensor]:
            w = uniform_directions(size, self.ambient_dim, generator)
            axes = self._axes(w)
            return axes * w, torch.linalg.vector_norm(w / axes, dim=-1) * min(self.semi_axes)

        return draw_accepted(propose, n, generator)

    def _axes(self, like: Tensor) -> Tensor:
        return torch.tensor(self.semi_axes, dtype=like.dtype, device=like.device)
