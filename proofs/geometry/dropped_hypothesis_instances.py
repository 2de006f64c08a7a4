"""Instances of `proofs.geometry.dropped_hypotheses`: sheets, centres and noise; exponents and means are measured."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.expressions import without_remainders
from proofs.geometry.dropped_hypotheses import bend, normal_noise
from proofs.symbols import normal_curvature_sq

_NEAR = 1e-3
"""The radius at which exponents are measured."""
_SAMPLE = 40_000


@dataclass(frozen=True)
class SheetFromCentre:
    """Points x of a sheet through `foot`, by a parameter u ≥ 0 with x(0) = `foot`, seen from a centre.

    The rows of `normal` span the normal space that the displacement from `centre` is projected on; the radius is the
    distance from `foot`.
    """

    point: Callable[[float], tuple[float, ...]]
    normal: tuple[tuple[float, ...], ...]
    centre: tuple[float, ...]
    foot: tuple[float, ...]

    def normal_norm(self, radius: float) -> float:
        """|P_N(x − centre)| at a radius."""
        from scipy.optimize import brentq

        solve: Any = brentq
        u = solve(lambda u: math.dist(self.point(u), self.foot) - radius, 0, 2 * radius, xtol=1e-18, rtol=1e-15)
        displacement = [x - c for x, c in zip(self.point(u), self.centre, strict=True)]
        return math.hypot(*(sum(n * x for n, x in zip(row, displacement, strict=True)) for row in self.normal))


def instances(chains: Mapping[str, Chain], normal: Prediction) -> tuple[Counterexample, ...]:
    """An instance for every hypothesis; `normal` is the normal part with all of them."""
    stated = Prediction("exponent claimed", normal.exponent("radius"))

    def exponent(name: str, text: str, chain: str, claimed: bool = True, **at: float) -> Counterexample:
        found = without_remainders(chains[chain].conclusion)
        value = found if chain == "rough-exponent" else Prediction(name, found).exponent("radius")
        against = stated if claimed else None
        parts = {"manifold": SHEETS[name]}
        return Counterexample(name, text, chain, parts, Prediction(name, value), measured_exponent, against, at)

    return (
        exponent("rough-graph", "The graph of |u|^{1+α}: exponent 1 + α", "rough-exponent", holder_exponent=0.5),
        exponent("crossing-sheets", "A line and a parabola that cross, T tangent to the line", "tilted-space"),
        exponent("sum-of-sheets", "Two parabolas that cross, T the sum of their tangents", "direction-within", False),
        exponent("tangent-sheets", "Two parabolas that touch, T their tangent", "direction-within", False),
        exponent("moved-centre", "A circle, its centre moved along it with T kept", "tilted-space"),
        exponent("centre-off", "A circle, the centre off it", "centre-off"),
        _noisy_circle(chains["noisy-normal"], normal),
    )


def _noisy_circle(chain: Chain, normal: Prediction) -> Counterexample:
    """Below the crossover on a unit circle, where |P_N ξ| = t²/2 exactly."""
    unit = {normal_curvature_sq: sympy.Integer(1)}
    holds: Any = without_remainders(chain.conclusion).xreplace(unit)
    claimed: Any = (normal.expression**2).xreplace(unit)
    noise = 0.01
    return Counterexample(
        "noisy-circle",
        "The mean square of the normal part on a unit circle with ambient noise, below the radius of the crossover",
        chain.name,
        {"manifold": _circle, "law": lambda: _gaussian},
        Prediction("noisy-circle", holds),
        measured_square,
        Prediction("noisy-circle claimed", claimed),
        {"radius": math.sqrt(2 * noise) / 2, str(normal_noise): noise},
    )


def crossover(chain: Chain) -> Prediction:
    """The radius of the crossover from F and σ."""
    return Prediction("crossover-radius", chain.conclusion.xreplace({bend: sympy.sqrt(normal_curvature_sq)}))


def measured_exponent(manifold: Callable[..., SheetFromCentre], **values: float) -> tuple[float, float]:
    """d log |P_N ξ|/d log t by halving t, and its error: twice the change in the last halving (of first order in t)."""
    sheet = manifold(**values)
    heights = [sheet.normal_norm(_NEAR / 2**k) for k in range(3)]
    coarse, fine = (math.log2(a / b) for a, b in pairwise(heights))
    # Coordinates of size 1 at most, rounded to 1e-16, differ by 1e-5 at least: 1e-10 is ample for the logarithms.
    return fine, 2 * abs(fine - coarse) + 1e-10


def measured_square(manifold: Any, law: Any, *, radius: float, normal_noise: float) -> tuple[float, float]:
    """The mean of |P_N(ξ + ε)|² over noise, and three standard errors."""
    import torch

    generator = torch.Generator().manual_seed(0)
    top, along = torch.eye(2, dtype=torch.float64).flip(0)[:, None]
    _, height = manifold.displacement(top, 2 * math.asin(radius / 2) * along)
    square = (height + law(normal_noise, _SAMPLE, generator)[:, None]).square().squeeze(1)
    return square.mean().item(), 3 * square.std().item() / _SAMPLE**0.5


def _gaussian(scale: float, count: int, generator: Any) -> Any:
    import torch

    return scale * torch.randn(count, generator=generator, dtype=torch.float64)


def _circle() -> Any:
    from manifoldtheory.manifolds import Sphere

    return Sphere(1)


def _rough(holder_exponent: float) -> SheetFromCentre:
    return SheetFromCentre(lambda u: (u, u ** (1 + holder_exponent)), ((0.0, 1.0),), (0.0, 0.0), (0.0, 0.0))


def _crossing() -> SheetFromCentre:
    a, b = math.cos(0.5), math.sin(0.5)
    return SheetFromCentre(
        lambda u: (a * u - b * u**2 / 2, b * u + a * u**2 / 2), ((0.0, 1.0),), (0.0, 0.0), (0.0, 0.0)
    )


def _sum() -> SheetFromCentre:
    """The second of (u, 0, u²/2) and (u cos ½, u sin ½, u² + u³)."""
    a, b, origin = math.cos(0.5), math.sin(0.5), (0.0, 0.0, 0.0)
    return SheetFromCentre(lambda u: (a * u, b * u, u**2 + u**3), ((0.0, 0.0, 1.0),), origin, origin)


def _touching() -> SheetFromCentre:
    """The second of (u, u²/2) and (u, −u² + u³)."""
    return SheetFromCentre(lambda u: (u, -(u**2) + u**3), ((0.0, 1.0),), (0.0, 0.0), (0.0, 0.0))


def _moved() -> SheetFromCentre:
    """A unit circle through the origin, the centre moved by the arc ½, T still the first axis."""

    def point(u: float) -> tuple[float, ...]:
        return math.sin(0.5 + u), 1 - math.cos(0.5 + u)

    return SheetFromCentre(point, ((0.0, 1.0),), point(0), point(0))


def _off() -> SheetFromCentre:
    return SheetFromCentre(lambda u: (math.sin(u), 1 - math.cos(u)), ((0.0, 1.0),), (0.0, -0.1), (0.0, 0.0))


SHEETS: Mapping[str, Callable[[], Callable[..., SheetFromCentre]]] = {
    "rough-graph": lambda: _rough,
    "crossing-sheets": lambda: _crossing,
    "sum-of-sheets": lambda: _sum,
    "tangent-sheets": lambda: _touching,
    "moved-centre": lambda: _moved,
    "centre-off": lambda: _off,
}
"""The sheet of each instance that exponents are measured on, to be built with the values of its symbols."""
