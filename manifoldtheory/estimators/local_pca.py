"""Tangent spaces and dimension at every point of a cloud, by PCA of its nearest neighbours."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from manifoldtheory.arrays import numpy_in_numpy_out
from manifoldtheory.errors import InputError
from manifoldtheory.estimators.moments import check_share, real_tensor
from manifoldtheory.threads import on_threads

NEIGHBOURS = 100
THRESHOLD = 0.05
FAR = 3.0
"""A neighbour so many median distances away is no neighbour: on an m-manifold the farthest is at 2^{1/m} of them."""
CHUNK_NUMBERS = 2**19
"""Numbers that a thread holds at once for distances and neighbourhoods, beyond the result."""


@dataclass(frozen=True)
class LocalTangents:
    """Local tangent spaces of n points in R^d, by PCA of their neighbours.

    `dimensions` (n,) counts the eigenvalues above the threshold, at each point; `spectra` (n, r) are the eigenvalues of
    the local covariances, falling, r = min(d, neighbours); `bases` (n, d, m) orthonormal columns, m the largest of the
    dimensions: the columns beyond a point's own dimension are 0, so that bases @ bases.mT projects onto its tangent
    space.
    """

    dimensions: Int[Tensor, " n"]
    spectra: Float[Tensor, "n r"]
    bases: Float[Tensor, "n d m"]


@numpy_in_numpy_out
def local_tangents(
    points: Float[Tensor, "n d"] | np.ndarray, neighbours: int = NEIGHBOURS, *, threshold: float = THRESHOLD
) -> LocalTangents:
    """Tangent space and dimension at every point: PCA of its nearest neighbours, without the point, about their mean.

    The dimension is the number of eigenvalues above `threshold` times the largest (Fukunaga and Olsen, IEEE Trans.
    Comput. C-20, 1971), 0 where all neighbours coincide. Neighbours farther than three times the median neighbour are
    left out: an outlier beyond that, however far, changes no tangent space but its own. Distances cost O(n² d).

    Args:
        points: shape (n, d), n > neighbours.
        neighbours: of each point, at least 2; more than the dimension looked for.
        threshold: in (0, 1).

    Raises `InputError` for fewer points, NaN or infinity, squares that over- or underflow, and other arguments.
    """
    x = finite_points(points)
    if isinstance(neighbours, bool) or not isinstance(neighbours, int) or not 2 <= neighbours < len(x):
        raise InputError(f"{len(x)} points have between 2 and {len(x) - 1} neighbours each, not {neighbours!r}")
    check_share("the threshold", threshold)
    if not 0 < threshold < 1:
        raise InputError(f"the threshold is a share of the largest eigenvalue between 0 and 1, got {threshold}")
    x = x - x.median(0).values  # not the mean, which one outlier moves; distances by products lose the offset's digits
    scale = float(x.abs().max())
    if scale > torch.finfo(x.dtype).max ** 0.5 / x.shape[1]:
        raise InputError(f"the squares of the points overflow, their largest entry is {scale:.3g}: scale them down")
    if 0 < scale < torch.finfo(x.dtype).tiny ** 0.5 / torch.finfo(x.dtype).eps:
        raise InputError(f"the squares of the points underflow, their largest entry is {scale:.3g}: scale them up")
    n, dim = x.shape
    size = max(1, CHUNK_NUMBERS // max(n, neighbours * dim))
    chunks = torch.arange(n, device=x.device).split(size)
    parts = on_threads(partial(_tangents, x, neighbours=neighbours, threshold=threshold), chunks, x.device)
    largest = max(1, max(int(dimensions.max()) for dimensions, _, _ in parts))
    width = [torch.nn.functional.pad(bases, (0, largest - bases.shape[-1])) for _, _, bases in parts]
    dimensions, spectra, _ = zip(*parts, strict=True)
    return LocalTangents(torch.cat(dimensions), torch.cat(spectra), torch.cat(width))


def mean_projector(tangents: LocalTangents, rank: int) -> Float[Tensor, "d d"]:
    """Mean over the points of the projectors onto the leading directions, up to `rank`, of their tangent spaces."""
    n, dim, _ = tangents.bases.shape
    columns = tangents.bases[..., :rank].transpose(0, 1).reshape(dim, -1)
    return columns @ columns.T / n


def finite_points(points: object) -> Float[Tensor, "n d"]:
    """Points (n, d) in float64; raises `InputError` for another shape, none, or entries that are not finite."""
    x = real_tensor("points", points)
    if x.ndim != 2 or not x.numel():
        raise InputError(f"points have shape (n, d), n ≥ 1 and d ≥ 1, got {tuple(x.shape)}")
    x = x.to(torch.float64)
    if not torch.isfinite(x).all():
        bad = int((~torch.isfinite(x)).any(1).sum())
        raise InputError(f"{bad} of {len(x)} points have NaN or infinite entries: drop them first")
    return x


def _tangents(x: Tensor, rows: Tensor, neighbours: int, threshold: float) -> tuple[Tensor, Tensor, Tensor]:
    """Dimensions, spectra and bases at some of the points."""
    distances = torch.cdist(x[rows], x)
    distances[torch.arange(len(rows), device=x.device), rows] = math.inf
    near, index = distances.topk(neighbours, largest=False)
    near = (near <= FAR * near[:, (neighbours - 1) // 2, None]).to(x)
    local = x.index_select(0, index.flatten()).view(*index.shape, -1)
    local -= x[rows, None]
    if not near.all():
        local *= near[..., None]
    count = near.sum(1)[:, None]
    local -= (local.sum(1) / count)[:, None]
    if not near.all():
        local *= near[..., None]
    wide = x.shape[1] > neighbours  # then the smaller Gram matrix has the same spectrum
    values, vectors = torch.linalg.eigh((local @ local.mT if wide else local.mT @ local) / count[..., None])
    spectra = values.flip(-1).clamp(min=0)
    dimensions = (spectra > threshold * spectra[:, :1]).sum(1)
    leading = vectors[..., -max(1, int(dimensions.max())) :].flip(-1)
    bases = torch.linalg.qr(local.mT @ leading).Q if wide else leading
    kept = torch.arange(bases.shape[-1], device=x.device) < dimensions[:, None]
    return dimensions, spectra, bases * kept[:, None]
