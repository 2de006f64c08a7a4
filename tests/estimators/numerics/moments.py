"""Promises of `SecondMoment`, IsoScore* and the participation ratio."""

import math

import torch

from manifoldtheory.estimators import SecondMoment, iso_score_star, participation_ratio
from tests.estimators.numerics.rows import (
    EPS,
    EPS32,
    Refuses,
    Row,
    exact_covariance,
    normal,
    orthonormal,
    relative_error,
    value,
)

SIZES = tuple(10.0**-k for k in range(1, 9))
DIMS = (2, 16, 128, 768, 4096)
CONDITIONS = (1.0, 1e3, 1e6, 1e9, 1e12)
OFFSET = torch.tensor([1.0, -0.7, 0.3], dtype=torch.float64)


def far_cloud(size: float, points: torch.dtype, sums: torch.dtype) -> float:
    x = (OFFSET + size * normal(0, 200, 3)).to(points)
    return relative_error(SecondMoment(3, sums).update(x).covariance, exact_covariance(x))


def integers(dim: int) -> float:
    """64 points with small integers: 64² times the covariance is an integer, so that int64 gives it exactly."""
    x = torch.randint(-8, 9, (64, dim), generator=torch.Generator().manual_seed(1)).double()
    total = x.sum(0)
    exact = (64 * x.T @ x).sub_(torch.outer(total, total)) / 64**2  # sums of integers below 2⁵³
    return float((SecondMoment(dim).update(x).covariance - exact).abs().max() / exact.diagonal().max())


def conditioned(condition: float) -> float:
    x = normal(2, 100, 4) * torch.logspace(0, -math.log10(condition) / 2, 4, dtype=torch.float64)
    return relative_error(SecondMoment(4).update(x).covariance, exact_covariance(x))


def merged(size: float) -> float:
    x = OFFSET + size * normal(3, 200, 3)
    whole, parts = SecondMoment(3).update(x), [SecondMoment(3).update(part) for part in x.split(37)]
    total = SecondMoment(3)
    for part in reversed(parts):
        total.merge(part)
    return float((total.covariance - whole.covariance).abs().max() / whole.covariance.diagonal().max())


def constant(n: int) -> float:
    moment = SecondMoment(3).update((OFFSET / 7).expand(n, 3))
    return float(moment.covariance.abs().max() + (moment.mean - OFFSET / 7).abs().max())


def duplicated(_: None) -> float:
    x = normal(4, 20, 3)
    return float((SecondMoment(3).update(x.repeat(3, 1)).covariance - SecondMoment(3).update(x).covariance).abs().max())


def few_points(dim: int) -> float:
    eigenvalues = torch.linalg.eigvalsh(SecondMoment(dim).update(normal(5, 5, dim)).covariance)
    return float(eigenvalues[: dim - 4].abs().max() / eigenvalues[-1])


MOMENTS = [
    Row(
        "SecondMoment",
        "cloud of size t = 1e-1 … 1e-8 at distance 1, float64",
        value("covariance to 64 ε of √(Cᵢᵢ Cⱼⱼ)", 64 * EPS, "differences from a point of the cloud are exact"),
        lambda t: far_cloud(t, torch.float64, torch.float64),
        SIZES,
    ),
    Row(
        "SecondMoment",
        "the same, float32 points summed in float64, t ≥ 1e-6",
        value("that of the float32 points, to 64 ε", 64 * EPS, "float32 numbers are float64 numbers"),
        lambda t: far_cloud(t, torch.float32, torch.float64),
        SIZES[:6],
    ),
    Row(
        "SecondMoment",
        "the same, summed in float32 (`dtype=torch.float32`)",
        value("that of the float32 points, to 64 ε of float32", 64 * EPS32, "sums of 200 float32 numbers"),
        lambda t: far_cloud(t, torch.float32, torch.float32),
        SIZES[:6],
    ),
    Row(
        "SecondMoment",
        "d = 2 … 4096, with n < d from 128 on",
        value("covariance to 16 ε of the largest variance", 16 * EPS, "sums of 64 small integers"),
        integers,
        DIMS[:4],
        DIMS[4:],
    ),
    Row(
        "SecondMoment",
        "variances in ratios of 1 … 1e12",
        value("covariance to 64 ε of √(Cᵢᵢ Cⱼⱼ)", 64 * EPS, "products of single coordinates are summed"),
        conditioned,
        CONDITIONS,
    ),
    Row(
        "SecondMoment",
        "merged in any order, t = 1e-1 … 1e-8",
        value("one pass, to 64 ε of the largest variance", 64 * EPS, "means are kept as offsets from a point"),
        merged,
        SIZES,
    ),
    Row(
        "SecondMoment",
        "constant data, one sample",
        value("covariance 0 and the mean, exactly", 0.0, "points are centred on one of them first"),
        constant,
        (1, 2, 1000, 5000),
    ),
    Row("SecondMoment", "every point three times", value("covariance of the points, to 16 ε", 16 * EPS,
        "weights cancel in the quotient"), duplicated),
    Row("SecondMoment", "5 points in d = 16, 128", value("rank 4, to d ε of the largest eigenvalue",
        lambda dim: dim * EPS, "rounding of the eigenvalues themselves"), few_points, (16, 128)),
    Row("SecondMoment", "no points", Refuses("no moments yet", "a mean of nothing is no number"),
        lambda _: SecondMoment(3).mean),
    Row("SecondMoment", "NaN or infinite entries", Refuses("NaN or infinite", "nothing is added"),
        lambda bad: SecondMoment(3).update(torch.tensor([[0.0, 1.0, bad]])), (math.nan, math.inf, -math.inf)),
    Row("SecondMoment", "entries of 1e155 … 1e300", Refuses("overflow", "their squares are infinite"),
        lambda size: SecondMoment(3).update(size * normal(6, 50, 3)), (1e155, 1e200, 1e300)),
    Row("SecondMoment", "entries of 1e-300 … 1e-150 only", Refuses("underflow", "their squares lose all digits"),
        lambda size: SecondMoment(3).update(size * normal(6, 50, 3)), (1e-300, 1e-200, 1e-150)),
]  # fmt: skip


def formula(condition: float) -> float:
    """Rotated covariances of known spectrum, against the published formula of the eigenvalues."""
    spectrum = torch.logspace(0, -math.log10(condition), 32, dtype=torch.float64)
    frame = orthonormal(7, 32, 32)
    matrix = frame * spectrum @ frame.T
    matrix = (matrix + matrix.T) / 2
    ratio = float(spectrum.sum() ** 2 / spectrum.square().sum())
    return max(abs(iso_score_star(matrix) - (ratio - 1) / 31), abs(participation_ratio(matrix) - ratio) / ratio)


def scaled(scale: float) -> float:
    matrix = torch.diag(torch.tensor([3.0, 2.0, 1.0], dtype=torch.float64))
    return abs(iso_score_star(scale * matrix) - (36 / 14 - 1) / 2)


def single_precision(_: None) -> float:
    x = normal(8, 500, 32) * torch.logspace(0, -1, 32, dtype=torch.float64)
    matrix = torch.cov(x.T)
    return abs(iso_score_star(matrix.float()) - iso_score_star(matrix))


ISOTROPY = [
    Row("iso_score_star, participation_ratio", "condition numbers 1 … 1e12, rotated",
        value("the formula of the eigenvalues, to 1e-13", 1e-13, "traces: d² products, each to ε"), formula,
        CONDITIONS),
    Row("iso_score_star, participation_ratio", "identity, d = 2 … 4096",
        value("1 and d, to 4 ε", 4 * EPS, "sums of ones are exact, their roots to ε"),
        lambda dim: max(abs(iso_score_star(torch.eye(dim)) - 1), abs(participation_ratio(torch.eye(dim)) / dim - 1)),
        DIMS[:4], DIMS[4:]),
    Row("iso_score_star, participation_ratio", "entries of 1e-300 … 1e300", value("as for entries of 1, to 4 ε",
        4 * EPS, "computed in units of the largest entry"), scaled, (1e-300, 1e-150, 1e-20, 1e20, 1e150, 1e300)),
    Row("iso_score_star, participation_ratio", "float32 covariance", value("the float64 score, to 1e-6", 1e-6,
        "entries of ε = 1.2e-7, averaged"), single_precision),
    Row("iso_score_star", "two distinct points (n < d)", value("0, to 4 d ε", lambda dim: 4 * dim * EPS,
        "one direction: PR = 1"),
        lambda dim: iso_score_star(SecondMoment(dim).update(normal(9, 2, dim))), (2, 128)),
    Row("iso_score_star, participation_ratio", "constant data, one sample", value("NaN", 0.0, "no directions"),
        lambda n: 0.0 if math.isnan(iso_score_star(SecondMoment(3).update(OFFSET.expand(n, 3)))) else 1.0, (1, 50)),
    Row("iso_score_star, participation_ratio", "negative variances, or an entry above the largest variance",
        Refuses("positive semi-definite", "no covariance: cheap signs, eigenvalues are not computed"),
        lambda entry: iso_score_star(torch.tensor([[1.0, entry], [entry, min(1.0, entry)]])), (-0.5, 2.0)),
    Row("iso_score_star, participation_ratio", "(tr C)² < tr C²", Refuses("negative eigenvalues", "no covariance"),
        lambda _: participation_ratio(torch.tensor([[1.0, 0.9], [0.9, 0.0]]))),
]  # fmt: skip
