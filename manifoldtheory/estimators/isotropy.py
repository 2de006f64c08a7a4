"""How evenly a covariance spreads over its directions."""

import math

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.moments import Moment, check_share, moment_matrix

ROUNDING = 1e-6
"""By how much (tr C)² may fall short of tr C², relatively, in float32 matrices that lost definiteness to rounding."""


def participation_ratio(covariance: Moment) -> float:
    """Participation ratio (tr C)² / tr C², between 1 and d: the effective rank of a covariance, shape (d, d).

    NaN for the zero matrix, which has no directions. Raises `InputError` for a matrix that is not symmetric and finite,
    or that shows negative eigenvalues.
    """
    return _participation(moment_matrix(covariance, centered=True))


def iso_score_star(
    covariance: Moment, *, shrinkage: float = 0.0, target: Float[Tensor, "d d"] | np.ndarray | None = None
) -> float:
    """IsoScore*: (PR − 1)/(d − 1) of the shrunk covariance (1 − ζ) C + ζ · target, between 0 and 1.

    Args:
        covariance: shape (d, d), d ≥ 2, or the `SecondMoment` of the points.
        shrinkage: ζ in [0, 1].
        target: what to shrink to, shape (d, d); by default (tr C / d) · I, so that the score does not depend on the
            data's scale. ``torch.eye(d)`` gives the published form.

    NaN for the zero matrix. Raises `InputError` as `participation_ratio` does, and for another shrinkage or target.

    Source: Rudman and Eickhoff, "Stable anisotropic regularization", ICLR 2024; their score in closed form.
    """
    matrix = moment_matrix(covariance, centered=True)
    dim = len(matrix)
    if dim < 2:
        raise InputError(f"IsoScore* needs at least 2 dimensions, got {dim}")
    check_share("shrinkage", shrinkage)
    if target is not None:
        target = moment_matrix(target, centered=True).to(matrix)
        if target.shape != matrix.shape:
            raise InputError(f"the target has {len(target)} dimensions and the covariance {dim}: give both the same")
    if shrinkage:
        if target is None:
            target = torch.diag(matrix.diagonal().mean().expand(dim))
        matrix = (1 - shrinkage) * matrix + shrinkage * target
    return (_participation(matrix) - 1) / (dim - 1)


def _participation(matrix: Tensor) -> float:
    diagonal = matrix.diagonal()
    scale = float(diagonal.max())  # the largest entry of a positive semi-definite matrix
    if scale == 0:
        return math.nan
    trace = float((diagonal / scale).sum())
    # In units of the scale, else tr C² under- or overflows where C does not; divided again only where it matters.
    entries = (matrix if 1e-100 < scale < 1e100 else matrix / scale).reshape(-1)
    norm = float(torch.dot(entries, entries)) ** 0.5 / (scale if 1e-100 < scale < 1e100 else 1.0)
    ratio = (trace / norm) ** 2
    if ratio < 1 - ROUNDING:
        raise InputError(f"(tr C)² is {ratio:.3g} of tr C², so C has negative eigenvalues: pass a covariance")
    return min(max(ratio, 1.0), float(len(matrix)))
