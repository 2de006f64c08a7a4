r"""The centroid of output embeddings under plain SGD: it does not move, and what is never a target moves across it.

The gradient of the softmax loss in row v is (p_v − y_v) h (`proofs.frequency.softmax_head`). Probabilities and targets
both add up to 1 over the vocabulary, hence Σ_v ∂L/∂e_v = 0 in every context and at all embeddings: each step of SGD
keeps the centroid. A row that is never a target moves by −η E[p_v h], which is −η E[h]/V while all logits are equal:
rare tokens leave in one direction, away from the mean feature. Adam's first step takes the signs of the rows, one
against V − 1, and tied embeddings have the gradient of the feature on top; both move the centroid.
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import deterministic, nonzero
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Expectation, Iterate, Remainders
from proofs.frequency.softmax_head import (
    SOFTMAX,
    embedding,
    is_target,
    logit,
    mean_gradient,
    other_weights,
    row_gradient,
    tied_gradient,
    weight,
)
from proofs.frequency.softmax_modules import adam_instance, tied_instance
from proofs.symbols import feature, feature_mean, initial_centroid, step_size, steps, target_embedding, vocabulary_size

CLAIM = Claim(
    slug="centroid-conservation",
    title="Plain SGD on a softmax head conserves the centroid of the output embeddings",
    section="frequency",
    source="beyond arXiv:2604.08764",
    statements=(
        Statement(
            Form.REPAIRED,
            "The gradient of the loss in output embedding e_v is (p_v − y_v) h and adds up to 0 over the vocabulary, "
            "in every context: the centroid of the output embeddings does not move, in any number of steps. A row that "
            "is never a target moves by −η E[p_v h], by −η E[h]/V while all logits are equal.",
            (
                Hypothesis("head", "softmax cross-entropy on z_v = ⟨e_v, h⟩ + b_v with one target in each context"),
                Hypothesis("untied", "the features h do not depend on the output embeddings"),
                Hypothesis("optimizer", "plain SGD: no weight decay, no rescaling of coordinates"),
            ),
        ),
    ),
)

centroid = sympy.Symbol("centroid")
contexts_feature = (feature_mean, Expectation(feature))


def derive() -> Derivation:
    """The derivation: the gradient of a row, its sum over rows, rows that are never targets; Adam, and tied rows."""
    imports = imported("adam-step-cap/adam-step", Remainders())
    row = row_gradient()
    mean = mean_gradient(row)
    step, conserved = _step(row, mean), _conserved(mean)
    never, equal = _never_target(row), _equal_logits(row)
    signs = _adam_signs(imports[-1], row)
    adam = _adam_centroid(*signs)
    tied = tied_gradient()
    tied_step = _tied_centroid(tied)
    findings = (
        Finding(Form.REPAIRED, Verdict.SUPPORTS, conserved.name, (step.name, conserved.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, equal.name, (never.name, equal.name)),
    )
    chains = (row, mean, step, conserved, never, equal, *signs, adam, tied, tied_step)
    exact = (conserved, equal, adam, tied_step)
    predictions = {chain.name: Prediction(chain.name, chain.conclusion) for chain in exact}
    instances = (adam_instance(adam), tied_instance(tied_step))
    return Derivation(CLAIM, chains, findings, predictions, imports, instances)


def _step(row: Chain, mean: Chain) -> Chain:
    """The centroid after a step of SGD is the centroid."""
    gradient = (sympy.Symbol("row_slope"), row.start)
    build = ChainBuilder(
        "centroid-step",
        "The centroid of the output embeddings after a step of SGD",
        Expectation(embedding - step_size * gradient[0]),
        definitions=[gradient],
        conditions=[deterministic(step_size)],
        uses=[mean],
    )
    linear = Expectation(embedding) - step_size * Expectation(gradient[0])
    build.rewrite("linearity", "linearity", build.current, linear)
    build.substitute("the gradient in a row", gradient)
    return build.substitute("the gradients add up to 0", fact(mean)).done()


def _conserved(mean: Chain) -> Chain:
    """Whatever the context and the embeddings of a step are."""
    build = ChainBuilder(
        "centroid",
        "The centroid of the output embeddings after n steps of SGD",
        Iterate(centroid - step_size * mean.start, centroid, initial_centroid, steps),
        uses=[mean],
    )
    build.substitute("the gradients add up to 0 in every step", fact(mean))
    return build.rewrite("nothing moves", "induction", build.current, initial_centroid).done()


def _never_target(row: Chain) -> Chain:
    """−η E[p_v h], the expectation over contexts."""
    never = (is_target, sympy.Integer(0))
    build = ChainBuilder(
        "never-target-drift",
        "The mean step of a row that is never a target",
        -step_size * Expectation(row.start),
        hypotheses=[never],
        uses=[row],
    )
    build.substitute("the gradient in a row", fact(row))
    return build.substitute("never a target", never).done()


def _equal_logits(row: Chain) -> Chain:
    """p_v = 1/V."""
    never = (is_target, sympy.Integer(0))
    alike = (other_weights, (vocabulary_size - 1) * weight)
    build = ChainBuilder(
        "never-target-step",
        "The mean step of a row that is never a target, where all logits are equal",
        -step_size * Expectation(row.start),
        definitions=[contexts_feature],
        hypotheses=[never, alike],
        conditions=[deterministic(vocabulary_size)],
        uses=[row],
    )
    build.substitute("the gradient in a row", fact(row))
    build.substitute("never a target", never)
    build.substitute("softmax", SOFTMAX)
    build.substitute("equal logits", alike)
    (share,) = (part for part in build.current.atoms(Expectation))
    (argument,) = share.args
    build.tidy("1/V each", feature / vocabulary_size, argument)
    build.rewrite(
        "linearity", "linearity", Expectation(feature / vocabulary_size), Expectation(feature) / vocabulary_size
    )
    return build.substitute("the mean feature", turned(contexts_feature)).done()


def _adam_signs(adam: Chain, row: Chain) -> tuple[Chain, Chain]:
    """Adam's first step, per −η, in a row that is not the target, and in that of the target."""
    (gradient,) = (symbol for symbol in adam.conclusion.free_symbols)
    chains = []
    for name, indicator in (("adam-other-row", 0), ("adam-target-row", 1)):
        of_row = At(row.start, is_target, indicator)
        build = ChainBuilder(
            name,
            f"Adam's first step in a row with y = {indicator}",
            At(adam.start, gradient, of_row),
            uses=[adam, row],
        )
        build.substitute("the sign of the gradient", fact(adam))
        build.substitute("the gradient in a row", fact(row))
        (inner,) = (part for part in build.current.atoms(At) if part.args[1] == is_target)
        build.evaluate(f"y = {indicator}", inner)
        if indicator:
            build.substitute("softmax", SOFTMAX)
            weights = weight + other_weights
            build.tidy("1 − p is the share of the others", -other_weights / weights, weight / weights - 1)
        build.evaluate("at this gradient", build.current)
        chains.append(build.done())
    other, target = chains
    return other, target


def _adam_centroid(other: Chain, target: Chain) -> Chain:
    """V − 1 rows with one sign, and one with the other."""
    shift = -step_size * ((vocabulary_size - 1) * other.start + target.start) / vocabulary_size
    build = ChainBuilder(
        "adam-centroid-step",
        "How the first step of Adam, in one context, moves the centroid of the output embeddings",
        shift,
        conditions=[nonzero(feature)],
        uses=[other, target],
    )
    build.substitute("the signs of the rows", fact(other), fact(target))
    sign = feature / sympy.sqrt(feature**2)
    return build.tidy("collect", -step_size * (vocabulary_size - 2) * sign / vocabulary_size).done()


def _tied_centroid(tied: Chain) -> Chain:
    """The input embedding is 0, so that all logits are: the mean of the model is the centroid."""
    zero = (logit, sympy.Integer(0))
    mean = (initial_centroid, Expectation(embedding))
    target = (Expectation(is_target * embedding), target_embedding / vocabulary_size)
    build = ChainBuilder(
        "tied-centroid-step",
        "How a step of SGD, in a context whose input embedding is 0, moves the centroid of tied embeddings",
        -step_size * tied.start / vocabulary_size,
        definitions=[mean],
        hypotheses=[zero, target],
        uses=[tied],
    )
    build.substitute("the gradient in all rows", fact(tied))
    build.substitute("all logits are 0", zero)
    build.rewrite("the mean of 1", "linearity", Expectation(sympy.Integer(1)), sympy.Integer(1))
    build.substitute("the centroid, and the target's embedding", turned(mean), target)
    return build.tidy("collect", step_size * (target_embedding - initial_centroid) / vocabulary_size).done()
