"""Promises of R_energy, its cap and nulls, and of power-law fits."""

import math

import numpy as np
import torch
from scipy.stats import beta
from torch import Tensor

from manifoldtheory.estimators import (
    EnergyRatio,
    SecondMoment,
    TangentProxy,
    covariance_matched_tail,
    energy_cap,
    energy_ratio,
    fit_exponent,
)
from tests.estimators.numerics.moments import CONDITIONS, DIMS, SIZES
from tests.estimators.numerics.rows import EPS, Refuses, Row, generator, normal, orthonormal, value


def axes(dim: int, rank: int) -> TangentProxy:
    """The first coordinate axes."""
    return TangentProxy(torch.eye(dim, dtype=torch.float64)[:, :rank])


def spectrum(dim: int, condition: float = 100.0) -> Tensor:
    return torch.logspace(0, -math.log10(condition), dim, dtype=torch.float64)


def exact_ratio(values: Tensor, rank: int) -> float:
    return float(values[:rank].mean() / values[rank:].mean())


def ratio_error(dim: int, rank: int, condition: float = 100.0, scale: float = 1.0) -> float:
    values = spectrum(dim, condition)
    found = energy_ratio(torch.diag(scale * values), axes(dim, rank), draws=0).ratio
    return abs(found / exact_ratio(values, rank) - 1)


def rotated(condition: float) -> float:
    values, frame = spectrum(16, condition), orthonormal(1, 16, 16)
    matrix = frame * values @ frame.T
    found = energy_ratio((matrix + matrix.T) / 2, TangentProxy(frame[:, :4]), draws=0).ratio
    return abs(found / exact_ratio(values, 4) - 1)


def cap_error(dim: int, rank: int, scale: float = 1.0) -> float:
    values = spectrum(dim)
    return abs(energy_cap(torch.diag(scale * values), rank) / exact_ratio(values, rank) - 1)


def small_cloud(size: float) -> float:
    """Centred, so that the mean at distance 1 is not in it: the spread of t against that of 1."""
    x = normal(2, 100, 6) * torch.linspace(1, 2, 6, dtype=torch.float64)
    near = energy_ratio(SecondMoment(6).update(x), axes(6, 2), centered=True, draws=0).ratio
    far = energy_ratio(SecondMoment(6).update(1 + size * x), axes(6, 2), centered=True, draws=0).ratio
    return abs(far / near - 1)


def no_null(case: tuple[int, int]) -> float:
    found = energy_ratio(torch.diag(spectrum(case[0])), axes(*case), draws=0)
    absent = all(math.isnan(field) for field in (found.null_mean, found.null_std, found.z_complement))
    return 0.0 if absent and found.reason and math.isfinite(found.ratio) else 1.0


def zero(_: None) -> float:
    found = energy_ratio(torch.zeros(4, 4), axes(4, 1), draws=0)
    undefined = math.isnan(found.ratio) and math.isnan(energy_cap(torch.zeros(4, 4), 1))
    return 0.0 if undefined and found.tangent_energy == 0 else 1.0


def single(_: None) -> float:
    moment = SecondMoment(4).update(torch.tensor([[3.0, 0.0, 0.0, 0.0]]))
    infinite = energy_ratio(moment, axes(4, 1), draws=0).ratio == energy_cap(moment, 2) == math.inf
    return 0.0 if infinite else 1.0


def single_precision(_: None) -> float:
    matrix = torch.diag(spectrum(16)).float()
    single, double = (energy_ratio(values, axes(16, 2), draws=0) for values in (matrix, matrix.double()))
    return abs(single.ratio - double.ratio)


def spiked(dim: int, share: float) -> tuple[Tensor, TangentProxy]:
    """A moment of one direction, and a line that holds this share of it."""
    basis = torch.zeros(dim, 1, dtype=torch.float64)
    basis[0], basis[1] = share**0.5, (1 - share) ** 0.5
    return torch.diag(torch.eye(dim, dtype=torch.float64)[0]), TangentProxy(basis)


def deviation(probability: float, stderr: float, dim: int, share: float) -> float:
    """From the law of one coordinate of a Haar direction, in standard errors."""
    return abs(probability - float(beta.sf(share, 1 / 2, (dim - 1) / 2))) / stderr


def p_value_error(case: tuple[int, float, float]) -> float:
    dim, share, scale = case
    moment, proxy = spiked(dim, share)
    found = energy_ratio(scale * moment, proxy, generator=generator())
    return deviation(found.p_value, found.p_stderr, dim, share)


def matched_error(case: tuple[int, float, float]) -> float:
    dim, share, scale = case
    moment, proxy = spiked(dim, share)
    tail = covariance_matched_tail(moment, proxy, scale * torch.eye(dim, dtype=torch.float64), generator=generator())
    return deviation(tail.probability, tail.stderr, dim, share)


def bounded(share: float) -> float:
    """By how much more than 4.5 standard errors the p-value lies off the exact one; below it only, for a bound."""
    moment, proxy = spiked(64, share)
    found = energy_ratio(moment, proxy, generator=generator())
    missing = float(beta.sf(share, 1 / 2, 63 / 2)) - found.p_value
    return max(0.0, (missing if found.p_is_bound else abs(missing)) - 4.5 * found.p_stderr)


def isotropic(scale: float) -> float:
    moment = scale * torch.eye(5, dtype=torch.float64)
    matched = covariance_matched_tail(moment, axes(5, 2), torch.diag(spectrum(5)), generator=generator())
    return max(abs(energy_ratio(moment, axes(5, 2), generator=generator()).p_value - 1), abs(matched.probability - 1))


def refused(case: tuple[int, int]) -> EnergyRatio:
    return energy_ratio(torch.eye(case[0]), TangentProxy(orthonormal(3, *case)), draws=0)


SHARES = ((8, 0.5, 1.0), (64, 0.3, 1.0), (64, 0.3, 1e-150), (64, 0.3, 1e150), (512, 0.02, 1.0))
SCALES = (1e-300, 1e-150, 1e150, 1e300)
RANKS = tuple(range(1, 16))
ENERGY = [
    Row("energy_ratio", "d = 2 … 4096", value("R to 4 d ε", lambda dim: 4 * dim * EPS, "sums of d terms"),
        lambda dim: ratio_error(dim, 1), DIMS[:4], DIMS[4:]),
    Row("energy_ratio", "rank 1 … d − 1 = 15", value("R to 1e-13", 1e-13,
        "complement energy by subtraction: ε tr A over what is left, here above 1e-2"),
        lambda rank: ratio_error(16, rank), RANKS),
    Row("energy_ratio", "condition numbers 1 … 1e12, rotated",
        value("R to 16 d ε (1 + R)", lambda c: 16 * 16 * EPS * (1 + exact_ratio(spectrum(16, c), 4)),
              "the entries of A hold the complement's energy to ε tr A"), rotated, CONDITIONS),
    Row("energy_ratio", "entries of 1e-300 … 1e300", value("R as for entries of 1, to 1e-14", 1e-14,
        "computed in units of the largest entry"), lambda s: ratio_error(16, 3, scale=s), SCALES),
    Row("energy_ratio", "centred, cloud of size t = 1e-1 … 1e-8 at distance 1",
        value("R of the cloud at the origin, to 16 ε/t", lambda t: 16 * EPS / t, "rounding of the coordinates"),
        small_cloud, SIZES),
    Row("energy_ratio", "2k ≥ d", value("R; null fields NaN, with the reason", 0.0,
        "no matched subspaces in the complement"), no_null, ((2, 1), (4, 2), (5, 4))),
    Row("energy_ratio, energy_cap", "zero moment", value("NaN", 0.0, "0/0"), zero),
    Row("energy_ratio, energy_cap", "one sample inside Q_T", value("infinite", 0.0, "no energy in the complement"),
        single),
    Row("energy_ratio", "float32 moment", value("R of its float64 values", 0.0, "converted first"), single_precision),
    Row("energy_ratio", "p-value, k = 1, d = 8 … 512, entries of 1e-150 … 1e150",
        value("Beta law of a coordinate, to 4.5 standard errors", 4.5, "false alarm 7e-6"), p_value_error, SHARES),
    Row("energy_ratio", "p-value too small for the draws to resolve: 1e-14 … 1e-60 at 1536 draws",
        value("the Beta law, or an upper bound that `p_is_bound` owns up to", 0.0, "more draws, then Chernoff's bound"),
        bounded, (0.6, 0.9, 0.99)),
    Row("energy_ratio, covariance_matched_tail", "isotropic moment", value("p = 1", 1e-12,
        "every subspace has the same energy"), isotropic, (1e-150, 1.0, 1e150)),
    Row("energy_ratio", "rank d, or another dimension", Refuses("rank|dimensions", "no complement, no common space"),
        refused, ((4, 4),)),
    Row("energy_ratio", "p-value without a generator", Refuses("generator", "nothing draws from global state"),
        lambda _: energy_ratio(torch.diag(spectrum(8)), axes(8, 1))),
    Row("energy_cap", "d = 2 … 768 (and 4096)", value("R of the leading axes, to 4 d ε", lambda dim: 4 * dim * EPS,
        "eigenvalues to d ε of the largest"), lambda dim: cap_error(dim, 1), DIMS[:3], DIMS[3:]),
    Row("energy_cap", "rank 1 … d − 1 = 15", value("to 1e-13", 1e-13, "eigenvalues to d ε, sums above 1e-2"),
        lambda rank: cap_error(16, rank), RANKS),
    Row("energy_cap", "entries of 1e-300 … 1e300", value("as for entries of 1, to 1e-13", 1e-13,
        "computed in units of the largest entry"), lambda s: cap_error(16, 3, s), SCALES),
    Row("covariance_matched_tail", "C = c I with c = 1e-150 … 1e150, k = 1",
        value("Beta law of a coordinate, to 4.5 standard errors", 4.5, "Haar's law"), matched_error, SHARES[:-1]),
    Row("covariance_matched_tail", "C with fewer than k directions (constant data)",
        Refuses("fewer than|directions", "no subspace to draw"),
        lambda directions: covariance_matched_tail(
            torch.diag(spectrum(5)), axes(5, 2), torch.diag((torch.arange(5) < directions).double()),
            generator=generator()), (0, 1)),
]  # fmt: skip


LADDER = np.array([10.0**-k for k in range(1, 9)])


def fit_error(exponent: float, unit: float = 1.0) -> float:
    return abs(fit_exponent(LADDER * unit, 2 * LADDER**exponent).exponent - exponent)


def corrected_error(order: float) -> float:
    values = LADDER**2 * (1 + LADDER**order)
    return abs(fit_exponent(LADDER, values, correction_order=order).exponent - 2)


FITS = [
    Row("fit_exponent", "exact powers, t = 1e-1 … 1e-8", value("exponent to 1e-14 (1 + |a|)",
        lambda a: 1e-14 * (1 + abs(a)), "logarithms to ε, spread over 16"), fit_error, (-4.0, 0.0, 0.5, 2.0)),
    Row("fit_exponent", "scales in units of 1e-100 … 1e100", value("the same exponent, to 1e-13", 1e-13,
        "logarithms of 230, to ε"), lambda unit: fit_error(2.0, unit), (1e-100, 1e-10, 1e10, 1e100)),
    Row("fit_exponent", "with the next term t^q, q = ½ … 4", value("exponent of t → 0, to 1e-12", 1e-12,
        "1 + b t^q is fitted as it is"), corrected_error, (0.5, 1.0, 2.0, 4.0)),
    Row("fit_exponent", "float32 values", value("exponent to 1e-7", 1e-7, "ε = 1.2e-7 over a spread of 16"),
        lambda _: abs(fit_exponent(LADDER, (LADDER**2).astype(np.float32)).exponent - 2)),
    Row("fit_exponent", "every scale twice", value("the same exponent, to 1e-14", 1e-14, "weights cancel"),
        lambda _: abs(fit_exponent(np.repeat(LADDER, 2), np.repeat(LADDER**0.5, 2)).exponent - 0.5)),
    Row("fit_exponent", "one scale, however often; too few", Refuses("distinct scales", "no slope, or no scatter"),
        lambda scales: fit_exponent(scales, [1.0] * len(scales)), ([1.0], [1.0] * 5, [1.0, 2.0])),
    Row("fit_exponent", "zero, negative or NaN values", Refuses("positive finite values", "they have no logarithm"),
        lambda bad: fit_exponent([1, 2, 3, 4], [1, 2, bad, 4]), (0.0, -1.0, math.nan, math.inf)),
    Row("fit_exponent", "a correction that is 0 or constant to rounding", Refuses("can't tell", "no such regressor"),
        lambda order: fit_exponent([1, 1e-3, 1e-4, 1e-5, 1e-6], [1, 2, 3, 4, 5], correction_order=order), (1e-300,)),
    Row("fit_exponent", "units that overflow the coefficient", Refuses("beyond floating point", "it is at t = 1"),
        lambda _: fit_exponent(LADDER * 1e-100, LADDER**4)),
]  # fmt: skip
