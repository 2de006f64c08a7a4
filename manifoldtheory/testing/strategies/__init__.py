"""Hypothesis strategies for submanifolds, laws on them, and what is learned on them.

In the manner of `hypothesis.extra.numpy`: wherever an argument is a dimension, a bound or another number, a strategy
for it is taken too; every argument has a default. Arguments that can't be satisfied raise `InputError` when the
strategy is made, or, if a strategy was given for them, when it draws.

What is drawn are seeds, dimensions and a few dyadic rationals; tensors are expanded from them by
`manifoldtheory.testing.recipes`, whose calls are what a failing example prints. Examples shrink to small dimensions, to
seed 0 (coordinate axes), and to round numbers: flat forms, condition 1, equal frequencies, symmetric laws.
"""

from manifoldtheory.testing.inference import register_all
from manifoldtheory.testing.strategies.clouds import token_clouds
from manifoldtheory.testing.strategies.geometry import second_forms, submanifolds
from manifoldtheory.testing.strategies.laws import radial_laws, sampling_laws
from manifoldtheory.testing.strategies.learning import frequency_tables, losses
from manifoldtheory.testing.strategies.linear import covariances, orthonormal_frames, subspaces

__all__ = [
    "covariances",
    "frequency_tables",
    "losses",
    "orthonormal_frames",
    "radial_laws",
    "sampling_laws",
    "second_forms",
    "submanifolds",
    "subspaces",
    "token_clouds",
]

register_all()
