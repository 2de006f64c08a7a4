"""First and second moments of a stream of points, mergeable and stable however far the mean is from the origin."""

import math
from collections.abc import Iterable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.arrays import as_numpy, as_tensor
from manifoldtheory.errors import InputError

SLICE_ROWS, SLICE_NUMBERS = 1024, 2**18
"""Points centred at once: few enough that they stay in cache, enough that the products are worth it."""
PILOT_POINTS = 64
DRIFT = 16.0
"""Squared distance of the provisional centre from the mean, in variances: costs about so many units of rounding."""
ASYMMETRY = 1e-6
"""Largest difference from the transpose that counts as rounding (of float32), against the largest entry."""


class SecondMoment:
    """Streaming weighted moments of points in R^d.

    Keeps the weight sum W, the mean and the centred co-moment M = Σ w (x − mean)(x − mean)ᵀ, and joins batches by Chan,
    Golub and LeVeque's update (1979): raw sums Σ x xᵀ would lose the covariance when it is small against the mean. The
    mean is kept as an anchor among the points plus an offset, so that means of batches differ to the spread's rounding.
    The accumulator lives on the device of its first batch, takes no part in automatic differentiation, and gives numpy
    arrays back when every batch was one.

    Args:
        dim: ambient dimension d, at least 1.
        dtype: of the accumulators, float64 or float32; points are converted to it before anything is summed.
    """

    def __init__(self, dim: int, dtype: torch.dtype = torch.float64) -> None:
        if isinstance(dim, bool) or not isinstance(dim, int) or dim < 1:
            raise InputError(f"SecondMoment needs an integer dimension of at least 1, got {dim!r}")
        if dtype not in (torch.float64, torch.float32):
            raise InputError(f"moments are summed in torch.float64 or torch.float32, got {dtype!r}")
        self.dim = dim
        self.dtype = dtype
        self.count = 0
        """Number of points seen."""
        self.weight = 0.0
        """Sum of their weights; equal to `count` without weights."""
        self._anchor = torch.zeros(dim, dtype=dtype)
        self._offset = torch.zeros(dim, dtype=dtype)
        self._comoment = torch.zeros(dim, dim, dtype=dtype)
        self._from_arrays: bool | None = None

    def update(
        self, x: Float[Tensor, "n d"] | np.ndarray, weights: Float[Tensor, " n"] | np.ndarray | None = None
    ) -> "SecondMoment":
        """Adds points, shape (n, d), with weights ≥ 0, shape (n,), 1 each if not given. Returns itself.

        Raises `InputError` for another shape, for complex or boolean points, for NaN or infinity, for negative weights,
        and where squares would overflow or underflow: nothing is added then.
        """
        points = real_tensor("points", x)
        if points.ndim != 2 or points.shape[1] != self.dim:
            raise InputError(
                f"SecondMoment of dimension {self.dim} takes points of shape (n, {self.dim}), got {tuple(points.shape)}"
            )
        w = None if weights is None else self._checked_weights(weights, points)
        if len(points) and (w is None or float(w.max()) > 0):
            self._join(*self._moments_of(points, w), points)
        else:  # no points, or all without weight: they change no moment
            self._require_finite(points)
        self._count(len(points), isinstance(x, np.ndarray))
        return self

    def merge(self, other: "SecondMoment") -> "SecondMoment":
        """Adds the points another accumulator has seen. Returns itself; `other` is left alone.

        Raises `InputError` for another dimension, and where squares would overflow.
        """
        if not isinstance(other, SecondMoment):
            raise InputError(f"merge takes another SecondMoment, got {type(other).__name__}: use update for points")
        if other.dim != self.dim:
            raise InputError(f"can't merge moments of dimensions {self.dim} and {other.dim}")
        if other.weight:
            self._join(other.weight, *(part.to(self.dtype) for part in (other._anchor, other._offset, other._comoment)))
        self._count(other.count, other._from_arrays)
        return self

    def _checked_weights(self, weights: object, points: Tensor) -> Tensor:
        w = real_tensor("weights", weights).to(points.device, self.dtype)
        if w.shape != points.shape[:1] or not torch.isfinite(w).all() or (w < 0).any():
            raise InputError(f"weights must be {len(points)} finite numbers ≥ 0, got shape {tuple(w.shape)}")
        return w

    def _count(self, count: int, from_arrays: bool | None) -> None:
        self.count += count
        if from_arrays is not None:
            self._from_arrays = from_arrays and self._from_arrays is not False

    def _moments_of(self, points: Tensor, weights: Tensor | None) -> tuple[float, Tensor, Tensor, Tensor]:
        """W, anchor and offset of the mean, and the co-moment of a batch, W > 0."""
        # A provisional centre, of few points about one of them: constants are then centred to 0 exactly.
        first = points[0].to(self.dtype)
        centre = first + (points[:PILOT_POINTS].to(self.dtype) - first).mean(0)
        weight, shift, comoment = self._moments_about(centre, points, weights)
        if not bool(((1 + 1 / DRIFT) * weight * shift.square() <= comoment.diagonal()).all()):
            # Too far from the mean for the subtraction below, or not finite.
            centre = centre + shift
            weight, shift, comoment = self._moments_about(centre, points, weights)
        comoment.addr_(shift, shift, alpha=-weight)
        return weight, centre, shift, comoment

    def _moments_about(self, centre: Tensor, points: Tensor, weights: Tensor | None) -> tuple[float, Tensor, Tensor]:
        """W, Σ w (x − centre) / W and Σ w (x − centre)(x − centre)ᵀ, by slices that stay in cache."""
        dim, rows = self.dim, min(len(points), max(SLICE_ROWS, SLICE_NUMBERS // self.dim))
        total, product = torch.zeros_like(centre), centre.new_zeros(dim, dim)
        ones = centre.new_ones(rows)
        centred = centre.new_empty(rows, dim)
        width = max(64, -(-dim // 4))
        blocks = [(first, min(first + width, dim)) for first in range(0, dim, width)]
        for start in range(0, len(points), rows):
            part = points[start : start + rows]
            c = centred[: len(part)]
            w = ones[: len(part)] if weights is None else weights[start : start + rows]
            # Converted first: subtraction across dtypes is slow.
            torch.sub(part if part.dtype == self.dtype else c.copy_(part), centre, out=c)
            total.addmv_(c.T, w)
            if weights is not None:
                c *= w.sqrt()[:, None]
            for first, last in blocks:  # on and above the diagonal: the rest is the same by symmetry
                product[first:last, first:].addmm_(c[:, first:last].T, c[:, first:])
        for first, last in blocks:
            product[last:, first:last] = product[first:last, last:].T
        weight = float(len(points)) if weights is None else float(weights.sum())
        return weight, total / weight, product

    def _join(
        self, weight: float, anchor: Tensor, offset: Tensor, comoment: Tensor, points: Tensor | None = None
    ) -> None:
        """Chan's update, refused before anything changes where a sum of squares is not finite, or lost."""
        device = self._anchor.device if self.weight else anchor.device
        anchor, offset, comoment = anchor.to(device), offset.to(device), comoment.to(device)
        before, mean = self.weight, anchor + offset
        shift = (anchor - self._anchor.to(device)) + (offset - self._offset.to(device))
        total = before + weight
        coupling = before / total * weight
        squares = comoment.diagonal() + total * mean.square()
        if before:
            squares = squares + self._comoment.diagonal() + coupling * shift.square()
        if not (math.isfinite(total) and bool(torch.isfinite(squares).all())):
            if points is not None:
                self._require_finite(points)
            raise InputError(
                f"the squares of the points overflow {self.dtype}: scale them down, or use a larger dtype or weights"
            )
        least = torch.finfo(self.dtype).tiny / torch.finfo(self.dtype).eps
        if points is not None and float(comoment.diagonal().max()) < least:
            largest = float(points.abs().max()) if len(points) else 0.0
            if 0 < largest < least**0.5:
                raise InputError(
                    f"the squares of the points underflow {self.dtype}, their largest entry is {largest:.3g}: "
                    "scale them up"
                )
        if before:
            self._comoment.add_(comoment).addr_(shift, shift, alpha=coupling)
            self._offset = self._offset + weight / total * shift
        else:
            self._anchor, self._offset, self._comoment = anchor.clone(), offset.clone(), comoment.clone()
        self.weight = total

    @staticmethod
    def _require_finite(points: Tensor) -> None:
        bad = int((~torch.isfinite(points)).any(1).sum())
        if bad:
            raise InputError(f"{bad} of {len(points)} points have NaN or infinite entries: drop them before the update")

    def _require_points(self) -> None:
        if self.weight == 0:
            raise InputError("no moments yet: update the SecondMoment with points of positive weight first")

    @property
    def mean(self) -> Float[Tensor, " d"]:
        """Weighted mean, shape (d,)."""
        self._require_points()
        return self._as_given(self._anchor + self._offset)

    @property
    def covariance(self) -> Float[Tensor, "d d"]:
        """Covariance Σ w (x − mean)(x − mean)ᵀ / W, shape (d, d); no Bessel correction."""
        return self._as_given(self._matrix(centered=True))

    @property
    def second_moment(self) -> Float[Tensor, "d d"]:
        """Moment about the origin, Σ w x xᵀ / W, shape (d, d)."""
        return self._as_given(self._matrix(centered=False))

    def _matrix(self, *, centered: bool) -> Tensor:
        self._require_points()
        matrix = self._comoment / self.weight
        if not centered:
            mean = self._anchor + self._offset
            matrix.addr_(mean, mean)
        return (matrix + matrix.T) / 2  # products of blocks are symmetric to rounding only

    def _as_given(self, tensor: Tensor) -> Tensor:
        return as_numpy(tensor) if self._from_arrays else tensor  # pyright: ignore[reportReturnType]

    def __repr__(self) -> str:
        return f"SecondMoment(dim={self.dim}, dtype={self.dtype}, count={self.count})"


def pooled(moments: Iterable[SecondMoment]) -> SecondMoment:
    """The moments of all the points that the given accumulators have seen, which are left alone; at least one."""
    parts = list(moments)
    if not parts or not all(isinstance(part, SecondMoment) for part in parts):
        raise InputError("pooled takes at least one SecondMoment, and nothing else")
    first, *rest = parts
    total = SecondMoment(first.dim, first.dtype).merge(first)
    for moment in rest:
        total.merge(moment)
    return total


Moment = Tensor | np.ndarray | SecondMoment
"""What estimators take: a symmetric (d, d) tensor or array, or an accumulator."""


def moment_matrix(moment: Moment, *, centered: bool) -> Float[Tensor, "d d"]:
    """The (d, d) matrix behind a `Moment` in float64; of an accumulator, its covariance or second moment.

    Raises `InputError` unless it is square, finite, symmetric to rounding, and without the plain signs of a matrix that
    is not positive semi-definite: a negative diagonal, or an entry larger than the largest of the diagonal.
    """
    if isinstance(moment, SecondMoment):
        return moment._matrix(centered=centered).to(torch.float64)
    matrix = real_tensor("a moment's entries", moment).to(torch.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InputError(f"a moment is a square matrix (d, d), got shape {tuple(matrix.shape)}")
    scale = _largest(matrix)
    if not math.isfinite(scale):
        raise InputError("the moment has NaN or infinite entries: drop the points that caused them")
    if not _surely_symmetric(matrix) and not torch.equal(matrix, matrix.T):
        if _largest(matrix - matrix.T) > ASYMMETRY * scale:
            raise InputError("a moment is a symmetric matrix, and this one is not: pass E[x xᵀ], shape (d, d)")
        matrix = (matrix + matrix.T) / 2
    diagonal = matrix.diagonal()
    least, largest = float(diagonal.min()), float(diagonal.max())
    if least < -ASYMMETRY * scale or largest < (1 - ASYMMETRY) * scale:
        what = f"diagonal entry {least:.3g}" if least < 0 else f"entry {scale:.3g} above the diagonal's {largest:.3g}"
        raise InputError(f"a moment is positive semi-definite, and this one is not ({what}): pass E[x xᵀ]")
    return matrix


def _surely_symmetric(matrix: Tensor) -> bool:
    """Whether M r = rᵀM to rounding for a random vector r, as in Freivalds' test; false also where that is unclear.

    Two passes in the order of memory, of which one over the transpose takes five times as long as both.
    """
    probe = 1 + torch.rand(len(matrix), generator=torch.Generator().manual_seed(0), dtype=matrix.dtype).to(matrix)
    image = matrix @ probe
    return bool((image - probe @ matrix).abs().max() <= 16 * torch.finfo(matrix.dtype).eps * image.abs().max())


def _largest(matrix: Tensor) -> float:
    low, high = torch.aminmax(matrix)
    return max(-float(low), float(high)) if float(low) == float(low) else math.nan


def check_share(name: str, value: object) -> None:
    """Raises `InputError` unless the value is a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(f"{name} must lie in [0, 1], got {value!r}")


def real_tensor(name: str, value: object) -> Tensor:
    """Numbers as a dense tensor without a graph; `InputError` for complex or boolean ones, or none."""
    try:
        tensor = torch.as_tensor(as_tensor(value)).detach()
    except (TypeError, ValueError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} must be a tensor or an array of numbers, got {type(value).__name__}") from error
    if tensor.layout != torch.strided:
        raise InputError(f"{name} must be dense, got {tensor.layout}: call to_dense() first")
    if tensor.is_complex() or tensor.dtype == torch.bool:
        raise InputError(f"{name} must be real numbers, got {tensor.dtype}: convert them first")
    return tensor
