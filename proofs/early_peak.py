r"""When gradients are most tangent: early, for the mean gradient; at all times, for the gradients of single tokens.

In gradient flow on ½E|Wx − W*x|² the component of the mean gradient along an eigenvector of E[x xᵀ] with eigenvalue λ
is λ a e^{−λτ}, a the initial error (`proofs.gradients.linear_flow`). With equal initial error per dimension and one
rate on T and one on N, its energy per dimension in T over that in N is (λ_T/λ_N)² e^{−2(λ_T−λ_N)τ}: it is largest at τ
= 0, falls all the time and crosses 1 at τ* = ln(λ_T/λ_N)/(λ_T − λ_N).

The gradient of one token is δ ξᵀ, whose energies are |δ|²|ξ_T|² and |δ|²|ξ_N|². Where |ξ_N|² ≤ ¼ F_max t²|ξ|²,
t the largest radius, |ξ_T|² = |ξ|² − |ξ_N|² is at least (4/(F_max t²) − 1)|ξ_N|², whatever δ is: the ratio of energies
per dimension is at least (d−m)/m (4/(F_max t²) − 1) throughout training, above 1 for t² < 4(d−m)/(d F_max).
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import deterministic, nonzero, vectors
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, Dot, Expectation, Flow, Remainders, Slope, Zero
from proofs.gradients.linear_flow import direction, rate, row
from proofs.gradients.trained_tokens import late_tokens
from proofs.symbols import (
    ambient_dim,
    curvature_sq_max,
    dim,
    normal_rate,
    radius_max,
    tangent_rate,
    time,
)

CLAIM = Claim(
    slug="early-peak",
    title="The mean gradient is tangent early in training, the gradients of single tokens always",
    section="gradients",
    statements=(
        Statement(
            Form.AS_STATED,
            "R_energy, the gradient energy per dimension in T over that in N, is large early in training and weakens.",
            (Hypothesis("training", "gradient descent on tokens near a curved submanifold"),),
        ),
        Statement(
            Form.REPAIRED,
            "Of the mean gradient E[δ ξᵀ] the ratio is (λ_T/λ_N)² exp(−2(λ_T − λ_N)τ) at training time τ: it falls all "
            "the time and crosses 1 at τ* = ln(λ_T/λ_N)/(λ_T − λ_N). Of the gradients δ ξᵀ of single tokens it is at "
            "least (d−m)/m (4/(F_max t²) − 1) at all times, and does not cross 1 when t² < 4(d−m)/(d F_max).",
            (
                Hypothesis("flow", "gradient flow of y = Wx on ½E|Wx − W*x|², labels without noise"),
                Hypothesis("rates", "one eigenvalue λ_T of E[x xᵀ] on T, one λ_N on N, λ_T > λ_N > 0"),
                Hypothesis("initial error", "W − W* has the same mean square per dimension on T and N at τ = 0"),
                Hypothesis("cloud", "for single tokens: |P_N ξ|² ≤ ¼ F_max t² |ξ|², t the largest radius"),
            ),
        ),
    ),
)

error = sympy.Symbol("error", real=True)
initial_error = sympy.Symbol("initial_error", positive=True)
"""Root mean square per dimension."""
delta, displacement, tangent, normal = sympy.symbols("output_gradient displacement xi_T xi_N")
spare = sympy.Symbol("spare_square", nonnegative=True)
"""¼ F_max t² |ξ|² − |ξ_N|²."""


def derive() -> Derivation:
    """The derivation: the mean gradient in training, its ratio of energies, where it crosses 1, and single tokens."""
    imports = imported("residual-feedback/eigenvector", Remainders())
    relaxation, gradient = _mean_gradient(imports[-1])
    ratio = _ratio(relaxation)
    decline, crossing = _decline(ratio), _crossing(ratio)
    tokens = _tokens()
    margin = _margin(tokens)
    early = (gradient.name, ratio.name, decline.name)
    findings = (
        Finding(Form.AS_STATED, Verdict.SUPPORTS, ratio.name, early),
        Finding(Form.AS_STATED, Verdict.REFUTES, tokens.name, (tokens.name, margin.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, ratio.name, early),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, crossing.name, (crossing.name, decline.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, tokens.name, (tokens.name, margin.name)),
    )
    chains = (relaxation, gradient, ratio, decline, crossing, tokens, margin)
    laws = predictions(ratio, crossing, tokens)
    return Derivation(CLAIM, chains, findings, laws, imports, (late_tokens(laws),))


def _mean_gradient(along: Chain) -> tuple[Chain, Chain]:
    """λ a e^{−λτ}: the derivative of the loss along v, where the error ⟨ω, v⟩ has followed gradient flow."""
    build = ChainBuilder(
        "error", "Relaxation of the error at the rate λ", Flow(-rate * error, error, initial_error, time)
    )
    relaxation = build.rewrite("closed form", "flow", build.current, initial_error * sympy.exp(-rate * time)).done()
    component = (Dot(direction, row), error)
    build = ChainBuilder(
        "mean-gradient",
        "The mean gradient along an eigenvector of E[x xᵀ] at training time τ",
        At(along.start, error, Flow(-along.start, error, initial_error, time)),
        hypotheses=[component],
        uses=[along, relaxation],
    )
    build.substitute("derivative of the loss along an eigenvector", fact(along))
    build.substitute("⟨ω, v⟩ is the error along v", component)
    build.evaluate("at the error that training has left", build.current)
    return relaxation, build.substitute("closed form", fact(relaxation)).done()


def _ratio(relaxation: Chain) -> Chain:
    """The ratio of mean squares per dimension of λ times the error."""
    law = rate * relaxation.start
    build = ChainBuilder(
        "energy-ratio",
        "Energy per dimension of the mean gradient in T over that in N",
        (At(law, rate, tangent_rate) / At(law, rate, normal_rate)) ** 2,
        uses=[relaxation],
    )
    build.substitute("closed form", fact(relaxation))
    for value in (tangent_rate, normal_rate):
        build.evaluate("at this rate", At(rate * relaxation.conclusion, rate, value))
    statement = (tangent_rate / normal_rate) ** 2 * sympy.exp(-2 * (tangent_rate - normal_rate) * time)
    return build.tidy("collect", statement).done()


def _decline(ratio: Chain) -> Chain:
    """The ratio falls at the relative rate 2(λ_T − λ_N)."""
    build = ChainBuilder("decline", "How the ratio changes in training", Slope(ratio.start, time), uses=[ratio])
    build.substitute("the ratio", fact(ratio))
    slope = -2 * (tangent_rate - normal_rate) * ratio.conclusion
    return build.rewrite("derivative", "differentiation", build.current, slope).done()


def _crossing(ratio: Chain) -> Chain:
    """Where the logarithm of the ratio vanishes."""
    build = ChainBuilder(
        "crossing-time",
        "The training time at which the ratio is 1",
        Zero(sympy.log(ratio.start), time),
        conditions=[nonzero(tangent_rate - normal_rate)],
        uses=[ratio],
    )
    build.substitute("the ratio", fact(ratio))
    ahead = sympy.log(tangent_rate / normal_rate)
    gap = tangent_rate - normal_rate
    build.rewrite("logarithm of a product", "logarithm", build.current.args[0], 2 * ahead - 2 * gap * time)
    return build.rewrite("the only zero", "zero", build.current, ahead / gap).done()


def _tokens() -> Chain:
    """The ratio for gradients δ ξᵀ of single tokens: a bound, and what exceeds it."""
    codim, square = ambient_dim - dim, Dot(delta, delta)
    curved = curvature_sq_max * radius_max**2 / 4
    lengths = [Dot(part, part) for part in (displacement, tangent, normal)]
    pythagoras = (lengths[1], lengths[0] - lengths[2])
    bounded = (lengths[0], (lengths[2] + spare) / curved)
    energies = [Expectation(square * length) for length in lengths[1:]]
    build = ChainBuilder(
        "per-token-bound",
        "Energy per dimension in T over that in N of the gradients of single tokens",
        (energies[0] / dim) / (energies[1] / codim),
        hypotheses=[pythagoras, bounded],
        conditions=[
            vectors(delta, displacement, tangent, normal),
            deterministic(curvature_sq_max, radius_max),
            nonzero(energies[1]),
        ],
    )
    build.substitute("Pythagoras", pythagoras)
    build.substitute("|ξ_N|² ≤ ¼ F_max t² |ξ|²", bounded)
    average = Expectation(square * (bounded[1] - lengths[2]))
    surplus = Expectation(square * spare)
    build.rewrite("linearity", "linearity", average, (1 / curved - 1) * energies[1] + surplus / curved)
    bound = codim / dim * (4 / (curvature_sq_max * radius_max**2) - 1)
    return build.tidy("collect", bound + codim / (dim * curved) * surplus / energies[1]).done()


def _margin(tokens: Chain) -> Chain:
    """By how much the ratio exceeds 1: positive for t² < 4(d−m)/(d F_max)."""
    build = ChainBuilder(
        "per-token-margin",
        "By how much the ratio of single tokens exceeds 1",
        tokens.start - 1,
        conditions=[nonzero(energy) for energy in tokens.start.atoms(Expectation) if not energy.has(tangent)],
        uses=[tokens],
    )
    build.substitute("the ratio", fact(tokens))
    (surplus,) = (term for term in build.current.args if term.has(spare))
    bending = curvature_sq_max * radius_max**2
    return build.tidy("collect", (4 * (ambient_dim - dim) - ambient_dim * bending) / (dim * bending) + surplus).done()


def predictions(ratio: Chain, crossing: Chain, tokens: Chain) -> dict[str, Prediction]:
    """``energy-ratio`` and ``crossing-time`` of the mean gradient, and ``per-token-bound``; all exact.

    curvature_sq_max is the largest 4|P_N ξ|²/(t²|ξ|²) of the cloud, and radius_max its largest radius t: to leading
    order the largest normal curvature, squared; on a sphere of radius r at most 1/r². The bound is what the conclusion
    states where nothing is spared.
    """
    surplus = [average for average in tokens.conclusion.atoms(Expectation) if average.has(spare)]
    least = tokens.conclusion.xreplace(dict.fromkeys(surplus, sympy.Integer(0)))
    laws = {ratio.name: ratio.conclusion, crossing.name: crossing.conclusion, tokens.name: least}
    return {name: Prediction(name, law) for name, law in laws.items()}
