r"""Geodesics of graphs as exact power series in the arclength, and what is seen of them at an ambient radius.

A curve γ = (u, z(u)) on a graph is a geodesic when γ″ is normal to it: ``u″ = −Σ_a (∂z_a) z_a″``, z_a″ being the second
derivative along the curve. As ``∂z = O(s)``, the coefficient of sⁿ on the right needs u through s^{n+1} only: the
coefficients of u follow one after the other, and no matrix is inverted. They are polynomials in the components of the
direction and the coefficients of the graph.

With q = t²/s², the arclength at an ambient radius, and whatever is a function of it, follow from powers of q alone: by
Lagrange and Bürmann the coefficient of tʲ in H(s(t)) is that of s^{j−1} in ``H′(s) q^{−j/2}/j``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy
from sympy.polys.rings import PolyRing

from proofs.patches.monge_graphs import MongeGraph
from proofs.series import Series

Monomial = tuple[int, ...]
Coefficients = tuple[Any, ...]
"""Coefficients of a power series in one variable from degree 0 on, elements of a polynomial ring."""


@dataclass(frozen=True, eq=False)
class GeodesicSeries:
    """The geodesic from the base point with a unit initial direction v, through sⁿ for the order n.

    Series are tuples of coefficients, elements of `domain`. The properties are canonical: a polynomial in the
    components of a symbolic direction has no squares of the last one, as ``|v| = 1``.
    """

    graph: MongeGraph
    direction: tuple[str, ...]
    """The names of the components of v, where they are symbols; empty for rational ones."""
    domain: Any
    """Polynomials over the rationals in the coefficients of the graph and the components of the direction."""
    position: tuple[Coefficients, ...]
    """u_i in the arclength."""
    height: tuple[Coefficients, ...]
    """z_a in the arclength."""

    @property
    def order(self) -> int:
        """n, the order in s through which the geodesic is known."""
        return len(self.position[0]) - 1

    @cached_property
    def radius_ratio_sq(self) -> Coefficients:
        """q = t²/s² in the arclength, t = |ξ|, through s^{n−1}."""
        parts = [part[1:] for part in (*self.position, *self.height)]
        return self._sum_of_squares(parts)

    @cached_property
    def radius(self) -> Coefficients:
        """The ambient radius t in the arclength, through sⁿ."""
        return (self.domain.zero, *self._power(self.radius_ratio_sq, Fraction(1, 2), self.order - 1))

    @cached_property
    def arclength(self) -> Coefficients:
        """The arclength in the ambient radius t, through tⁿ."""
        values = (self._inverse_power(j)[j - 1] * sympy.QQ(1, j) for j in range(1, self.order + 1))
        return (self.domain.zero, *values)

    @cached_property
    def normal_ratio_sq(self) -> Coefficients:
        """|P_N ξ|²/t⁴ in the ambient radius t, through t^{n−2}; it starts with F/4."""
        along = self._sum_of_squares([part[2:] for part in self.height])
        values = []
        for degree in range(self.order - 1):
            power = self._inverse_power(degree + 4)
            pairs = ((along[k] * (k + 4), power[degree - k]) for k in range(degree + 1))
            values.append(self._canonical(_total(self.domain, pairs)) * sympy.QQ(1, degree + 4))
        return tuple(values)

    @cached_property
    def tangent_norm(self) -> Coefficients:
        """|P_T ξ| = t √(1 − |P_N ξ|²/t²) in the ambient radius t, through tⁿ."""
        zero, one = self.domain.zero, self.domain.one
        square = (one, zero, *(-value for value in self.normal_ratio_sq))
        return (zero, *self._power(square, Fraction(1, 2), self.order - 1))

    @cached_property
    def speed_sq(self) -> Coefficients:
        """⟨γ′, γ′⟩ in the arclength, through s^{n−1}: 1 when the series is right, which finding it does not use."""
        curve = (*self.position, *self.height)
        return self._sum_of_squares([[part[k] * k for k in range(1, self.order + 1)] for part in curve])

    @cached_property
    def curvature_sq(self) -> Coefficients:
        """|γ″|² in the arclength, through s^{n−2}: F at the base point, then F′, …"""
        curve = (*self.position, *self.height)
        return self._sum_of_squares([[part[k] * (k * (k - 1)) for k in range(2, self.order + 1)] for part in curve])

    def expression(self, series: Coefficients, variable: sympy.Symbol) -> Any:
        """A series as a SymPy expression, with what the coefficients of the graph stand for."""
        return sympy.Add(*(self.value(value) * variable**degree for degree, value in enumerate(series)))

    def value(self, coefficient: Any) -> Any:
        """An element of `domain` as a SymPy expression, with what the coefficients of the graph stand for."""
        meanings = {sympy.Symbol(name): value for name, value in self.graph.meanings.items()}
        return coefficient.as_expr().xreplace(meanings)

    def _sum_of_squares(self, parts: Sequence[Sequence[Any]]) -> Coefficients:
        degrees = range(len(parts[0]))
        squares = (((part[k], part[n - k]) for part in parts for k in range(n + 1)) for n in degrees)
        return tuple(self._canonical(_total(self.domain, pairs)) for pairs in squares)

    def _inverse_power(self, j: int) -> Coefficients:
        """``q^{−j/2} = (s/t)ʲ`` in the arclength, as far as it is needed and known."""
        if j not in self._inverse_powers:
            through = min(j - 1, self.order - 1)
            self._inverse_powers[j] = self._power(self.radius_ratio_sq, Fraction(-j, 2), through)
        return self._inverse_powers[j]

    @cached_property
    def _inverse_powers(self) -> dict[int, Coefficients]:
        return {}

    def _power(self, base: Coefficients, exponent: Fraction, through: int) -> Coefficients:
        """A power of a series that starts with 1: ``n p_n = Σ_k ((a + 1)k − n) f_k p_{n−k}``."""
        domain = self.domain
        parts = [domain.one]
        for n in range(1, through + 1):
            weights = [_rational((exponent + 1) * k - n) for k in range(n + 1)]
            pairs = ((base[k] * weights[k], parts[n - k]) for k in range(1, n + 1))
            parts.append(self._canonical(_total(domain, pairs)) * sympy.QQ(1, n))
        return tuple(parts)

    def _canonical(self, polynomial: Any) -> Any:
        """The canonical form: |v| = 1, and squares of square roots of rational numbers are these."""
        for place, square in self._relations:
            polynomial = _without_squares(polynomial, place, square)
        return polynomial

    @cached_property
    def _relations(self) -> tuple[tuple[int, Any], ...]:
        """Places of generators, with their squares."""
        domain = self.domain
        generators = {str(symbol): generator for symbol, generator in zip(domain.symbols, domain.gens, strict=True)}
        places = {name: place for place, name in enumerate(generators)}
        roots = [(places[name], domain(_rational(square))) for name, square in self.graph.squares.items()]
        if not self.direction:
            return tuple(roots)
        *others, last = self.direction
        rest = domain.one - sum((generators[name] ** 2 for name in others), domain.zero)
        return (*roots, (places[last], rest))


def geodesic(graph: MongeGraph, direction: Sequence[Any] | None = None, order: int | None = None) -> GeodesicSeries:
    """The geodesic of a graph from its base point.

    - `direction`: components of the unit vector v in the coordinates of the graph, rational numbers; ``None`` for
      symbols ``v_1, …, v_m``, in which the series then is a polynomial.
    - `order`: n, of the last term sⁿ; the graph's own order by default, and not above it.

    Raises ``ValueError`` where the direction is no unit vector, or the order is not between 2 and the graph's.
    """
    order = graph.order if order is None else order
    if not 2 <= order <= graph.order:
        raise ValueError(f"the order must be between 2 and {graph.order}, that of the graph, got {order}")
    names = tuple(f"v_{number}" for number in range(1, graph.dim + 1)) if direction is None else ()
    domain: Any = PolyRing((*graph.ring.coefficients, *names), sympy.QQ)
    start = list(domain.gens[-graph.dim :]) if direction is None else _unit(direction, graph.dim, domain)
    position, height = _Motion(graph, domain, start, order).solve()
    return GeodesicSeries(graph, names, domain, position, height)


def _unit(direction: Sequence[Any], dim: int, domain: Any) -> list[Any]:
    components = [Fraction(entry) for entry in direction]
    if len(components) != dim:
        raise ValueError(f"the direction has {len(components)} components, the graph {dim} coordinates")
    square = sum(entry**2 for entry in components)
    if square != 1:
        raise ValueError(f"the direction must be a unit vector, its square is {square}")
    return [domain(_rational(entry)) for entry in components]


class _Motion:
    """Coefficients of u and z along the geodesic, degree after degree.

    Monomials in u are kept as series too: each is a smaller one times a coordinate.
    """

    def __init__(self, graph: MongeGraph, domain: Any, start: Sequence[Any], order: int) -> None:
        self.domain, self.order, self.dim = domain, order, graph.dim
        self.units = [tuple(int(i == j) for j in range(self.dim)) for i in range(self.dim)]
        self.heights = [_terms(height, self.dim, domain, order) for height in graph.heights]
        self.slopes = [[_slope(terms, axis) for axis in range(self.dim)] for terms in self.heights]
        tables = [terms for row in self.slopes for terms in row] + self.heights
        self.monomials = factored({monomial for terms in tables for monomial in terms}, self.units)
        zero = domain.zero
        self.values: dict[Monomial, list[Any]] = {unit: [zero, v] for unit, v in zip(self.units, start, strict=True)}
        self.values |= {monomial: [zero] for monomial, _ in self.monomials}

    def solve(self) -> tuple[tuple[Coefficients, ...], tuple[Coefficients, ...]]:
        """The coefficients of u_i and of z_a, through the order."""
        zero = self.domain.zero
        z: list[list[Any]] = [[zero] for _ in self.heights]
        jacobian: list[list[list[Any]]] = [[[zero] for _ in row] for row in self.slopes]
        for n in range(1, self.order + 1):
            for monomial, (smaller, unit) in self.monomials:
                a, b = self.values[smaller], self.values[unit]
                self.values[monomial].append(_total(self.domain, ((a[k], b[n - k]) for k in range(1, n))))
            for terms, found in zip(self.heights, z, strict=True):
                found.append(self._combined(terms, n))
            for row, entries in zip(self.slopes, jacobian, strict=True):
                for terms, found in zip(row, entries, strict=True):
                    found.append(self._combined(terms, n))
            if n < self.order:
                for axis, unit in enumerate(self.units):
                    self.values[unit].append(self._bent(z, [row[axis] for row in jacobian], n))
        return tuple(tuple(self.values[unit]) for unit in self.units), tuple(map(tuple, z))

    def _bent(self, z: Sequence[Sequence[Any]], slopes: Sequence[Sequence[Any]], n: int) -> Any:
        """The coefficient of s^{n+1} in u_i: ``−Σ_a Σ_k [∂_i z_a]_k [z_a″]_{n−1−k}/(n(n + 1))``."""
        pairs = (
            (slope[k], height[n + 1 - k] * ((n + 1 - k) * (n - k)))
            for height, slope in zip(z, slopes, strict=True)
            for k in range(1, n)
        )
        return _total(self.domain, pairs) * sympy.QQ(-1, n * (n + 1))

    def _combined(self, terms: dict[Monomial, Any], n: int) -> Any:
        pairs = ((factor, self.values[monomial][n]) for monomial, factor in terms.items() if sum(monomial) <= n)
        return _total(self.domain, pairs)


def factored(monomials: set[Monomial], units: Sequence[Monomial]) -> list[tuple[Monomial, tuple[Monomial, Monomial]]]:
    """The monomials above degree 1 and those they are made of, ``m = smaller · unit``, by degree."""
    made: dict[Monomial, tuple[Monomial, Monomial]] = {}
    pending = sorted(monomials)
    while pending:
        monomial = pending.pop()
        if sum(monomial) < 2 or monomial in made:
            continue
        ways = [
            (tuple(a - b for a, b in zip(monomial, unit, strict=True)), unit)
            for power, unit in zip(monomial, units, strict=True)
            if power
        ]
        made[monomial] = next((way for way in ways if way[0] in monomials or way[0] in made), ways[-1])
        pending.append(made[monomial][0])
    return sorted(made.items(), key=lambda item: sum(item[0]))


def _terms(height: Series, dim: int, domain: Any, order: int) -> dict[Monomial, Any]:
    """A height as monomials in u with their coefficients, the components of the direction added to their ring."""
    rest = (0,) * (len(domain.gens) - len(height.ring.coefficients))
    terms: dict[Monomial, Any] = {}
    for part in height.parts[: order + 1]:
        for monomial, coefficient in part.items():
            factor = terms.setdefault(monomial[:dim], domain.zero)
            factor[(*monomial[dim:], *rest)] = coefficient
    return terms


def _slope(terms: dict[Monomial, Any], axis: int) -> dict[Monomial, Any]:
    """The derivative by a coordinate."""
    return {
        (*monomial[:axis], monomial[axis] - 1, *monomial[axis + 1 :]): factor * monomial[axis]
        for monomial, factor in terms.items()
        if monomial[axis]
    }


def _total(domain: Any, pairs: Iterable[tuple[Any, Any]]) -> Any:
    """``Σ a b``, collected in one polynomial."""
    total = domain.zero
    get, multiply = total.get, domain.monomial_mul
    for left, right in pairs:
        for first, a in left.items():
            for second, b in right.items():
                monomial = multiply(first, second)
                total[monomial] = get(monomial, 0) + a * b
    total.strip_zero()
    return total


def _without_squares(polynomial: Any, place: int, square: Any) -> Any:
    """The polynomial with every square of a generator replaced."""
    ring = polynomial.ring
    by_power: dict[int, Any] = {}
    for monomial, coefficient in polynomial.items():
        half, rest = divmod(monomial[place], 2)
        part = by_power.setdefault(half, ring.zero)
        part[(*monomial[:place], rest, *monomial[place + 1 :])] = coefficient
    result, power = by_power.get(0, ring.zero), ring.one
    for half in range(1, max(by_power, default=0) + 1):
        power = power * square
        if half in by_power:
            result = result + by_power[half] * power
    return result


def _rational(value: Fraction) -> Any:
    return sympy.QQ(value.numerator, value.denominator)
