"""How large the series of a geodesic get: an estimate from above, made before any of them is formed.

Along a geodesic the coefficient of sᵏ in a monomial of degree j in the coordinates is a polynomial of degree k in the
direction. In a general Monge patch it has weight k − j in the derivatives, where one of order i counts i − 1: like
lengths to the power 1 − i.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import comb

from manifoldtheory.errors import InputError

MOST_TERMS = 10_000_000
MOST_PRODUCTS = 200_000_000
"""Products of terms: about ten seconds."""
BYTES_PER_TERM = 320
"""A monomial, its coefficient, and their places in a dictionary."""
HIGHEST = 100
"""Orders above are estimated at this one, from below."""


@dataclass(frozen=True)
class Size:
    """Terms held at once at most, and products of two terms to form them."""

    terms: int
    products: int

    @property
    def gigabytes(self) -> float:
        """The memory that the terms take."""
        return self.terms * BYTES_PER_TERM / 1e9


def estimate(
    dim: int, order: int, weights: Mapping[int, int], *, symbolic: bool, graded: bool, degree: int | None = None
) -> Size:
    """The size of a geodesic's series through an order.

    - `weights`: how many coefficients of each weight the graph has; unless `graded` any weight up to k − j can occur.
    - `symbolic`: whether the direction is one.
    - `degree`: that of the heights, where they are polynomials.
    """
    order = min(order, HIGHEST)
    by_weight = [1] + [0] * order
    for weight, count in weights.items():
        for _ in range(count):
            for total in range(weight, order + 1):
                by_weight[total] += by_weight[total - weight]
    if not graded:
        by_weight = list(accumulate(by_weight))

    def terms(weight: int, power: int) -> int:
        return by_weight[weight] * (comb(power + dim - 1, dim - 1) if symbolic else 1)

    held, products = 0, 0
    for j in range(1, min(order, degree or order) + 1):
        monomials = comb(j + dim - 1, dim - 1)
        held += monomials * sum(terms(k - j, k) for k in range(j, order + 1))
        products += monomials * sum(
            terms(i - j + 1, i) * terms(k - i - 1, k - i) for k in range(j + 1, order + 1) for i in range(j - 1, k)
        )
    # Powers of t²/s², whose coefficients in the direction have up to twice the degree before |v| = 1 is used.
    held += (order + 2) * sum(terms(k, 2 * k) for k in range(order))
    products += order * sum(terms(i, i) * terms(k - i, 2 * (k - i)) for k in range(order) for i in range(k + 1))
    # Reducing polynomials in a symbolic direction costs more than forming them.
    return Size(held, 8 * products if symbolic else products)


def require_size(what: str, order: int, size: Size) -> None:
    """Raises `InputError` with the estimate where the series through an order would not fit."""
    if size.terms <= MOST_TERMS and size.products <= MOST_PRODUCTS:
        return
    raise InputError(
        f"order {order} is too high for {what}: {'at least' if order > HIGHEST else 'up to'} {size.terms:,} terms "
        f"({size.gigabytes:,.1f} GB) from {size.products:.1e} products, where the limits are {MOST_TERMS:,} "
        f"({MOST_TERMS * BYTES_PER_TERM / 1e9:.1f} GB) and {MOST_PRODUCTS:.1e}: take a lower order"
    )
