"""Submanifolds of Euclidean space on torch."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.charts import Chart, apply
from manifoldtheory.manifolds.checks import require_count, require_dtype, require_generator, require_shape
from manifoldtheory.manifolds.clouds import Cloud, Direction, Measure, draw_cloud
from manifoldtheory.manifolds.radial import RadialLaw


class Submanifold(ABC):
    """An m-dimensional submanifold of R^d with the Euclidean metric.

    Points are ambient vectors (…, d); tangent coordinates (…, m) and normal coordinates (…, codim) refer to the
    orthonormal frames at the base point. Base points and vectors broadcast over their batch axes. float64 or float32,
    on the device of the point.
    """

    dim: int
    ambient_dim: int

    @property
    def codim(self) -> int:
        """d − m."""
        return self.ambient_dim - self.dim

    @property
    def geomstats(self) -> Any:
        """The same space as a geomstats object; loads geomstats (see `geomstats_bridge.load_geomstats`)."""
        from manifoldtheory.manifolds import geomstats_bridge

        return geomstats_bridge.immersed_set(self, self.immersion, self.dim, self.ambient_dim)

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

    def tangent_frame(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d m"]:
        """Orthonormal tangent vectors at x, as columns."""
        return self._at(x).tangent_frame

    def normal_frame(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d codim"]:
        """Orthonormal normal vectors at x, as columns."""
        return self._at(x).normal_frame

    def second_fundamental_form(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch codim m m"]:
        """h^a_ij with II(v, w) = Σ_a h^a(v, w) n_a, in the frames at x; units 1/length."""
        return self._at(x).second_form

    def graph(self, x: Float[Tensor, "*#batch d"], u: Float[Tensor, "*#batch m"]) -> Float[Tensor, "*#batch codim"]:
        """Heights z(u): the manifold is x + Σ u_i t_i + Σ z_a(u) n_a near x, z_a = ½ h^a(u, u) + O(|u|³).

        Exact (not a truncation), to relative accuracy at any small u; differentiable in u with `torch.func`. Raises
        `InputError` where the tangent coordinates u have no unique height.
        """
        chart = self._at(x)
        require_shape("tangent coordinates", u, self.dim)
        if _anywhere(chart.out_of_range(u)):
            raise InputError(
                f"{self!r} is no unique graph over tangent coordinates as long as {_longest(u):.6g}; "
                f"ambient radii below {chart.projected_limit:.6g} always are in range"
            )
        return chart.expand_normal(chart.heights(u))

    def exp(self, x: Float[Tensor, "*#batch d"], v: Float[Tensor, "*#batch d"]) -> Float[Tensor, "*#batch d"]:
        """End of the geodesic from x with initial velocity v (ambient; its normal part is ignored) at time 1.

        Raises `InputError` when the geodesic is too long for the integrator (`geodesics.MAXIMUM_ANGLE`).
        """
        chart = self._at(x)
        tangent, normal = self._displace(chart, v)
        return x + apply(chart.tangent_frame, tangent) + apply(chart.normal_frame, normal)

    def displacement(
        self, x: Float[Tensor, "*#batch d"], v: Float[Tensor, "*#batch d"]
    ) -> tuple[Float[Tensor, "*#batch m"], Float[Tensor, "*#batch codim"]]:
        """Tangent and normal coordinates of exp(x, v) − x, *without subtraction*.

        Both parts are accurate relative to their own size, |v| and ½|II(v, v)|, however small v is. Raises
        `InputError` like `exp`.
        """
        return self._displace(self._at(x), v)

    def sample(self, n: int, *, generator: torch.Generator, dtype: torch.dtype = torch.float64) -> Float[Tensor, "n d"]:
        """n independent points, uniform by Riemannian volume, on the generator's device.

        Raises `TypeError` or `InputError` without a generator.
        """
        require_count(n)
        require_dtype(dtype)
        return self._draw(n, require_generator(generator)).to(dtype)

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
        tolerance = 1e3 * torch.finfo(x.dtype).eps * (1 + float(x.abs().max()))
        if not float(self.distance_estimate(x)) <= tolerance:
            raise InputError(
                f"the base point is {float(self.distance_estimate(x)):.3g} off {self!r} (limit {tolerance:.3g}): "
                "take one from sample or exp"
            )
        return draw_cloud(
            self._at(x), n, law, measure=measure, direction=direction, generator=generator, name=repr(self)
        )

    def _at(self, x: Tensor) -> Chart:
        return self.chart(require_shape("points", x, self.ambient_dim))

    def _displace(self, chart: Chart, v: Tensor) -> tuple[Tensor, Tensor]:
        require_shape("tangent vectors", v, self.ambient_dim)
        a = apply(chart.tangent_frame.mT, v)
        arc = chart.geodesic(a, chart.steps(_longest(a)))
        return arc.tangent, chart.expand_normal(arc.normal)


def _longest(vectors: Tensor) -> float:
    return float(torch.linalg.vector_norm(vectors.detach(), dim=-1).max()) if vectors.numel() else 0.0


def _anywhere(mask: Tensor) -> bool:
    try:
        return bool(mask.any())
    except RuntimeError:  # inside torch.func.vmap values cannot be read, so the range cannot be checked
        return False
