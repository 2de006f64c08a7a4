r"""The gradient of one token, δ ξᵀ: its normal part is of order t relative to its tangent part, whatever the loss.

|δ (Pξ)ᵀ|² = |δ|²|Pξ|² for a projection P, so that δ cancels in the ratio of the parts. The energies themselves are
|δ(p)|² t² and |δ(p)|² F t⁴/4 to leading order, and two powers of t smaller where δ(p) = 0.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.conditions import deterministic, nonzero, remainder, vectors
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Dot, Expectation, Remainders, is_remainder, without_remainders
from proofs.majorants import BOUND, geodesic_height_tail, geodesic_shortfall_tail
from proofs.symbols import curvature_bound, normal_curvature_sq, radius

t = radius
e = sympy.Symbol("radius_scale", positive=True)
gradient, base_gradient, slope = sympy.symbols("output_gradient delta_p delta_v")
"""The vector δ along a geodesic, δ(p), and the derivative of δ at p."""
second_moment = sympy.Symbol("mu_2", positive=True)
curved_moment = sympy.Symbol("kappa_4", nonnegative=True)


def ratio(remainders: Remainders, normal: Chain) -> Chain:
    """|P_N ξ|/|P_T ξ| = (√F/2) t + O(t²), in all directions at once."""
    build = ChainBuilder(
        "per-token-ratio",
        "Normal over tangent part of the gradient of one token",
        normal.start / sympy.sqrt(t**2 - normal.start**2),
        remainders=remainders,
        uses=[normal],
    )
    build.substitute("the normal part (tangent-normal-scaling); Pythagoras", fact(normal))
    return build.truncate("expand in t", build.current, t, 1).done()


def energies(remainders: Remainders, normal: Chain) -> tuple[Chain, ...]:
    """|δ|²|P_T ξ|² and |δ|²|P_N ξ|², where δ(p) ≠ 0, and where δ(p) = 0; the chains they use come first."""
    moving = _gradient_sq(remainders, "gradient-sq", base_gradient + t * slope, 0)
    still = _gradient_sq(remainders, "stationary-gradient-sq", t * slope, 2)
    squares = {"tangent": (t**2 - normal.start**2, 2), "normal": (normal.start**2, 4)}
    found = [moving, still]
    for square_of, name, added in ((moving, "token", 0), (still, "stationary-token", 2)):
        for part, (square, order) in squares.items():
            build = ChainBuilder(
                f"{name}-{part}-energy",
                f"The {part} energy of the gradient of one token",
                square_of.start * square,
                remainders=remainders,
                uses=[square_of, normal],
            )
            build.substitute("|δ|², and the normal part; Pythagoras", fact(square_of), fact(normal))
            found.append(build.truncate("expand in t", build.current, t, order + added).done())
    return tuple(found)


def _gradient_sq(remainders: Remainders, name: str, first: Any, order: int) -> Chain:
    """|δ|² from the first terms of δ along a geodesic."""
    error = remainders()
    taylor = (gradient, first + t**2 * error)
    symbols = [base_gradient, slope] if first.has(base_gradient) else [slope]
    build = ChainBuilder(
        name,
        "The square of the output gradient",
        Dot(gradient, gradient),
        remainders=remainders,
        definitions=[taylor],
        conditions=[vectors(gradient, *symbols), remainder(error, t, vector=True)],
    )
    build.substitute("δ along a geodesic", taylor)
    terms = [(t**power, symbol) for power, symbol in zip((1, 0), reversed(symbols), strict=False)] + [(t**2, error)]
    squares = sum(a * b * Dot(*sorted((u, v), key=str)) for a, u in terms for b, v in terms)
    build.rewrite("bilinearity", "bilinearity", build.current, squares)
    return build.truncate("expand in t", build.current, t, order).done()


def random_radius(tangent_energy: Chain, normal_energy: Chain, remainders: Remainders) -> Chain:
    """E|δ P_N ξᵀ|²/E|δ P_T ξᵀ|² = E[F t⁴]/(4 E t²) (1 + O(e)) for t of scale e, where δ(p) ≠ 0."""
    errors = [_remainder(tangent_energy), _remainder(normal_energy)]
    bounds = [remainders(), remainders()]
    powers = (3, 5)
    moments = [
        (Expectation(error * t**power), bound * e**power)
        for error, bound, power in zip(errors, bounds, powers, strict=True)
    ]
    second = (Expectation(t**2), second_moment * e**2)
    fourth = (Expectation(normal_curvature_sq * t**4), curved_moment * e**4)
    square = Dot(base_gradient, base_gradient)
    build = ChainBuilder(
        "random-radius",
        "Mean energies of per-token gradients, normal over tangent, under a radial law of scale e",
        Expectation(normal_energy.start) / Expectation(tangent_energy.start),
        hypotheses=[second, fourth, *moments],
        conditions=[deterministic(base_gradient), nonzero(square), *(remainder(bound, e) for bound in bounds)],
        uses=[tangent_energy, normal_energy],
    )
    build.substitute("energies of one token", fact(tangent_energy), fact(normal_energy))
    linear = (
        (normal_energy, square * Expectation(normal_curvature_sq * t**4) / 4 + Expectation(errors[1] * t**5)),
        (tangent_energy, square * Expectation(t**2) + Expectation(errors[0] * t**3)),
    )
    for chain, into in linear:
        build.rewrite("linearity", "linearity", Expectation(chain.conclusion), into)
    build.substitute("moments of the radius", second, fourth, *moments)
    into = curved_moment / (4 * second_moment) * e**2 + remainders() * e**3
    return build.rewrite("expand in e", "truncation", build.current, into, variable=e, order=2).done()


def _remainder(chain: Chain) -> Any:
    (error,) = (symbol for symbol in chain.conclusion.free_symbols if is_remainder(symbol))
    return error


def prediction(chain: Chain) -> Prediction:
    """``per-token-ratio`` at ambient radius t along a geodesic.

    The remainder is a bound for every direction, for K t ≤ `proofs.majorants.RANGE`: with |P_N ξ| = √F t²/2 + a and
    |P_T ξ| = t − b, the ratio differs from √F t/2 by (a + √F t b/2)/(t − b).
    """
    law = without_remainders(chain.conclusion)
    height, shortfall = geodesic_height_tail(3) / curvature_bound, geodesic_shortfall_tail(3) / curvature_bound
    bound = (height + law * shortfall) / (t - shortfall)
    return Prediction(chain.name, law, Prediction(f"{chain.name} remainder", bound, note=BOUND))
