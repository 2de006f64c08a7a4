r"""The gradient behind RMSNorm at its input x = p + ξ: orthogonal to x up to ε, hence small along p.

⟨∂L/∂x, x⟩ is the derivative in c of ⟨δ, y(cx)⟩ at c = 1, for the gradient δ = ∂L/∂y at the output, held fixed (the
chain rule): ε⟨δ, x⟩/(|x|²/d + ε)^{3/2}, and 0 without ε, for y(cx) = y(x).
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import vectors
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, Dot, Slope
from proofs.symbols import ambient_dim, directional_gradient, epsilon, input_alignment, input_norm_sq, radius

input_ = sympy.Symbol("rms_input")
scaled_output, output_gradient = sympy.symbols("scaled_output output_gradient")
"""y(cx), and ∂L/∂y."""
input_gradient, base_point, displacement, direction = sympy.symbols("input_gradient base_point displacement direction")
"""∂L/∂x, p, ξ and ξ/t."""
scale = sympy.Symbol("scale", positive=True)
SQUARE = (Dot(input_, input_), input_norm_sq)
SILENT = (epsilon, sympy.Integer(0))
"""ε = 0."""


def normalised(vector: Any, square: Any) -> Any:
    """RMSNorm without weights of a vector of squared length `square`: the vector over the root of its mean square."""
    return vector / sympy.sqrt(square / ambient_dim + epsilon)


def radial_gradient() -> Chain:
    """⟨∂L/∂x, x⟩ = ε⟨δ, x⟩/(|x|²/d + ε)^{3/2}."""
    output_of = (scaled_output, normalised(scale * input_, scale**2 * Dot(input_, input_)))
    aligned = (Dot(output_gradient, input_), input_alignment)
    build = ChainBuilder(
        "radial-gradient",
        "The gradient at the input of RMSNorm, along the input: the loss on the ray through it",
        At(Slope(Dot(output_gradient, scaled_output), scale), scale, sympy.Integer(1)),
        definitions=[output_of],
        hypotheses=[SQUARE, aligned],
        conditions=[vectors(input_, scaled_output, output_gradient)],
    )
    build.substitute("RMSNorm of c x", output_of)
    build.substitute("|x|²", SQUARE)
    (product,) = build.current.atoms(Dot)
    factor = product.args[1] / input_
    build.rewrite("bilinearity", "bilinearity", product, factor * Dot(output_gradient, input_))
    build.substitute("⟨δ, x⟩", aligned)
    (rate,) = build.current.atoms(Slope)
    mean_square = scale**2 * input_norm_sq / ambient_dim + epsilon
    build.rewrite(
        "derivative", "differentiation", rate, epsilon * input_alignment / mean_square ** sympy.Rational(3, 2)
    )
    return build.evaluate("at c = 1", build.current).done()


def base_gradient(radial: Chain) -> Chain:
    """⟨∂L/∂x, p⟩ = −t⟨∂L/∂x, ξ/t⟩, for ε = 0."""
    parts = (displacement, radius * direction)
    along_ray = (Dot(input_gradient, base_point + displacement), radial.start)
    build = ChainBuilder(
        "base-gradient",
        "The gradient at the input x = p + ξ along p is minus that along ξ, of the order of t = |ξ|",
        Dot(input_gradient, base_point),
        definitions=[parts],
        hypotheses=[along_ray, SILENT, (Dot(input_gradient, direction), directional_gradient)],
        conditions=[vectors(input_gradient, base_point, displacement, direction)],
        uses=[radial],
    )
    split = Dot(input_gradient, base_point + displacement) - Dot(input_gradient, displacement)
    build.rewrite("bilinearity", "bilinearity", build.current, split)
    build.substitute("chain rule", along_ray)
    build.substitute("along the ray", fact(radial))
    build.substitute("ε = 0; ξ = t · direction", SILENT, parts)
    (product,) = build.current.atoms(Dot)
    build.rewrite("bilinearity", "bilinearity", product, radius * Dot(input_gradient, direction))
    return build.substitute("gradient in that direction", (Dot(input_gradient, direction), directional_gradient)).done()
