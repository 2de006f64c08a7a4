r"""Untied softmax on one constant feature h, the rows at 0 at first: how far they end from centroid and origin alike.

The mean gradient in row v is (p_v − f_v) h, f_v its frequency as a target. Rows stay on the line of h, e_v = s_v h, and
their centroid at 0 (`proofs.centroid_conservation`); the gradient vanishes where p_v = e^{s_v |h|²}/Z is f_v. So
s_v = (log f_v − E log f)/|h|²: a token of the geometric mean frequency ends at the origin, others do not.
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import deterministic
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Expectation, Slope, Zero
from proofs.frequency.softmax_head import embedding, is_target, other_weights, partition, probability, rest
from proofs.symbols import feature, feature_norm_sq, frequency, log_frequency_mean

along_feature = sympy.Symbol("along_feature", real=True)
"""s_v."""


def unigram_equilibrium(row: Chain) -> tuple[Chain, ...]:
    """The mean gradient; where it vanishes; the row relative to the centroid; its norm, and how that depends on f."""
    gradient = _mean_gradient(row)
    stationary = _stationary()
    relative = _relative(stationary)
    norm = _norm(relative)
    return gradient, stationary, relative, norm, _slope(norm)


def _mean_gradient(row: Chain) -> Chain:
    """(p_v − f_v) h over the contexts."""
    targets = (Expectation(is_target), frequency)
    build = ChainBuilder(
        "unigram-gradient",
        "The mean gradient in a row where all contexts have the same feature",
        Expectation(row.start),
        hypotheses=[targets],
        conditions=[deterministic(feature, embedding, rest, other_weights)],
        uses=[row],
    )
    build.substitute("the gradient in a row", fact(row))
    linear = feature * (probability - Expectation(is_target))
    build.rewrite("linearity", "linearity", build.current, linear)
    return build.substitute("how often it is the target", targets).done()


def _stationary() -> Chain:
    """p_v = f_v, in logarithms: s_v |h|² − log Z = log f_v."""
    share = sympy.exp(along_feature * feature_norm_sq) / partition
    build = ChainBuilder(
        "unigram-equilibrium",
        "Where on the line of the feature the mean gradient vanishes: the probability is the frequency",
        Zero(sympy.log(share / frequency), along_feature),
    )
    split = along_feature * feature_norm_sq - sympy.log(partition) - sympy.log(frequency)
    build.rewrite("logarithm of a product", "logarithm", build.current.args[0], split)
    into = (sympy.log(frequency) + sympy.log(partition)) / feature_norm_sq
    return build.rewrite("a linear equation", "zero", build.current, into).done()


def _relative(stationary: Chain) -> Chain:
    """Over the vocabulary: log Z is the same for all rows."""
    mean_log = (log_frequency_mean, Expectation(sympy.log(frequency)))
    build = ChainBuilder(
        "unigram-displacement",
        "A row relative to the centroid, in units of the feature",
        stationary.start - Expectation(stationary.start),
        definitions=[mean_log],
        conditions=[deterministic(feature_norm_sq, partition)],
        uses=[stationary],
    )
    build.substitute("where the gradient vanishes", fact(stationary))
    (mean,) = build.current.atoms(Expectation)
    into = (Expectation(sympy.log(frequency)) + sympy.log(partition)) / feature_norm_sq
    build.rewrite("linearity", "linearity", mean, into)
    build.substitute("the mean logarithm", turned(mean_log))
    return build.tidy("Z cancels", (sympy.log(frequency) - log_frequency_mean) / feature_norm_sq).done()


def _norm(relative: Chain) -> Chain:
    """|e_v|² = |h|² s_v², the centroid being 0."""
    build = ChainBuilder(
        "unigram-norm-sq",
        "The squared norm of a row, and its squared distance from the centroid",
        feature_norm_sq * relative.start**2,
        uses=[relative],
    )
    build.substitute("the row", fact(relative))
    return build.tidy("collect", (sympy.log(frequency) - log_frequency_mean) ** 2 / feature_norm_sq).done()


def _slope(norm: Chain) -> Chain:
    """It grows with f above the geometric mean, the mean logarithm being given."""
    build = ChainBuilder(
        "unigram-slope",
        "How the squared norm changes with the frequency of one of many tokens",
        Slope(norm.conclusion, frequency),
    )
    into = 2 * (sympy.log(frequency) - log_frequency_mean) / (frequency * feature_norm_sq)
    return build.rewrite("differentiate", "differentiation", build.current, into).done()
