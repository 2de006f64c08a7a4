"""Submanifolds given by a parameterisation alone."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.arrays import as_tensor, numpy_in_numpy_out
from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import POINT_ROUNDINGS, Submanifold
from manifoldtheory.manifolds.charts import Arc, Chart, apply
from manifoldtheory.manifolds.checks import anywhere, require_dim, require_finite, require_shape
from manifoldtheory.manifolds.immersed_charts import RANK, ImmersedChart
from manifoldtheory.manifolds.immersions import Function, Immersion
from manifoldtheory.manifolds.locating import Grid, spread
from manifoldtheory.manifolds.rejection import draw_accepted

EXAMPLES = 64
"""Coordinates at which an immersion is tried before anything is computed with it."""

MARGIN = 1.1
"""Bound of the volume element over the largest one on the grid."""

ARRIVAL = 1e-6
"""Largest distance of a geodesic's end from f there, of its length: rounding is below 1e-11, a kink far above."""

Interval = tuple[float, float]


def from_immersion(
    f: Function, dim: int, *, domain: Interval | Sequence[Interval] | Tensor = (-1.0, 1.0), name: str | None = None
) -> "ImmersedManifold":
    """The submanifold f(R^m) of R^d, from a function of m = dim intrinsic coordinates.

    f maps a torch.Tensor (m,) to (d,), d > m, or a batch (n, m) to (n, d), twice differentiable by `torch.func` and in
    float64. `domain` is the box of coordinates that `sample` draws from and where the search for the coordinates of a
    point starts: one interval for every axis, or one each. It is a window and no boundary: geodesics and points beyond
    it are served wherever f is regular, so a periodic coordinate needs nothing but one period as its interval.

    >>> import torch
    >>> saddle = from_immersion(lambda q: torch.stack([q[0], q[1], q[0] * q[1]]), dim=2, name="saddle")
    >>> saddle.second_fundamental_form(torch.zeros(3, dtype=torch.float64)).det().item()  # Gauss curvature
    -1.0

    Raises `InputError`, before any work, for a function with results of the wrong shape or kind, that torch cannot
    differentiate, not finite at the coordinates it is tried at, or whose rank drops throughout its domain. That f is
    smooth is believed: `torch.abs` has derivatives for torch on either side of its kink, and second fundamental forms
    are those of the sides. Parameters of a `torch.nn.Module` are constants.
    """
    return ImmersedManifold(f, dim, domain=domain, name=name)


class ImmersedManifold(Submanifold):
    """What `from_immersion` gives: a `Submanifold` that also knows intrinsic coordinates q (…, m).

    `immersion(q)` is the point and `coordinates(x)` its inverse; `chart_at(q)` has the frames and the second
    fundamental form without looking for coordinates first, which is what takes most of the time of the methods that
    take points. Frames come from the QR decomposition of ∂f.

    Curvature bounds, and with them the limits of clouds, are *estimates* from the second derivatives at many points
    (`ImmersedChart.curvature_bound`); a manifold that comes near itself is not noticed. `sample` accepts uniform
    coordinates in proportion to √det g, at a rate of (mean of √det g)/(1.1 · its maximum) over the domain. The maximum
    is that of the grid: features of f narrower than its spacing are missed by it. When a draw exceeds the bound, all
    are drawn again with a higher one; until then such places are drawn too rarely, so the law depends on n there, and
    one seed may give other points for another n.
    """

    def __init__(
        self,
        f: Function,
        dim: int,
        *,
        domain: Interval | Sequence[Interval] | Tensor = (-1.0, 1.0),
        name: str | None = None,
    ) -> None:
        require_dim("dim", dim)
        self.domain = _box(domain, dim)
        examples = spread(self.domain, EXAMPLES)
        self._immersion = Immersion(f, dim, examples)
        self.dim, self.ambient_dim = dim, self._immersion.ambient_dim
        self._name = name or f"{getattr(f, '__name__', type(f).__name__)}".replace("<lambda>", "f")
        self._grid = Grid(self._immersion, self.domain)
        value, jacobian = self._immersion.jacobian(examples)
        self._scale = torch.linalg.vector_norm(jacobian, dim=-2).amax(0)
        self._size = float(torch.linalg.vector_norm(value - value.mean(0), dim=-1).max())
        self._require_rank(examples, jacobian)

    def _require_rank(self, examples: Tensor, jacobian: Tensor) -> None:
        """Single places are left to the charts there; a third of all examples is no immersion of this dimension."""
        columns = torch.linalg.vector_norm(jacobian, dim=-2, keepdim=True)
        values = torch.linalg.svdvals(jacobian / columns.clamp(min=1e-300))
        dropped = values[:, -1] <= RANK
        if int(dropped.sum()) > EXAMPLES // 3:
            raise InputError(
                f"the immersion drops rank at coordinates {examples[dropped][0].tolist()} and throughout its domain: "
                f"its derivative has rank {int((values[dropped][0] > RANK).sum())}, below dim = {self.dim}; lower dim"
            )

    def __repr__(self) -> str:
        return f"from_immersion({self._name}, dim={self.dim}, ambient_dim={self.ambient_dim})"

    @property
    def size(self) -> float:
        """The spread of its points over the domain."""
        return self._size

    def immersion(self, coordinates: Tensor) -> Tensor:
        """f over any batch axes."""
        return self._immersion.value(coordinates.double()).to(coordinates.dtype)

    @numpy_in_numpy_out
    def coordinates(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch m"]:
        """Intrinsic coordinates of points on the manifold, the inverse of `immersion`, in float64.

        Raises `InputError` for points off it. Where the manifold meets itself either preimage may come out.
        """
        self._check_points(x)
        return self._locate(x)

    def chart_at(self, coordinates: Float[Tensor, "*batch m"]) -> ImmersedChart:
        """The chart at f(q): `.tangent_frame`, `.normal_frame`, `.second_form`, in the dtype of q.

        Raises `InputError` where f is not finite or drops rank.
        """
        require_shape("coordinates", coordinates, self.dim)
        require_finite("coordinates", coordinates)
        return self._chart(coordinates.double(), coordinates.dtype)

    def chart(self, x: Tensor) -> ImmersedChart:
        return self._chart(self._locate(x), x.dtype)

    def _chart(self, q: Tensor, dtype: torch.dtype) -> ImmersedChart:
        return ImmersedChart(self._immersion, q, dtype, self._scale.to(q.device), self._seen)

    def distance_estimate(self, x: Tensor) -> Tensor:
        """The distance itself, as far as the search for the nearest point goes."""
        return self._grid.locate(x)[1].to(x.dtype)

    def _locate(self, x: Tensor) -> Tensor:
        q, distance = self._grid.locate(x)
        limit = self._tolerance(x)
        if not bool((distance <= limit).all()):
            excess = (distance / limit).flatten()
            worst = int(excess.argmax())
            raise InputError(
                f"the base point is {float(distance.flatten()[worst]):.3g} off {self!r} "
                f"(limit {float(distance.flatten()[worst] / excess[worst]):.3g}): take one from sample, exp or "
                "immersion, or give from_immersion the domain that it lies in"
            )
        return q

    def _check_points(self, x: Tensor) -> None:
        # How far they are off is known once their coordinates are.
        require_shape("points", x, self.ambient_dim)
        require_finite("points", x)

    def _displace(self, chart: Chart, v: Tensor) -> tuple[Tensor, Tensor]:
        a = apply(chart.tangent_frame.mT, v)
        assert isinstance(chart, ImmersedChart)
        q, arc, _ = chart.resolved(a)
        if q.numel():
            self._require_arrival(chart, q, arc)
        return arc.tangent, arc.normal

    def _require_arrival(self, chart: ImmersedChart, q: Tensor, arc: Arc) -> None:
        """Raises `InputError` when the geodesic, from derivatives alone, misses the value of f where it should end.

        Where f has no kink they agree to rounding.
        """
        end = apply(chart.tangent_frame, arc.tangent) + apply(chart.normal_frame, arc.normal)
        missed = torch.linalg.vector_norm(self._immersion.value(q) - chart.point - end, dim=-1).detach()
        length = torch.linalg.vector_norm(end, dim=-1).detach().double()
        size = self.size + torch.linalg.vector_norm(chart.point, dim=-1)
        allowed = ARRIVAL * length + POINT_ROUNDINGS * torch.finfo(chart.dtype).eps * (length + size)
        if anywhere(missed > allowed):
            raise InputError(
                f"a geodesic leaves {self!r} by {float(missed.max()):.3g}: its function has a kink or a jump on the "
                "way, and derivatives do not tell; take a smooth one"
            )

    def _seen(self, distance: float, point: Tensor) -> float:
        return self._grid.extent if distance < 0 else self._grid.curvature(distance, point)

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        return self._immersion.value(self._draw_coordinates(n, generator))

    def _draw_coordinates(self, n: int, generator: torch.Generator) -> Tensor:
        """Uniform coordinates, accepted in proportion to √det g."""
        box = self.domain.to(generator.device)
        bound = MARGIN * float(self._grid.volumes.max())
        while True:
            highest = 0.0

            def propose(size: int) -> tuple[Tensor, Tensor]:
                nonlocal highest
                uniform = torch.rand(size, self.dim, generator=generator, device=generator.device, dtype=torch.float64)
                q = box[:, 0] + (box[:, 1] - box[:, 0]) * uniform
                triangle = torch.linalg.qr(self._immersion.jacobian(q)[1], mode="r")[1]
                element = triangle.diagonal(dim1=-2, dim2=-1).abs().prod(-1)
                highest = max(highest, float(element.max()))
                return q, element / bound  # noqa: B023 # called before the bound changes

            q = draw_accepted(propose, n, generator)
            if highest <= bound:
                return q
            if not math.isfinite(highest):
                raise InputError(f"the volume element of {self!r} is not finite in its domain: choose a smaller one")
            bound = MARGIN * highest


def _box(domain: Interval | Sequence[Interval] | Tensor, dim: int) -> Tensor:
    """The domain as a box (m, 2), float64; raises `InputError` unless it has m intervals (low, high)."""
    try:
        box = torch.as_tensor(as_tensor(domain), dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        box = torch.empty(0)
    if box.shape == (2,):
        box = box.expand(dim, 2)
    if box.shape != (dim, 2) or not bool(box.isfinite().all()) or not bool((box[:, 0] < box[:, 1]).all()):
        raise InputError(
            f"the domain of {dim} coordinates must be a finite interval (low, high), or {dim} of them, got {domain!r}"
        )
    return box.clone()
