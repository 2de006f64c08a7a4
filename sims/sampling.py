"""Directions and the curvature invariants at a base point that predictions are evaluated with."""

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from proofs import PROVIDER as PROOFS
from sims.catalogue import Subject

TAYLOR_RADIUS = 0.3
"""Length of the rays on which heights are expanded."""
TAYLOR_NODES = 24
TAYLOR_DEGREE = 16
BOUND_DEGREES = range(2, 9)
BOUND_DIRECTIONS = 1024
FLAT = 1e-12
"""Spread of c below which it is the same in all directions, as on spheres."""
BOUND_MARGIN = 1.05
"""Over the largest of finitely many directions and degrees, which may fall short of the supremum."""


def symmetric_directions(n: int, dim: int, generator: torch.Generator) -> Float[Tensor, "n m"]:
    """n directions, uniform on the unit sphere of R^m, in antithetic pairs (w, −w): odd terms average out exactly."""
    half = torch.randn((n + 1) // 2, dim, generator=generator, device=generator.device, dtype=torch.float64)
    half = half / torch.linalg.vector_norm(half, dim=-1, keepdim=True)
    return torch.cat([half, -half])[:n]


@dataclass(frozen=True)
class Curvature:
    """The invariants of the second fundamental form h (codim, m, m) of a subject at its base point."""

    subject: Subject

    @cached_property
    def second_form(self) -> Float[Tensor, "codim m m"]:
        return self.subject.manifold.second_fundamental_form(self.subject.base_point)

    def normal_curvature_sq(self, w: Float[Tensor, "n m"]) -> Float[Tensor, " n"]:
        """F(w) = Σ_a h^a(w, w)²."""
        return torch.einsum("aij,ni,nj->na", self.second_form, w, w).square().sum(-1)

    def shape_sq(self, w: Float[Tensor, "n m"]) -> Float[Tensor, " n"]:
        """S(w) = Σ_a |h^a w|²."""
        return torch.einsum("aij,nj->nai", self.second_form, w).square().sum((1, 2))

    @cached_property
    def second_form_sq(self) -> float:
        """|h|²."""
        return float(self.second_form.square().sum())

    @cached_property
    def trace_form_sq(self) -> float:
        """|mH|²."""
        return float(self.second_form.diagonal(dim1=1, dim2=2).sum(-1).square().sum())

    @cached_property
    def mean_normal_curvature_sq(self) -> float:
        """⟨F⟩, by the spherical average that the proofs derive."""
        average = PROOFS.predictions("energy-concentration")["curvature-sq-mean"]
        return float(
            average(dim=self.subject.dim, second_form_sq=self.second_form_sq, trace_form_sq=self.trace_form_sq)
        )

    def projected_coefficient(self, w: Float[Tensor, "n m"]) -> Float[Tensor, " n"]:
        """c(w) of projected directions under the volume measure, as proved."""
        predicted = PROOFS.predictions("curvature-bias")["projected-volume"]
        return predicted(
            dim=self.subject.dim, normal_curvature_sq=self.normal_curvature_sq(w), shape_sq=self.shape_sq(w)
        )

    @cached_property
    def bound(self) -> float:
        """K with |D^j z(0)[w, …, w]| ≤ (j − 1)! K^{j−1}, the inverse length in the proofs' remainders.

        From Taylor coefficients of the heights z(sw), fitted at Chebyshev nodes along many rays.
        """
        manifold, point = self.subject.manifold, self.subject.base_point
        generator = torch.Generator(point.device).manual_seed(0)
        w = symmetric_directions(BOUND_DIRECTIONS, self.subject.dim, generator)
        nodes = torch.cos((torch.arange(TAYLOR_NODES, device=point.device) + 0.5) * math.pi / TAYLOR_NODES).double()
        heights = manifold.graph(point, TAYLOR_RADIUS * nodes[:, None, None] * w)
        powers = nodes[:, None] ** torch.arange(2, TAYLOR_DEGREE + 1, device=point.device)
        fitted = torch.linalg.lstsq(powers, heights.flatten(1)).solution.unflatten(1, heights.shape[1:])
        largest = torch.linalg.vector_norm(fitted, dim=-1).amax(-1).tolist()
        # D^j z = j! × coefficient, so (j − 1)! K^{j−1} ≥ j! a_j / r^j.
        return BOUND_MARGIN * max(
            (degree * largest[degree - 2] / TAYLOR_RADIUS**degree) ** (1 / (degree - 1)) for degree in BOUND_DEGREES
        )
