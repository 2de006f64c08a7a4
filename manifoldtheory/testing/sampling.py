"""Laws of tangent displacements whose symmetries are exact, not estimated."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.checks import require_count, require_dim, require_dtype, require_generator
from manifoldtheory.manifolds.radial import RadialLaw
from manifoldtheory.testing.checks import require_instance, require_whole

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class SamplingLaw:
    """The law of u = t w: radius t from a `RadialLaw`, and independently of it w among finitely many directions.

    Directions are rational unit vectors and probabilities are rational, so that symmetry, mean and isotropy are decided
    by exact arithmetic. `u` stands for graph or normal coordinates at a base point, in units of length.

    Args:
        radial: law of |u|.
        directions: (k, m) rational numbers, each row of length exactly 1 (see `unit_vector`).
        probabilities: k positive rational numbers that sum to exactly 1; equal ones if not given.

    Raises `InputError` where these don't hold.
    """

    radial: RadialLaw
    directions: tuple[Vector, ...]
    probabilities: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        require_instance("radial", self.radial, RadialLaw, "FixedRadius(0.1)")
        if isinstance(self.directions, str) or not isinstance(self.directions, Iterable):
            raise InputError(f"directions must be a sequence of vectors, got {self.directions!r}")
        directions = tuple(_rationals("a direction", direction) for direction in self.directions)
        if not directions or not directions[0] or len({len(direction) for direction in directions}) != 1:
            raise InputError(f"a sampling law needs directions of one dimension, at least one; got {self.directions}")
        for direction in directions:
            if sum(entry**2 for entry in direction) != 1:
                raise InputError(
                    f"direction {tuple(map(str, direction))} has squared length {sum(e**2 for e in direction)}, "
                    "not exactly 1: make it with unit_vector"
                )
        probabilities = _rationals("probabilities", self.probabilities) or (Fraction(1, len(directions)),) * len(
            directions
        )
        if len(probabilities) != len(directions) or min(probabilities) <= 0 or sum(probabilities) != 1:
            raise InputError(
                f"{len(directions)} directions need as many positive probabilities that sum to 1, "
                f"got {tuple(map(str, probabilities))} with sum {sum(probabilities)}"
            )
        object.__setattr__(self, "directions", directions)
        object.__setattr__(self, "probabilities", probabilities)

    @property
    def dim(self) -> int:
        """m."""
        return len(self.directions[0])

    @property
    def vectors(self) -> Float[Tensor, "k m"]:
        """The directions, float64."""
        return torch.tensor([[float(entry) for entry in row] for row in self.directions], dtype=torch.float64)

    @property
    def weights(self) -> Float[Tensor, " k"]:
        """The probabilities, float64."""
        return torch.tensor([float(p) for p in self.probabilities], dtype=torch.float64)

    @property
    def symmetric(self) -> bool:
        """Whether u and −u have the same law, exactly."""
        mass: defaultdict[Vector, Fraction] = defaultdict(Fraction)
        for direction, probability in zip(self.directions, self.probabilities, strict=True):
            mass[direction] += probability
        return all(mass[direction] == mass[tuple(-entry for entry in direction)] for direction in list(mass))

    @property
    def centred(self) -> bool:
        """Whether E[u] = 0, exactly."""
        return not any(self._average(axis) for axis in range(self.dim))

    @property
    def isotropic(self) -> bool:
        """Whether E[u uᵀ] is a multiple of the identity, exactly."""
        share = Fraction(1, self.dim)
        return all(self._average(i, j) == (share if i == j else 0) for i in range(self.dim) for j in range(i, self.dim))

    def moment(self, order: int) -> Float[Tensor, "..."]:
        """E[u ⊗ … ⊗ u] with `order` factors, shape (m, …, m), float64: E[t^order] times that of the directions."""
        require_dim("order", order)
        vectors, product = self.vectors, self.weights
        for _ in range(order):
            product = product[..., None] * vectors.reshape(len(vectors), *(1,) * (product.ndim - 1), self.dim)
        return self.radial.moment(order) * product.sum(0)

    def sample(self, n: int, *, generator: torch.Generator, dtype: torch.dtype = torch.float64) -> Float[Tensor, "n m"]:
        """n independent displacements on the generator's device; raises `InputError` without a generator."""
        require_count(n)
        require_dtype(dtype)
        device = require_generator(generator).device
        radius = self.radial.sample(n, generator=generator, dtype=torch.float64)
        index = torch.multinomial(self.weights.to(device), n, replacement=True, generator=generator)
        return (radius[:, None] * self.vectors.to(device)[index]).to(dtype)

    def scaled(self, factor: float) -> "SamplingLaw":
        """The law of factor · u, for factor > 0."""
        return SamplingLaw(self.radial.scaled(factor), self.directions, self.probabilities)

    def _average(self, *axes: int) -> Fraction:
        """E[w_i w_j ⋯] over the directions."""
        terms = zip(self.directions, self.probabilities, strict=True)
        return sum((p * math.prod((w[axis] for axis in axes), start=Fraction(1)) for w, p in terms), Fraction(0))


def unit_vector(axis: int, slopes: Sequence[int | Fraction]) -> Vector:
    """A unit vector with rational entries: the inverse stereographic projection of rational `slopes`, length m − 1.

    ((1 − |y|²) e_axis + 2 y) / (1 + |y|²), y along the other axes in their order: y = 0 gives the axis itself, and
    every rational unit vector but −e_axis comes from some y.
    """
    y = _rationals("slopes", slopes)
    require_whole("axis", axis, 0, len(y))
    square = sum((entry**2 for entry in y), Fraction(0))
    across = [2 * entry / (1 + square) for entry in y]
    return (*across[:axis], (1 - square) / (1 + square), *across[axis:])


def _rationals(name: str, values: Iterable[Any]) -> Vector:
    """The numbers as fractions; raises `InputError` unless they are finite numbers."""
    try:
        return tuple(map(Fraction, values))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise InputError(f"{name} must be a sequence of rational numbers, got {values!r}") from None
