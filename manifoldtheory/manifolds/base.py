"""Submanifolds of Euclidean space on torch."""

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.arrays import numpy_in_numpy_out
from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.charts import Chart, apply
from manifoldtheory.manifolds.checks import (
    anywhere,
    require_alike,
    require_count,
    require_dtype,
    require_finite,
    require_generator,
    require_scale,
    require_shape,
)
from manifoldtheory.manifolds.clouds import Cloud, Direction, Measure, draw_cloud
from manifoldtheory.manifolds.radial import RadialLaw

POINT_ROUNDINGS = 1e3
"""A point counts as on the manifold when it is off by at most so many roundings of its coordinates."""


class Submanifold(ABC):
    """An m-dimensional submanifold of R^d with the Euclidean metric.

    Points are ambient vectors (…, d); tangent coordinates (…, m) and normal coordinates (…, codim) refer to the
    orthonormal frames at the base point. Base points and vectors broadcast over their batch axes. float64 or float32,
    on the device of the point; numpy arrays in give numpy arrays out.

    Every method raises `InputError` for shapes that do not fit, entries that are not finite, and base points that are
    further off the manifold than rounding explains, `POINT_ROUNDINGS` · eps · (|x|_∞ + size). Inside
    `torch.func.vmap` values cannot be read and are not checked.

    A manifold of your own defines `dim`, `ambient_dim`, `chart`, `immersion`, `distance_estimate` and `_draw`.
    """

    dim: int
    ambient_dim: int

    def __init_subclass__(cls, **options: Any) -> None:
        """Checks and numpy conversion for the two formulas that each manifold supplies itself."""
        super().__init_subclass__(**options)
        for name, kind, size in (("immersion", "coordinates", "dim"), ("distance_estimate", "points", "ambient_dim")):
            if name in cls.__dict__:
                setattr(cls, name, numpy_in_numpy_out(_shaped(cls.__dict__[name], kind, size)))

    @property
    def size(self) -> float:
        """A length typical of the manifold, of which its points are rounded."""
        return 1.0

    @property
    def codim(self) -> int:
        """d − m."""
        return self.ambient_dim - self.dim

    @property
    def geomstats(self) -> Any:
        """The same space as a geomstats object; loads geomstats (see `geomstats_spaces.geomstats_space`)."""
        from manifoldtheory.manifolds.geomstats_spaces import geomstats_space

        return geomstats_space(self)

    @abstractmethod
    def chart(self, x: Tensor) -> Chart:
        """The manifold seen from x (…, d)."""

    @abstractmethod
    def immersion(self, coordinates: Float[Tensor, "*batch m"]) -> Float[Tensor, "*batch d"]:
        """A parameterisation by m intrinsic coordinates, what `geomstats` objects are built on."""

    @abstractmethod
    def distance_estimate(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch"]:
        """First-order estimate of the distance of x from the manifold."""

    @abstractmethod
    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        """n points (n, d), float64, uniform by volume."""

    @numpy_in_numpy_out
    def tangent_frame(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d m"]:
        """Orthonormal tangent vectors at x, as columns."""
        return self._at(x).tangent_frame

    @numpy_in_numpy_out
    def normal_frame(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d codim"]:
        """Orthonormal normal vectors at x, as columns."""
        return self._at(x).normal_frame

    @numpy_in_numpy_out
    def second_fundamental_form(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch codim m m"]:
        """h^a_ij with II(v, w) = Σ_a h^a(v, w) n_a, in the frames at x; units 1/length."""
        return self._at(x).second_form

    @numpy_in_numpy_out
    def graph(self, x: Float[Tensor, "*#batch d"], u: Float[Tensor, "*#batch m"]) -> Float[Tensor, "*#batch codim"]:
        """Heights z(u): the manifold is x + Σ u_i t_i + Σ z_a(u) n_a near x, z_a = ½ h^a(u, u) + O(|u|³).

        Exact (not a truncation), to relative accuracy at any small u; differentiable in u with `torch.func`. Raises
        `InputError` where the tangent coordinates u have no unique height.
        """
        chart = self._at(x)
        require_shape("tangent coordinates", u, self.dim)
        require_alike("tangent coordinates", u, x)
        require_finite("tangent coordinates", u)
        u = u.expand(*torch.broadcast_shapes(x.shape[:-1], u.shape[:-1]), self.dim)
        if anywhere(chart.out_of_range(u)):
            raise InputError(
                f"{self!r} is no unique graph over tangent coordinates as long as {_longest(u):.6g}; "
                f"ambient radii below {chart.projected_limit:.6g} always are in range"
            )
        return chart.expand_normal(chart.heights(u))

    @numpy_in_numpy_out
    def exp(self, x: Float[Tensor, "*#batch d"], v: Float[Tensor, "*#batch d"]) -> Float[Tensor, "*#batch d"]:
        """End of the geodesic from x with initial velocity v (ambient; its normal part is ignored) at time 1.

        Raises `InputError` when the geodesic is too long for the integrator (`geodesics.MAXIMUM_ANGLE`).
        """
        self._check_points(x)
        self._check_vectors(v, x)
        return self._exp(x, v)

    @numpy_in_numpy_out
    def displacement(
        self, x: Float[Tensor, "*#batch d"], v: Float[Tensor, "*#batch d"]
    ) -> tuple[Float[Tensor, "*#batch m"], Float[Tensor, "*#batch codim"]]:
        """Tangent and normal coordinates of exp(x, v) − x, *without subtraction*.

        Both parts are accurate relative to their own size, |v| and ½|II(v, v)|, however small v is. Raises
        `InputError` like `exp`.
        """
        self._check_points(x)
        self._check_vectors(v, x)
        return self._displace(self.chart(x), v)

    def sample(self, n: int, *, generator: torch.Generator, dtype: torch.dtype = torch.float64) -> Float[Tensor, "n d"]:
        """n independent points, uniform by Riemannian volume, on the generator's device.

        Raises `TypeError` or `InputError` without a generator.
        """
        require_count(n)
        require_scale(self.size, require_dtype(dtype))
        return self._draw(n, require_generator(generator)).to(dtype)

    @numpy_in_numpy_out
    def sample_cloud(
        self,
        x: Float[Tensor, " d"],
        n: int,
        law: RadialLaw,
        *,
        measure: Measure = "volume",
        direction: Direction = "geodesic",
        generator: torch.Generator,
    ) -> Cloud:
        """n points around x: ambient radius from the law, direction uniform, and the measure in the weights.

        See `Cloud` for what the weights are. The result has the dtype of x and lives on the generator's device.
        Raises `InputError` for radii beyond the reach of the chart at x, a point off the manifold, unknown names, and
        float32 where rounding would bury the curvature bias (`clouds.FLOAT32_ANGLE`).
        """
        require_generator(generator)
        require_shape("the base point", x, self.ambient_dim)
        if x.ndim != 1:
            raise InputError(f"a cloud has one base point of shape ({self.ambient_dim},), got {tuple(x.shape)}")
        x = x.to(generator.device)
        return draw_cloud(
            self._at(x), n, law, measure=measure, direction=direction, generator=generator, name=repr(self)
        )

    def _exp(self, x: Tensor, v: Tensor) -> Tensor:
        chart = self.chart(x)
        tangent, normal = self._displace(chart, v)
        return x + apply(chart.tangent_frame, tangent) + apply(chart.normal_frame, normal)

    def _displace(self, chart: Chart, v: Tensor) -> tuple[Tensor, Tensor]:
        a = apply(chart.tangent_frame.mT, v)
        arc = chart.geodesic(a, chart.steps(_longest(a)))
        return arc.tangent, chart.expand_normal(arc.normal)

    def _at(self, x: Tensor) -> Chart:
        self._check_points(x)
        return self.chart(x)

    def _check_points(self, x: Tensor) -> None:
        require_scale(self.size, require_shape("points", x, self.ambient_dim).dtype)
        x = x.detach()
        distance, tolerance = self.distance_estimate(x), self._tolerance(x)
        # A NaN, from numbers whose squares overflow, compares as false and is caught too.
        if anywhere(~(distance <= tolerance)):
            worst = int((distance / tolerance).flatten().argmax())
            off, limit = float(distance.flatten()[worst]), float(tolerance.flatten()[worst])
            raise InputError(
                f"the base point is {off:.3g} off {self!r} (limit {limit:.3g}): take one from sample, exp or immersion"
            )

    def _check_vectors(self, v: Tensor, x: Tensor) -> None:
        require_shape("tangent vectors", v, self.ambient_dim)
        require_alike("tangent vectors", v, x)
        require_finite("tangent vectors", v)

    def _tolerance(self, x: Tensor) -> Tensor:
        return POINT_ROUNDINGS * torch.finfo(x.dtype).eps * (torch.linalg.vector_norm(x, math.inf, -1) + self.size)


def _shaped(formula: Callable[..., Tensor], kind: str, size: str) -> Callable[..., Tensor]:
    """The formula, which raises `InputError` for a last axis of another size and for entries that are not finite."""

    @functools.wraps(formula)
    def checked(self: Submanifold, values: Tensor) -> Tensor:
        require_finite(kind, require_shape(kind, values, getattr(self, size)))
        return formula(self, values)

    return checked


def _longest(vectors: Tensor) -> float:
    return float(torch.linalg.vector_norm(vectors.detach(), dim=-1).max()) if vectors.numel() else 0.0
