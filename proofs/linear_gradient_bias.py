r"""The weight gradient of a linear layer near p: how its normal part compares with its tangent part.

For y = Wx and x = p + ξ the gradient of the weights is δ xᵀ = δ ξᵀ + δ pᵀ; the claim concerns δ ξᵀ (the base term is
removed by centring, by a bias at stationarity, or explicitly).

Per token the ratio of the parts is (√F/2) t + O(t²) whatever δ is (`proofs.gradients.linear_gradient_tokens`). For the
mean gradient E[δ ξᵀ] the claim divides the upper bounds O(t²) of the normal and O(t) of the tangent part. There is no
lower bound on the tangent part: with

    E[δ ξ_Tᵀ] = t δ(p) E[u]ᵀ + t² Dδ Σ_T + O(t³),   E[δ ξ_Nᵀ] = ½ t² δ(p) E[II(u, u)]ᵀ + O(t³)

(`proofs.gradients.linear_gradient_expansion`) it is of order t² as soon as E u = 0, and smaller where Dδ vanishes on T.
What is true is a table of 14 cases (`proofs.gradients.linear_gradient_cases`), each with an instance
(`proofs.gradients.linear_gradient_settings`). In two of them the ratio grows as t falls, in five it tends to a
constant. At W = 0 every token has the same δ, and under symmetric sampling the tangent part vanishes altogether.
Softmax cross-entropy with one-hot labels has δ(p) ≠ 0 always, as no probability is 0 or 1: its cases are those with
δ(p) ≠ 0.
"""

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.derivation import Derivation, Finding, imported
from proofs.expressions import Remainders
from proofs.gradients import linear_gradient_tokens as tokens
from proofs.gradients.gradient_rows import Row
from proofs.gradients.linear_gradient_cases import CASES, Derived, derived
from proofs.gradients.linear_gradient_expansion import FORMS, mean, output_gradient, slope, token, weight_gradient
from proofs.gradients.linear_gradient_instances import Instance, expanded, instance
from proofs.gradients.linear_gradient_settings import SETTINGS, SOFTMAX, UNTRAINED
from proofs.provider import PROVIDER

CLAIM = Claim(
    slug="linear-gradient-bias",
    title="The weight gradient of a linear layer leans to the tangent space of its inputs",
    section="gradients",
    statements=(
        Statement(
            Form.AS_STATED,
            "The mean gradient E[δ ξᵀ] of a linear layer has a normal part that is O(t) relative to its tangent part.",
            (Hypothesis("regularity", "the inputs p + ξ, |ξ| ≤ t, lie on a C³ submanifold M; the loss is smooth"),),
        ),
        Statement(
            Form.REPAIRED,
            "Per token, normal over tangent part is (√F/2) t + O(t²). The tangent and normal parts of the mean "
            "gradient are led by t^a and t^b, with these (a, b). For δ(p) ≠ 0: (1, 2) if E u ≠ 0; (2, 2) if E u = 0, "
            "and if also Dδ|_T = 0, (3, 2), or (4, 2) for symmetric u (u and −u of one law). Where E II(u, u) = 0, b "
            "is 3 in these, and 4 for symmetric u. For δ(p) = 0: (2, 3), or (2, 4) for symmetric u; if also "
            "Dδ|_T = 0, (3, 4), or (4, 4) for symmetric u.",
            (
                Hypothesis("regularity", "M, its sampling u ↦ ξ(tu) and the loss have expansions to order t⁶"),
                Hypothesis("base point", "p lies on M, T is the tangent space there; the base term δ pᵀ is removed"),
                Hypothesis(
                    "sampling",
                    "P_T ξ = t u + O(t³), as in graph or normal coordinates; the law of u is bounded and free of t",
                ),
                Hypothesis(
                    "coefficients",
                    "those of the leading terms do not vanish: E[Dδ u uᵀ] and higher moments, as the case has it",
                ),
            ),
        ),
    ),
)

REFUTING = ("constant-ratio", "growing-ratio", "cross-entropy")
"""Cases 'symmetric' and 'flat' with squared loss, and case 'symmetric' with softmax cross-entropy."""


def derive() -> Derivation:
    """The derivation: the parts per token, the mean gradient, its cases, and an instance of each."""
    remainders = Remainders()
    imports = imported("tangent-normal-scaling/normal_norm", remainders)
    per_token = tokens.ratio(remainders, imports[-1])
    energies = tokens.energies(remainders, imports[-1])
    random_radius = tokens.random_radius(energies[2], energies[3], remainders)
    along, derivative = output_gradient(remainders), slope(remainders)
    entries = {part: weight_gradient(remainders, part) for part in FORMS}
    single = {part: token(remainders, entries[part], along, part) for part in FORMS}
    means = {part: mean(remainders, single[part], part) for part in FORMS}
    table = [derived(remainders, case, means["tangent"], means["normal"]) for case in CASES]
    instances = {setting.case: instance(setting.case, setting) for setting in SETTINGS}
    softmax, untrained = instance("cross-entropy", SOFTMAX), instance("untrained", UNTRAINED)
    series = [expanded(remainders, entry, 3) for entry in (softmax.tangent, softmax.normal)]
    chains = (
        *(per_token, *energies, random_radius, along, derivative, *entries.values(), *single.values()),
        *means.values(),
        *(chain for row in table for chain in row.chains),
        *(chain for found in (*instances.values(), softmax, untrained) for chain in found.chains),
        *series,
    )
    repaired = [
        *((chain.name, (chain.name,)) for chain in (per_token, *energies[2:], random_radius)),
        *((means[part].name, (means[part].name, derivative.name)) for part in FORMS),
        *((row.ratio.name, (row.ratio.name, instances[row.case.name].ratio.name)) for row in table),
    ]
    refuting = dict(zip(REFUTING, (instances["symmetric"], instances["flat"], softmax), strict=True))
    findings = (
        *(Finding(Form.AS_STATED, Verdict.REFUTES, name, _names(found, table)) for name, found in refuting.items()),
        *(Finding(Form.REPAIRED, Verdict.SUPPORTS, name, support) for name, support in repaired),
    )
    counterexamples = (
        *(found.refuting(name) for name, found in refuting.items()),
        *(found.counterexample for found in (*instances.values(), untrained)),
    )
    return Derivation(CLAIM, chains, findings, predictions(per_token, table), imports, counterexamples)


def _names(found: Instance, table: list[Derived]) -> tuple[str, ...]:
    """The chains by which an instance refutes: its own, and the ratio of its case."""
    (row,) = (row for row in table if row.case.name == found.setting.case)
    return row.ratio.name, found.ratio.name


def predictions(per_token: Chain, table: list[Derived]) -> dict[str, Prediction]:
    """``per-token-ratio``, and ``<case>-tangent``, ``<case>-normal``, ``<case>-ratio`` for every case.

    The latter are components cᵀE[δ ξᵀ]e along unit vectors c, e_T, e_N, in the symbols radius, base_output_gradient,
    direction_mean, slope_covariance, bending_mean and slope_bending (`proofs.symbols`), tangent_moment_n and
    normal_moment_n (coefficients of t^n, `proofs.gradients.linear_gradient_expansion.MOMENTS`). Their remainders are
    the further terms of the expansion to order t⁶, in the same symbols. ``per-token-ratio`` has a proved bound as its
    remainder.
    """
    laws = {name: law for row in table for name, law in row.predictions.items()}
    return {per_token.name: tokens.prediction(per_token), **laws}


def rows() -> tuple[Row, ...]:
    """The table: a row per case, the published seven first. Its leading terms are read off the derivation."""
    derivation = PROVIDER.derivation(CLAIM.slug)
    return tuple(
        Derived(case, *(derivation.chain(f"{case.name}-{part}") for part in (*FORMS, "ratio"))).row for case in CASES
    )
