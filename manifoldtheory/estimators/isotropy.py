"""How evenly a covariance spreads over its directions."""

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.moments import Moment, moment_matrix


def participation_ratio(covariance: Moment) -> float:
    """Participation ratio (tr C)² / tr C², between 1 and d: the effective rank of a covariance, shape (d, d).

    NaN for the zero matrix, which has no directions. Raises `InputError` for a matrix that is not symmetric and finite.
    """
    matrix = moment_matrix(covariance, centered=True)
    scale = matrix.abs().max()
    if scale == 0:
        return float("nan")
    matrix = matrix / scale  # else tr C² under- or overflows where C does not
    return float(matrix.trace() ** 2 / (matrix * matrix).sum())


def iso_score_star(covariance: Moment, *, shrinkage: float = 0.0, target: Tensor | None = None) -> float:
    """IsoScore*: (PR − 1)/(d − 1) of the shrunk covariance (1 − ζ) C + ζ · target, between 0 and 1.

    Args:
        covariance: shape (d, d), d ≥ 2.
        shrinkage: ζ in [0, 1].
        target: what to shrink to; by default (tr C / d) · I, so that the score does not depend on the data's scale.
            ``torch.eye(d)`` gives the published form.

    Source: Rudman and Eickhoff, "Stable anisotropic regularization", ICLR 2024; their score in closed form.
    """
    matrix = moment_matrix(covariance, centered=True)
    dim = len(matrix)
    if dim < 2:
        raise InputError(f"IsoScore* needs at least 2 dimensions, got {dim}")
    if not 0 <= shrinkage <= 1:
        raise InputError(f"shrinkage must lie in [0, 1], got {shrinkage}")
    if target is None:
        target = matrix.trace() / dim * torch.eye(dim).to(matrix)
    matrix = (1 - shrinkage) * matrix + shrinkage * moment_matrix(target, centered=True).to(matrix)
    return (participation_ratio(matrix) - 1) / (dim - 1)
