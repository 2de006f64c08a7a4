r"""The spread of a token about its centre under plain SGD, and how its frequency enters.

A token of frequency f moves when it occurs: ξ ← ξ − b η(λξ + ε) for ξ = x − µ, with b ∈ {0, 1} and E b = f. So
V = E|ξ|² obeys V ← (1 − fηλ(2−ηλ))V + fη²σ²; hence V_n = V_∞ + (V_0 − V_∞)(1 − fηλ(2−ηλ))ⁿ, V_∞ = ησ²/(λ(2−ηλ)), and
∂V_n/∂f = (V_∞ − V_0) n ηλ(2−ηλ)(1 − fηλ(2−ηλ))ⁿ⁻¹: the frequency is how fast V_∞ is approached, from either side.
Steps of 1/n_f, n_f the number of occurrences so far: see `proofs.frequency.decaying_steps`.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import nonnegative, positive
from proofs.derivation import Derivation, Finding
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Iterate, LimitAtInfinity, Slope, Zero
from proofs.frequency.decaying_steps import decaying_steps
from proofs.frequency.occurrence_updates import V, mean_square_after_update
from proofs.frequency.token_training import limit_instance, reversed_instance
from proofs.symbols import frequency, initial_variance, noise_variance, restoring_rate, step_size, steps

CLAIM = Claim(
    slug="variance-collapse",
    title="Frequent tokens are tighter, but only while training lasts and if they started too wide",
    section="frequency",
    statements=(
        Statement(
            Form.AS_STATED,
            "The more frequent a token, the smaller its mean square distance V from its centre, which collapses to 0 "
            "as occurrences accumulate.",
            (Hypothesis("updates", "a token is drawn to its centre whenever it occurs"),),
        ),
        Statement(
            Form.REPAIRED,
            "V_n = V_∞ + (V_0 − V_∞)(1 − fηλ(2−ηλ))ⁿ with V_∞ = ησ²/(λ(2−ηλ)), independent of f: ∂V_n/∂f has the sign "
            "of V_∞ − V_0 at finite n, so that frequent tokens are tighter only if V_0 > V_∞. With step 1/n_f at the "
            "n_f-th occurrence V ~ σ²/((2λ−1) n_f) for λ > ½, σ² log(n_f)/n_f for λ = ½, and log V/log n_f → −2λ for "
            "λ < ½, where n_f/n → f almost surely.",
            (
                Hypothesis("updates", "plain SGD on occurrence: ξ ← ξ − b η(λξ + ε), b ∈ {0, 1}, E b = f"),
                Hypothesis("noise", "ε is independent of ξ and b, of mean 0, E|ε|² = σ² (total over coordinates)"),
                Hypothesis("occurrence", "whether the token occurs is independent of ξ, and of earlier steps"),
                Hypothesis("stability", "0 < ηλ < 2, 0 < f ≤ 1, not ηλ = f = 1 (constant steps); σ² > 0 for λ < ½"),
            ),
        ),
    ),
)


room = 2 - step_size * restoring_rate
contraction = 1 - frequency * step_size * restoring_rate * room
LIMIT = step_size * noise_variance / (restoring_rate * room)
"""V_∞."""


def derive() -> Derivation:
    """The derivation: one update, its iterates and their limit, their slopes in f, and decaying steps."""
    update = mean_square_after_update()
    fixed = _fixed_point(update)
    variance = _variance(update)
    limit = _limit(variance)
    slope = _slope(variance)
    reversed_order = _reversed(slope)
    flat = _flat(limit)
    decaying, laws = decaying_steps(update)
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, limit.name, (limit.name, flat.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, reversed_order.name, (reversed_order.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, variance.name, (variance.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, limit.name, (fixed.name, limit.name, flat.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, slope.name, (slope.name,)),
        *(Finding(Form.REPAIRED, Verdict.SUPPORTS, name, (name,)) for name in laws),
    )
    exact = {chain.name: Prediction(chain.name, chain.conclusion) for chain in (variance, limit, slope)}
    chains = (update, fixed, variance, limit, slope, reversed_order, flat, *decaying)
    instances = (limit_instance(limit), reversed_instance(reversed_order))
    return Derivation(CLAIM, chains, findings, exact | laws, counterexamples=instances)


def _fixed_point(update: Chain) -> Chain:
    """V_∞ is what an update leaves as it is."""
    build = ChainBuilder(
        "fixed-point",
        "The mean square distance that a step does not change",
        Zero(update.start - V, V),
        conditions=[positive(room)],
        uses=[update],
    )
    build.substitute("one update", fact(update))
    return build.rewrite("a linear equation", "zero", build.current, LIMIT).done()


def _variance(update: Chain) -> Chain:
    """V_n, from the update repeated n times."""
    build = ChainBuilder(
        "variance",
        "The mean square distance from the centre after n steps",
        Iterate(update.start, V, initial_variance, steps),
        conditions=[positive(room)],
        uses=[update],
    )
    build.substitute("one update", fact(update))
    closed = LIMIT + (initial_variance - LIMIT) * contraction**steps
    return build.rewrite("closed form of the recursion", "induction", build.current, closed).done()


def _limit(variance: Chain) -> Chain:
    """V_n → V_∞, since 1 − fηλ(2−ηλ) = (1 − f) + f(1 − ηλ)² is in [0, 1)."""
    build = ChainBuilder(
        "limit-variance",
        "The mean square distance from the centre in the long run",
        LimitAtInfinity(variance.start, steps),
        conditions=[nonnegative(1 - frequency)],
        uses=[variance],
    )
    build.substitute("after n steps", fact(variance))
    terms = (1 - frequency, frequency * (1 - step_size * restoring_rate) ** 2)
    factors = (frequency, step_size, restoring_rate, room)
    build.rewrite("a geometric sequence", "geometric-limit", build.current, LIMIT, terms=terms, factors=factors)
    return build.done()


def _slope(variance: Chain) -> Chain:
    """∂V_n/∂f, which has the sign of V_∞ − V_0."""
    build = ChainBuilder(
        "frequency-slope",
        "How the mean square distance from the centre changes with the frequency",
        Slope(variance.start, frequency),
        conditions=[positive(contraction)],
        uses=[variance],
    )
    build.substitute("after n steps", fact(variance))
    rate = (LIMIT - initial_variance) * steps * step_size * restoring_rate * room * contraction ** (steps - 1)
    return build.rewrite("differentiate", "differentiation", build.current, rate).done()


def _reversed(slope: Chain) -> Chain:
    """A token that starts at its centre: the more frequent, the wider it is."""
    centred_start = (initial_variance, sympy.Integer(0))
    build = ChainBuilder(
        "reversed-order",
        "A token that starts at its centre spreads the faster the more frequent it is",
        slope.start,
        hypotheses=[centred_start],
        uses=[slope],
    )
    build.substitute("how the mean square distance changes", fact(slope))
    build.substitute("it starts at its centre", centred_start)
    spreading: Any = steps * step_size**2 * noise_variance * contraction ** (steps - 1)
    return build.tidy("collect", spreading).done()


def _flat(limit: Chain) -> Chain:
    """∂V_∞/∂f = 0."""
    build = ChainBuilder(
        "stationarity",
        "In the long run the mean square distance does not depend on the frequency",
        Slope(limit.start, frequency),
        uses=[limit],
    )
    build.substitute("in the long run", fact(limit))
    return build.rewrite("differentiate", "differentiation", build.current, sympy.Integer(0)).done()
