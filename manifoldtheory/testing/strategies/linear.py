"""Strategies for frames, subspaces and covariances."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.subspaces import TangentProxy
from manifoldtheory.testing.recipes import covariance, orthonormal_frame
from manifoldtheory.testing.strategies.arguments import Real, Whole, build, fractions_of_one, real, seeds, whole

MAXIMUM_CONDITION = 1e12
"""Beyond it float64 leaves less than four digits of the smallest eigenvalue."""


def orthonormal_frames(ambient_dim: Whole | None = None, dim: Whole | None = None) -> SearchStrategy[Tensor]:
    """Frames of k orthonormal columns in R^d, shape (d, k), float64: the first k axes, or Haar-random.

    * ``ambient_dim`` is d ≥ 1, or a strategy for it; by default up to 6.
    * ``dim`` is k between 1 and d, or a strategy for it; by default any.

    Shrinks to the first axis of R¹, or the first k axes for a given k.
    """
    return _frames(*_sizes("dim", ambient_dim, dim, spare=0))


def subspaces(ambient_dim: Whole | None = None, rank: Whole | None = None) -> SearchStrategy[TangentProxy]:
    """Subspaces of R^d as `TangentProxy`: spanned by the first k axes, or Haar-random.

    * ``ambient_dim`` is d ≥ 2, or a strategy for it; by default up to 7.
    * ``rank`` is k between 1 and d − 1, or a strategy for it; by default any.

    Shrinks to the first axis of R².
    """
    return st.builds(TangentProxy, _frames(*_sizes("rank", ambient_dim, rank, spare=1)))


def covariances(dim: Whole | None = None, *, condition: Real | None = None) -> SearchStrategy[Tensor]:
    """Symmetric positive definite matrices (d, d), float64, with largest eigenvalue 1.

    * ``dim`` is d ≥ 1, or a strategy for it; by default up to 6.
    * ``condition`` is the condition number, between 1 and 1e12, or a strategy for it; by default a power of ten up to
      1e6. It is reached exactly (up to rounding, 1e-16 of the largest eigenvalue) for d ≥ 2; the eigenvalues between
      the extremes are spread unevenly over the range, and may repeat.

    Axes are the coordinate axes or Haar-random. Shrinks to d = 1, condition 1, which is the identity.
    """
    powers = st.integers(0, 6).map(lambda power: 10.0**power)
    return _covariances(
        st.integers(1, 6) if dim is None else whole("dim", dim, 1),
        powers if condition is None else real("condition", condition, 1, MAXIMUM_CONDITION),
    )


def _sizes(
    name: str, ambient_dim: Whole | None, size: Whole | None, *, spare: int
) -> tuple[SearchStrategy[int], SearchStrategy[int] | None, str, int]:
    """Strategies of d and k, with k ≤ d − spare checked as early as it can be."""
    if isinstance(ambient_dim, int) and isinstance(size, int) and size > ambient_dim - spare >= 1:
        raise InputError(f"{name} {size} is too large in {ambient_dim} dimensions: at most {ambient_dim - spare}")
    sizes = None if size is None else whole(name, size, 1)
    if ambient_dim is not None:
        ambients = whole("ambient_dim", ambient_dim, 1 + spare)
    else:
        smallest = (size if isinstance(size, int) else 1) + spare
        ambients = st.integers(smallest, smallest + 5)
    return ambients, sizes, name, spare


@st.composite
def _frames(
    draw: DrawFn, ambients: SearchStrategy[int], sizes: SearchStrategy[int] | None, name: str, spare: int
) -> Tensor:
    ambient = draw(ambients)
    if sizes is None:
        size = draw(st.integers(1, ambient - spare))
    else:
        size = draw(sizes.filter(lambda k: k <= ambient - spare))
    return build(draw, orthonormal_frame, ambient, size, draw(seeds))


@st.composite
def _covariances(draw: DrawFn, dims: SearchStrategy[int], conditions: SearchStrategy[float]) -> Tensor:
    dim = draw(dims)
    if dim == 1:
        return build(draw, covariance, (1.0,))
    condition = draw(conditions)
    between: list[float] = []
    if condition > 1:
        places = draw(st.lists(fractions_of_one, max_size=dim - 2))
        # Few places for many dimensions: the rest repeats them, so that large matrices take no more draws.
        between = [float(f"{condition**-place:.3g}") for place in places]
    between = (between * dim)[: dim - 2] if between else [1.0] * (dim - 2)
    spectrum = (1.0, *between, 1 / condition)
    return build(draw, covariance, spectrum, draw(seeds) if condition > 1 else 0)
