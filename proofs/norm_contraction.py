r"""Near the centre µ and near the origin: what frequency does to either, for two explicit losses.

Weight decay. The loss is ½ω|x|² in every step and ½λ|x − µ|² when the token occurs; SGD moves a coordinate by
x ← x − η(ωx + b(λ(x − µ) + ε)), b ∈ {0, 1} and E b = f. In the mean x tends to fλ/(ω + fλ) µ: frequent tokens end
nearer to µ, at ω/(ω + fλ) |µ|, and farther from the origin, at fλ/(ω + fλ) |µ|; for two tokens the ratio of norms over
the ratio of distances is f/f′. The mean square about a point follows from that of x.

Tied softmax (`proofs.frequency.tied_softmax`): from a common start µ the first step leaves the centroid at µ, draws
frequent tokens away from the origin, pushes rare ones towards it, and drives both away from the centroid.

Untied softmax on a constant feature (`proofs.frequency.unigram_softmax`): the centroid is the origin, and stays so, and
yet the most frequent tokens are not the nearest to it: |log f − E log f|/|h| is least at the geometric mean frequency.
"""

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import nonzero
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, Remainders, Slope
from proofs.frequency.contracting_tokens import decayed_instance, tied_instance, unigram_instance
from proofs.frequency.decayed_embedding import decayed_embedding, rate
from proofs.frequency.softmax_head import input_gradient
from proofs.frequency.tied_softmax import first_step
from proofs.frequency.unigram_softmax import unigram_equilibrium
from proofs.symbols import centre, decay_rate, frequency, other_frequency, restoring_rate

CLAIM = Claim(
    slug="norm-contraction",
    title="Near the centre and near the origin are different: frequency moves the two apart",
    section="frequency",
    statements=(
        Statement(
            Form.AS_STATED,
            "Frequent tokens contract: the more frequent, the nearer to the centre µ, which is to say the nearer to "
            "the origin, so that the distance from the centre and the norm fall together.",
            (Hypothesis("training", "embeddings are trained by gradient descent, with weight decay or tied softmax"),),
        ),
        Statement(
            Form.REPAIRED,
            "With weight decay ω in every step and a pull λ to µ on occurrence, E x = x* + (x_0 − x*)(1 − η(ω + fλ))ⁿ, "
            "x* = fλ/(ω + fλ) µ: the more frequent, the nearer to µ and the farther from the origin. In the long run "
            "E x² = f(2λ(1 − η(ω + λ)) µx* + η(λ²µ² + σ²))/(ω(2 − ηω) + fλ(2(1 − ηω) − ηλ)) in each coordinate, and "
            "E(x − c)² = E x² − 2c x* + c² about any point c. Tied softmax from a common start µ: after a step "
            "e = (1 + η(f − 1/V))µ, and the centroid is at µ: the norm grows with f, the distance from the centroid "
            "with |f − 1/V|. Untied softmax on a constant feature h, from rows at 0: the centroid stays there, and in "
            "equilibrium |e| = |log f − E log f|/|h|, least at the geometric mean frequency.",
            (
                Hypothesis("decay", "plain SGD on ½ω|x|² in every step and ½λ|x − µ|² on occurrence (probability f)"),
                Hypothesis("noise", "of the second gradient: independent, mean 0, variance σ² in the coordinate"),
                Hypothesis("stability", "0 < f ≤ 1, η(ω + fλ) < 1, and the mean square contracts"),
                Hypothesis("tied softmax", "logits ⟨e_v, e_r⟩, full-batch gradient, all embeddings at µ at first"),
                Hypothesis("untied softmax", "logits ⟨e_v, h⟩, plain SGD without decay, all contexts of one feature"),
            ),
        ),
    ),
)


def derive() -> Derivation:
    """The derivation: weight decay, its mean and mean square; tied softmax; where norm and distance part."""
    imports = imported("centroid-conservation/row-gradient", Remainders())
    decayed = decayed_embedding()
    *_, law, limit, _, about, norm, distance = decayed
    slopes = _slopes(limit)
    apart = _apart(limit)
    as_input, tied, unigram = input_gradient(), first_step(), unigram_equilibrium(imports[-1])
    embedding_step, _, tied_norm, tied_distance = tied[-4:]
    *_, unigram_norm, unigram_slope = unigram
    supported = {
        law.name: (law.name,),
        limit.name: (limit.name, *(chain.name for chain in slopes)),
        about.name: (about.name,),
        norm.name: (norm.name,),
        distance.name: (distance.name,),
        as_input.name: (imports[-1].name, as_input.name),
        embedding_step.name: (embedding_step.name,),
        tied_distance.name: (tied_norm.name, tied_distance.name),
        unigram_slope.name: tuple(chain.name for chain in unigram),
    }
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, apart.name, (*(chain.name for chain in slopes), apart.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, tied_norm.name, (tied_norm.name, tied_distance.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, unigram_norm.name, tuple(chain.name for chain in unigram)),
        *(Finding(Form.REPAIRED, Verdict.SUPPORTS, name, chains) for name, chains in supported.items()),
    )
    exact = (law, limit, about, norm, distance, embedding_step, tied_norm, tied_distance, unigram_norm)
    return Derivation(
        CLAIM,
        (*decayed, *slopes, apart, as_input, *tied, *unigram),
        findings,
        {chain.name: Prediction(chain.name, chain.conclusion) for chain in exact},
        imports,
        (decayed_instance(apart), tied_instance(tied_norm), unigram_instance(unigram_norm)),
    )


def _slopes(limit: Chain) -> tuple[Chain, Chain]:
    """The coordinate and its distance from µ_i, both along µ, change with f in opposite ways."""
    slope = decay_rate * restoring_rate * centre / rate**2
    chains = []
    for name, title, position, into in (
        ("norm-slope", "How the distance from the origin changes with the frequency", limit.start, slope),
        ("distance-slope", "How the distance from µ changes with the frequency", centre - limit.start, -slope),
    ):
        build = ChainBuilder(name, title, Slope(position, frequency), uses=[limit])
        build.substitute("in the long run", fact(limit))
        chains.append(build.rewrite("differentiate", "differentiation", build.current, into).done())
    norm, distance = chains
    return norm, distance


def _apart(limit: Chain) -> Chain:
    """Both ratios would be one if the centre were the origin."""
    norms = (limit.start, At(limit.start, frequency, other_frequency))
    distances = tuple(centre - norm for norm in norms)
    build = ChainBuilder(
        "norms-against-distances",
        "The ratio of norms of two tokens over the ratio of their distances from µ, in the long run",
        (norms[0] / norms[1]) / (distances[0] / distances[1]),
        conditions=[nonzero(centre)],
        uses=[limit],
    )
    build.substitute("in the long run", fact(limit))
    (other,) = build.current.atoms(At)
    build.evaluate("at the other frequency", other)
    return build.tidy("cancel", frequency / other_frequency).done()
