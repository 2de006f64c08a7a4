"""Low-rank tangent proxies, and the random subspaces of equal rank that they are held against."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.moments import Moment, SecondMoment, moment_matrix


@dataclass(frozen=True)
class TangentProxy:
    """A subspace Q_T of R^d that stands for the tangent space: `basis` (d, k) with orthonormal columns.

    Raises `InputError` when the columns are not orthonormal to 1e-6.
    """

    basis: Float[Tensor, "d k"]

    def __post_init__(self) -> None:
        if self.basis.ndim != 2 or not 1 <= self.rank <= self.dim:
            raise InputError(f"a tangent proxy's basis is (d, k) with 1 ≤ k ≤ d, got {tuple(self.basis.shape)}")
        gram = self.basis.T @ self.basis
        if not torch.allclose(gram, torch.eye(self.rank).to(gram), atol=1e-6):
            raise InputError("a tangent proxy's basis needs orthonormal columns: orthonormalise it (torch.linalg.qr)")

    @property
    def dim(self) -> int:
        """Ambient dimension d."""
        return self.basis.shape[0]

    @property
    def rank(self) -> int:
        """Dimension k of the subspace."""
        return self.basis.shape[1]

    @property
    def complement(self) -> Float[Tensor, "d codim"]:
        """An orthonormal basis of the orthogonal complement, shape (d, d − k)."""
        return torch.linalg.qr(self.basis, mode="complete").Q[:, self.rank :]


def fit_tangent_proxy(
    data: Moment,
    rank: int,
    method: Literal["pca"] = "pca",
    *,
    centered: bool = True,
    generator: torch.Generator | None = None,
) -> TangentProxy:
    """Tangent proxy of the given rank: for ``"pca"`` the leading eigenvectors of the covariance.

    Args:
        data: points (n, d), or their `SecondMoment`.
        rank: k, between 1 and d − 1.
        centered: about the mean (covariance) or about the origin (second moment).
        generator: of methods that draw; PCA draws nothing.

    Raises `InputError` for an unknown method, for a rank out of range, and for non-finite points.
    """
    if method != "pca":
        raise InputError(f"unknown tangent proxy {method!r}: choose 'pca'")
    if not isinstance(data, SecondMoment):
        data = torch.as_tensor(data)
        if data.ndim != 2:
            raise InputError(f"points have shape (n, d), got {tuple(data.shape)}")
        data = SecondMoment(data.shape[1]).update(data)
    matrix = moment_matrix(data, centered=centered)
    check_rank(rank, len(matrix))
    return TangentProxy(torch.linalg.eigh(matrix).eigenvectors[:, -rank:].flip(1).contiguous())


def random_normal_bases(proxy: TangentProxy, count: int, *, generator: torch.Generator) -> Float[Tensor, "count d k"]:
    """Bases of `count` Haar-random subspaces of rank k inside the complement of the proxy, shape (count, d, k).

    The paper's matched normal controls. Raises `InputError` unless 2k < d: a larger proxy leaves no room to draw from.
    """
    if 2 * proxy.rank >= proxy.dim:
        raise InputError(no_room_for_controls(proxy.rank, proxy.dim))
    complement = proxy.complement.to(generator.device)
    shape = (count, proxy.dim - proxy.rank, proxy.rank)
    gaussian = torch.randn(shape, generator=generator, device=generator.device, dtype=complement.dtype)
    # The sign ambiguity of QR changes the basis, not the subspace, which is Haar either way.
    return complement @ torch.linalg.qr(gaussian).Q


def check_rank(rank: int, dim: int) -> None:
    """Raises `InputError` unless 1 ≤ rank < dim."""
    if not 1 <= rank < dim:
        raise InputError(f"rank {rank} is out of range: in {dim} dimensions it must lie between 1 and {dim - 1}")


def no_room_for_controls(rank: int, dim: int) -> str:
    """Why matched normal controls do not exist at this rank."""
    return f"matched normal controls of rank {rank} need 2·rank < dimension, and the dimension is {dim}: lower the rank"
