r"""An embedding under SGD with weight decay: its mean, and its mean square about any point.

A coordinate moves by x ← x − η(ωx + b(λ(x − µ) + ε)), the gradient of ½ωx² + ½bλ(x − µ)² with noise, b ∈ {0, 1}. So
E x ← (1 − η(ω + fλ)) E x + ηfλµ, and E x² obeys a linear recursion too, into which E x enters.
"""

from typing import Any

import sympy

from proofs.certificate import Chain, Equation
from proofs.conditions import deterministic, independent, nonnegative, positive
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, Expectation, Iterate, LimitAtInfinity, Slope
from proofs.symbols import (
    centre,
    decay_rate,
    frequency,
    noise_variance,
    point,
    restoring_rate,
    start,
    step_size,
    steps,
)

coordinate, embedding, following = sympy.symbols("coordinate embedding embedding_next")
occurs, noise = sympy.symbols("occurs gradient_noise")
mean = sympy.Symbol("mean")
mean_square = sympy.Symbol("mean_square")
initial_mean_square = sympy.Symbol("initial_mean_square", nonnegative=True)

MEAN = (Expectation(embedding), mean)
MEAN_SQUARE = (Expectation(embedding**2), mean_square)
BERNOULLI = ((Expectation(occurs), frequency), (Expectation(occurs**2), frequency))
CENTRED = (Expectation(noise), sympy.Integer(0))
NOISE = (Expectation(noise**2), noise_variance)
CONSTANTS = deterministic(step_size, decay_rate, restoring_rate, centre)
INDEPENDENT = independent((occurs,), (embedding,), (noise,))

rate = decay_rate + frequency * restoring_rate
kept = 1 - step_size * decay_rate
pulled = kept - step_size * restoring_rate
"""Factors of x in a step without and with an occurrence."""
equilibrium = frequency * restoring_rate * centre / rate
square_factor = (1 - frequency) * kept**2 + frequency * pulled**2
contraction = decay_rate * (2 - step_size * decay_rate) + frequency * restoring_rate * (
    2 * kept - step_size * restoring_rate
)
"""(1 − square_factor)/η."""
LIMIT_SQUARE = (
    frequency
    * (
        2 * pulled * restoring_rate * centre * equilibrium
        + step_size * (restoring_rate**2 * centre**2 + noise_variance)
    )
    / contraction
)


def decayed_embedding() -> tuple[Chain, ...]:
    """The step, and from it the mean after n steps and in the long run, and the mean square about points."""
    gradient = _gradient()
    next_mean, next_square = _mean_after_update(gradient), _square_after_update(gradient)
    law = _mean(next_mean)
    limit = _limit(law)
    square = _limit_square(next_square, limit)
    about = _about_point(square, limit)
    norm, distance = (_measured_from(about, *where) for where in (("norm-sq", 0), ("centre-distance-sq", centre)))
    return gradient, next_mean, next_square, law, limit, square, about, norm, distance


def _gradient() -> Chain:
    """ωx + bλ(x − µ), from the loss of a step."""
    loss = decay_rate * coordinate**2 / 2 + occurs * restoring_rate * (coordinate - centre) ** 2 / 2
    slope = Slope(loss, coordinate)
    build = ChainBuilder(
        "decayed-gradient",
        "The gradient of a step's loss in a coordinate: weight decay, and the pull to µ on occurrence",
        At(slope, coordinate, embedding),
    )
    into = decay_rate * coordinate + occurs * restoring_rate * (coordinate - centre)
    build.rewrite("differentiate", "differentiation", slope, into)
    return build.evaluate("at the embedding", build.current).done()


def _update(gradient: Chain) -> Equation:
    """SGD, with noise in the gradient of the occurrence."""
    return following, embedding - step_size * (gradient.start + occurs * noise)


def _mean_after_update(gradient: Chain) -> Chain:
    update = _update(gradient)
    build = ChainBuilder(
        "mean-after-step",
        "The mean of a coordinate after a step",
        Expectation(following),
        definitions=[update],
        hypotheses=[MEAN, *BERNOULLI[:1], CENTRED],
        conditions=[CONSTANTS, INDEPENDENT],
        uses=[gradient],
    )
    build.substitute("a step of SGD", update)
    build.substitute("its gradient", fact(gradient))
    both = Expectation(occurs * embedding)
    linear = (
        kept * Expectation(embedding)
        - step_size * restoring_rate * (both - centre * Expectation(occurs))
        - step_size * Expectation(noise * occurs)
    )
    build.rewrite("linearity", "linearity", build.current, linear)
    for product in (both, Expectation(noise * occurs)):
        _split(build, product)
    build.substitute("means", MEAN, BERNOULLI[0], CENTRED)
    return build.tidy("collect", (1 - step_size * rate) * mean + step_size * rate * equilibrium).done()


def _split(build: ChainBuilder, average: Any) -> None:
    """The expectation of a product of independent factors."""
    factors = average.args[0].as_powers_dict().items()
    into = sympy.Mul(*(Expectation(base**power) for base, power in factors))
    build.rewrite("independent factors", "independence", average, into)


def _mean(next_mean: Chain) -> Chain:
    """x* + (x_0 − x*)(1 − η(ω + fλ))ⁿ."""
    build = ChainBuilder(
        "mean-embedding",
        "The mean of a coordinate after n steps",
        Iterate(next_mean.start, mean, start, steps),
        uses=[next_mean],
    )
    build.substitute("one step", fact(next_mean))
    closed = equilibrium + (start - equilibrium) * (1 - step_size * rate) ** steps
    return build.rewrite("closed form of the recursion", "induction", build.current, closed).done()


def _limit(law: Chain) -> Chain:
    build = ChainBuilder(
        "limit-embedding",
        "The mean of a coordinate in the long run",
        LimitAtInfinity(law.start, steps),
        conditions=[nonnegative(1 - step_size * rate)],
        uses=[law],
    )
    build.substitute("after n steps", fact(law))
    terms, factors = (1 - step_size * rate,), (step_size, rate)
    build.rewrite("a geometric sequence", "geometric-limit", build.current, equilibrium, terms=terms, factors=factors)
    return build.done()


def _square_after_update(gradient: Chain) -> Chain:
    update = _update(gradient)
    build = ChainBuilder(
        "mean-square-after-step",
        "The mean square of a coordinate after a step",
        Expectation(following**2),
        definitions=[update],
        hypotheses=[MEAN, MEAN_SQUARE, *BERNOULLI, CENTRED, NOISE],
        conditions=[CONSTANTS, INDEPENDENT],
        uses=[gradient],
    )
    build.substitute("a step of SGD", update)
    build.substitute("its gradient", fact(gradient))
    (argument,) = build.current.args
    terms = sympy.Poly(argument, embedding, occurs, noise).terms()
    averages = [
        (factor, Expectation(embedding**i * occurs**j * noise**k) if i + j + k else sympy.Integer(1))
        for (i, j, k), factor in terms
    ]
    build.rewrite("linearity", "linearity", build.current, sympy.Add(*(f * average for f, average in averages)))
    for _, average in averages:
        if average.args and len(average.free_symbols) > 1:
            _split(build, average)
    build.substitute("means and mean squares", MEAN, MEAN_SQUARE, *BERNOULLI, CENTRED, NOISE)
    pull = 2 * step_size * restoring_rate * pulled * centre * mean
    source = frequency * (pull + step_size**2 * (restoring_rate**2 * centre**2 + noise_variance))
    return build.tidy("collect", square_factor * mean_square + source).done()


def _limit_square(next_square: Chain, limit: Chain) -> Chain:
    settled = (mean, limit.start)
    build = ChainBuilder(
        "limit-mean-square",
        "The mean square of a coordinate in the long run, once the mean has settled",
        LimitAtInfinity(Iterate(next_square.start, mean_square, initial_mean_square, steps), steps),
        hypotheses=[settled],
        conditions=[nonnegative((1 - frequency) * kept**2), positive(contraction)],
        uses=[next_square, limit],
    )
    build.substitute("one step", fact(next_square))
    build.substitute("the mean has settled", settled)
    build.substitute("where it settles", fact(limit))
    closed = LIMIT_SQUARE + (initial_mean_square - LIMIT_SQUARE) * square_factor**steps
    build.rewrite("closed form of the recursion", "induction", build.current.args[0], closed)
    terms, factors = ((1 - frequency) * kept**2, frequency * pulled**2), (step_size, contraction)
    build.rewrite("a geometric sequence", "geometric-limit", build.current, LIMIT_SQUARE, terms=terms, factors=factors)
    return build.done()


def _about_point(square: Chain, limit: Chain) -> Chain:
    settled = ((mean, limit.start), (mean_square, square.start))
    build = ChainBuilder(
        "distance-sq",
        "The mean square about a point c of a coordinate in the long run",
        Expectation((embedding - point) ** 2),
        hypotheses=[MEAN, MEAN_SQUARE, *settled],
        conditions=[deterministic(point)],
        uses=[square, limit],
    )
    linear = Expectation(embedding**2) - 2 * point * Expectation(embedding) + point**2
    build.rewrite("linearity", "linearity", build.current, linear)
    build.substitute("mean and mean square", MEAN, MEAN_SQUARE)
    build.substitute("in the long run", *settled)
    return build.substitute("where they settle", fact(limit), fact(square)).done()


def _measured_from(about: Chain, name: str, where: Any) -> Chain:
    build = ChainBuilder(
        name,
        f"The mean square about c = {where} of a coordinate in the long run",
        At(about.start, point, where),
        uses=[about],
    )
    build.substitute("about any point", fact(about))
    return build.evaluate("about this one", build.current).done()
