"""Numerical oracles that share nothing with the proofs: graphs with known heights, in float64."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = np.ndarray


@dataclass(frozen=True)
class Graph:
    """Heights z(u) over the tangent space with their first and second derivatives, and a curvature bound K."""

    name: str
    dim: int
    height: Callable[[Array], Array]
    jacobian: Callable[[Array], Array]
    hessian: Callable[[Array], Array]
    bound: float

    @property
    def second_form(self) -> Array:
        return self.hessian(np.zeros(self.dim))

    def normal_curvature_sq(self, w: Array) -> float:
        return float((np.einsum("aij,i,j->a", self.second_form, w, w) ** 2).sum())

    def shape_sq(self, w: Array) -> float:
        return float((np.einsum("aij,j->ai", self.second_form, w) ** 2).sum())

    def radius(self, w: Array, rho: float) -> float:
        return float(np.sqrt(rho**2 + (self.height(rho * w) ** 2).sum()))

    def abscissa(self, w: Array, t: float) -> float:
        """ρ with ambient radius t in direction w."""
        root: Any = brentq(lambda rho: self.radius(w, rho) - t, 0.5 * t, t, xtol=1e-16)
        return float(root)

    def density(self, w: Array, t: float) -> float:
        """√det g (ρ/t)^{m−1} dρ/dt."""
        rho = self.abscissa(w, t)
        jacobian = self.jacobian(rho * w)
        volume = np.sqrt(np.linalg.det(np.eye(self.dim) + jacobian.T @ jacobian))
        slope = (rho + self.height(rho * w) @ (jacobian @ w)) / t
        return float(volume * (rho / t) ** (self.dim - 1) / slope)

    def normal_norm(self, w: Array, t: float) -> float:
        """|P_N ξ| at ambient radius t, for w the direction of P_T ξ."""
        return float(np.linalg.norm(self.height(self.abscissa(w, t) * w)))

    def geodesic_parts(self, v: Array, t: float) -> tuple[float, float]:
        """|P_T ξ| and |P_N ξ| where the geodesic of direction v reaches the ambient radius t."""
        _, u = self._geodesic(v, t)
        return float(np.linalg.norm(u)), float(np.linalg.norm(self.height(u)))

    def arclength(self, v: Array, t: float) -> float:
        """The length at which the geodesic of direction v reaches the ambient radius t."""
        return self._geodesic(v, t)[0]

    def _geodesic(self, v: Array, t: float) -> tuple[float, Array]:

        def motion(_: float, state: Array) -> Array:
            u, velocity = np.split(state, 2)
            jacobian = self.jacobian(u)
            bend = np.einsum("aij,i,j->a", self.hessian(u), velocity, velocity)
            metric = np.eye(self.dim) + jacobian.T @ jacobian
            return np.concatenate([velocity, -np.linalg.solve(metric, jacobian.T @ bend)])

        def reached(_: float, state: Array) -> float:
            u = state[: self.dim]
            return float(u @ u + (self.height(u) ** 2).sum()) - t**2

        start = np.concatenate([np.zeros(self.dim), v])
        path = solve_ivp(motion, (0, 2 * t), start, events=reached, method="DOP853", rtol=1e-12, atol=1e-15)
        return float(path.t_events[0][-1]), path.y_events[0][-1][: self.dim]


def sphere(dim: int, radius: float = 1.0) -> Graph:
    """K = 1/radius: the coefficients of r − √(r² − ρ²) are below those of the majorant."""

    def root(u: Array) -> float:
        return float(np.sqrt(radius**2 - u @ u))

    return Graph(
        f"S{dim}",
        dim,
        lambda u: np.array([(u @ u) / (radius + root(u))]),
        lambda u: (u / root(u))[None],
        lambda u: (np.eye(dim) / root(u) + np.outer(u, u) / root(u) ** 3)[None],
        1 / radius,
    )


def cylinder(radius: float = 1.0) -> Graph:
    """Curved along the first axis."""
    line = sphere(1, radius)
    pad = np.array([1.0, 0.0])
    return Graph(
        "cylinder",
        2,
        lambda u: line.height(u[:1]),
        lambda u: line.jacobian(u[:1]) @ pad[None],
        lambda u: line.hessian(u[:1]) * np.outer(pad, pad),
        1 / radius,
    )


def random_patch(dim: int, codim: int, seed: int) -> Graph:
    """z_a = ½ h^a(u,u) + ⅙ k^a(u,u,u) with random h, k; K from Frobenius norms."""
    generator = np.random.default_rng(seed)
    h = generator.normal(size=(codim, dim, dim))
    h = h + h.transpose(0, 2, 1)
    k = generator.normal(size=(codim, dim, dim, dim))
    k = sum(k.transpose(0, *order) for order in ((1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)))
    h, k = h / np.linalg.norm(h), k / np.linalg.norm(k)
    return Graph(
        f"monge-{dim}-{codim}",
        dim,
        lambda u: np.einsum("aij,i,j->a", h, u, u) / 2 + np.einsum("aijk,i,j,k->a", k, u, u, u) / 6,
        lambda u: np.einsum("aij,j->ai", h, u) + np.einsum("aijk,j,k->ai", k, u, u) / 2,
        lambda u: h + np.einsum("aijk,k->aij", k, u),
        1.0,
    )


GRAPHS = (
    sphere(1),
    sphere(2),
    sphere(5, 2.0),
    cylinder(),
    random_patch(1, 2, 0),
    random_patch(2, 1, 1),
    random_patch(3, 5, 2),
)


def directions(dim: int, count: int, seed: int = 0) -> Array:
    """Random unit directions; the first is an axis."""
    w = np.random.default_rng(seed).normal(size=(count, dim))
    w[0] = np.eye(dim)[0]
    return w / np.linalg.norm(w, axis=1, keepdims=True)


def circle(count: int) -> Array:
    """Equispaced directions in the plane: averages of trigonometric polynomials below the count are exact."""
    angle = 2 * np.pi * np.arange(count) / count
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def quadrature(dim: int) -> tuple[Array, Array]:
    """Directions and weights for averages over them, exact for polynomials of degree 20; dim 1, 2 or 3."""
    if dim == 1:
        return np.array([[1.0], [-1.0]]), np.array([0.5, 0.5])
    ring = circle(22)
    if dim == 2:
        return ring, np.full(22, 1 / 22)
    heights, weights = np.polynomial.legendre.leggauss(11)
    widths = np.sqrt(1 - heights**2)
    w = np.concatenate([np.repeat(heights, 22)[:, None], np.kron(widths[:, None], ring)], axis=1)
    return w, np.repeat(weights / 2 / 22, 22)
