r"""The gradients of an attention layer's maps near p: when their base term cancels.

From softmax attention written out (`proofs.gradients.attention_maps`),

    ∂L/∂W_K = Σ_j a_j (u_j − ū) q x_jᵀ/√d_k,   u_j = gᵀ(W_V x_j + b_V),   Σ_j a_j (u_j − ū) = 0,

for any number of keys (`proofs.gradients.softmax`). With x_j = p + ξ_j the base point cancels, and with v = W_Vᵀ g and
covariances under the weights at t = 0

    ⟨y, ∂L/∂W_K⟩ = (q/√d_k) [t² Cov(⟨v, ξ₁⟩, ⟨y, ξ₁⟩) + O(t³)],   y ∈ T,
    ⟨y, ∂L/∂W_K⟩ = (q/√d_k) [½ t³ Cov(⟨v, ξ₁⟩, ⟨y, II(ξ₁, ξ₁)⟩) + O(t⁴)],   y ∈ N

(`proofs.gradients.attention_gradient_cases`). Rotary positions give every key a gain γ_j = ⟨q, R_j b⟩/√d_k of its own,
and the base point stays, as t ⟨y, p⟩ Cov(⟨v, ξ₁⟩, γ): most published models use them
(`proofs.gradients.attention_gradient_failures`, with several base points, sigmoid weights and null keys;
`proofs.gradients.query_key_norm`; `proofs.gradients.layer_norm`). `rows` is the table.

Beyond the sources: in the rows of W_K that partial rotary positions leave alone (three quarters of them in Pythia) the
base point cancels, in the others it does not. A bias by relative position keeps the exponents 2 and 3, but takes the
gain of symmetric keys away. Sigmoid weights and null keys (sinks) keep the base term. With T before a LayerNorm rotary
attention has 1 and 1, with T after it 2 and 1.
"""

from collections.abc import Iterable, Mapping

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.derivation import Derivation, Finding
from proofs.expressions import Remainders
from proofs.gradients import attention_gradient_cases as around_one_point
from proofs.gradients import attention_maps as maps
from proofs.gradients.attention_expansions import common
from proofs.gradients.attention_gradient_failures import null_key, rotary, several_base_points, sigmoid
from proofs.gradients.attention_instances import coefficients, exponents, refuting
from proofs.gradients.attention_settings import SETTINGS, Setting
from proofs.gradients.gradient_rows import Row, leading
from proofs.gradients.layer_norm import layer_norm
from proofs.gradients.query_key_norm import query_key_norm
from proofs.gradients.softmax import deviations, t
from proofs.provider import PROVIDER

CLAIM = Claim(
    slug="attention-gradient-bias",
    title="The gradients of attention's key and query maps lean to the tangent space of the keys",
    section="gradients",
    statements=(
        Statement(
            Form.AS_STATED,
            "In the attention layers of language models the gradient of W_K on its input side has a normal part that "
            "is smaller than its tangent part by a factor of order t.",
            (Hypothesis("regularity", "the tokens of a context lie near a C³ submanifold, at distance t from p"),),
        ),
        Statement(
            Form.REPAIRED,
            "∂L/∂W_K = Σ_j a_j (u_j − ū) q x_jᵀ/√d_k with Σ_j a_j (u_j − ū) = 0. Under the hypotheses its input side "
            "is of order t² in T and t³ in N (t⁴ for symmetric keys), as is the output side of ∂L/∂W_Q in W_K T and "
            "across it; biases, causal masks, several heads, the query among the keys, biases by relative position, "
            "and a LayerNorm before T, do not matter. Elsewhere the powers of t in T and N are: rotary positions 1, 1 "
            "(2, 1 after a LayerNorm; 2, 3 in rows that partial rotary positions leave alone), so that the statement "
            "does not hold as it stands for models with rotary positions, which nearly all of those studied have; "
            "several base points, absolute positions, sigmoid weights or a null key 0, 0; query–key normalisation 2, "
            "2; T before LayerNorm 2, 2; P_T W_Vᵀ g = 0: 3, 4 (symmetric 4, 4). W_V (0, 0) and the input side of W_Q "
            "(2, 2) keep the base term.",
            (
                Hypothesis("scores", "scores are bilinear in query and key, with the same map for all keys"),
                Hypothesis("base point", "one base point per context"),
                Hypothesis("tangent space", "T and N are taken at the map's input"),
                Hypothesis("values", "P_T W_Vᵀ g ≠ 0 for the gradient g of the loss in the output"),
                Hypothesis("coefficients", "the leading covariances do not vanish"),
                Hypothesis("regularity", "keys are p + t ξ₁ + t² ξ₂/2 + t³ ξ₃/6 + O(t⁴), on a graph over T"),
            ),
        ),
    ),
)

REFUTING = ("rotary", "query-key-norm", "absolute-positions", "two-base-points", "sigmoid", "null-key")
"""The rows in which the claim as stated fails for layers that are in use."""


def derive() -> Derivation:
    """The derivation: gradients as covariances, their leading terms case by case, and an instance of every row."""
    remainders = Remainders()
    shared = common(remainders)
    deviation, centred_rates = deviations()
    cases = around_one_point.cases(shared, remainders)
    by_name = {chain.name: chain for chain in cases}
    key_map = maps.key_map(shared, deviation)
    query_map = maps.query_map(shared, remainders, by_name["tangent"])
    value_map = maps.value_map(shared, remainders)
    queries = (maps.queries("queries-tangent", 2, remainders), maps.queries("queries-normal", 3, remainders))
    turned = rotary(shared, remainders)
    several = several_base_points(shared, remainders)
    others = (sigmoid(shared, remainders), null_key(shared, remainders))
    normalised = query_key_norm(shared, remainders)
    layers = layer_norm(remainders)
    chains = (
        *shared.chains,
        deviation,
        centred_rates,
        *cases,
        *key_map,
        *query_map,
        value_map,
        *queries,
        maps.rotary_gain(),
        *turned,
        *several,
        *others,
        *normalised,
        *layers,
    )
    table = {setting.name: _row(setting, chains) for setting in SETTINGS}
    settings = {setting.name: setting for setting in SETTINGS}
    about = ("key-map-gradient", "query-map-gradient", "centred-rates", "base-point-cancels", "rotary-gain")
    further = ("queries-tangent", "queries-normal", "layer-norm-before", "layer-norm-after")
    findings = (
        *(Finding(Form.AS_STATED, Verdict.REFUTES, f"{name}-ratio-exponent", _names(table[name])) for name in REFUTING),
        *(Finding(Form.REPAIRED, Verdict.SUPPORTS, name, (name,)) for name in (*about, *further)),
        *(Finding(Form.REPAIRED, Verdict.SUPPORTS, row.name, _names(row)) for row in table.values()),
    )
    counterexamples = (
        *(refuting(settings[name], table[name]) for name in REFUTING),
        *(instance for name, row in table.items() for instance in exponents(settings[name], row)),
        *coefficients(table),
    )
    return Derivation(CLAIM, chains, findings, predictions(table.values()), counterexamples=counterexamples)


def _row(setting: Setting, chains: tuple[Chain, ...]) -> Row:
    by_name = {chain.name: chain for chain in chains}
    tangent, normal = (leading(by_name[name], t) for name in (setting.tangent, setting.normal))
    return Row(setting.name, setting.hypotheses, tangent, normal)


def _names(row: Row) -> tuple[str, ...]:
    return tuple(dict.fromkeys((row.tangent.chain, row.normal.chain)))


def predictions(table: Iterable[Row]) -> Mapping[str, Prediction]:
    """For every chain of the table, under its name, the limit of ``⟨y, gradient⟩/t^k`` as t falls to 0: exact.

    k is the exponent of the row's term. Symbols are ⟨q, b⟩/√d_k = gain and averages over the keys of the context at
    t = 0, in `proofs.gradients.attention_averages.AVERAGES`; `proofs.gradients.attention_contexts.on_keys` writes them
    out for given keys.
    """
    terms = {term.chain: term for row in table for term in (row.tangent, row.normal)}
    return {
        chain: Prediction(
            chain, term.coefficient, note=f"the limit of the part over t^{term.exponent}, as t falls to 0"
        )
        for chain, term in terms.items()
    }


def rows() -> tuple[Row, ...]:
    """The table: a row per case, those in which the base point cancels first."""
    derivation = PROVIDER.derivation(CLAIM.slug)
    return tuple(_row(setting, derivation.chains) for setting in SETTINGS)
