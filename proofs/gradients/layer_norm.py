r"""LayerNorm near a base point: ``z = c/σ(c)`` for the centred input c = C x, without its affine part.

With c = c₀ + t c₁ + O(t²) and σ = |c₀|/√d the output is z = z₀ + t J ξ₁ + O(t²), ``J ξ₁ = (c₁ − c₀⟨c₀, c₁⟩/|c₀|²)/σ``.
Outputs lie on a sphere, so that the base point z₀ is orthogonal to the tangent space of the image. A direction y that
is normal to the cloud before the layer is not so to its image: ``⟨y, c₁⟩ = −⟨y, 1⟩⟨1, ξ₁⟩/d``.
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import nonzero, vectors
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Dot, Remainders
from proofs.gradients.attention_averages import NORMAL_DIRECTION, direction
from proofs.gradients.relative_length import RelativeLength
from proofs.gradients.softmax import dot, t, xi_1
from proofs.symbols import ambient_dim

ones = sympy.Symbol("all_ones")
"""(1, …, 1)."""
mean_1, along = sympy.symbols("xi_1_mean radial_rate", real=True)
"""The mean of the coordinates of ξ₁, and ⟨c₀, c₁⟩/|c₀|²."""


def layer_norm(remainders: Remainders) -> tuple[Chain, ...]:
    """What the layer moves in a direction normal before it, and the orthogonality of its base point."""
    centred = RelativeLength("centred", remainders())
    lengths = centred.chains(remainders)
    centring = (centred.vector_1, xi_1 - mean_1 * ones)
    means = (mean_1, dot(ones, xi_1) / ambient_dim)
    build = ChainBuilder(
        "centred-normal",
        "Centring moves what is normal to a cloud",
        dot(centred.vector_1, direction),
        definitions=[centring, means],
        hypotheses=[NORMAL_DIRECTION],
        conditions=[vectors(centred.vector_1, direction, ones, xi_1)],
    )
    build.substitute("coordinates less their mean", centring)
    build.rewrite("bilinearity", "bilinearity", build.current, dot(direction, xi_1) - mean_1 * dot(direction, ones))
    moved = build.substitute("y is normal", NORMAL_DIRECTION, means).done()
    build = ChainBuilder(
        "layer-norm-before",
        "LayerNorm moves what is normal before it, to order t",
        sympy.sqrt(ambient_dim) * dot(centred.vector, direction) / centred.length,
        remainders=remainders,
        conditions=[vectors(direction)],
        uses=[lengths[0], lengths[-1], moved],
    )
    build.substitute("the length, and Taylor expansion", fact(lengths[-1]), centred.taylor)
    centred.expand(build, direction)
    build.substitute("y is normal before the layer", fact(moved))
    product = Dot(centred.vector_0, centred.vector_1)
    rate = moved.conclusion - dot(centred.vector_0, direction) * product / centred.norm**2
    scale = sympy.sqrt(ambient_dim) / centred.norm
    into = scale * (dot(centred.vector_0, direction) + rate * t) + build.remainder() * t**2
    build.rewrite("expand in t", "truncation", build.current, into, variable=t, order=1)
    before = build.done()
    projections = (along, product / Dot(centred.vector_0, centred.vector_0))
    build = ChainBuilder(
        "layer-norm-after",
        "After LayerNorm the base point is orthogonal to the tangent space",
        Dot(centred.vector_0, centred.vector_1 - along * centred.vector_0),
        definitions=[projections],
        conditions=[
            vectors(centred.vector_0, centred.vector_1),
            nonzero(Dot(centred.vector_0, centred.vector_0)),
        ],
    )
    into = product - along * Dot(centred.vector_0, centred.vector_0)
    build.rewrite("bilinearity", "bilinearity", build.current, into)
    build.substitute("the part along the base point", projections)
    return (*lengths, moved, before, build.done())
