"""Spectra on which removing the tangent space leaves less isotropy than removing normals (`proofs.isotropy_recovery`).

A covariance is diagonal in T ⊕ N; two of its eigenvectors are removed, in T or in N.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.expansion import ChainBuilder, fact
from proofs.symbols import (
    ambient_dim,
    rank,
    removed_trace,
    removed_trace_of_square,
    trace,
    trace_of_square,
)

leading, outlier, floor = sympy.symbols("leading_eigenvalue normal_eigenvalue floor_eigenvalue", positive=True)
one = sympy.Integer(1)
REMOVED = 2
ROUNDING = 1e-12
"""Of a score in [0, 1] from a covariance of at most ten dimensions, in float64."""


@dataclass(frozen=True)
class Instance:
    """A spectrum on T and on N, at values where the score without T is below that without any two of N.

    The chains give the score without T, and without the first two eigenvalues of N.
    """

    name: str
    text: str
    tangent: tuple[Any, ...]
    normal: tuple[Any, ...]
    at: dict[str, float]
    own_chains: tuple[Chain, Chain]

    @property
    def chains(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(chain.name for chain in self.own_chains)


def instances(removal: Chain) -> tuple[Instance, ...]:
    """One with more variance per dimension in T; one with the principal components in T."""
    make = partial(_instance, removal)
    return (
        make(
            "outlier-normal",
            "T holds more variance per dimension than N, and one normal direction more than all others: without T "
            "hardly more than that one is left",
            (one, one),
            (outlier, floor, floor, floor, floor, floor),
            {"normal_eigenvalue": 3.0, "floor_eigenvalue": 0.01},
        ),
        make(
            "principal-components",
            "T holds the principal components, each above all of N, but one of them below S₂/S₁: without T a single "
            "normal direction is left that counts",
            (leading, one),
            (outlier, floor, floor, floor),
            {"leading_eigenvalue": 1.2, "normal_eigenvalue": 0.99, "floor_eigenvalue": 0.01},
        ),
    )


def _instance(
    removal: Chain, name: str, text: str, tangent: tuple[Any, ...], normal: tuple[Any, ...], at: dict[str, float]
) -> Instance:
    chains = (
        _left(f"{name}-without-tangent", "IsoScore* without T", removal, (*tangent, *normal), tangent),
        _left(f"{name}-without-normal", "IsoScore* without two of N", removal, (*tangent, *normal), normal[:REMOVED]),
    )
    return Instance(name, text, tangent, normal, at, chains)


def _left(name: str, title: str, removal: Chain, whole: Sequence[Any], part: Sequence[Any]) -> Chain:
    values = (
        (trace, sum(whole)),
        (trace_of_square, sum(value**2 for value in whole)),
        (ambient_dim, sympy.Integer(len(whole))),
        (removed_trace, sum(part)),
        (removed_trace_of_square, sum(value**2 for value in part)),
        (rank, sympy.Integer(len(part))),
    )
    build = ChainBuilder(name, title, removal.start, hypotheses=values, uses=[removal])
    build.substitute("the score in the dimensions left", fact(removal))
    return build.substitute("the spectrum of the instance", *values).done()


def counterexamples(found: Sequence[Instance]) -> tuple[Counterexample, ...]:
    """The score without T, measured on a covariance; claimed is that without two of N, of which T's is the higher."""
    return tuple(
        Counterexample(
            name=instance.name,
            text=instance.text,
            chain=instance.own_chains[0].name,
            parts={"law": partial(_law, instance)},
            holds=Prediction(instance.name, instance.own_chains[0].conclusion),
            measurement=_measured,
            claimed=Prediction(f"{instance.name} claimed, at least", instance.own_chains[1].conclusion),
            at=instance.at,
        )
        for instance in found
    )


def _law(instance: Instance) -> Any:
    """A function of the eigenvalues: covariance in a random basis, and orthonormal bases of T and N."""
    import torch

    def law(generator: Any, **values: float) -> tuple[Any, Any, Any]:
        spectrum = [
            values[value.name] if value.is_Symbol else float(value) for value in (*instance.tangent, *instance.normal)
        ]
        square = torch.randn((len(spectrum),) * 2, generator=generator, dtype=torch.float64)
        basis = torch.linalg.qr(square).Q
        covariance = basis @ torch.tensor(spectrum, dtype=torch.float64).diag() @ basis.T
        cut = len(instance.tangent)
        return covariance, basis[:, :cut], basis[:, cut:]

    return law


def _measured(law: Any, **values: float) -> tuple[float, float]:
    """The score of the covariance in an orthonormal basis of what T leaves."""
    import torch

    covariance, tangent, _ = law(torch.Generator().manual_seed(0), **values)
    return score_without(covariance, tangent), ROUNDING


def score_without(covariance: Any, basis: Any) -> float:
    """IsoScore* of a covariance (d, d) in the d − k dimensions orthogonal to an orthonormal basis (d, k)."""
    import torch

    from manifoldtheory.estimators import iso_score_star

    complement = torch.linalg.qr(basis, mode="complete").Q[:, basis.shape[1] :]
    return iso_score_star(complement.T @ covariance @ complement)
