"""For tests of scaling laws: Hypothesis strategies, the objects they draw, and `assert_scaling`.

Names load when first used. `manifoldtheory.testing.strategies` needs the extra ``manifoldtheory[testing]``; the rest
does not.
"""

from typing import TYPE_CHECKING

from manifoldtheory.lazy import lazy_names

if TYPE_CHECKING:
    from manifoldtheory.testing.clouds import TokenCloud
    from manifoldtheory.testing.losses import LinearLoss, LogisticLoss, Loss, QuarticLoss, SoftmaxLoss, SquaredLoss
    from manifoldtheory.testing.recipes import (
        base_point,
        covariance,
        frequency_table,
        monge_patch,
        orthonormal_frame,
        second_form,
        trace_free,
    )
    from manifoldtheory.testing.sampling import SamplingLaw, unit_vector
    from manifoldtheory.testing.scaling import assert_scaling

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "LinearLoss": "losses",
        "LogisticLoss": "losses",
        "Loss": "losses",
        "QuarticLoss": "losses",
        "SamplingLaw": "sampling",
        "SoftmaxLoss": "losses",
        "SquaredLoss": "losses",
        "TokenCloud": "clouds",
        "assert_scaling": "scaling",
        "base_point": "recipes",
        "covariance": "recipes",
        "frequency_table": "recipes",
        "monge_patch": "recipes",
        "orthonormal_frame": "recipes",
        "second_form": "recipes",
        "trace_free": "recipes",
        "unit_vector": "sampling",
    },
)

__all__ = [
    "LinearLoss",
    "LogisticLoss",
    "Loss",
    "QuarticLoss",
    "SamplingLaw",
    "SoftmaxLoss",
    "SquaredLoss",
    "TokenCloud",
    "assert_scaling",
    "base_point",
    "covariance",
    "frequency_table",
    "monge_patch",
    "orthonormal_frame",
    "second_form",
    "trace_free",
    "unit_vector",
]
