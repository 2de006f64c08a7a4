"""R_energy: gradient energy per dimension in a tangent proxy against its orthogonal complement, with honest nulls."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.moments import Moment, SecondMoment, moment_matrix, real_tensor
from manifoldtheory.estimators.subspace_tails import TailProbability, subspace_tail
from manifoldtheory.estimators.subspaces import TangentProxy, check_rank, no_room_for_controls

NAN = float("nan")
ROUNDING = 1e-14
"""Relative size below which a difference of float64 energies is 0."""
ORTHONORMAL = 1e-14
"""Largest error of QᵀQ that counts as rounding; beyond it, a basis is orthonormalised again."""


@dataclass(frozen=True)
class EnergyRatio:
    """R_energy of a second moment and what it is worth.

    `ratio` is `tangent_energy` / `null_mean`, energies per dimension. `null_mean`, `null_std` and `z_complement` are
    the exact moments over Haar-random rank-k subspaces of the complement (the paper's matched normal controls;
    descriptive, since their law is not normal). `p_value` ± `p_stderr` is the calibrated upper tail of the tangent
    energy under Haar-random rank-k subspaces of R^d; where `p_is_bound` is true, the draws do not resolve it, and it is
    an upper bound. When 2k ≥ d the controls do not exist: their fields are NaN and
    `reason` says why; the ratio is then against the complement's mean energy all the same.
    """

    ratio: float
    tangent_energy: float
    null_mean: float
    null_std: float
    z_complement: float
    p_value: float
    p_stderr: float
    rank: int
    dim: int
    reason: str | None = None
    p_is_bound: bool = False


def energy_ratio(
    moment: Moment,
    proxy: TangentProxy,
    *,
    centered: bool = False,
    draws: int = 1536,
    generator: torch.Generator | None = None,
) -> EnergyRatio:
    """R_energy = (tr QᵀAQ / k) / (tr PAP / (d − k)) of a second moment A, P the projector off the proxy's basis Q.

    Over Haar rank-k subspaces of the complement, of dimension n = d − k and with B = PAP, the energy per dimension has
    mean tr B / n and variance 2 (n − k) / (k n (n − 1)(n + 2)) · [tr B² − (tr B)²/n].

    Args:
        moment: (d, d) tensor or array E[g gᵀ], or a `SecondMoment` of which `centered` picks covariance or second
            moment.
        proxy: subspace of rank k < d.
        draws: importance samples behind the p-value; 0 leaves it out (NaN).
        generator: of the p-value's draws; needed unless ``draws=0``.

    Energies are exact to rounding of tr A, so that one of less than 1e-14 of it counts as 0: the ratio is then 0 or
    infinite, and NaN for A = 0. Raises `InputError` for what is no moment, dimensions that do not match or a rank that
    leaves no complement.
    """
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 0:
        raise InputError(f"draws must be an integer ≥ 0, got {draws!r}: 0 leaves the p-value out")
    _check_draw(proxy, generator, draws > 0)
    matrix, unit = _in_units(_matrix(moment, centered))
    dim, rank = len(matrix), proxy.rank
    basis = _basis(proxy, matrix)
    check_rank(rank, dim)
    tangent_energy = subspace_energy(matrix, basis)
    complement = dim - rank
    # Expanded from B = PAP, so that no (d, d) eigen-decomposition is needed; A Q carries the cross terms.
    image = matrix @ basis
    within = basis.T @ image
    rest = matrix - basis @ image.T - image @ basis.T + basis @ within @ basis.T
    trace, trace_of_square = _positive(float(rest.trace()), matrix), float((rest * rest).sum())
    mean = trace / complement
    if 2 * rank < dim:
        spread = trace_of_square - trace**2 / complement
        spread = spread if spread > ROUNDING * trace_of_square else 0.0
        variance = 2 * (complement - rank) / (rank * complement * (complement - 1) * (complement + 2)) * spread
        std, reason = variance**0.5, None
    else:
        std, reason = NAN, no_room_for_controls(rank, dim)
    tail = (
        subspace_tail(matrix, rank, tangent_energy, draws=draws, generator=generator)
        if draws
        else TailProbability(NAN, NAN)
    )
    return EnergyRatio(
        ratio=_divide(tangent_energy, mean),
        tangent_energy=unit * tangent_energy,
        null_mean=unit * mean if reason is None else NAN,
        null_std=unit * std,
        z_complement=(tangent_energy - mean) / std if std else NAN,
        p_value=tail.probability,
        p_stderr=tail.stderr,
        rank=rank,
        dim=dim,
        reason=reason,
        p_is_bound=tail.is_bound,
    )


def energy_cap(moment: Moment, rank: int, *, centered: bool = False) -> float:
    """The largest R_energy any subspace of this rank reaches: that of the moment's own leading eigenvectors.

    Infinite where the moment, shape (d, d), has no more directions to rounding, NaN where it is 0. Raises `InputError`
    for what is no moment, and unless 1 ≤ rank < d.
    """
    matrix, _ = _in_units(_matrix(moment, centered))
    dim = len(matrix)
    check_rank(rank, dim)
    eigenvalues = torch.linalg.eigvalsh(matrix)
    return _divide(
        float(eigenvalues[-rank:].mean()), _positive(float(eigenvalues[:-rank].sum()), matrix) / (dim - rank)
    )


def covariance_matched_tail(
    moment: Moment,
    proxy: TangentProxy,
    covariance: Float[Tensor, "d d"] | np.ndarray,
    *,
    centered: bool = False,
    draws: int = 1536,
    generator: torch.Generator,
) -> TailProbability:
    """Upper tail of the tangent energy under subspaces drawn with the activations' own covariance C: span of C^½ Z.

    The stricter null: it asks whether the proxy holds more gradient energy than other directions of high variance.
    Raises `InputError` for what is no moment or covariance, dimensions that do not match, and a covariance of fewer
    than k directions.
    """
    _check_draw(proxy, generator, True)
    matrix = _matrix(moment, centered)
    energy = subspace_energy(matrix, _basis(proxy, matrix))
    shape, _ = _in_units(moment_matrix(covariance, centered=True).to(matrix))
    if shape.shape != matrix.shape:
        raise InputError(f"the covariance has {len(shape)} dimensions and the moment {len(matrix)}: give both the same")
    return subspace_tail(matrix, proxy.rank, energy, shape=shape, draws=draws, generator=generator)


def _matrix(moment: Moment, centered: bool) -> Tensor:
    if centered and not isinstance(moment, SecondMoment):
        raise InputError("a matrix can't be centred after the fact: pass a SecondMoment, or the covariance itself")
    return moment_matrix(moment, centered=centered)


def _in_units(matrix: Tensor) -> tuple[Tensor, float]:
    """The matrix in units of its largest entry, so that no square of it over- or underflows, and the unit."""
    unit = float(matrix.diagonal().max())
    return (matrix / unit, unit) if unit > 0 else (matrix, 1.0)


def _basis(proxy: TangentProxy, matrix: Tensor) -> Tensor:
    """The basis in float64, orthonormal to its rounding: a proxy's may be off by 1e-6."""
    if proxy.dim != len(matrix):
        raise InputError(
            f"the proxy lies in {proxy.dim} dimensions and the moment in {len(matrix)}: give both the same"
        )
    basis = real_tensor("a basis", proxy.basis).to(matrix)
    if _largest_error(basis) <= ORTHONORMAL:
        return basis
    return torch.linalg.qr(basis).Q


def _largest_error(basis: Tensor) -> float:
    return float((basis.T @ basis - torch.eye(basis.shape[1]).to(basis)).abs().max())


def _check_draw(proxy: object, generator: object, needed: bool) -> None:
    if not isinstance(proxy, TangentProxy):
        raise InputError(
            f"a TangentProxy is needed, got {type(proxy).__name__}: wrap a basis (d, k) in TangentProxy(…)"
        )
    if needed and not isinstance(generator, torch.Generator):
        raise InputError(
            "a p-value is drawn: pass generator=torch.Generator().manual_seed(…), or draws=0 to leave it out"
        )


def _positive(energy: float, matrix: Tensor) -> float:
    """An energy that is a sum of squares: what rounding leaves of 0 is 0."""
    return energy if energy > ROUNDING * float(matrix.trace()) else 0.0


def subspace_energy(matrix: Float[Tensor, "d d"], basis: Float[Tensor, "d k"]) -> float:
    """Energy per dimension tr(QᵀAQ)/k of a second moment A in the span of an orthonormal basis Q."""
    return float((basis * (matrix @ basis)).sum() / basis.shape[1])


def _divide(numerator: float, denominator: float) -> float:
    """Quotient that is infinite, or NaN, where torch's would be, instead of raising."""
    if denominator == 0:
        return NAN if numerator == 0 else float("inf") * (1 if numerator > 0 else -1)
    return numerator / denominator
