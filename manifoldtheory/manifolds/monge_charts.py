"""Charts of a Monge patch: at its vertex, and at any other point."""

from collections.abc import Callable

import torch
from torch import Tensor

from manifoldtheory.manifolds.charts import Arc, Chart, apply, components_first, radius_at
from manifoldtheory.manifolds.forms import GraphForms, contract
from manifoldtheory.manifolds.geodesics import integrate
from manifoldtheory.manifolds.linear import solve_definite

TILT_STEPS = 12
"""Newton steps from tangent coordinates to graph coordinates. Fixed, so that `torch.func` can go through."""


class GraphChart(Chart):
    """What both charts share: forms in osculating normal directions, curvature bounds that grow with the cubic form."""

    forms: GraphForms
    directions: Tensor
    """The osculating normal directions (codim, r), orthonormal."""

    growth: tuple[float, float]
    """Curvature at most growth[0] + growth[1] · distance."""

    def curvature_bound(self, distance: float) -> float:
        return self.growth[0] + self.growth[1] * distance

    def expand_normal(self, normal: Tensor) -> Tensor:
        return normal @ self.directions.mT

    def _limits(self) -> None:
        curvature, growth = self.growth
        self.projected_limit = radius_at(1.0, curvature, growth * torch.pi / 2)
        self.geodesic_limit = radius_at(1.9, curvature, growth * torch.pi / 2)


class VertexChart(GraphChart):
    """At the origin the tangent coordinates are u itself."""

    def __init__(self, x: Tensor, forms: GraphForms, directions: Tensor) -> None:
        dim, size = forms.dim, forms.dim + directions.shape[0]
        identity = torch.eye(size, dtype=x.dtype, device=x.device).expand(*x.shape[:-1], size, size)
        self.tangent_frame, self.normal_frame = identity[..., :dim], identity[..., dim:]
        second = torch.einsum("ab,bij->aij", directions, forms.second)
        self.second_form = second.expand(*x.shape[:-1], *second.shape)
        self.forms, self.directions, self.growth = forms, directions, forms.growth
        self._limits()

    def out_of_range(self, u: Tensor) -> Tensor:
        return torch.zeros_like(u[..., 0], dtype=torch.bool)

    def heights(self, u: Tensor) -> Tensor:
        return self.forms.heights(u)

    def slopes(self, u: Tensor) -> Tensor:
        return self.forms.slopes(u)

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        acceleration = cubic_field(self.forms) if self.forms.third is not None else quadratic_field(self.forms)
        u, velocity = (end.movedim(0, -1) for end in integrate(acceleration, components_first(a), steps))
        return Arc(u, self.heights(u), velocity, contract(self.slopes(u), velocity))


class TiltedChart(GraphChart):
    """At (u₀, z(u₀)) with slopes J₀: in δ = u − u₀ the graph is (δ, J₀δ + r(δ)), r of second order.

    With G = I + J₀ᵀJ₀ and L = (I + J₀J₀ᵀ)^{−½}, the frames are (I; J₀)G^{−½} and (−J₀ᵀ; I)L, and the displacement has
    tangent part G^{½}δ + G^{−½}J₀ᵀr and normal part L r: J₀δ drops out of the normal part by algebra, not by rounding.
    """

    def __init__(self, x: Tensor, forms: GraphForms, directions: Tensor) -> None:
        dim, codim = forms.dim, directions.shape[0]
        base = x[..., :dim]
        self.tilt = forms.slopes(base)
        eigenvalues, axes = torch.linalg.eigh(forms.metric(self.tilt))
        root = eigenvalues.sqrt()
        self.widen = axes * root[..., None, :] @ axes.mT
        self.narrow = axes / root[..., None, :] @ axes.mT
        # (I + JJᵀ)^{−½} = I − J φ(JᵀJ) Jᵀ with φ(λ) = 1/(√(1+λ) (1 + √(1+λ)))
        middle = axes / (root * (1 + root))[..., None, :] @ axes.mT
        self.level = _eye(forms.codim, x) - self.tilt @ middle @ self.tilt.mT
        tilt = directions @ self.tilt
        level = _eye(codim, x) - tilt @ middle @ tilt.mT
        self.tangent_frame = torch.cat([_eye(dim, x).expand_as(self.narrow), tilt], -2) @ self.narrow
        self.normal_frame = torch.cat([-tilt.mT, _eye(codim, x).expand_as(level)], -2) @ level
        second = forms.second + forms.third_at(base)
        self.forms, self.directions = GraphForms(second, forms.third), directions
        bent = self.narrow[..., None, :, :] @ second @ self.narrow[..., None, :, :]
        self.second_form = torch.einsum("...ab,...bij->...aij", directions @ self.level, bent)
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


def quadratic_field(forms: GraphForms) -> Callable[[Tensor, Tensor], Tensor]:
    """u″ = −g⁻¹Jᵀ∇²z(u′, u′) for z = ½ h(u, u), components first: (m, …), (m, …) → (m, …).

    With Q_{ijkl} = Σ_a h^a_ij h^a_kl: g_ik = δ_ik + Q_{ijkl} u_j u_l and (Jᵀ∇²z)_i = Q_{ijkl} u_j u′_k u′_l, whatever
    the codimension.
    """
    dim = forms.dim
    products = torch.einsum("aij,akl->ijkl", forms.second, forms.second)
    metric_table = products.permute(0, 2, 1, 3).reshape(dim * dim, dim * dim)
    pull_table = products.reshape(dim * dim, dim * dim)

    def acceleration(u: Tensor, velocity: Tensor) -> Tensor:
        gram = torch.tensordot(metric_table, (u[:, None] * u).flatten(0, 1), 1).unflatten(0, (dim, dim))
        pull = torch.tensordot(pull_table, (velocity[:, None] * velocity).flatten(0, 1), 1).unflatten(0, (dim, dim))
        return -solve_metric(gram, (pull * u).sum(1))

    return acceleration


def cubic_field(forms: GraphForms) -> Callable[[Tensor, Tensor], Tensor]:
    """The same with a cubic form, from slopes (codim, m, …) and second derivatives (codim, …)."""
    dim, codim = forms.dim, forms.codim
    assert forms.third is not None
    linear, square = forms.second.reshape(codim * dim, dim), forms.third.reshape(codim * dim, dim * dim)

    def acceleration(u: Tensor, velocity: Tensor) -> Tensor:
        slopes = torch.tensordot(linear, u, 1) + torch.tensordot(square, (u[:, None] * u).flatten(0, 1), 1) / 2
        slopes = slopes.unflatten(0, (codim, dim))
        bent = torch.tensordot(linear, velocity, 1) + torch.tensordot(square, (u[:, None] * velocity).flatten(0, 1), 1)
        bend = (bent.unflatten(0, (codim, dim)) * velocity).sum(1)
        gram = (slopes[:, :, None] * slopes[:, None]).sum(0)
        return -solve_metric(gram, (slopes * bend[:, None]).sum(0))

    return acceleration


def solve_metric(gram: Tensor, right: Tensor) -> Tensor:
    """(I + gram)⁻¹ right over the trailing axes: (m, m, …), (m, …) → (m, …)."""
    dim = right.shape[0]
    return solve_definite(gram + _eye(dim, right).reshape(dim, dim, *(1,) * (gram.ndim - 2)), right)


def _eye(size: int, like: Tensor) -> Tensor:
    return torch.eye(size, dtype=like.dtype, device=like.device)
