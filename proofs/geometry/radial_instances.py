"""Radial laws on the unit cylinder under which the bias of directions is measured, and is not (c − ⟨c⟩) E t²."""

import math
from collections.abc import Mapping
from itertools import pairwise
from math import comb
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.expressions import without_remainders
from proofs.geometry.cylinder_directions import far, fourth_share, t, x
from proofs.geometry.radial_failures import offset, scale
from proofs.series import SeriesRing

_NODES = 16
_CIRCLE = 64
"""Equispaced directions: averages over them are exact to the order of t to the power 64."""
_ROUNDING = 1e-8
"""Densities near 1 are rounded to 1e-14 at most, and divided by t² ≥ 1e-6."""
_EDGES = (math.pi / 8, 3 * math.pi / 8)
"""The set of directions within 22.5° of the diagonals."""


def instances(chains: Mapping[str, Chain]) -> tuple[Counterexample, ...]:
    """An object for every finding of bias-attenuation that refutes, by its name."""
    on_shell = without_remainders(chains["cylinder-contrast"].conclusion)
    constant = Prediction("contrast claimed", on_shell.coeff(t, 2))
    next_term = _next_term()
    tail = 1 / (1 - far**2 / 4)  # the density has its singularity nearest to 0 at t = 2
    pair = without_remainders(chains["two-point-law"].conclusion)
    heavy = chains["heavy-tail"].conclusion.xreplace({offset: sympy.Integer(1)})
    under_pareto = without_remainders(chains["bounded-law"].conclusion).xreplace({fourth_share: heavy})
    return (
        Counterexample(
            "two-point-law",
            "Directions at 45° against the straight one on the unit cylinder: radius s, or R with probability s",
            "two-point-law",
            {"manifold": _cylinder, "law": _two_point},
            Prediction(
                "two-point-law", pair, Prediction("two-point-law next order", next_term * far**4 * tail + scale)
            ),
            _under_two_points,
            constant,
            {"s": 1e-4, "R": 0.5},
        ),
        Counterexample(
            "heavy-tail",
            "The same under a Pareto law of index 1 truncated to [s, R]",
            "heavy-tail",
            {"manifold": _cylinder, "law": _pareto},
            Prediction(
                "heavy-tail", under_pareto, Prediction("heavy-tail next order", next_term * far**4 * tail + scale)
            ),
            _under_pareto,
            constant,
            {"s": 1e-4, "R": 0.5},
        ),
        Counterexample(
            "unbounded-radius",
            "Directions within 22.5° of the diagonals on the unit cylinder: radius s, or 1/√s with probability s²",
            "unbounded-radius",
            {"manifold": _cylinder, "law": _two_point},
            # |bias| ≤ ½ on the far shell, and below s²/8 on the near one; E t² > s.
            Prediction("unbounded-radius", chains["unbounded-radius"].conclusion, Prediction("bound", scale * 5 / 8)),
            _of_the_diagonals,
            Prediction("set bias claimed", _set_coefficient(chains["cylinder-density"])),
            {"s": 0.005},
        ),
    )


def _next_term() -> Any:
    """The coefficient of t⁶ in (q₄₅ − q₀)/⟨q⟩ on the unit cylinder, from the series of the density."""
    ring = SeriesRing(("r",), 8, ("x",))
    r, root = ring["r"], (1 - ring["r"] * ring["r"] * ring["x"]).sqrt()
    lift = (1 - root).divided()
    abscissa = (r * (1 + lift * lift).sqrt()).reversion()
    density = abscissa.divided() * abscissa.derivative() * root.inverse().compose(abscissa)
    name = sympy.Symbol("x")
    polynomials = [sympy.Poly(density.coefficient(order).as_expr(), name) for order in (2, 4, 6)]
    contrasts = [c.eval(sympy.Rational(1, 2)) - c.eval(0) for c in polynomials]
    # ⟨cos^{2k}⟩ over the circle
    means = [sum(weight * sympy.Rational(comb(2 * k, k), 4**k) for (k,), weight in c.terms()) for c in polynomials[:2]]
    return contrasts[2] - contrasts[1] * means[0] + contrasts[0] * (means[0] ** 2 - means[1])


def _set_coefficient(density: Chain) -> Any:
    """⟨c⟩ over a set of directions times its share, less the share times ⟨c⟩, for the set within `_EDGES`."""
    angle = sympy.Symbol("theta", real=True)
    coefficient = without_remainders(density.conclusion).coeff(t, 2).xreplace({x: sympy.cos(angle) ** 2})
    primitive: Any = sympy.integrate(sympy.expand(coefficient), angle)
    quarter, whole = (
        primitive.xreplace({angle: end}) - primitive.xreplace({angle: start})
        for start, end in ((sympy.pi / 8, 3 * sympy.pi / 8), (sympy.Integer(0), sympy.pi / 2))
    )
    return 2 / sympy.pi * (quarter - whole / 2)


def _cylinder() -> Any:
    from manifoldtheory.manifolds import Cylinder

    return Cylinder(1.0)


def _two_point() -> Any:
    from manifoldtheory.manifolds import TwoPoint

    return TwoPoint


def _pareto() -> Any:
    from manifoldtheory.manifolds import TruncatedPareto

    return TruncatedPareto


def _contrasts(manifold: Any, radii: Any) -> Any:
    """(q₄₅ − q₀)/⟨q⟩ on shells of the given radii (n), from the exact metric of the graph: (n)."""
    import torch

    from manifoldtheory.manifolds.clouds import place_projected

    angles = torch.arange(_CIRCLE, dtype=torch.float64) * (2 * math.pi / _CIRCLE)
    w = torch.stack([torch.cos(angles), torch.sin(angles)], dim=-1).repeat(len(radii), 1)
    chart = manifold.chart(manifold.immersion(torch.zeros(manifold.dim, dtype=torch.float64)))
    density = place_projected(chart, radii.repeat_interleave(_CIRCLE), w)[2].unflatten(0, (-1, _CIRCLE))
    return (density[:, _CIRCLE // 8] - density[:, _CIRCLE // 4]) / density.mean(-1)


def _under_two_points(manifold: Any, law: Any, **values: float) -> tuple[float, float]:
    import torch

    radii = law(values["s"], values["R"], values["s"])
    near, distant = _contrasts(manifold, torch.tensor([radii.small, radii.large], dtype=torch.float64)).tolist()
    mean = (1 - radii.probability) * near + radii.probability * distant
    return mean / radii.moment(2), _ROUNDING


def _under_pareto(manifold: Any, law: Any, **values: float) -> tuple[float, float]:
    """Gauss' quadrature of contrast/t², which is smooth, against t² times the law's density t^{−2}: a constant."""
    import numpy as np
    import torch

    radii = law(1.0, values["s"], values["R"])
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    t = torch.tensor((radii.maximum + radii.minimum + (radii.maximum - radii.minimum) * nodes) / 2)
    return float((_contrasts(manifold, t) / t**2) @ torch.tensor(weights / 2)), _ROUNDING


def _of_the_diagonals(manifold: Any, law: Any, **values: float) -> tuple[float, float]:
    s = values["s"]
    radii = law(s, s**-0.5, s**2)
    near, distant = (_share_of_the_diagonals(manifold.radius, radius) - 0.5 for radius in (radii.small, radii.large))
    mean = (1 - radii.probability) * near + radii.probability * distant
    return mean / radii.moment(2), _ROUNDING


def _share_of_the_diagonals(curvature_radius: float, t: float) -> float:
    """The share of the shell of radius t whose tangent parts (sin φ, y) lie within 22.5° of the diagonals.

    Points are (φ, y) with y² + 4 sin²(φ/2) = t². On shells that fit around the cylinder's axis 2 sin(φ/2) = t sin ω
    and y = t cos ω give the smooth weight dω/cos(φ/2); on larger ones the weight is dφ/y.
    """
    from scipy.integrate import quad
    from scipy.optimize import brentq

    t = t / curvature_radius

    def turn(parameter: float) -> float:
        """φ."""
        return 2 * math.asin(t / 2 * math.sin(parameter)) if t < 2 else parameter

    def weight(parameter: float) -> float:
        return 1 / (math.cos(turn(parameter) / 2) if t < 2 else height(parameter))

    def height(parameter: float) -> float:
        return t * math.cos(parameter) if t < 2 else math.sqrt(t**2 - 4 * math.sin(parameter / 2) ** 2)

    def beyond(parameter: float, edge: float) -> float:
        return math.sin(turn(parameter)) - height(parameter) * math.tan(edge)

    end = math.pi / 2 if t < 2 else math.pi
    grid = [end * (number + 0.5) / 1000 for number in range(1000)]
    cuts = [0.0, end]
    for edge in _EDGES:
        for left, right in pairwise(grid):
            if beyond(left, edge) * beyond(right, edge) < 0:
                cut: Any = brentq(beyond, left, right, args=(edge,), xtol=1e-15)
                cuts.append(float(cut))
    cuts.sort()
    total = inside = 0.0
    for left, right in pairwise(cuts):
        mass = quad(weight, left, right, epsabs=0, epsrel=1e-13)[0]
        middle = (left + right) / 2
        total += mass
        inside += mass if beyond(middle, _EDGES[0]) > 0 > beyond(middle, _EDGES[1]) else 0.0
    return inside / total
