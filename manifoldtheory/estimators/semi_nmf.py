"""Semi-nonnegative matrix factorisation: concepts whose nonnegative combinations make up the points."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError

ITERATIONS = 500
TOLERANCE = 1e-6
"""Relative fall of the objective in one round, below which the rounds end."""
LLOYD_ROUNDS = 10
FLOOR = 0.2
"""Added to the memberships that the codes start from: the updates multiply, so that a 0 stays 0 (Ding et al.)."""


@dataclass(frozen=True)
class SemiNonnegativeFactors:
    """X ≈ G W: `codes` G ≥ 0 (n, k), `dictionary` W (k, d), and |X − G W|² after each round."""

    codes: Float[Tensor, "n k"]
    dictionary: Float[Tensor, "k d"]
    objectives: tuple[float, ...]


def semi_nmf(
    points: Float[Tensor, "n d"],
    rank: int,
    *,
    generator: torch.Generator | None,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
) -> SemiNonnegativeFactors:
    """Factors of |X − G W|², G ≥ 0, by the alternating updates that never raise it.

    W = (GᵀG)⁺ GᵀX, then G ← G √(((XWᵀ)⁺ + G(WWᵀ)⁻) / ((XWᵀ)⁻ + G(WWᵀ)⁺)) entrywise, A⁺ and A⁻ the positive and
    negative parts; from k-means with seeds drawn by their squared distance (k-means++). A local minimum, so it depends
    on the generator.

    Raises `InputError` without a generator, and for fewer points than concepts.

    Source: Ding, Li and Jordan, "Convex and semi-nonnegative matrix factorizations", IEEE TPAMI 32, 2010.
    """
    if not isinstance(generator, torch.Generator):
        raise InputError("semi-NMF starts from drawn seeds: pass generator=torch.Generator().manual_seed(…)")
    if len(points) < rank:
        raise InputError(f"semi-NMF of rank {rank} needs at least {rank} points, got {len(points)}")
    scale = points.abs().max()
    if scale == 0:
        raise InputError("all points are 0: there is nothing to factorise")
    x = points / scale
    codes = _memberships(x, rank, generator) + FLOOR
    tiny = torch.finfo(x.dtype).tiny
    objectives: list[float] = []
    while True:
        dictionary = torch.linalg.pinv(codes.T @ codes, hermitian=True) @ (codes.T @ x)
        objectives.append(float((x - codes @ dictionary).square().sum()))
        settled = len(objectives) > 1 and objectives[-2] - objectives[-1] <= tolerance * objectives[-2]
        if settled or len(objectives) > iterations:
            factor = float(scale) ** 2
            return SemiNonnegativeFactors(codes, dictionary * scale, tuple(factor * value for value in objectives))
        cross, gram = x @ dictionary.T, dictionary @ dictionary.T
        pull = cross.clamp(min=0) + codes @ gram.clamp(max=0).neg()
        push = cross.clamp(max=0).neg() + codes @ gram.clamp(min=0)
        codes = codes * (pull / push.clamp(min=tiny)).sqrt()


def _memberships(x: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Which of `count` k-means clusters each point belongs to, as zeros and ones (n, count)."""

    def draw(weights: Tensor) -> Tensor:
        return torch.multinomial(weights.to(generator.device), 1, generator=generator).to(x.device)

    seeds = draw(x.new_ones(len(x)))
    for _ in range(count - 1):
        distance = _squared_distances(x, x[seeds]).amin(1)
        # Where all points lie on seeds already, any will do.
        seeds = torch.cat([seeds, draw(distance if bool(distance.max() > 0) else torch.ones_like(distance))])
    centres = x[seeds]
    for _ in range(LLOYD_ROUNDS):
        members = torch.nn.functional.one_hot(_squared_distances(x, centres).argmin(1), count).to(x)
        size = members.sum(0)[:, None]
        centres = torch.where(size > 0, members.T @ x / size.clamp(min=1), centres)
    return torch.nn.functional.one_hot(_squared_distances(x, centres).argmin(1), count).to(x)


def _squared_distances(x: Tensor, centres: Tensor) -> Tensor:
    """Up to rounding, which can leave them negative but for the clamp."""
    products = x.square().sum(1)[:, None] - 2 * x @ centres.T + centres.square().sum(1)
    return products.clamp(min=0)
