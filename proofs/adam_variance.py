r"""The spread of a token about its centre under Adam: its frequency shows in the long run, too.

With β₁ = 0 and ε = 0 Adam moves a coordinate by ξ ← ξ − b η(λξ + ε)/√v, v ← β₂v + (1−β₂)b(λξ + ε)². A long memory makes
v what it is on average, f(σ² + λ²V): of rare tokens it is small. The effective step h = η/√v is larger by 1/√f, and the
limit of SGD (`proofs.variance_collapse`) at step h, with v at that V, is V = ησ/(2λ√f) + η²/(8f) + O(η³).
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from manifoldtheory.ledger.predictions import NEXT_TERMS
from proofs.certificate import Chain
from proofs.conditions import deterministic, nonzero, positive, vectors
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Dot, Expectation, Inverse, Remainders, Zero, without_remainders
from proofs.frequency.occurrence_updates import (
    INDEPENDENCE,
    MEAN_SQUARE,
    NOISE,
    OCCURRENCE,
    V,
    b,
    epsilon,
    following,
    xi,
)
from proofs.symbols import (
    frequency,
    learning_rate,
    noise_variance,
    restoring_rate,
    second_moment_decay,
    step_size,
)

CLAIM = Claim(
    slug="adam-variance",
    title="Under Adam frequent tokens are tighter even in the long run",
    section="frequency",
    statements=(
        Statement(
            Form.REPAIRED,
            "In the long run the mean square distance of a token from its centre is V_∞ = ησ/(2λ√f) + η²/(8f) + O(η³) "
            "per coordinate: it falls like 1/√f as the frequency grows.",
            (
                Hypothesis(
                    "update",
                    "ξ ← ξ − b η(λξ + ε)/√v, v ← β₂v + (1−β₂)b(λξ + ε)², b ∈ {0, 1}, E b = f (Adam "
                    "with β₁ = 0, or of a memory 1/(1−β₁) short against σ/(√f ηλ) steps, and no constant beside √v)",
                ),
                Hypothesis("noise", "ε is independent of ξ and b, E ε = 0, E ε² = σ² > 0 per coordinate"),
                Hypothesis("memory", "1/(1−β₂) is long against 1/f, so that v is its stationary mean"),
                Hypothesis("small steps", "ηλ is small against √f σ: the signal λ²V is small against σ²"),
            ),
        ),
    ),
    source="beyond arXiv:2604.08764",
)

v, v_next, v_mean = sympy.symbols("v v_next v_mean")
"""The second-moment accumulator before and after a step, and its mean before it."""
gradient = sympy.Symbol("g")
adam_following = sympy.Symbol("xi_Adam")
accumulator = sympy.Symbol("v_stationary")
y = sympy.Symbol("y", positive=True)
"""√f σ times the effective step."""
_SCALE = sympy.sqrt(frequency * noise_variance)
_SIGNAL = 1 + restoring_rate**2 * V / noise_variance


def derive() -> Derivation:
    """The derivation: Adam's step as one of SGD, its accumulator, the learning rate of an effective step, and V_∞."""
    remainders = Remainders()
    imports = imported("variance-collapse/limit-variance", remainders)
    step = _step()
    mean = _mean_accumulator()
    stationary = _stationary_accumulator(mean)
    rate = _learning_rate(remainders, stationary, imports[-1])
    effective = _effective_step(remainders, rate)
    variance = _variance(remainders, imports[-1], effective)
    chains = (step, mean, stationary, rate, effective, variance)
    findings = (Finding(Form.REPAIRED, Verdict.SUPPORTS, variance.name, (step.name, variance.name)),)
    return Derivation(CLAIM, chains, findings, {variance.name: prediction(variance)}, imports)


def _step() -> Chain:
    """E|ξ⁺|² under Adam is that of an SGD step of size h = η/√v."""
    adam = (adam_following, xi - b * learning_rate / sympy.sqrt(accumulator) * (restoring_rate * xi + epsilon))
    sgd = (following, xi - b * step_size * (restoring_rate * xi + epsilon))
    effective = (learning_rate, step_size * sympy.sqrt(accumulator))
    build = ChainBuilder(
        "adam-step",
        "A step of Adam is one of SGD, with an effective step",
        Expectation(Dot(adam_following, adam_following)),
        definitions=[adam, sgd],
        hypotheses=[effective],
        conditions=[vectors(xi, following, epsilon, adam_following), nonzero(accumulator)],
    )
    build.substitute("Adam's update, if the token occurs", adam)
    build.substitute("the learning rate is the effective step times √v", effective)
    return build.substitute("which is the update of SGD", sgd[::-1]).done()


def _mean_accumulator() -> Chain:
    """E v⁺ = β₂ E v + (1−β₂) f σ²(1 + λ²V/σ²)."""
    beta, rate = second_moment_decay, restoring_rate
    slope = (gradient, rate * xi + epsilon)
    following_v = (v_next, beta * v + (1 - beta) * b**2 * Dot(gradient, gradient))
    mean = (Expectation(v), v_mean)
    build = ChainBuilder(
        "mean-accumulator",
        "The mean of the second-moment accumulator after a step",
        Expectation(v_next),
        definitions=[slope, following_v],
        hypotheses=[mean, MEAN_SQUARE, NOISE, *OCCURRENCE[1:]],
        conditions=[
            vectors(xi, epsilon, gradient),
            deterministic(beta, rate),
            *INDEPENDENCE,
            positive(noise_variance),
        ],
    )
    build.substitute("the accumulator, if the token occurs", following_v)
    build.substitute("the gradient", slope)
    (square,) = build.current.atoms(Dot)
    spread, cross, noise = Dot(xi, xi), Dot(epsilon, xi), Dot(epsilon, epsilon)
    build.rewrite("bilinearity", "bilinearity", square, rate**2 * spread + 2 * rate * cross + noise)
    squares = rate**2 * Expectation(b**2 * spread) + 2 * rate * Expectation(b**2 * cross) + Expectation(b**2 * noise)
    build.rewrite("linearity", "linearity", build.current, beta * Expectation(v) + (1 - beta) * squares)
    for inner in (spread, cross, noise):
        into = Expectation(b**2) * Expectation(inner)
        build.rewrite("occurrence is independent of the rest", "independence", Expectation(b**2 * inner), into)
    build.rewrite("the noise is centred, and independent", "independence", Expectation(cross), sympy.Integer(0))
    build.substitute("mean squares, and b² = b", mean, MEAN_SQUARE, NOISE, *OCCURRENCE[1:])
    into = beta * v_mean + (1 - beta) * frequency * noise_variance * _SIGNAL
    return build.tidy("collect", into).done()


def _stationary_accumulator(mean: Chain) -> Chain:
    """E v = fσ²(1 + λ²V/σ²) is what a step leaves as it is."""
    build = ChainBuilder(
        "stationary-accumulator",
        "The mean of the second-moment accumulator that a step does not change",
        Zero(mean.start - v_mean, v_mean),
        conditions=[positive(1 - second_moment_decay)],
        uses=[mean],
    )
    build.substitute("mean after a step", fact(mean))
    into = frequency * noise_variance * _SIGNAL
    return build.rewrite("a linear equation", "zero", build.current, into).done()


def _learning_rate(remainders: Remainders, stationary: Chain, limit: Chain) -> Chain:
    """η = h√v = y(1 + λy/(4√f σ)) + O(y³) for h = y/(√f σ), with v at the V_∞ of that effective step."""
    memory = (accumulator, stationary.start)
    spread = (V, limit.start)
    effective = (step_size, y / _SCALE)
    build = ChainBuilder(
        "learning-rate",
        "The learning rate of an effective step",
        y * sympy.sqrt(accumulator) / _SCALE,
        remainders=remainders,
        definitions=[memory, spread],
        hypotheses=[effective],
        conditions=[deterministic(y, frequency, noise_variance)],
        uses=[stationary, limit],
    )
    build.substitute("a long memory", memory)
    build.substitute("the stationary mean", fact(stationary))
    build.substitute("in the long run", spread)
    build.substitute("the limit of SGD (variance-collapse)", fact(limit))
    signal = _SIGNAL.xreplace({V: limit.conclusion})
    build.tidy("collect", 1 / (1 - step_size * restoring_rate / 2), signal)
    build.substitute("the effective step", effective)
    return build.truncate("expand in y", build.current, y, 2).done()


def _effective_step(remainders: Remainders, rate: Chain) -> Chain:
    """y = η(1 − λη/(4√f σ)) + O(η³)."""
    build = ChainBuilder(
        "effective-step",
        "The effective step of a learning rate",
        Inverse(rate.start, y, learning_rate),
        remainders=remainders,
        uses=[rate],
    )
    build.substitute("learning rate of an effective step", fact(rate))
    return build.invert("invert the series", build.current, 2).done()


def _variance(remainders: Remainders, limit: Chain, effective: Chain) -> Chain:
    """V_∞ of SGD at the effective step of Adam."""
    scaled = (y, effective.start)
    build = ChainBuilder(
        "limit-variance",
        "The mean square distance from the centre under Adam, per coordinate, in the long run",
        limit.start,
        remainders=remainders,
        definitions=[scaled],
        conditions=[deterministic(learning_rate)],
        uses=[limit, effective],
    )
    build.substitute("the limit of SGD (variance-collapse)", fact(limit))
    halved = step_size * noise_variance / 2 / restoring_rate / (1 - step_size * restoring_rate / 2)
    build.tidy("the same", halved)
    build.substitute("the effective step", (step_size, y / _SCALE))
    build.substitute("of this learning rate", scaled)
    build.substitute("its expansion", fact(effective))
    return build.truncate("expand in the learning rate", build.current, learning_rate, 2).done()


def prediction(variance: Chain) -> Prediction:
    """V_∞ per coordinate to leading order in η; its remainder is the sum of the next-order terms.

    One is the term of order η². The other is for the finite memory of v, with Gaussian noise; it has the symbol
    second_moment_decay, β₂. With c = (1−β₂)/f, v/(fσ²) varies by δ = c(3−f)/2, and the gradient g of a step is in its
    own v: the mean of g²/v changes by the factor 1 + cf − 3c + δ, the slope of that of g/√v by 1 + cf/2 − 3c/2 + 3δ/8.
    So V_∞ changes by −(3/16)c(3−f) where v varies fast against V, and by −(5/16)c(3−f) where it varies slowly (V is
    then the mean of that at fixed v). The latter is taken.
    """
    expansion = sympy.Poly(without_remainders(variance.conclusion), learning_rate)
    leading, following_order = (expansion.coeff_monomial(learning_rate**k) * learning_rate**k for k in (1, 2))
    memory = sympy.Rational(5, 16) * (3 - frequency) * (1 - second_moment_decay) / frequency * leading
    return Prediction(
        variance.name, leading, Prediction(f"{variance.name} remainder", following_order + memory, note=NEXT_TERMS)
    )
