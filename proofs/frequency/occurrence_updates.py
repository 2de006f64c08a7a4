r"""One step of plain SGD for a token that is moved when it occurs, and its mean square distance from its centre.

ξ = x − µ; b is 1 if the token occurs, else 0; the gradient is λξ + ε. So ξ⁺ = ξ − b η(λξ + ε).
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import centred, deterministic, independent, vectors
from proofs.expansion import ChainBuilder
from proofs.expressions import Dot, Expectation
from proofs.symbols import frequency, noise_variance, restoring_rate, step_size

xi, following, epsilon = sympy.symbols("xi xi_next epsilon")
b = sympy.Symbol("b")
V = sympy.Symbol("V")
"""E|ξ|² before the step."""

_SPREAD, _CROSS, _NOISE = Dot(xi, xi), Dot(epsilon, xi), Dot(epsilon, epsilon)
MEAN_SQUARE = (Expectation(_SPREAD), V)
NOISE = (Expectation(_NOISE), noise_variance)
OCCURRENCE = ((Expectation(b), frequency), (Expectation(b**2), frequency))
"""b² = b."""
INDEPENDENCE = (independent((b,), (xi, epsilon)), independent((xi,), (epsilon,)), centred(epsilon))


def mean_square_after_update() -> Chain:
    """E|ξ⁺|² = (1 − fηλ(2−ηλ))V + fη²σ², for E|ξ|² = V and E|ε|² = σ²."""
    eta, rate = step_size, restoring_rate
    update = (following, xi - b * eta * (rate * xi + epsilon))
    build = ChainBuilder(
        "one-update",
        "The mean square distance from the centre after a step",
        Expectation(Dot(following, following)),
        definitions=[update],
        hypotheses=[MEAN_SQUARE, NOISE, *OCCURRENCE],
        conditions=[vectors(xi, following, epsilon), deterministic(eta, rate), *INDEPENDENCE],
    )
    build.substitute("the update, if the token occurs", update)
    (square,) = build.current.args
    squares = (1 - b * eta * rate) ** 2 * _SPREAD - 2 * (1 - b * eta * rate) * b * eta * _CROSS
    build.rewrite("bilinearity", "bilinearity", square, squares + b**2 * eta**2 * _NOISE)
    coefficients = (
        (1, _SPREAD),
        (-2 * eta * rate, b * _SPREAD),
        (eta**2 * rate**2, b**2 * _SPREAD),
        (-2 * eta, b * _CROSS),
        (2 * eta**2 * rate, b**2 * _CROSS),
        (eta**2, b**2 * _NOISE),
    )
    linear = sum(coefficient * Expectation(term) for coefficient, term in coefficients)
    build.rewrite("linearity", "linearity", build.current, linear)
    for power, inner in ((b, _SPREAD), (b**2, _SPREAD), (b, _CROSS), (b**2, _CROSS), (b**2, _NOISE)):
        into = Expectation(power) * Expectation(inner)
        build.rewrite("occurrence is independent of the rest", "independence", Expectation(power * inner), into)
    build.rewrite("the noise is centred, and independent", "independence", Expectation(_CROSS), sympy.Integer(0))
    build.substitute("mean squares, and b² = b", MEAN_SQUARE, NOISE, *OCCURRENCE)
    contraction = 1 - frequency * eta * rate * (2 - eta * rate)
    return build.tidy("collect", contraction * V + frequency * eta**2 * noise_variance).done()
