"""Monge patches: graphs of quadratic and cubic forms, in any codimension."""

import math
from functools import cached_property

import torch
from torch import Tensor

from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.charts import radius_at
from manifoldtheory.manifolds.forms import GraphForms
from manifoldtheory.manifolds.monge_charts import TiltedChart, VertexChart
from manifoldtheory.manifolds.rejection import draw_accepted
from manifoldtheory.manifolds.sphere import uniform_directions


class MongePatch(Submanifold):
    """The graph z_a = ½ h^a(u, u) + ⅙ k^a(u, u, u) over R^m, in R^{m+codim}: points (u, z(u)).

    At the origin, the *vertex*, the frames are the coordinate axes and the second fundamental form is h exactly; other
    base points are served too, at a higher cost. `second_form` is (codim, m, m), `third_form` (codim, m, m, m), both
    symmetric in their last axes; raises `InputError` otherwise. `sample` draws by volume from the part |u| ≤
    `sample_radius`, where no slope exceeds ½, because the whole patch has no finite volume.
    """

    def __init__(self, second_form: Tensor, third_form: Tensor | None = None) -> None:
        self._forms = GraphForms.checked(second_form, third_form)
        self.dim = self._forms.dim
        self.ambient_dim = self._forms.dim + self._forms.codim

    def __repr__(self) -> str:
        third = "" if self._forms.third is None else ", third_form=…"
        return f"MongePatch(second_form={tuple(self._forms.second.shape)}{third})"

    @property
    def second_form(self) -> Tensor:
        """h (codim, m, m), float64."""
        return self._forms.second.clone()

    @property
    def third_form(self) -> Tensor | None:
        """k (codim, m, m, m), float64, or ``None``."""
        return None if self._forms.third is None else self._forms.third.clone()

    @cached_property
    def sample_radius(self) -> float:
        """Up to where no slope exceeds ½; 1 for a flat patch."""
        radius = radius_at(0.5, *self._forms.growth)
        return radius if radius < math.inf else 1.0

    @property
    def size(self) -> float:
        return self.sample_radius

    def chart(self, x: Tensor) -> VertexChart | TiltedChart:
        forms, directions = self._osculating
        kind = VertexChart if bool((x == 0).all()) else TiltedChart
        return kind(x, forms.like(x), directions.to(x))

    @cached_property
    def _osculating(self) -> tuple[GraphForms, Tensor]:
        return self._forms.osculating()

    def immersion(self, coordinates: Tensor) -> Tensor:
        """u ↦ (u, z(u))."""
        return torch.cat([coordinates, self._forms.like(coordinates).heights(coordinates)], -1)

    def distance_estimate(self, x: Tensor) -> Tensor:
        u = x[..., : self.dim]
        return torch.linalg.vector_norm(x - self.immersion(u), dim=-1)

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        """Uniform u in the ball, accepted in proportion to √det g ≤ (1 + ¼)^{m/2}."""
        forms = self._forms.like(torch.empty(0, dtype=torch.float64, device=generator.device))

        def propose(size: int) -> tuple[Tensor, Tensor]:
            uniform = torch.rand(size, 1, generator=generator, device=generator.device, dtype=torch.float64)
            u = self.sample_radius * uniform ** (1 / self.dim) * uniform_directions(size, self.dim, generator)
            element = torch.sqrt(torch.linalg.det(forms.metric(forms.slopes(u))))
            return u, element / 1.25 ** (self.dim / 2)

        return self.immersion(draw_accepted(propose, n, generator))
