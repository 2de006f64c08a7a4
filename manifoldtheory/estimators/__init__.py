"""Estimators: the same code for synthetic clouds and for transformers.

Names load when first used, and torch with those that need it.
"""

from typing import TYPE_CHECKING

from manifoldtheory.lazy import lazy_names

if TYPE_CHECKING:
    from manifoldtheory.estimators.energy import EnergyRatio, covariance_matched_tail, energy_cap, energy_ratio
    from manifoldtheory.estimators.isotropy import iso_score_star, participation_ratio
    from manifoldtheory.estimators.local_pca import LocalTangents, local_tangents
    from manifoldtheory.estimators.moments import SecondMoment, pooled
    from manifoldtheory.estimators.scaling import PowerLaw, fit_exponent
    from manifoldtheory.estimators.subspace_tails import TailProbability
    from manifoldtheory.estimators.subspaces import (
        DegenerateProxyWarning,
        TangentProxy,
        fit_tangent_proxy,
        random_normal_bases,
    )

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DegenerateProxyWarning": "subspaces",
        "EnergyRatio": "energy",
        "LocalTangents": "local_pca",
        "PowerLaw": "scaling",
        "SecondMoment": "moments",
        "TailProbability": "subspace_tails",
        "TangentProxy": "subspaces",
        "covariance_matched_tail": "energy",
        "energy_cap": "energy",
        "energy_ratio": "energy",
        "fit_exponent": "scaling",
        "fit_tangent_proxy": "subspaces",
        "iso_score_star": "isotropy",
        "local_tangents": "local_pca",
        "participation_ratio": "isotropy",
        "pooled": "moments",
        "random_normal_bases": "subspaces",
    },
)

__all__ = [
    "DegenerateProxyWarning",
    "EnergyRatio",
    "LocalTangents",
    "PowerLaw",
    "SecondMoment",
    "TailProbability",
    "TangentProxy",
    "covariance_matched_tail",
    "energy_cap",
    "energy_ratio",
    "fit_exponent",
    "fit_tangent_proxy",
    "iso_score_star",
    "local_tangents",
    "participation_ratio",
    "pooled",
    "random_normal_bases",
]
