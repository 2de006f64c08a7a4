"""Charts of a Monge patch: at its vertex, and at any other point."""

import torch
from torch import Tensor

from manifoldtheory.manifolds.charts import Arc, Chart, apply, radius_at
from manifoldtheory.manifolds.forms import GraphForms, contract
from manifoldtheory.manifolds.geodesics import integrate

TILT_STEPS = 12
"""Newton steps from tangent coordinates to graph coordinates. Fixed, so that `torch.func` can go through."""


class GraphChart(Chart):
    """What both charts share: geodesics u″ = −g⁻¹Jᵀ ∇²z(u′, u′) and curvature bounds that grow with the cubic form."""

    growth: tuple[float, float]
    """Curvature at most growth[0] + growth[1] · distance."""

    def curvature_bound(self, distance: float) -> float:
        return self.growth[0] + self.growth[1] * distance

    def _limits(self) -> None:
        curvature, growth = self.growth
        self.projected_limit = radius_at(1.0, curvature, growth * torch.pi / 2)
        self.geodesic_limit = radius_at(1.9, curvature, growth * torch.pi / 2)


class VertexChart(GraphChart):
    """At the origin the tangent coordinates are u itself; normals in the span of the forms' images."""

    def __init__(self, x: Tensor, forms: GraphForms, osculating: GraphForms, directions: Tensor) -> None:
        size = forms.dim + forms.codim
        identity = torch.eye(size, dtype=x.dtype, device=x.device).expand(*x.shape[:-1], size, size)
        self.tangent_frame, self.normal_frame = identity[..., : forms.dim], identity[..., forms.dim :]
        self.second_form = forms.second.expand(*x.shape[:-1], *forms.second.shape)
        self.forms, self.directions, self.growth = osculating, directions, forms.growth
        self._limits()

    def expand_normal(self, normal: Tensor) -> Tensor:
        return normal @ self.directions.mT

    def out_of_range(self, u: Tensor) -> Tensor:
        return torch.zeros_like(u[..., 0], dtype=torch.bool)

    def heights(self, u: Tensor) -> Tensor:
        return self.forms.heights(u)

    def slopes(self, u: Tensor) -> Tensor:
        return self.forms.slopes(u)

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        def acceleration(u: Tensor, velocity: Tensor) -> Tensor:
            slopes = self.forms.slopes(u)
            pull = contract(slopes.mT, self.forms.bend(u, velocity))
            return -torch.linalg.solve(self.forms.metric(slopes), pull)

        u, velocity = integrate(acceleration, a, steps)
        return Arc(u, self.heights(u), velocity, contract(self.slopes(u), velocity))


class TiltedChart(GraphChart):
    """At (u₀, z(u₀)) with slopes J₀: in δ = u − u₀ the graph is (δ, J₀δ + r(δ)), r of second order.

    With G = I + J₀ᵀJ₀ and L = (I + J₀J₀ᵀ)^{−½}, the frames are (I; J₀)G^{−½} and (−J₀ᵀ; I)L, and the displacement has
    tangent part G^{½}δ + G^{−½}J₀ᵀr and normal part L r: J₀δ drops out of the normal part by algebra, not by rounding.
    """

    def __init__(self, x: Tensor, forms: GraphForms) -> None:
        base = x[..., : forms.dim]
        self.tilt = forms.slopes(base)
        eigenvalues, axes = torch.linalg.eigh(forms.metric(self.tilt))
        root = eigenvalues.sqrt()
        self.widen = axes * root[..., None, :] @ axes.mT
        self.narrow = axes / root[..., None, :] @ axes.mT
        # (I + JJᵀ)^{−½} = I − J φ(JᵀJ) Jᵀ with φ(λ) = 1/(√(1+λ) (1 + √(1+λ)))
        inner_part = axes / (root * (1 + root))[..., None, :] @ axes.mT
        identity = torch.eye(forms.codim, dtype=x.dtype, device=x.device)
        self.level = identity - self.tilt @ inner_part @ self.tilt.mT
        flat = torch.eye(forms.dim, dtype=x.dtype, device=x.device).expand(*x.shape[:-1], forms.dim, forms.dim)
        self.tangent_frame = torch.cat([flat, self.tilt], -2) @ self.narrow
        self.normal_frame = torch.cat([-self.tilt.mT, identity.expand_as(self.level)], -2) @ self.level
        second = forms.second + _third_at(forms, base)
        self.forms = GraphForms(second, forms.third)
        bent = self.narrow[..., None, :, :] @ second @ self.narrow[..., None, :, :]
        self.second_form = torch.einsum("...ab,...bij->...aij", self.level, bent)
        curvature, growth = forms.growth
        self.growth = curvature + growth * float(torch.linalg.vector_norm(base, dim=-1).max()), growth
        self._limits()

    def out_of_range(self, u: Tensor) -> Tensor:
        limit = radius_at(1.0, self.growth[0], self.growth[1] * torch.pi / 2)
        return (u**2).sum(-1) >= limit**2

    def heights(self, u: Tensor) -> Tensor:
        return apply(self.level, self.forms.heights(self._graph_coordinates(u)))

    def slopes(self, u: Tensor) -> Tensor:
        bent = self.forms.slopes(self._graph_coordinates(u))
        return self.level @ bent @ torch.linalg.inv(self._stretch(bent))

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        def acceleration(delta: Tensor, velocity: Tensor) -> Tensor:
            slopes = self.tilt + self.forms.slopes(delta)
            pull = contract(slopes.mT, self.forms.bend(delta, velocity))
            return -torch.linalg.solve(self.forms.metric(slopes), pull)

        delta, velocity = integrate(acceleration, apply(self.narrow, a), steps)
        rise, climb = self.forms.heights(delta), contract(self.forms.slopes(delta), velocity)
        return Arc(
            self._tangent(delta, rise),
            apply(self.level, rise),
            self._tangent(velocity, climb),
            apply(self.level, climb),
        )

    def _tangent(self, delta: Tensor, rise: Tensor) -> Tensor:
        """G^{½}δ + G^{−½}J₀ᵀr"""
        return apply(self.widen, delta) + apply(self.narrow @ self.tilt.mT, rise)

    def _stretch(self, bent: Tensor) -> Tensor:
        """Its derivative by δ, r′ being the slopes `bent`."""
        return self.widen + self.narrow @ self.tilt.mT @ bent

    def _graph_coordinates(self, u: Tensor) -> Tensor:
        """δ with the given tangent part, by Newton."""
        delta = apply(self.narrow, u)
        for _ in range(TILT_STEPS):
            missing = u - self._tangent(delta, self.forms.heights(delta))
            delta = delta + torch.linalg.solve(self._stretch(self.forms.slopes(delta)), missing)
        return delta


def _third_at(forms: GraphForms, base: Tensor) -> Tensor | float:
    """k(u₀, ·, ·) (…, codim, m, m)."""
    return 0.0 if forms.third is None else torch.einsum("aijk,...k->...aij", forms.third, base)
