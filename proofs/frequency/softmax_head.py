r"""The gradient of the loss of a softmax head in embeddings: L = log Σ_u e^{z_u} − z_target with z_u = ⟨e_u, h⟩ + b_u.

One coordinate x of row v enters z_v = x h + b, h the feature in that coordinate; up to what does not depend on x the
loss is log(e^{x h + b} + R) − y z_v, for y = 1 if v is the target, else 0. So ∂L/∂x = (p_v − y_v) h. Averages over the
vocabulary of size V are expectations: V E[y] = 1, and R = V E[e^z] − e^{z_v}.
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import deterministic, finite
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import At, Expectation, Slope
from proofs.symbols import feature, vocabulary_size

coordinate = sympy.Symbol("coordinate")
embedding, rest = sympy.symbols("embedding rest")
"""e_vi, and what the logit z_v holds beside e_vi h_i."""
is_target = sympy.Symbol("is_target", nonnegative=True)
"""y_v, 1 for the target of the context and 0 for the other tokens."""
target_logit = sympy.Symbol("target_logit")
"""The logit of the target, where that is another token."""
weight = sympy.Symbol("weight", positive=True)
other_weights = sympy.Symbol("other_weights", positive=True)
"""e^{z_v}, and the sum of those of the other tokens."""
probability = sympy.Symbol("probability", positive=True)
"""p_v."""
partition = sympy.Symbol("partition", positive=True)
epsilon = sympy.Symbol("epsilon", real=True)
logit = sympy.Symbol("logit", real=True)

WEIGHT = (weight, sympy.exp(embedding * feature + rest))
SOFTMAX = (probability, weight / (weight + other_weights))
PARTITION = (partition, vocabulary_size * Expectation(weight))
OTHERS = (other_weights, partition - weight)
ONE_TARGET = (Expectation(is_target), 1 / vocabulary_size)


def row_gradient() -> Chain:
    """∂L/∂e_vi = (p_v − y_v) h_i."""
    score = coordinate * feature + rest
    loss = sympy.log(sympy.exp(score) + other_weights) - is_target * score - (1 - is_target) * target_logit
    slope = Slope(loss, coordinate)
    build = ChainBuilder(
        "row-gradient",
        "The gradient of the softmax loss in a coordinate of an output embedding",
        At(slope, coordinate, embedding),
        definitions=[WEIGHT, SOFTMAX],
    )
    exponential = sympy.exp(score)
    into = feature * (exponential / (exponential + other_weights) - is_target)
    build.rewrite("differentiate", "differentiation", slope, into)
    build.evaluate("at the embedding", build.current)
    build.substitute("e^z", (WEIGHT[1], weight))
    return build.substitute("softmax", (SOFTMAX[1], probability)).done()


def mean_gradient(row: Chain) -> Chain:
    """Σ_v (p_v − y_v) h = 0: probabilities and targets both add up to 1."""
    build = ChainBuilder(
        "mean-gradient",
        "The mean over the vocabulary of the gradient of the softmax loss in the output embeddings",
        Expectation(row.start),
        definitions=[PARTITION],
        hypotheses=[OTHERS, ONE_TARGET],
        conditions=[deterministic(feature, vocabulary_size)],
        uses=[row],
    )
    build.substitute("the gradient in a row", fact(row))
    build.substitute("softmax", SOFTMAX)
    build.substitute("all weights add up to the partition sum", OTHERS)
    linear = feature * (Expectation(weight) / partition - Expectation(is_target))
    build.rewrite("linearity", "linearity", build.current, linear)
    return build.substitute("the partition sum; there is one target", PARTITION, ONE_TARGET).done()


def tied_gradient() -> Chain:
    """Σ_v ∂L/∂e_v = Σ_v p_v e_v − e_target if the feature is the embedding of a token too.

    The sum is the derivative along a common shift ε of all rows: z_v = ⟨e_v, h⟩ becomes z_v + ε(e_vi + h_i) + ε².
    """
    shifted = logit + epsilon * (embedding + feature) + epsilon**2
    loss = sympy.log(Expectation(sympy.exp(shifted))) - vocabulary_size * Expectation(is_target * shifted)
    build = ChainBuilder(
        "tied-gradient",
        "The sum over the vocabulary of the gradient of the softmax loss in tied embeddings",
        At(Slope(loss, epsilon), epsilon, 0),
        hypotheses=[ONE_TARGET],
        conditions=[finite(), deterministic(feature, vocabulary_size)],
    )
    exponential = sympy.exp(logit)
    both = embedding + feature
    means = Expectation(both * exponential) / Expectation(exponential)
    into = means - vocabulary_size * Expectation(is_target * both)
    build.rewrite("differentiate under the average", "finite-derivative", build.current, into)
    own = Expectation(embedding * exponential) / Expectation(exponential)
    target = vocabulary_size * (Expectation(is_target * embedding) + feature * Expectation(is_target))
    build.rewrite("linearity", "linearity", build.current, own + feature - target)
    build.substitute("there is one target", ONE_TARGET)
    return build.tidy("the feature cancels", own - vocabulary_size * Expectation(is_target * embedding)).done()


def input_gradient() -> Chain:
    """∂L/∂h_i = Σ_v p_v e_vi − e_target,i: what a tied embedding has on top as the input of the context.

    It is the derivative along a shift ε of the feature, z_v + ε e_vi.
    """
    shifted = logit + epsilon * embedding
    loss = sympy.log(Expectation(sympy.exp(shifted))) - vocabulary_size * Expectation(is_target * shifted)
    build = ChainBuilder(
        "input-gradient",
        "The gradient of the softmax loss in a coordinate of the feature",
        At(Slope(loss, epsilon), epsilon, 0),
        conditions=[finite(), deterministic(vocabulary_size)],
    )
    mean = Expectation(embedding * sympy.exp(logit)) / Expectation(sympy.exp(logit))
    into = mean - vocabulary_size * Expectation(is_target * embedding)
    return build.rewrite("differentiate under the average", "finite-derivative", build.current, into).done()
