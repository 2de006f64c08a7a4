"""The quadratic and cubic forms of a graph, evaluated on batches."""

from dataclasses import dataclass
from itertools import permutations
from typing import Self

import torch
from torch import Tensor

from manifoldtheory.errors import InputError


@dataclass(frozen=True, eq=False)
class GraphForms:
    """z = ½ h(u, u) + ⅙ k(u, u, u), with h (codim, m, m) or per base point (…, codim, m, m), and k (codim, m, m, m)."""

    second: Tensor
    third: Tensor | None

    @classmethod
    def checked(cls, second: Tensor, third: Tensor | None) -> Self:
        """The forms in float64; raises `InputError` for wrong shapes, values that are not finite, or no symmetry."""
        second = _symmetric("second_form", second, 3)
        if third is None:
            return cls(second, None)
        third = _symmetric("third_form", third, 4)
        if third.shape[:2] != second.shape[:2]:
            raise InputError(
                f"third_form must have shape {(*second.shape, second.shape[-1])}, got {tuple(third.shape)}"
            )
        return cls(second, third if bool(third.any()) else None)

    @property
    def dim(self) -> int:
        return self.second.shape[-1]

    @property
    def codim(self) -> int:
        return self.second.shape[-3]

    @property
    def growth(self) -> tuple[float, float]:
        """(K₀, K₁) with |h(v, v) + k(u, v, v)| ≤ K₀ + K₁|u| for unit v; bounds the curvature of the graph at u."""
        codim = self.codim
        flat = torch.linalg.matrix_norm(self.second.reshape(codim, -1), ord=2)
        each = torch.linalg.vector_norm(torch.linalg.matrix_norm(self.second, ord=2))
        third = 0.0
        if self.third is not None:
            third = float(torch.linalg.matrix_norm(self.third.reshape(codim, -1), ord=2))
        return float(torch.minimum(flat, each)), third

    def osculating(self) -> tuple[Self, Tensor]:
        """The forms in an orthonormal basis of the normal directions they reach, and that basis (codim, r)."""
        rows = self.second.reshape(self.codim, -1)
        if self.third is not None:
            rows = torch.cat([rows, self.third.reshape(self.codim, -1)], 1)
        if rows.shape[1] >= self.codim:
            return self, torch.eye(self.codim, dtype=torch.float64)
        basis = torch.linalg.qr(rows)[0]
        third = None if self.third is None else torch.einsum("ab,aijk->bijk", basis, self.third)
        return type(self)(torch.einsum("ab,aij->bij", basis, self.second), third), basis

    def like(self, tensor: Tensor) -> Self:
        """The forms in the dtype and on the device of a tensor."""
        return type(self)(self.second.to(tensor), None if self.third is None else self.third.to(tensor))

    def along(self, u: Tensor) -> Tensor:
        """h(u, ·) (…, codim, m)."""
        if self.second.ndim == 3:
            codim, dim = self.codim, self.dim
            return (u @ self.second.reshape(codim * dim, dim).mT).reshape(*u.shape[:-1], codim, dim)
        return (self.second @ u[..., None, :, None])[..., 0]

    def third_along(self, u: Tensor, v: Tensor) -> Tensor | float:
        """k(u, v, ·) (…, codim, m); 0 without a cubic form."""
        if self.third is None:
            return 0.0
        codim, dim = self.codim, self.dim
        product = (u[..., :, None] * v[..., None, :]).flatten(-2)
        return (product @ self.third.reshape(codim * dim, dim * dim).mT).reshape(*product.shape[:-1], codim, dim)

    def third_at(self, base: Tensor) -> Tensor | float:
        """k(u₀, ·, ·) (…, codim, m, m) at base points u₀ (…, m); 0 without a cubic form."""
        return 0.0 if self.third is None else torch.einsum("aijk,...k->...aij", self.third, base)

    def heights(self, u: Tensor) -> Tensor:
        """z(u) (…, codim)."""
        return contract(self.along(u) / 2 + self.third_along(u, u) / 6, u)

    def slopes(self, u: Tensor) -> Tensor:
        """∂z/∂u (…, codim, m)."""
        return self.along(u) + self.third_along(u, u) / 2

    def bend(self, u: Tensor, v: Tensor) -> Tensor:
        """Second derivative of z at u along v: h(v, v) + k(u, v, v), (…, codim)."""
        return contract(self.along(v) + self.third_along(u, v), v)

    def metric(self, slopes: Tensor) -> Tensor:
        """g = I + JᵀJ (…, m, m) of slopes J."""
        identity = torch.eye(self.dim, dtype=slopes.dtype, device=slopes.device)
        return identity + slopes.mT @ slopes


def contract(matrix: Tensor, vector: Tensor) -> Tensor:
    """(…, codim, m), (…, m) → (…, codim), both per row."""
    return (matrix * vector[..., None, :]).sum(-1)


def _symmetric(name: str, form: Tensor, ndim: int) -> Tensor:
    if not isinstance(form, torch.Tensor):
        raise InputError(f"{name} must be a torch.Tensor, got {type(form).__name__}")
    if form.is_complex():
        raise InputError(f"{name} must be real, got {form.dtype}")
    form = form.detach().to("cpu", torch.float64)
    if form.ndim != ndim or 0 in form.shape or len(set(form.shape[1:])) != 1:
        raise InputError(f"{name} must have shape (codim{', m' * (ndim - 1)}), got {tuple(form.shape)}")
    if not bool(form.isfinite().all()):
        raise InputError(f"{name} must be finite")
    turned = torch.stack([form.permute(0, *order) for order in permutations(range(1, ndim))])
    if not bool(((turned - form).abs() <= 1e-6 * form.abs().max()).all()):
        raise InputError(f"{name} must be symmetric in its last {ndim - 1} axes: symmetrise it first")
    return turned.mean(0)
