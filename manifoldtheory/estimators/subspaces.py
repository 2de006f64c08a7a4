"""Low-rank tangent proxies, and the random subspaces of equal rank that they are held against."""

import warnings
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.arrays import as_numpy, as_tensor, numpy_in_numpy_out
from manifoldtheory.errors import InputError
from manifoldtheory.estimators.local_pca import NEIGHBOURS, finite_points, local_tangents, mean_projector
from manifoldtheory.estimators.moments import SecondMoment, real_tensor
from manifoldtheory.estimators.semi_nmf import semi_nmf

METHODS = ("pca", "semi-nmf", "local-pca")
TIE = 16
"""Units of rounding, times the dimension and the largest eigenvalue, that two different eigenvalues lie apart."""


class DegenerateProxyWarning(UserWarning):
    """The subspace asked for is one of many that serve equally: eigenvalues tie at the cut."""


@dataclass(frozen=True)
class TangentProxy:
    """A subspace Q_T of R^d that stands for the tangent space: `basis` (d, k) with orthonormal columns.

    Raises `InputError` when the columns are not real, finite and orthonormal to 1e-6.
    """

    basis: Float[Tensor, "d k"]

    def __post_init__(self) -> None:
        if not isinstance(self.basis, Tensor | np.ndarray):
            raise InputError(f"a tangent proxy's basis is a tensor or an array, got {type(self.basis).__name__}")
        basis = real_tensor("a basis", self.basis)
        basis = basis if basis.is_floating_point() else basis.double()
        if basis.ndim != 2 or not 1 <= self.rank <= self.dim:
            raise InputError(f"a tangent proxy's basis is (d, k) with 1 ≤ k ≤ d, got {tuple(self.basis.shape)}")
        error = (basis.T @ basis).double() - torch.eye(self.rank, dtype=torch.float64, device=basis.device)
        if not float(error.abs().max()) <= 1e-6:
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
        rest = torch.linalg.qr(cast("Tensor", as_tensor(self.basis)), mode="complete").Q[:, self.rank :]
        return cast("Tensor", as_numpy(rest)) if isinstance(self.basis, np.ndarray) else rest


@numpy_in_numpy_out
def fit_tangent_proxy(
    data: Float[Tensor, "n d"] | np.ndarray | SecondMoment,
    rank: int,
    method: Literal["pca", "semi-nmf", "local-pca"] = "pca",
    *,
    centered: bool = True,
    generator: torch.Generator | None = None,
) -> TangentProxy:
    """Tangent proxy of rank k of points (n, d); for ``"pca"`` also of their `SecondMoment`.

    - ``"pca"``: the leading eigenvectors of the covariance, each with its largest entry positive.
    - ``"semi-nmf"``: the span of a dictionary W, X ≈ G W with codes G ≥ 0 (`semi_nmf`), by QR. About the mean, concepts
      tend to come in opposite pairs, which span one direction: ``centered=False`` suits it better.
    - ``"local-pca"``: the leading eigenvectors of the mean projector onto the local tangent spaces (`local_tangents`,
      with up to 100 neighbours; of each the k leading directions, if it has more).

    Args:
        data: points (n, d), or their `SecondMoment`.
        rank: k, between 1 and d − 1.
        method: of the three; only PCA knows what to do with moments.
        centered: about the mean (covariance) or about the origin (second moment, raw points); local PCA is about the
            neighbours' mean always.
        generator: of semi-NMF's seeds; the others draw nothing.

    Warns `DegenerateProxyWarning` where eigenvalues tie at the cut, so that others of the rank would serve as well.
    Raises `InputError` for an unknown method, a rank out of range or above what the data span, and non-finite points.
    """
    if method not in METHODS:
        raise InputError(f"unknown tangent proxy {method!r}: choose among {', '.join(map(repr, METHODS))}")
    if isinstance(data, SecondMoment):
        if method != "pca":
            raise InputError(f"{method!r} needs the points themselves, not their SecondMoment: pass them, or use 'pca'")
        check_rank(rank, data.dim)
        proxy = leading_subspace(data._matrix(centered=centered), rank)
        return cast("TangentProxy", as_numpy(proxy)) if data._from_arrays else proxy
    if method == "pca":
        points = real_tensor("points", data)
        if points.ndim != 2:
            raise InputError(f"points have shape (n, d), got {tuple(points.shape)}")
        check_rank(rank, points.shape[1])
        return leading_subspace(SecondMoment(points.shape[1]).update(points)._matrix(centered=centered), rank)
    points = finite_points(data)
    check_rank(rank, points.shape[1])
    if method == "semi-nmf":
        return _dictionary_span(points - points.mean(0) if centered else points, rank, generator)
    if not centered:
        raise InputError("'local-pca' is about the neighbours' mean: leave centered=True, or use another method")
    if len(points) < 3:
        raise InputError(f"'local-pca' needs at least 3 points, got {len(points)}: a point alone has no tangent space")
    tangents = local_tangents(points, min(NEIGHBOURS, len(points) - 1))
    return leading_subspace(mean_projector(tangents, rank), rank)


def leading_subspace(matrix: Float[Tensor, "d d"], rank: int) -> TangentProxy:
    """Span of the `rank` leading eigenvectors of a symmetric positive semi-definite matrix, largest entries positive.

    Warns `DegenerateProxyWarning` for a tie at the cut; raises `InputError` where the matrix has fewer directions.
    """
    eigenvalues, vectors = torch.linalg.eigh(matrix.to(torch.float64))
    rounding = TIE * len(matrix) * torch.finfo(matrix.dtype).eps * float(eigenvalues[-1])
    kept, left = float(eigenvalues[-rank]), float(eigenvalues[-rank - 1])
    if not kept > rounding:
        raise InputError(f"the data span {int((eigenvalues > rounding).sum())} directions, not {rank}: lower the rank")
    if kept - left <= rounding:
        warnings.warn(
            f"eigenvalues {rank} and {rank + 1} are equal to rounding ({kept:.3g}): the subspace is one of many",
            DegenerateProxyWarning,
            stacklevel=4,
        )
    basis = vectors[:, -rank:].flip(1)
    largest = basis.gather(0, basis.abs().argmax(0, keepdim=True))
    return TangentProxy(basis * largest.sign())


def _dictionary_span(points: Tensor, rank: int, generator: torch.Generator | None) -> TangentProxy:
    dictionary = semi_nmf(points, rank, generator=generator).dictionary
    q, r = torch.linalg.qr(dictionary.T / dictionary.norm(dim=1).clamp(min=torch.finfo(points.dtype).tiny))
    if not bool((r.diagonal().abs() > TIE * points.shape[1] * torch.finfo(points.dtype).eps).all()):
        raise InputError(f"the dictionary of rank {rank} spans fewer directions: use centered=False, or lower the rank")
    return TangentProxy(q)


def random_normal_bases(proxy: TangentProxy, count: int, *, generator: torch.Generator) -> Float[Tensor, "count d k"]:
    """Bases of `count` Haar-random subspaces of rank k inside the complement of the proxy, shape (count, d, k).

    The paper's matched normal controls, on the generator's device. Raises `InputError` unless 2k < d (a larger proxy
    leaves no room to draw from), without a generator, and for a count below 1.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"the number of controls must be a positive integer, got {count!r}")
    if not isinstance(generator, torch.Generator):
        raise InputError("controls are drawn: pass generator=torch.Generator().manual_seed(…)")
    if 2 * proxy.rank >= proxy.dim:
        raise InputError(no_room_for_controls(proxy.rank, proxy.dim))
    complement = cast("Tensor", as_tensor(proxy.complement)).to(generator.device)
    shape = (count, proxy.dim - proxy.rank, proxy.rank)
    gaussian = torch.randn(shape, generator=generator, device=generator.device, dtype=complement.dtype)
    # The sign ambiguity of QR changes the basis, not the subspace, which is Haar either way.
    bases = complement @ torch.linalg.qr(gaussian).Q
    return cast("Tensor", as_numpy(bases)) if isinstance(proxy.basis, np.ndarray) else bases


def check_rank(rank: int, dim: int) -> None:
    """Raises `InputError` unless the rank is an integer with 1 ≤ rank < dim."""
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise InputError(f"a rank is an integer, got {rank!r}")
    if not 1 <= rank < dim:
        raise InputError(f"rank {rank} is out of range: in {dim} dimensions it must lie between 1 and {dim - 1}")


def no_room_for_controls(rank: int, dim: int) -> str:
    """Why matched normal controls do not exist at this rank."""
    return f"matched normal controls of rank {rank} need 2·rank < dimension, and the dimension is {dim}: lower the rank"
