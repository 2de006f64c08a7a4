r"""Steps that decay like 1/n_f, n_f the number of a token's occurrences so far: Robbins and Monro's schedule.

The n_f-th occurrence is a step of size 1/n_f: V_k = (1 − λ/k)² V_{k−1} + σ²/k². By Chung's lemma (`proofs.rules`)
k V_k → σ²/(2λ−1) for λ > ½, k V_k/log k → σ² for λ = ½, and log V_k/log k → −2λ for λ < ½. Time enters by n_f alone:
n_f is binomial, and n_f/n → f almost surely.

**Remainders** are proved bounds. With v = σ²/(2λ−1), V_k = v/k + y_k for y_k = (1 − λ/k)² y_{k−1} + v(1−λ)²/(k²(k−1))
from y_1 = (1−λ)²V_0 − 2v(1−λ) on. The product of the (1 − λ/i)² over j < i ≤ k is at most ((j+1)/(k+1))^{2λ}, so that
for ½ < λ < 3/2 |y_k| ≤ |y_1|(2/(k+1))^{2λ} + (27/8)v|1−λ| max(2^{2λ−2}(k+1)^{−2λ}, (k+1)^{−2}). For λ = ½ the product
over all i ≤ k is between 1/(π(k+½)) and 1/(πk) (Wallis), and |V_k − σ² log k/k| ≤ (V_0/3 + 2σ²)/k. For λ < ½ it is
between (k+1)^{−2λ}/π and (k+1)^{−2λ}, so that V_k (k+1)^{2λ} is between (V_0 + σ²)/π and V_0 + 4π(1−λ)σ²/(1−2λ).

The first two bound the error of E V after n steps, too: with m = fn, E[1/n_f; n_f ≥ 1] is between (1 − 2e^{−m})/m and
1/m + 3/m², E (n_f+1)^{−2} ≤ 2/m², E (n_f+1)^{−3} ≤ 6/m³ (hence E (n_f+1)^{−2λ} ≤ 6^{2λ/3} m^{−2λ}), and
P(n_f = 0) ≤ e^{−m}.
"""

from collections.abc import Mapping
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.conditions import Condition, positive
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, LimitAtInfinity, Map, Recursion
from proofs.frequency.occurrence_updates import V
from proofs.symbols import frequency, initial_variance, noise_variance, occurrences, restoring_rate, step_size, steps

k = sympy.Symbol("k", positive=True)
"""Number of an occurrence."""
_HALF = sympy.Rational(1, 2)
_LAW = (occurrences, frequency * steps)
"""The law of large numbers."""


def decaying_steps(update: Chain) -> tuple[tuple[Chain, ...], dict[str, Prediction]]:
    """The chains, and the predictions that are read off them, each named after its chain.

    ``decaying-step-variance`` (½ < λ < 3/2) and ``critical-step-variance`` (λ = ½, fn ≥ 3) are V after n steps,
    ``slow-decay-exponent`` (λ < ½) the slope of log V against log n_f.
    """
    fast = _limit_of("decaying-steps", update, lambda sequence: occurrences * sequence, "chung")
    fast_law = _in_steps("decaying-step-variance", fast, 1 / occurrences)
    log = sympy.log(occurrences)
    critical = _limit_of("critical-steps", update, lambda sequence: occurrences * sequence / log, "chung-critical")
    critical_law = _in_steps("critical-step-variance", critical, log / occurrences)
    slow = _limit_of("slow-decay-exponent", update, lambda sequence: sympy.log(sequence) / log, "chung-slow")
    bounds = ((fast_law, _fast_bound()), (critical_law, _critical_bound()), (slow, _slow_bound()))
    laws = {
        chain.name: Prediction(
            chain.name, chain.conclusion, Prediction(f"{chain.name} remainder", bound, note="a bound")
        )
        for chain, bound in bounds
    }
    return (fast, fast_law, critical, critical_law, slow), laws


_TITLES: Mapping[str, str] = {
    "decaying-steps": "Steps 1/k, λ > ½: the mean square distance times the number of occurrences",
    "critical-steps": "Steps 1/k, λ = ½: the same over the logarithm of that number",
    "slow-decay-exponent": "Steps 1/k, λ < ½: the exponent of the decay",
}
_LIMITS: Mapping[str, tuple[Any, tuple[Condition, ...]]] = {
    "decaying-steps": (noise_variance / (2 * restoring_rate - 1), (positive(2 * restoring_rate - 1),)),
    "critical-steps": (noise_variance, ()),
    "slow-decay-exponent": (-2 * restoring_rate, (positive(1 - 2 * restoring_rate), positive(noise_variance))),
}


def _limit_of(name: str, update: Chain, scaled: Any, lemma: str) -> Chain:
    """The limit of the sequence V_k, scaled, as k grows."""
    into, conditions = _LIMITS[name]
    is_critical = name == "critical-steps"
    rate = _HALF if is_critical else restoring_rate
    at_occurrence = At(At(update.start, frequency, sympy.Integer(1)), step_size, 1 / k)
    after = At(at_occurrence, restoring_rate, rate) if is_critical else at_occurrence
    sequence = Recursion(Map(after, V), k, initial_variance, occurrences)
    build = ChainBuilder(
        name,
        _TITLES[name],
        LimitAtInfinity(scaled(sequence), occurrences),
        conditions=conditions,
        uses=[update],
    )
    build.substitute("one update", fact(update))
    evaluations = ["an occurrence is a step in which the token occurs", "of size 1/k", "λ = ½"]
    for title in evaluations[: 2 + is_critical]:
        (innermost,) = (part for part in build.current.atoms(At) if not part.args[0].atoms(At))
        build.evaluate(title, innermost)
    (mapping,) = build.current.atoms(Map)
    build.tidy("collect", (1 - rate / k) ** 2 * V + noise_variance / k**2, mapping.args[0])
    return build.rewrite("Chung's lemma", lemma, build.current, into).done()


def _in_steps(name: str, limit: Chain, decay: Any) -> Chain:
    """The leading law at n_f = fn occurrences."""
    build = ChainBuilder(
        name,
        "To leading order, after n steps",
        limit.start * decay,
        hypotheses=[_LAW],
        uses=[limit],
    )
    build.substitute("the limit", fact(limit))
    return build.substitute("n_f/n → f", _LAW).done()


_EXPECTED = frequency * steps
_NEVER = sympy.exp(-_EXPECTED)


def _fast_bound() -> Any:
    twice = 2 * restoring_rate
    leading = noise_variance / (twice - 1)
    distance = sympy.sqrt((1 - restoring_rate) ** 2)
    first = distance**2 * initial_variance + 2 * leading * distance
    decay = 6 ** (twice / 3) * _EXPECTED**-twice
    source = sympy.Rational(27, 8) * leading * distance * (2 ** (twice - 2) * decay + 2 / _EXPECTED**2)
    spread = 3 * leading / _EXPECTED**2 + (initial_variance + 2 * leading / _EXPECTED) * _NEVER
    return first * 2**twice * decay + source + spread


def _critical_bound() -> Any:
    start = (initial_variance / 3 + 2 * noise_variance) * (1 / _EXPECTED + 3 / _EXPECTED**2)
    spread = noise_variance * (20 + 3 * sympy.log(_EXPECTED)) / _EXPECTED**2
    return start + spread + (initial_variance + 2 * noise_variance * (sympy.log(_EXPECTED) + 1) / _EXPECTED) * _NEVER


def _slow_bound() -> Any:
    lower = (initial_variance + noise_variance) / sympy.pi
    upper = initial_variance + 4 * sympy.pi * (1 - restoring_rate) * noise_variance / (1 - 2 * restoring_rate)
    constants = sum(sympy.sqrt(sympy.log(constant) ** 2) for constant in (lower, upper))
    return (constants + 1 / occurrences) / sympy.log(occurrences)
