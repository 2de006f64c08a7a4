"""Counterexamples to "high curvature is over-represented": manifolds on which the density of directions is measured.

On each, the contrast (q(v) − q(w))/t² of a direction v of larger normal curvature F with a direction w of smaller F:
arclength alone would make it (F(v) − F(w))/8, which is positive.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.geometry.direction_examples import ROUND_FROM
from proofs.symbols import curvature_bound, dim, normal_curvature_sq

RADIUS = 0.01
_ROUNDING = 100 * 2.0**-52
"""Rounding of a density near 1, of which the contrast divides by t²."""

Point = Mapping[str, Any]
"""Values of the symbols that the chain of an example writes a direction in, by name."""
Direction = tuple[float, ...]
_ALONG_1, _ALONG_2, _DIAGONAL = (1.0, 0.0), (0.0, 1.0), (0.5**0.5, 0.5**0.5)
_TWISTED: tuple[Point, Point] = ({"x_1": 0, "x_2": 1, "x_3": 0}, {"x_1": 1, "x_2": 0, "x_3": 0})


@dataclass(frozen=True)
class _Pair:
    """Two directions at a base point, the first with the larger F, and the contrast of c between them."""

    text: str
    density: str
    dim: int
    manifold: Callable[[], Any]
    directions: tuple[Direction, Direction]
    curvatures: tuple[Any, Any]
    contrast: Any


def instances(chains: Mapping[str, Chain], laws: Mapping[str, Prediction]) -> tuple[Counterexample, ...]:
    """An object for every finding that refutes, by its name, from `chains` of `proofs.geometry.direction_examples`."""
    pairs = _of_projected(chains, laws["projected-volume"]) | _of_geodesics(chains, laws["geodesic-volume"])
    return tuple(_instance(name, pair, laws) for name, pair in pairs.items())


def _of_projected(chains: Mapping[str, Chain], law: Prediction) -> dict[str, _Pair]:
    surface, spheres, twisted = (chains[name] for name in ("surface", "equal-spheres", "reversed-order"))
    cylinder = {"curvature_1": 1, "curvature_2": 0}
    along: tuple[Point, Point] = (
        cylinder | {"direction_sin_sq": 0},
        cylinder | {"direction_sin_sq": sympy.Rational(1, 2)},
    )
    torus: tuple[Point, Point] = ({"direction_sin_sq": 1}, {"direction_sin_sq": sympy.Rational(1, 2)})
    on_torus = _falling(spheres, law, torus).xreplace({dim: sympy.Integer(2)})
    return {
        "principal-directions": _Pair(
            "A cylinder in R³ and directions of P_T ξ: fewer points along the curvature than at 45°",
            law.name,
            2,
            partial(_patch, (((1.0, 0.0), (0.0, 0.0)),)),
            (_ALONG_1, _DIAGONAL),
            _curvatures(surface, along),
            chains["principal-directions"].conclusion - _at(surface.conclusion, along[1]),
        ),
        "reversed-order": _Pair(
            "A 3-manifold in R⁶ with h¹ = diag(−½, 1, 1), h²₁₂ = h³₁₃ = ¾, and directions of P_T ξ",
            law.name,
            3,
            _twisted,
            _axes(3),
            _curvatures(twisted, _TWISTED),
            _falling(twisted, law, _TWISTED),
        ),
        "equal-spheres": _Pair(
            "A Clifford torus, two unit circles in R⁴, and directions of P_T ξ: most points lie between the circles",
            law.name,
            2,
            _torus,
            (_ALONG_1, _DIAGONAL),
            _curvatures(spheres, torus),
            on_torus,
        ),
    }


def _of_geodesics(chains: Mapping[str, Chain], law: Prediction) -> dict[str, _Pair]:
    family, twisted = chains["pinched-hypersurface"], chains["reversed-geodesic-order"]
    round_cylinder = chains["round-cylinder"]
    rounded: tuple[Point, Point] = ({"direction_sin_sq": 1}, {"direction_sin_sq": 0})

    def pinched(name: str) -> tuple[Any, tuple[Any, Any]]:
        values = {symbol.name: value for symbol, value in chains[name].hypotheses}
        points = (values | {"direction_sin_sq": 0}, values | {"direction_sin_sq": 1})
        return -chains[name].conclusion, _curvatures(family, points)

    local, local_curvatures = pinched("local-reversal")
    straight, straight_curvatures = pinched("cylinder-over-3-sphere")
    return {
        "reversed-geodesic-order": _Pair(
            "A 3-manifold in R⁶ with h¹ = diag(−½, 1, 1), h²₁₂ = h³₁₃ = ¾, and directions of geodesics",
            law.name,
            3,
            _twisted,
            _axes(3),
            _curvatures(twisted, _TWISTED),
            _falling(twisted, law, _TWISTED),
        ),
        "local-reversal": _Pair(
            "A hypersurface of R⁴ with principal curvatures −0.9, 1, 1, and directions of geodesics",
            law.name,
            3,
            partial(_patch, (((-0.9, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),)),
            _axes(3),
            local_curvatures,
            local,
        ),
        "cylinder-over-3-sphere": _Pair(
            "S³ × R and directions of geodesics: more points along the straight line than along the sphere",
            law.name,
            4,
            partial(_cylinder_over_sphere, 3),
            _axes(4),
            straight_curvatures,
            straight,
        ),
        "round-cylinder": _Pair(
            "S⁵ × R and directions of geodesics: the more of a direction is straight, the more points",
            law.name,
            ROUND_FROM,
            partial(_cylinder_over_sphere, ROUND_FROM - 1),
            _axes(ROUND_FROM),
            _curvatures(round_cylinder, rounded),
            _rise(round_cylinder),
        ),
    }


def _axes(size: int) -> tuple[Direction, Direction]:
    """The second axis, which is curved more in these examples, and the first."""
    second, first = (tuple(float(axis == number) for axis in range(size)) for number in (1, 0))
    return second, first


def _at(expression: Any, point: Point) -> Any:
    values = {symbol: sympy.sympify(point[symbol.name]) for symbol in expression.free_symbols}
    return expression.xreplace(values)


def _curvatures(chain: Chain, points: tuple[Point, Point]) -> tuple[Any, Any]:
    """F at the two points, as the chain declares it."""
    form = dict(chain.hypotheses)[normal_curvature_sq]
    return _at(form, points[0]), _at(form, points[1])


def _falling(chain: Chain, law: Prediction, points: tuple[Point, Point]) -> Any:
    """The contrast of c where the chain concludes that c + a F is constant: −a (F(v) − F(w))."""
    share = sympy.diff(chain.start - law.expression, normal_curvature_sq)
    high, low = _curvatures(chain, points)
    return -share * (high - low)


def _rise(chain: Chain) -> Any:
    """The contrast of c between x = 1 and x = 0 from dc/dx at x = 1 − y, in dimension `ROUND_FROM`."""
    more, straight = sorted(chain.conclusion.free_symbols, key=str)
    return sympy.integrate(chain.conclusion.xreplace({more: sympy.Integer(0)}), (straight, 0, 1))


def _instance(name: str, pair: _Pair, laws: Mapping[str, Prediction]) -> Counterexample:
    """Both directions have the density's remainder; K = 1 bounds the curvature of all these manifolds."""
    law = laws[pair.density]
    by_arc: Any = laws["geodesic-arc"].expression
    rest: Any = law.remainder and law.remainder.expression
    high, low = (by_arc.xreplace({normal_curvature_sq: form}) for form in pair.curvatures)
    bound = 2 * rest.xreplace({dim: sympy.Integer(pair.dim), curvature_bound: sympy.Integer(1)})
    return Counterexample(
        name,
        pair.text,
        name,
        {"manifold": pair.manifold, "law": _law},
        Prediction(name, pair.contrast, Prediction(f"{name} remainder", bound)),
        partial(_contrast, pair.density, pair.directions),
        Prediction(f"{name} claimed", high - low),
        {"radius": RADIUS},
    )


def _contrast(
    density: str, directions: tuple[Direction, Direction], manifold: Any, law: Any, *, radius: float
) -> tuple[float, float]:
    """Densities at the exact radius: √det of the graph's metric, or of the derivative of the exponential map."""
    import torch

    from manifoldtheory.manifolds.clouds import place_geodesic, place_projected

    w = torch.tensor(directions, dtype=torch.float64)
    t = torch.full((2,), law(radius).upper, dtype=torch.float64)
    chart = manifold.chart(manifold.immersion(torch.zeros(manifold.dim, dtype=torch.float64)))
    placed = place_projected(chart, t, w) if density == "projected-volume" else place_geodesic(chart, t, w, "volume")
    high, low = placed[2].tolist()
    return (high - low) / radius**2, _ROUNDING / radius**2


def _law() -> Any:
    from manifoldtheory.manifolds import FixedRadius

    return FixedRadius


def _patch(second_form: Any) -> Any:
    import torch

    from manifoldtheory.manifolds import MongePatch

    return MongePatch(torch.tensor(second_form, dtype=torch.float64))


def _twisted() -> Any:
    """h¹ = diag(−½, 1, 1), h²₁₂ = h³₁₃ = ¾."""
    import torch

    form = torch.zeros(3, 3, 3, dtype=torch.float64)
    form[0] = torch.diag(torch.tensor([-0.5, 1.0, 1.0], dtype=torch.float64))
    for normal, other in ((1, 1), (2, 2)):
        form[normal, 0, other] = form[normal, other, 0] = 0.75
    return _patch(form.tolist())


def _torus() -> Any:
    from manifoldtheory.manifolds import Product, Sphere

    return Product(Sphere(1), Sphere(1))


def _cylinder_over_sphere(size: int) -> Any:
    """A straight line, a flat patch, times the unit sphere of that dimension."""
    from manifoldtheory.manifolds import Product, Sphere

    return Product(_patch([[[0.0]]]), Sphere(size))
