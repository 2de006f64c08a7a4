"""Truncated series against ``sympy.Expr.series``: the ambient radius along a geodesic of a symbolic quadric.

The graph z = ½ uᵀHu, H symbolic, has the geodesic equation u″ = −H u (u′ᵀH u′)/(1 + |H u|²). Both sides solve it by
Picard's iteration from u = s v, v = (3/5, 4/5), each step of which is right to two orders more, and expand
t = √(|u|² + z²) in the arclength s. The same normal form is asked of both, and of `proofs.patches.geodesic_series`.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import sympy

from benchmarks.harness import Benchmark, Measurement, Setting, limit, speed
from benchmarks.timing import race, timing
from proofs.patches.geodesic_series import geodesic
from proofs.patches.monge_graphs import monge_patch
from proofs.series import Series, SeriesRing

NAMES = ("h11", "h12", "h22")
DIRECTION = (Fraction(3, 5), Fraction(4, 5))
PEER_ORDERS = (3, 5)
"""At order 7 the peer does not end within a minute."""
AXES = range(2)


def by_rings(order: int) -> Series:
    """t(s) through s^order, by `proofs.series`."""
    ring = SeriesRing(("s",), order + 2, NAMES)  # t² is divided by s²
    first, mixed, last = (ring[name] for name in NAMES)
    form, zero = ((first, mixed), (mixed, last)), ring.constant(0)

    def applied(left: list[Series], right: list[Series]) -> Series:
        return sum((form[i][j] * left[i] * right[j] for i in AXES for j in AXES), zero)

    line = [ring["s"] * component for component in DIRECTION]
    u = line
    for _ in range(order // 2):
        velocity = [part.derivative() for part in u]
        slope = [form[i][0] * u[0] + form[i][1] * u[1] for i in AXES]
        rate = applied(velocity, velocity) * (1 + slope[0] * slope[0] + slope[1] * slope[1]).inverse()
        u = [line[i] - (slope[i] * rate).integral().integral() for i in AXES]
    height = applied(u, u) * Fraction(1, 2)
    return (u[0] * u[0] + u[1] * u[1] + height * height).divided(2).sqrt() * ring["s"]


def by_expressions(order: int) -> Any:
    """t(s) through s^order, by ``Expr.series``."""
    s = sympy.Symbol("s", positive=True)
    first, mixed, last = sympy.symbols(NAMES)
    form = ((first, mixed), (mixed, last))

    def applied(left: list[Any], right: list[Any]) -> Any:
        return sum(form[i][j] * left[i] * right[j] for i in AXES for j in AXES)

    line = [s * sympy.Rational(component.numerator, component.denominator) for component in DIRECTION]
    u = line
    for step in range(order // 2):
        velocity = [sympy.diff(part, s) for part in u]
        slope = [form[i][0] * u[0] + form[i][1] * u[1] for i in AXES]
        rate = applied(velocity, velocity) / (1 + slope[0] ** 2 + slope[1] ** 2)
        bent = [(slope[i] * rate).series(s, 0, 2 * step + 2).removeO() for i in AXES]
        u = [sympy.expand(line[i] - sympy.integrate(sympy.integrate(sympy.expand(bent[i]), s), s)) for i in AXES]
    radius = sympy.sqrt(u[0] ** 2 + u[1] ** 2 + (applied(u, u) / 2) ** 2)
    return radius.series(s, 0, order + 1).removeO()


def coefficients(radius: Any, order: int) -> list[Any]:
    """The coefficients of s⁰ … s^order in normal form: polynomials in the entries of H."""
    s = sympy.Symbol("s", positive=True)
    entries = sympy.symbols(NAMES)
    if isinstance(radius, Series):
        found = [radius.coefficient(degree).as_expr() for degree in range(order + 1)]
    else:
        expanded = sympy.expand(radius)
        found = [expanded.coeff(s, degree) for degree in range(order + 1)]
    return [sympy.Poly(value, *entries, domain="QQ") for value in found]


def by_motion(order: int) -> list[Any]:
    """The same from `proofs.patches.geodesic_series`, which takes H from the general patch of degree 2."""
    graph = monge_patch(2, 1, order, 2)
    found = geodesic(graph, DIRECTION, order)
    names = dict(zip(map(sympy.Symbol, graph.ring.coefficients), sympy.symbols(NAMES), strict=True))
    values = (found.value(value).xreplace(names) for value in found.radius)
    return [sympy.Poly(value, *sympy.symbols(NAMES), domain="QQ") for value in values]


def _kept(results: list[Any], order: int) -> None:
    results.append(by_expressions(order))


def run(setting: Setting) -> Iterator[Measurement]:
    for order in setting.pick(smoke=PEER_ORDERS[:1], default=PEER_ORDERS):
        peer: list[Any] = []
        run_peer = partial(_kept, peer, order)
        # The peer takes seconds: once to warm up and once beside ours.
        measured = race(partial(by_rings, order), {"Expr.series": run_peer}, seconds=0, least=1)
        yield speed(f"radius along a geodesic, order {order}", measured, at_least=50)
        ours = coefficients(by_rings(order), order)
        others = (coefficients(peer[-1], order), by_motion(order))
        wrong = sum(a != b for other in others for a, b in zip(ours, other, strict=True))
        yield limit("the same, difference", float(wrong), "", at_most=0, against="coefficients")
    for order in setting.pick(smoke=(3,), default=range(3, 12)):
        taken = timing(partial(by_rings, order), seconds=setting.seconds / 4, least=setting.least)
        yield limit(f"growth: order {order}", taken.seconds, "s", at_most=5, others=taken.others)


BENCHMARK = Benchmark("truncated series against sympy.Expr.series", run)
