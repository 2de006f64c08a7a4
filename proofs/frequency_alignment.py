r"""Frequency, curvature and alignment: what follows from the spread V_f of a token of frequency f.

All tokens share m and II, and the radial law of a token is t = √V_f τ with the same τ, E τ² = 1, E τ⁴ = κ. Then the
bias of directions is (c − ⟨c⟩) V_f (`proofs.bias_attenuation`), and the energy per dimension of per-token gradients in
T over that in N (`proofs.energy_concentration`)

    R(V) = (V/m + σ²)/(b κ V² + σ²),  b = ⟨F⟩/(4(d−m)),

with ambient noise of variance σ² per dimension. Without noise R = 1/(m b κ V): the tightest tokens are the most
aligned, and these are the most frequent ones where V_f falls with f, for V_0 > V_∞ (`proofs.variance_collapse`). With
noise R is largest at V* = σ/√(bκ) − mσ² + O(σ³) (`proofs.frequency.noise_peak`): below V* the tightest tokens are the
least aligned.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import deterministic, positive, remainder
from proofs.derivation import Derivation, Finding, imported
from proofs.energy_concentration import FOURTH, SCALE, SECOND, e, fourth_moment, second_moment
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Expectation, Remainders, Slope, is_remainder, without_remainders
from proofs.frequency.frequent_tokens import noisy_tokens, spreading_tokens
from proofs.frequency.noise_peak import bending, noise, peak_variance, small_noise_peak, tightest_tokens, variance_slope
from proofs.provider import PROVIDER
from proofs.symbols import (
    ambient_dim,
    coefficient,
    coefficient_mean,
    curvature_sq_mean,
    dim,
    frequency,
    initial_variance,
    kurtosis,
    noise_variance,
    normal_curvature_sq,
    radius,
    radius_4_mean,
    radius_sq_mean,
    shape_sq,
    variance,
)

CLAIM = Claim(
    slug="frequency-alignment",
    title="Frequent tokens are flatter and more aligned, if training tightens them and down to the noise",
    section="frequency",
    statements=(
        Statement(
            Form.AS_STATED,
            "The more frequent a token, the smaller its curvature bias and the larger its R_energy.",
            (Hypothesis("concentration", "frequent tokens lie closer to their centres"),),
        ),
        Statement(
            Form.REPAIRED,
            "To leading order in V_f = E t², curvature bias is (c − ⟨c⟩)V_f and R_energy (V_f/m + σ²)/(bκV_f² + σ²), "
            "b = ⟨F⟩/(4(d−m)): ∝ 1/V_f without ambient noise, so that it grows with f where V_0 > V_∞ and falls where "
            "V_0 < V_∞. With ambient noise σ² per dimension it is largest at V* = σ/√(bκ) − mσ² + O(σ³), and the "
            "tightest tokens are the less aligned the further V_f is below V*.",
            (
                Hypothesis("shared geometry", "all tokens have the same m and II, and ⟨F⟩ > 0"),
                Hypothesis("scale family", "t = √V_f τ, with the law of τ the same for all tokens, κ = E τ⁴/(E τ²)²"),
                Hypothesis("noise", "update noise is tangent to M; ambient noise is independent, σ² per dimension"),
                Hypothesis("independence", "output gradient and displacement are independent"),
                Hypothesis("updates", "for the order in f: V_f is that of variance-collapse"),
            ),
        ),
    ),
)

t = radius
codim = ambient_dim - dim
FAMILY = ((second_moment, sympy.Integer(1)), (fourth_moment, kurtosis))
"""The radius in units of its root mean square: t = e τ, e² = V."""


def derive() -> Derivation:
    """The derivation: bias and ratio in terms of V, the order in f, the peak with noise, and two reversals."""
    remainders = Remainders()
    imports = (
        *imported("energy-concentration/noise-free-law", remainders),
        *imported("variance-collapse/variance", remainders),
    )
    known = {chain.name: chain for chain in imports}
    bias = _bias(remainders, known["bias-attenuation/shell-density"])
    inverse = _inverse(known["energy-concentration/noise-free-law"])
    ratio = _ratio(known["energy-concentration/energy-ratio"])
    order = _order(known["variance-collapse/variance"])
    reversed_order = _reversed(order)
    law = without_remainders(ratio.conclusion).xreplace({e: sympy.sqrt(variance)})
    slope = variance_slope(law)
    tightest, peak = tightest_tokens(slope), peak_variance(slope)
    small = small_noise_peak(remainders, peak)
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, "noisy-order", (ratio.name, tightest.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, reversed_order.name, (inverse.name, reversed_order.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, bias.name, (bias.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, ratio.name, (ratio.name, inverse.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, order.name, (inverse.name, order.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, peak.name, (ratio.name, slope.name, peak.name, small.name)),
    )
    chains = (bias, inverse, ratio, order, reversed_order, slope, tightest, peak, small)
    laws = predictions(bias, law, order, peak)
    instances = (noisy_tokens(ratio, laws[ratio.name]), spreading_tokens(reversed_order))
    return Derivation(CLAIM, chains, findings, laws, imports, instances)


def _bias(remainders: Remainders, shell: Chain) -> Chain:
    """The excess of directions is (c − ⟨c⟩) e² + O(e³), e² = V."""
    (error,) = (symbol for symbol in shell.conclusion.free_symbols if is_remainder(symbol))
    bound = remainders()
    third = (Expectation(error * t**3), bound * e**3)
    build = ChainBuilder(
        "curvature-bias",
        "The excess of the density of directions in a scale family of radial laws",
        Expectation(shell.start) - 1,
        hypotheses=[SCALE[0], FAMILY[0], third],
        conditions=[
            deterministic(coefficient, coefficient_mean, shape_sq, normal_curvature_sq, dim),
            remainder(bound, e),
        ],
        uses=[shell],
    )
    build.substitute("density of directions on a shell (bias-attenuation)", fact(shell))
    spread = coefficient - coefficient_mean
    (average,) = build.current.atoms(Expectation)
    build.rewrite("linearity", "linearity", average, 1 + spread * Expectation(t**2) + third[0])
    build.substitute("moments of a scale family", SCALE[0], third)
    return build.substitute("in units of its root mean square", FAMILY[0]).done()


def _inverse(law: Chain) -> Chain:
    """R = 4(d−m)/(m⟨F⟩κ e²) + O(1/e) without ambient noise."""
    build = ChainBuilder(
        "inverse-variance",
        "Without ambient noise the ratio is inversely proportional to the variance",
        law.start,
        hypotheses=FAMILY,
        uses=[law],
    )
    build.substitute("the law without noise (energy-concentration)", fact(law))
    return build.substitute("a scale family", *FAMILY).done()


def _ratio(ratio: Chain) -> Chain:
    """R in a scale family, with ambient noise."""
    build = ChainBuilder(
        "energy-ratio",
        "Energy per dimension in T over that in N in a scale family of radial laws",
        ratio.start,
        hypotheses=[*SCALE, *FAMILY],
        uses=[ratio],
    )
    build.substitute("ratio of energies (energy-concentration)", fact(ratio))
    build.substitute("moments", SECOND, FOURTH)
    build.substitute("a scale family", *SCALE)
    return build.substitute("in units of its root mean square", *FAMILY).done()


def _order(spread: Chain) -> Chain:
    """d(1/V)/df has the sign of V_0 − V_∞."""
    distance = _distance(spread)
    build = ChainBuilder(
        "alignment-slope",
        "How 1/V, to which the ratio is proportional, changes with the frequency",
        Slope(1 / spread.start, frequency),
        conditions=[positive(spread.conclusion), positive(_contraction(spread).base)],
        uses=[spread],
    )
    build.substitute("the spread of a token (variance-collapse)", fact(spread))
    power = _contraction(spread)
    base: Any = power.base
    speed = -sympy.diff(base, frequency) * power.exp * base ** (power.exp - 1)
    return build.rewrite("derivative", "differentiation", build.current, distance * speed / spread.conclusion**2).done()


def _contraction(spread: Chain) -> Any:
    """(1 − fηλ(2−ηλ))ⁿ in V_n = V_∞ + (V_0 − V_∞)(1 − fηλ(2−ηλ))ⁿ."""
    (power,) = (power for power in spread.conclusion.atoms(sympy.Pow) if power.base.has(frequency))
    return power


def _distance(spread: Chain) -> Any:
    """V_0 − V_∞."""
    (term,) = (term for term in spread.conclusion.args if term.has(frequency))
    return term / _contraction(spread)


def _reversed(order: Chain) -> Chain:
    """A token that starts at its centre, V_0 = 0: 1/V falls as f grows."""
    start = (initial_variance, sympy.Integer(0))
    build = ChainBuilder(
        "reversed-order",
        "For tokens that start at their centres 1/V falls with the frequency",
        order.start,
        hypotheses=[start],
        uses=[order],
    )
    build.substitute("how 1/V changes", fact(order))
    return build.substitute("they start at their centres", start).done()


def predictions(bias: Chain, law: Any, order: Chain, peak: Chain) -> dict[str, Prediction]:
    """``curvature-bias``, ``energy-ratio``, ``peak-variance`` and ``alignment-slope`` in terms of V = E t² and κ.

    The remainders of the first two are those of ``direction-density`` of bias-attenuation and ``energy-ratio`` of
    energy-concentration, with their symbols. ``peak-variance`` is exactly where the leading law ``energy-ratio`` is
    largest. ``alignment-slope`` is the exact d(1/V)/df of variance-collapse, whose noise_variance is that of updates.
    """
    family: dict[Any, Any] = {radius_sq_mean: variance, radius_4_mean: kurtosis * variance**2}
    scale = {e: sympy.sqrt(variance)}
    shared = {bending: curvature_sq_mean * kurtosis / (4 * codim), noise: sympy.sqrt(noise_variance)}
    leading = {
        "curvature-bias": (bias.conclusion.xreplace(scale), "bias-attenuation", "direction-density"),
        "energy-ratio": (law, "energy-concentration", "energy-ratio"),
    }
    laws = {}
    for name, (expression, slug, other) in leading.items():
        bound: Any = PROVIDER.predictions(slug)[other].remainder
        rest = Prediction(f"{name} remainder", bound.expression.xreplace(family), note=bound.note)
        laws[name] = Prediction(name, without_remainders(expression), rest)
    exact = {order.name: order.conclusion, peak.name: peak.conclusion.xreplace(shared)}
    return laws | {name: Prediction(name, expression) for name, expression in exact.items()}
