"""Products of manifolds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.charts import Arc, Chart
from manifoldtheory.manifolds.checks import require_dim


@dataclass(frozen=True, init=False)
class Product(Submanifold):
    """M₁ × … × M_k in R^{d₁+…+d_k}: points, frames and tangent coordinates are those of the factors, end to end.

    `Product(Sphere(1), Sphere(1))` is a flat torus in R⁴, √2 times the Clifford torus of S³. Raises `InputError`
    without factors, or for a factor that is no `Submanifold`.
    """

    factors: tuple[Submanifold, ...]
    dim: int = field(init=False)
    ambient_dim: int = field(init=False)

    def __init__(self, *factors: Submanifold) -> None:
        if not factors:
            raise InputError("a product needs at least one factor: Product(Sphere(1), Sphere(2))")
        for factor in factors:
            if not isinstance(factor, Submanifold):
                raise InputError(f"the factors of a product must be manifolds, got {type(factor).__name__}")
        object.__setattr__(self, "factors", factors)
        object.__setattr__(self, "dim", sum(factor.dim for factor in factors))
        object.__setattr__(self, "ambient_dim", sum(factor.ambient_dim for factor in factors))
        require_dim("the ambient dimension of a product", self.ambient_dim)

    def __repr__(self) -> str:
        return f"Product({', '.join(map(repr, self.factors))})"

    @property
    def size(self) -> float:
        return max(factor.size for factor in self.factors)

    def chart(self, x: Tensor) -> "ProductChart":
        return ProductChart([factor.chart(part) for factor, part in zip(self.factors, self._split(x), strict=True)])

    def immersion(self, coordinates: Tensor) -> Tensor:
        """The coordinates of the factors, end to end."""
        parts = coordinates.split([factor.dim for factor in self.factors], -1)
        return torch.cat([factor.immersion(part) for factor, part in zip(self.factors, parts, strict=True)], -1)

    def distance_estimate(self, x: Tensor) -> Tensor:
        parts = zip(self.factors, self._split(x), strict=True)
        distances = torch.stack([factor.distance_estimate(part) for factor, part in parts], -1)
        return torch.linalg.vector_norm(distances, dim=-1)

    def _split(self, x: Tensor) -> Sequence[Tensor]:
        return x.split([factor.ambient_dim for factor in self.factors], -1)

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        return torch.cat([factor._draw(n, generator) for factor in self.factors], -1)


class ProductChart(Chart):
    """Each factor on its own coordinates; |II(v, v)|² = Σ |II_k(v_k, v_k)|², so the factors' bounds hold together.

    A point at ambient radius t is at most t away from the base point in each factor, hence the smallest limit. Factors
    in closed form reach beyond 1/curvature (projected) or 1.9/curvature (geodesic), the product does not: Newton's
    method finds its radii, starting at u = t w, which must lie in the domain of every graph.
    """

    def __init__(self, charts: Sequence[Chart]) -> None:
        self.charts = charts
        self.sizes = [chart.tangent_frame.shape[-1] for chart in charts]
        self.tangent_frame = _blocks([chart.tangent_frame for chart in charts])
        self.normal_frame = _blocks([chart.normal_frame for chart in charts])
        ends = list(accumulate(self.sizes))
        self.second_form = torch.cat(
            [
                torch.nn.functional.pad(chart.second_form, (end - size, ends[-1] - end) * 2)
                for chart, size, end in zip(charts, self.sizes, ends, strict=True)
            ],
            -3,
        )
        reach = min(1 / bend if bend else math.inf for bend in (chart.curvature_bound(0.0) for chart in charts))
        self.projected_limit = min(reach, *(chart.projected_limit for chart in charts))
        self.geodesic_limit = min(1.9 * reach, *(chart.geodesic_limit for chart in charts))

    def curvature_bound(self, distance: float) -> float:
        return max(chart.curvature_bound(distance) for chart in self.charts)

    def steps(self, length: float) -> int:
        return max(chart.steps(length) for chart in self.charts)

    def out_of_range(self, u: Tensor) -> Tensor:
        return torch.stack([chart.out_of_range(part) for chart, part in self._parts(u)]).any(0)

    def heights(self, u: Tensor) -> Tensor:
        return torch.cat([chart.expand_normal(chart.heights(part)) for chart, part in self._parts(u)], -1)

    def slopes(self, u: Tensor) -> Tensor:
        return _blocks([chart.expand_normal(chart.slopes(part).mT).mT for chart, part in self._parts(u)])

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        arcs = [(chart, chart.geodesic(part, steps)) for chart, part in self._parts(a)]
        whole = lambda part: torch.cat([part(chart, arc) for chart, arc in arcs], -1)  # noqa: E731
        return Arc(
            whole(lambda _, arc: arc.tangent),
            whole(lambda chart, arc: chart.expand_normal(arc.normal)),
            whole(lambda _, arc: arc.tangent_velocity),
            whole(lambda chart, arc: chart.expand_normal(arc.normal_velocity)),
        )

    def variation(self, a: Tensor, across: Tensor, steps: int) -> tuple[Arc, Tensor]:
        changes = across.split(self.sizes, -1)
        slopes = [
            (chart, chart.variation(part, change.contiguous(), steps)[1])
            for (chart, part), change in zip(self._parts(a), changes, strict=True)
        ]
        tangent = [slope[..., :size] for (_, slope), size in zip(slopes, self.sizes, strict=True)]
        normal = [
            chart.expand_normal(slope[..., size:]) for (chart, slope), size in zip(slopes, self.sizes, strict=True)
        ]
        return self.geodesic(a, steps), torch.cat([*tangent, *normal], -1)

    def _parts(self, u: Tensor) -> list[tuple[Chart, Tensor]]:
        return list(zip(self.charts, u.split(self.sizes, -1), strict=True))


def _blocks(matrices: Sequence[Tensor]) -> Tensor:
    """A block-diagonal matrix from the blocks (…, r_k, c_k)."""
    ends = list(accumulate(matrix.shape[-1] for matrix in matrices))
    rows = [
        torch.nn.functional.pad(matrix, (end - matrix.shape[-1], ends[-1] - end))
        for matrix, end in zip(matrices, ends, strict=True)
    ]
    return torch.cat(rows, -2)
