"""First and second moments of a stream of points, mergeable and stable however far the mean is from the origin."""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError


class SecondMoment:
    """Streaming weighted moments of points in R^d.

    Keeps the weight sum W, the mean and the centred co-moment M = Σ w (x − mean)(x − mean)ᵀ, and joins batches by Chan,
    Golub and LeVeque's update (1979): raw sums Σ x xᵀ would lose the covariance when it is small against the mean.
    The accumulator lives on the device of its first batch.

    Args:
        dim: ambient dimension d, at least 1.
        dtype: of the accumulators; points are converted to it before anything is summed.
    """

    def __init__(self, dim: int, dtype: torch.dtype = torch.float64) -> None:
        if dim < 1:
            raise InputError(f"SecondMoment needs a dimension of at least 1, got {dim}")
        self.dim = dim
        self.dtype = dtype
        self.count = 0
        """Number of points seen."""
        self.weight = 0.0
        """Sum of their weights; equal to `count` without weights."""
        self._mean = torch.zeros(dim, dtype=dtype)
        self._comoment = torch.zeros(dim, dim, dtype=dtype)

    def update(self, x: Float[Tensor, "n d"], weights: Float[Tensor, " n"] | None = None) -> "SecondMoment":
        """Adds points, shape (n, d), with weights ≥ 0, shape (n,), 1 each if not given. Returns itself.

        Raises `InputError` for another shape, for NaN or infinity, and for negative weights: nothing is added then.
        """
        x = torch.as_tensor(x)
        if x.ndim != 2 or x.shape[1] != self.dim:
            raise InputError(
                f"SecondMoment of dimension {self.dim} takes points of shape (n, {self.dim}), got {tuple(x.shape)}"
            )
        if not torch.isfinite(x).all():
            bad = int((~torch.isfinite(x)).any(1).sum())
            raise InputError(f"{bad} of {len(x)} points have NaN or infinite entries: drop them before the update")
        x = x.to(self.dtype)
        if weights is None:
            weights = x.new_ones(len(x))
        else:
            weights = torch.as_tensor(weights).to(x)
            if weights.shape != x.shape[:1] or not torch.isfinite(weights).all() or (weights < 0).any():
                raise InputError(f"weights must be {len(x)} finite numbers ≥ 0, got shape {tuple(weights.shape)}")
        total = float(weights.sum())
        if total == 0:  # no points, or all without weight: they change no moment
            self.count += len(x)
            return self
        mean = weights @ x / total
        centred = x - mean
        return self._join(len(x), total, mean, (centred * weights[:, None]).T @ centred)

    def merge(self, other: "SecondMoment") -> "SecondMoment":
        """Adds the points another accumulator has seen. Returns itself; `other` is left alone."""
        if other.dim != self.dim:
            raise InputError(f"can't merge moments of dimensions {self.dim} and {other.dim}")
        if other.weight == 0:
            self.count += other.count
            return self
        return self._join(other.count, other.weight, other._mean.to(self.dtype), other._comoment.to(self.dtype))

    def _join(self, count: int, weight: float, mean: Tensor, comoment: Tensor) -> "SecondMoment":
        if self.weight == 0:
            self._mean, self._comoment = mean.clone(), comoment.clone()
        else:
            mean, comoment = mean.to(self._mean.device), comoment.to(self._mean.device)
            share = weight / (self.weight + weight)
            shift = mean - self._mean
            self._mean = self._mean + share * shift
            self._comoment = self._comoment + comoment + (self.weight * share) * torch.outer(shift, shift)
        self.count += count
        self.weight += weight
        return self

    def _require_points(self) -> None:
        if self.weight == 0:
            raise InputError("no moments yet: update the SecondMoment with points of positive weight first")

    @property
    def mean(self) -> Float[Tensor, " d"]:
        """Weighted mean, shape (d,)."""
        self._require_points()
        return self._mean

    @property
    def covariance(self) -> Float[Tensor, "d d"]:
        """Covariance Σ w (x − mean)(x − mean)ᵀ / W, shape (d, d); no Bessel correction."""
        self._require_points()
        return self._comoment / self.weight

    @property
    def second_moment(self) -> Float[Tensor, "d d"]:
        """Moment about the origin, Σ w x xᵀ / W, shape (d, d)."""
        return self.covariance + torch.outer(self._mean, self._mean)

    def __repr__(self) -> str:
        return f"SecondMoment(dim={self.dim}, dtype={self.dtype}, count={self.count})"


def pooled(moments: Iterable[SecondMoment]) -> SecondMoment:
    """The moments of all the points that the given accumulators have seen, which are left alone; at least one."""
    first, *rest = moments
    total = SecondMoment(first.dim, first.dtype).merge(first)
    for moment in rest:
        total.merge(moment)
    return total


Moment = Tensor | SecondMoment
"""What estimators take: a symmetric (d, d) tensor, or an accumulator."""


def moment_matrix(moment: Moment, *, centered: bool) -> Float[Tensor, "d d"]:
    """The (d, d) matrix behind a `Moment` in float64; of an accumulator, its covariance or second moment.

    Raises `InputError` unless it is square, symmetric to rounding, and finite.
    """
    if isinstance(moment, SecondMoment):
        return (moment.covariance if centered else moment.second_moment).to(torch.float64)
    matrix = torch.as_tensor(moment).to(torch.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"a moment is a square matrix (d, d), got shape {tuple(matrix.shape)}")
    if not torch.isfinite(matrix).all():
        raise InputError("the moment has NaN or infinite entries: drop the points that caused them")
    scale = matrix.abs().max()
    if (matrix - matrix.T).abs().max() > 1e-6 * scale:
        raise InputError("a moment is a symmetric matrix, and this one is not: pass E[x xᵀ], shape (d, d)")
    return (matrix + matrix.T) / 2
