r"""Gradient flow of one linear layer y = Wx on the loss ½E|Wx − W*x|², written out along one direction.

The change s u vᵀ of W changes the row ω = (W − W*)ᵀu of the error by s v, so that the derivative of the loss along it
is E[⟨ω, x⟩⟨v, x⟩]. For an eigenvector v of E[x xᵀ] that is λ⟨ω, v⟩: the component of W relaxes at the rate λ.
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import deterministic, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Dot, Expectation, Flow, Slope
from proofs.symbols import target, time, weight

row, entry, direction = sympy.symbols("error_row input direction")
"""ω, x and v."""
change = sympy.Symbol("change", real=True)
"""s, the size of the change of W along u vᵀ."""
rate = sympy.Symbol("rate", positive=True)
"""λ, an eigenvalue of E[x xᵀ]."""


def gradient() -> tuple[Chain, Chain]:
    """The derivative of the loss along u vᵀ, and what it is for an eigenvector v of E[x xᵀ]."""
    products = (Dot(row, entry) ** 2, Dot(row, entry) * Dot(direction, entry), Dot(direction, entry) ** 2)
    names = sympy.symbols("error_square mixed_square direction_square")
    squares = [(name, Expectation(product)) for name, product in zip(names, products, strict=True)]
    loss = Expectation(Dot(row + change * direction, entry) ** 2) / 2
    build = ChainBuilder(
        "gradient",
        "The derivative of ½E|Wx − W*x|² along a change of W by u vᵀ",
        At(Slope(loss, change), change, sympy.Integer(0)),
        definitions=squares,
        conditions=[vectors(row, entry, direction), deterministic(change)],
    )
    moved = Dot(row + change * direction, entry)
    build.rewrite("bilinearity", "bilinearity", moved, Dot(row, entry) + change * Dot(direction, entry))
    quadratic = squares[0][1] + 2 * change * squares[1][1] + change**2 * squares[2][1]
    (average,) = build.current.atoms(Expectation)
    build.rewrite("linearity", "linearity", average, quadratic)
    build.substitute("name the averages", *map(turned, squares))
    build.rewrite("derivative", "differentiation", build.current.args[0], names[1] + change * names[2])
    build.evaluate("at W", build.current)
    derivative = build.substitute("the average", squares[1]).done()
    eigenvector = (squares[1][1], rate * Dot(direction, row))
    build = ChainBuilder(
        "eigenvector",
        "The derivative of the loss along an eigenvector of E[x xᵀ]",
        derivative.start,
        hypotheses=[eigenvector],
        uses=[derivative],
    )
    build.substitute("derivative of the loss", fact(derivative))
    return derivative, build.substitute("E[⟨v, x⟩ x] = λ v", eigenvector).done()


def weight_law(along: Chain) -> tuple[Chain, Chain]:
    """The component w of W along v, from 0 to c: c(1 − e^{−λτ}); first as a solution, then of gradient flow itself."""
    build = ChainBuilder(
        "weight",
        "Relaxation towards c at the rate λ",
        Flow(-rate * (weight - target), weight, sympy.Integer(0), time),
    )
    law = build.rewrite("closed form", "flow", build.current, target * (1 - sympy.exp(-rate * time))).done()
    error = (Dot(direction, row), weight - target)
    build = ChainBuilder(
        "gradient-flow",
        "Gradient flow of the component of W along an eigenvector, from W = 0",
        Flow(-along.start, weight, sympy.Integer(0), time),
        hypotheses=[error],
        uses=[along, law],
    )
    build.substitute("derivative of the loss", fact(along))
    build.substitute("W* is c along v: ⟨ω, v⟩ = w − c", error)
    return law, build.substitute("closed form", fact(law)).done()
