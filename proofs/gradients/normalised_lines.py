r"""Lines that miss 0 behind RMSNorm: arcs of circles of radius √d (see `proofs.normalisation_curvature`)."""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import vectors
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Dot, Slope
from proofs.gradients.normalisation_gradient import SILENT, input_, normalised
from proofs.symbols import ambient_dim, epsilon

output = sympy.Symbol("rms_output")
arclength = sympy.Symbol("arclength", positive=True)
distance = sympy.Symbol("distance", positive=True)
"""|x|."""
first, second = BASIS = sympy.symbols("plane_1 plane_2")
"""An orthonormal basis of the span of the line: e₁ to its point next to 0, e₂ along it."""
ORTHONORMAL = {
    (first, first): sympy.Integer(1),
    (first, second): sympy.Integer(0),
    (second, second): sympy.Integer(1),
}
_ANGLE = arclength / sympy.sqrt(ambient_dim)
LINE = (input_, distance * sympy.cos(_ANGLE) * first + distance * sympy.sin(_ANGLE) * second)
"""Its points by their angle from e₁."""


def arcs() -> tuple[Chain, ...]:
    """The arc, its unit speed, its acceleration y″ = −y/d (normal to the image, so it is a geodesic), and |y″|²."""
    norm = _line_norm()
    components = tuple(_component(norm, number) for number in range(2))
    rates = tuple(_derivative(component, times) for times in (1, 2) for component in components)
    speed = _sum_of_squares("arc-speed", "The arc has unit speed", rates[:2], sympy.Integer(1))
    title = "The squared normal curvature of the image of an affine plane"
    return (norm, *components, *rates, speed, _sum_of_squares("plane", title, rates[2:], 1 / ambient_dim))


def _products(*pairs: tuple[Any, Any]) -> list[tuple[Any, Any]]:
    return [(Dot(*pair), ORTHONORMAL[pair]) for pair in pairs]


def _line_norm() -> Chain:
    build = ChainBuilder(
        "line-norm",
        "The mean square of a point of the line, by which it is normalised",
        Dot(input_, input_) / ambient_dim + epsilon,
        definitions=[LINE],
        hypotheses=[SILENT, *_products(*ORTHONORMAL)],
        conditions=[vectors(input_, *BASIS)],
    )
    build.substitute("points of the line in polar coordinates; ε = 0", LINE, SILENT)
    (product,) = build.current.atoms(Dot)
    waves = [LINE[1].coeff(axis) for axis in BASIS]
    squares = waves[0] ** 2 * Dot(first, first) + waves[1] ** 2 * Dot(second, second)
    build.rewrite("bilinearity", "bilinearity", product, squares + 2 * waves[0] * waves[1] * Dot(first, second))
    build.substitute("orthonormal basis", *_products(*ORTHONORMAL))
    return build.tidy("cos² + sin² = 1", distance**2 / ambient_dim).done()


def _component(norm: Chain, number: int) -> Chain:
    """⟨y, e⟩ at the arclength s: √d cos(s/√d) or √d sin(s/√d)."""
    axis = BASIS[number]
    output_of = (output, normalised(input_, Dot(input_, input_)))
    build = ChainBuilder(
        f"arc-{number + 1}",
        "A component of the image of the line",
        Dot(output, axis),
        definitions=[output_of],
        conditions=[vectors(output)],
        uses=[norm],
    )
    build.substitute("RMSNorm", output_of)
    build.substitute("mean square of the input", fact(norm))
    build.substitute("points of the line in polar coordinates", LINE)
    pairs = [pair for pair in ORTHONORMAL if axis in pair]
    scale = sympy.sqrt(ambient_dim) / distance
    into = sum(scale * LINE[1].coeff(side) * Dot(*pair) for side, pair in zip(BASIS, pairs, strict=True))
    build.rewrite("bilinearity", "bilinearity", build.current, into)
    return build.substitute("orthonormal basis", *_products(*pairs)).done()


def _derivative(component: Chain, times: int) -> Chain:
    """A derivative of a component; the second is −⟨y, e⟩/d."""
    start = component.start
    for _ in range(times):
        start = Slope(start, arclength)
    name = f"{component.name}-{('velocity', 'acceleration')[times - 1]}"
    build = ChainBuilder(name, f"Derivative {times} of a component in the arclength", start, uses=[component])
    build.substitute("component of the arc", fact(component))
    for _ in range(times):
        (innermost,) = (slope for slope in build.current.atoms(Slope) if not slope.args[0].has(Slope))
        build.rewrite("derivative", "differentiation", innermost, sympy.diff(*innermost.args))
    return build.done()


def _sum_of_squares(name: str, title: str, rates: tuple[Chain, ...], value: Any) -> Chain:
    build = ChainBuilder(name, title, sum(rate.start**2 for rate in rates), uses=rates)
    build.substitute("its components", *map(fact, rates))
    return build.tidy("cos² + sin² = 1", value).done()
