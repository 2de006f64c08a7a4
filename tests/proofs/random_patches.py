"""Monge patches on torch, whose geodesics and exponential maps are integrated and differentiated automatically."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from manifoldtheory.manifolds import MongePatch
from manifoldtheory.manifolds.clouds import place_geodesic

from .graphs import Graph


def patch(graph: Graph) -> MongePatch:
    """The manifold of a graph of `graphs.random_patch`, its cubic form by automatic differences of the Hessian."""
    basis = np.eye(graph.dim)
    third = np.stack([graph.hessian(axis) - graph.second_form for axis in basis], axis=-1)
    return MongePatch(torch.tensor(graph.second_form), torch.tensor(third))


def geodesic_densities(manifold: Any, directions: np.ndarray, t: float, measure: Any) -> np.ndarray:
    """ds/dt, (s/t)^{m−1} ds/dt, or θ times that, averaged over each direction and its opposite."""
    w = torch.tensor(directions)
    chart = manifold.chart(torch.zeros(manifold.ambient_dim, dtype=torch.float64))
    radii = torch.full((2 * len(w),), t, dtype=torch.float64)
    density = place_geodesic(chart, radii, torch.cat([w, -w]), measure)[2]
    return density.unflatten(0, (2, -1)).mean(0).numpy()


def ricci(manifold: MongePatch, directions: np.ndarray) -> np.ndarray:
    """Ric(v, v) at the vertex from second derivatives of the metric, where its first ones vanish: no Gauss equation."""
    dim = manifold.dim

    def metric(u: Tensor) -> Tensor:
        jacobian = torch.func.jacrev(manifold.immersion)(u)
        return jacobian.T @ jacobian

    second = torch.func.jacrev(torch.func.jacrev(metric))(torch.zeros(dim, dtype=torch.float64)).numpy()
    # Ric_km = ½ Σ_i (∂_k∂_i g_im + ∂_i∂_m g_ki − ∂_k∂_m g_ii − ∂_i∂_i g_km), with second[a, b, c, d] = ∂_c∂_d g_ab
    plus, minus = ("imki->km", "kiim->km"), ("iikm->km", "kmii->km")
    traced = sum(np.einsum(word, second) for word in plus) - sum(np.einsum(word, second) for word in minus)
    return np.einsum("nj,jk,nk->n", directions, traced / 2, directions)
