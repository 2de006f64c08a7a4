r"""Gradient flow, residual blocks and isotropy: what training on a curved cloud does to it.

A linear layer y = Wx from W = 0 learns W* at the rates of E[ξ ξᵀ]: λ_T = E t²/m on T, and on N the eigenvalues of
¼ E t⁴ A, A_ab = (2 tr(h^a h^b) + tr h^a tr h^b)/(m(m+2)), which are 0 outside the first normal space
(`proofs.gradients.input_covariance`, `proofs.gradients.linear_flow`). For W* = c > 0 on both the components w_T = c(1 −
e^{−λ_T τ}) and w_N are c e^{−λ_N τ}(1 − e^{−(λ_T − λ_N)τ}) apart: w_T leads, but both end at c. L residual blocks x +
Wx that share W stretch T by (1 + w_T)^L, and with the stretch g of T relative to N

    d IsoScore*/dg = 4g (g² tr C_T + tr C_N)(tr C_T tr C_N² − g² tr C_T² tr C_N)/((d − 1)(g⁴ tr C_T² + tr C_N²)²),

so that the score falls from g = 1 on if and only if tr C_T²/tr C_T > tr C_N²/tr C_N.
"""

from collections.abc import Mapping

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import nonzero
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, Iterate, LimitAtZero, Remainders, Slope, without_remainders
from proofs.gradients.input_covariance import direction_averages, rates, shell_averages, symmetric_forms
from proofs.gradients.linear_flow import gradient, rate, weight_law
from proofs.gradients.shaped_blocks import counterexamples
from proofs.majorants import (
    BOUND,
    COEFFICIENT_SPREAD,
    at_range,
    graph_height_sq_tail,
    normal_energy_tail,
    shell_tail,
)
from proofs.symbols import (
    ambient_dim,
    curvature_bound,
    depth,
    dim,
    normal_rate,
    normal_trace,
    normal_trace_of_square,
    radius,
    radius_4_mean,
    radius_6_mean,
    stretch,
    tangent_rate,
    tangent_trace,
    tangent_trace_of_square,
    target,
    time,
    trace,
    trace_of_square,
    weight,
)

CLAIM = Claim(
    slug="residual-feedback",
    title="Residual blocks feed the tangent space back, for a while and for some targets",
    section="gradients",
    statements=(
        Statement(
            Form.AS_STATED,
            "Gradients grow a layer along T first; residual blocks feed this back into the cloud, which is stretched "
            "along T for good and becomes ever more anisotropic.",
            (Hypothesis("layer", "blocks x + Wx, the same W trained by gradient descent from W = 0"),),
        ),
        Statement(
            Form.REPAIRED,
            "Gradient flow of y = Wx on ½E|Wx − W*x|² learns at the rate λ_T = E t²/m on T and, to leading order, at "
            "λ_N = ¼ E t⁴ (2 tr(h^ν h^ν) + (tr h^ν)²)/(m(m+2)) along a unit normal ν that is an eigenvector of A: at 0 "
            "outside the first normal space, of dimension at most m(m+1)/2. For W* = c > 0 on T and N the lead of w_T "
            "over w_N is positive at every τ > 0 when λ_T > λ_N, and tends to 0. L blocks that share W stretch T by "
            "(1 + w_T)^L. Where T is stretched by g relative to N, IsoScore* falls as g grows if and only if "
            "g² tr C_T²/tr C_T > tr C_N²/tr C_N: for all g ≥ 1 when this holds at g = 1. For W* = −c on T, 0 < c < 1, "
            "T shrinks, and under the same condition at the g < 1 reached IsoScore* rises.",
            (
                Hypothesis("input", "inputs are displacements ξ from p, not centred, uniform by volume on each shell"),
                Hypothesis("moments", "E t⁴ and higher moments are of their order in the scale of the radial law"),
                Hypothesis("target", "W* is a multiple of the identity on T and on N, labels are W*x without noise"),
                Hypothesis("covariance", "C = C_T + C_N has no part between T and N"),
            ),
        ),
    ),
)

gap = sympy.Symbol("rate_gap", positive=True)
"""λ_T − λ_N."""
share = sympy.Symbol("untrained_share", positive=True)
"""e^{−λτ}, what is left of the error."""
shrink = sympy.Symbol("shrink", positive=True)
position = sympy.Symbol("position", real=True)
normal_variance = sympy.Symbol("normal_variance", positive=True)
"""v, the variance per dimension on N."""


def derive() -> Derivation:
    """The derivation: rates from the cloud, gradient flow, the lead, residual blocks and the score."""
    remainders = Remainders()
    imports = (
        *imported("bias-attenuation/shell-density", remainders),
        *imported("isotropy-recovery/iso-score-star", remainders),
    )
    known = {chain.name: chain for chain in imports}
    averages = direction_averages()
    shells = shell_averages(
        remainders, known["bias-attenuation/shell-density"], known["curvature-bias/abscissa"], averages[:3]
    )
    moments = rates(remainders, shells)
    forms = symmetric_forms()
    derivative, along = gradient()
    law, flow = weight_law(along)
    lead, sign = _lead(law)
    limit = _limit(law)
    blocks, negative = _blocks(law)
    score = _score(known["isotropy-recovery/iso-score-star"])
    slope, wide = _slope(score)
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, lead.name, (lead.name, limit.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, negative.name, (negative.name, slope.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, wide.name, (wide.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "tangent-rate", ("tangent-rate", "cross-rate")),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "normal-rate", ("normal-rate", "cross-rate")),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, forms.name, (forms.name, "outside-first-normal")),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, law.name, (flow.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, lead.name, (lead.name, sign.name, limit.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, blocks.name, (blocks.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, slope.name, (slope.name,)),
    )
    chains = (*averages, forms, *shells, *moments, derivative, along, law, flow)
    chains = (*chains, lead, sign, limit, blocks, negative, score, slope, wide)
    laws = predictions({chain.name: chain for chain in chains})
    return Derivation(CLAIM, chains, findings, laws, imports, counterexamples(laws, negative, wide))


def _lead(law: Chain) -> tuple[Chain, Chain]:
    """w_T − w_N, and its sign: that of c when λ_T = λ_N + gap with a positive gap."""
    build = ChainBuilder(
        "lead",
        "By how much the component on T leads the one on N",
        At(law.start, rate, tangent_rate) - At(law.start, rate, normal_rate),
        uses=[law],
    )
    build.substitute("closed forms", fact(law))
    for value in (tangent_rate, normal_rate):
        build.evaluate("at this rate", At(law.conclusion, rate, value))
    lead = build.tidy("collect", target * (sympy.exp(-normal_rate * time) - sympy.exp(-tangent_rate * time))).done()
    faster = (tangent_rate, normal_rate + gap)
    build = ChainBuilder(
        "lead-sign",
        "The lead has the sign of c where λ_T > λ_N and τ > 0",
        lead.start,
        hypotheses=[faster],
        uses=[lead],
    )
    build.substitute("the lead", fact(lead))
    build.substitute("λ_T = λ_N + gap", faster)
    return lead, build.tidy("factor", target * sympy.exp(-normal_rate * time) * (1 - sympy.exp(-gap * time))).done()


def _limit(law: Chain) -> Chain:
    """w → c as τ = −ln(u)/λ grows, for every rate λ > 0: whatever lead there was is lost."""
    build = ChainBuilder(
        "trained-weight",
        "At the end of training the component is c, whatever its rate",
        LimitAtZero(At(law.start, time, -sympy.log(share) / rate), share),
        uses=[law],
    )
    build.substitute("closed form", fact(law))
    build.evaluate("at the time when the share u of the error is left", build.current.args[0])
    return build.rewrite("limit", "limit", build.current, target).done()


def _blocks(law: Chain) -> tuple[Chain, Chain]:
    """(1 + w)^L for L blocks that share W; and for W* = −c on T, where that is below 1."""
    build = ChainBuilder(
        "stretch",
        "L residual blocks x + Wx that share W stretch an eigenvector of W",
        Iterate(position + weight * position, position, sympy.Integer(1), depth),
    )
    blocks = build.rewrite("closed form", "induction", build.current, (1 + weight) ** depth).done()
    build = ChainBuilder(
        "negative-target",
        "The stretch of T for the target −c on T: below 1 for 0 < c < 1",
        At(blocks.start, weight, At(law.start, target, -shrink)),
        uses=[blocks, law],
    )
    build.substitute("closed forms", fact(blocks), fact(law))
    build.evaluate("at the target −c", At(law.conclusion, target, -shrink))
    return blocks, build.evaluate("at the weight learnt", build.current).done()


def _score(published: Chain) -> Chain:
    """IsoScore* of g² C_T + C_N."""
    traces = (
        (trace, stretch**2 * tangent_trace + normal_trace),
        (trace_of_square, stretch**4 * tangent_trace_of_square + normal_trace_of_square),
    )
    build = ChainBuilder(
        "iso-score",
        "IsoScore* of a covariance whose tangent part is stretched",
        published.start,
        definitions=traces,
        uses=[published],
    )
    build.substitute("in closed form (isotropy-recovery)", fact(published))
    return build.substitute("tr C and tr C² with T stretched by g", *traces).done()


def _slope(score: Chain) -> tuple[Chain, Chain]:
    """The derivative of the score in the stretch g; and for C_T = I and C_N = v I, positive as long as g² < v."""
    build = ChainBuilder(
        "iso-score-slope",
        "How IsoScore* changes as T is stretched",
        Slope(score.start, stretch),
        uses=[score],
    )
    build.substitute("IsoScore*", fact(score))
    sign = tangent_trace * normal_trace_of_square - stretch**2 * tangent_trace_of_square * normal_trace
    numerator = 4 * stretch * (stretch**2 * tangent_trace + normal_trace) * sign
    squared = (stretch**4 * tangent_trace_of_square + normal_trace_of_square) ** 2
    build.rewrite("derivative", "differentiation", build.current, numerator / ((ambient_dim - 1) * squared))
    slope = build.done()
    codim = ambient_dim - dim
    spectrum = (
        (tangent_trace, dim),
        (tangent_trace_of_square, dim),
        (normal_trace, codim * normal_variance),
        (normal_trace_of_square, codim * normal_variance**2),
    )
    build = ChainBuilder(
        "wide-normals",
        "How IsoScore* changes as T is stretched, with variance 1 on T and v on N",
        slope.start,
        hypotheses=spectrum,
        conditions=[nonzero(stretch**4 * dim + codim * normal_variance**2)],
        uses=[slope],
    )
    build.substitute("derivative of the score", fact(slope))
    build.substitute("the spectrum", *spectrum)
    first, second = (stretch ** (2 * k) * dim + codim * normal_variance**k for k in (1, 2))
    rise = 4 * stretch * dim * codim * normal_variance * first * (normal_variance - stretch**2)
    return slope, build.tidy("collect", rise / ((ambient_dim - 1) * second**2)).done()


def predictions(chains: Mapping[str, Chain]) -> dict[str, Prediction]:
    """The rates ``tangent-rate`` and ``normal-rate``, and exact quantities named after the chains they are read from.

    ``normal-rate`` is along a unit normal ν, with normal_form_sq = tr(h^ν h^ν) and normal_form_trace = tr h^ν.
    ``weight`` is w(τ), ``lead`` w_T − w_N, ``stretch`` that of an eigenvector of W by depth blocks,
    ``iso-score-slope`` the derivative of IsoScore* in the stretch of T relative to N.

    The remainders of the rates hold for K t ≤ `proofs.majorants.RANGE`, dim ≤ 20 and points uniform by volume on each
    shell. With q the density of directions and f = ⟨v, ξ⟩² = ρ²⟨v, w⟩² they are |⟨(q − 1)f⟩| ≤ |q_even − 1| t²/m and
    |⟨(f − t²⟨v, w⟩²)q⟩| ≤ max |z|²; those of ⟨ν, ξ⟩² ≤ |z|² are what `normal_energy_tail` bounds.
    """
    scaled = curvature_bound * radius
    density = (COEFFICIENT_SPREAD * scaled**2 + shell_tail()) * scaled**2 / dim
    tangent = at_range(density + graph_height_sq_tail(4, step=1), 4) * curvature_bound**2 * radius_4_mean
    normal = at_range(normal_energy_tail(), 6) * curvature_bound**4 * radius_6_mean
    bounds = {"tangent-rate": tangent, "normal-rate": normal}
    laws = {
        name: Prediction(
            name, without_remainders(chains[name].conclusion), Prediction(f"{name} remainder", bound, note=BOUND)
        )
        for name, bound in bounds.items()
    }
    exact = ("first-normal-dim", "weight", "lead", "stretch", "iso-score-slope")
    return laws | {name: Prediction(name, chains[name].conclusion) for name in exact}
