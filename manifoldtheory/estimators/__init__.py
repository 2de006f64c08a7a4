"""Estimators: the same code for synthetic clouds and for transformers."""

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
