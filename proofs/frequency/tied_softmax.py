r"""Tied embeddings that all start at one point µ: the first step of gradient descent on the softmax loss, exactly.

The loss of reading token r is log Σ_u e^{⟨e_u, e_r⟩} − ⟨e_target, e_r⟩. With all embeddings at µ every probability is
1/V and the part of the gradient that belongs to the input, Σ_v p_v e_v − e_target, vanishes. As an output row a token
has (1/V − y) µ, whichever token is read; so e = (1 + η(f − 1/V)) µ after a step, f its frequency as a target.
The centroid stays at µ: the distance from it is η |f − 1/V| |µ|, while the norm is |µ| + η (f − 1/V) |µ|.
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import deterministic
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Expectation, Slope
from proofs.frequency.softmax_head import coordinate, is_target
from proofs.symbols import centre, frequency, step_size, vocabulary_size

is_read = sympy.Symbol("is_read", nonnegative=True)
"""1 where the token is the one that is read, else 0."""
rest = sympy.Symbol("rest")
"""What logits hold beside the coordinate, Σ_{j ≠ i} µ_j²."""
other_tokens = sympy.Symbol("other_tokens", positive=True)
VOCABULARY = (vocabulary_size, other_tokens + 1)
moved = sympy.Symbol("moved_embedding")


def first_step() -> tuple[Chain, ...]:
    """The gradient in a row, in contexts of either kind; the step, the centroid, the norm and the distance."""
    own = _row("read-row", "the token that is read", coordinate**2 + rest, coordinate * centre + rest)
    other = _row("unread-row", "another token", coordinate * centre + rest, centre**2 + rest)
    step = _step(own, other)
    centroid = _centroid(step)
    return own, other, step, centroid, _norm(step), _distance(centroid)


def _row(name: str, which: str, own_logit: sympy.Expr, other_logit: sympy.Expr) -> Chain:
    """(1/V − y) µ_i, from the loss as a function of one coordinate of one row, the others being at µ."""
    total = other_tokens * sympy.exp(other_logit) + sympy.exp(own_logit)
    loss = sympy.log(total) - is_target * own_logit - (1 - is_target) * other_logit
    slope = Slope(loss, coordinate)
    build = ChainBuilder(
        name,
        f"The gradient in a coordinate of the embedding of {which}, all embeddings being alike",
        At(slope, coordinate, centre),
        definitions=[VOCABULARY],
    )
    build.rewrite("differentiate, as input and as output", "differentiation", slope, sympy.diff(loss, coordinate))
    build.evaluate("at µ", build.current)
    build.tidy("1/V each", centre * (1 / (other_tokens + 1) - is_target))
    return build.substitute("V", turned(VOCABULARY)).done()


def _step(own: Chain, other: Chain) -> Chain:
    """µ − η E[gradient] over the contexts."""
    gradient = (sympy.Symbol("context_gradient"), is_read * own.start + (1 - is_read) * other.start)
    targets = (Expectation(is_target), frequency)
    build = ChainBuilder(
        "tied-embedding",
        "A coordinate of a tied embedding after a step of gradient descent from a common start",
        centre - step_size * Expectation(gradient[0]),
        definitions=[gradient],
        hypotheses=[targets],
        conditions=[deterministic(centre, other_tokens)],
        uses=[own, other],
    )
    build.substitute("the token is read, or not", gradient)
    build.substitute("the gradient in a row", fact(own), fact(other))
    (expectation,) = build.current.atoms(Expectation)
    build.tidy("alike", centre * (1 / vocabulary_size - is_target), expectation.args[0])
    mean = centre * (1 / vocabulary_size - Expectation(is_target))
    build.rewrite("linearity", "linearity", Expectation(centre * (1 / vocabulary_size - is_target)), mean)
    build.substitute("how often it is the target", targets)
    return build.tidy("collect", centre * (1 + step_size * (frequency - 1 / vocabulary_size))).done()


def _centroid(step: Chain) -> Chain:
    """Frequencies add up to 1: the expectation is over the vocabulary here."""
    row = (moved, step.conclusion)
    frequencies = (Expectation(frequency), 1 / vocabulary_size)
    build = ChainBuilder(
        "tied-centroid",
        "A coordinate of the centroid of tied embeddings after that step",
        Expectation(moved),
        definitions=[row],
        hypotheses=[frequencies],
        conditions=[deterministic(centre, step_size, vocabulary_size)],
    )
    build.substitute("the embedding after the step", row)
    into = centre * (1 + step_size * (Expectation(frequency) - 1 / vocabulary_size))
    build.rewrite("linearity", "linearity", build.current, into)
    return build.substitute("the mean frequency", frequencies).done()


def _norm(step: Chain) -> Chain:
    """µ²(1 + η(f − 1/V))²."""
    build = ChainBuilder(
        "tied-norm-sq",
        "The square of a coordinate of a tied embedding after that step",
        step.start**2,
        uses=[step],
    )
    return build.substitute("the embedding after the step", fact(step)).done()


def _distance(centroid: Chain) -> Chain:
    """µ²η²(f − 1/V)²."""
    row = centroid.definitions[0]
    build = ChainBuilder(
        "tied-centroid-distance-sq",
        "The square of a coordinate of its distance from the centroid",
        (moved - centroid.start) ** 2,
        uses=[centroid],
    )
    build.substitute("the centroid", fact(centroid))
    build.substitute("the embedding after the step", row)
    return build.tidy("collect", (step_size * (frequency - 1 / vocabulary_size) * centre) ** 2).done()
