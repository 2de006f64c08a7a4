"""IsoScore*: from a covariance against its singular values, from points against the published package."""

import functools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.harness import Benchmark, Measurement, Setting, limit, speed
from benchmarks.timing import race
from manifoldtheory.estimators import SecondMoment, iso_score_star


def published_formula(covariance: Tensor) -> float:
    """IsoScore* of a covariance by its eigenvalues λ, step by step as Rudman et al. (2022, algorithm 1) define it.

    λ̂ = √d λ/|λ|, defect δ = |λ̂ − 1|/√(2(d − √d)), score ((d − δ²(d − √d))² − d)/(d(d − 1)).
    """
    spectrum = torch.linalg.svdvals(covariance)
    dim = len(spectrum)
    normalised = dim**0.5 * spectrum / torch.linalg.vector_norm(spectrum)
    defect = torch.linalg.vector_norm(normalised - 1) / (2 * (dim - dim**0.5)) ** 0.5
    return float(((dim - defect**2 * (dim - dim**0.5)) ** 2 - dim) / (dim * (dim - 1)))


def points(n: int, dim: int) -> np.ndarray:
    """Normal points whose standard deviations fall like a power law, as those of representations do."""
    scales = np.arange(1, dim + 1) ** -0.5
    return np.random.default_rng(0).normal(size=(n, dim)) * scales


def run(setting: Setting) -> Iterator[Measurement]:
    options: dict[str, Any] = {"seconds": setting.seconds, "least": setting.least}
    dim = setting.pick(smoke=32, default=768)
    covariance = torch.from_numpy(np.cov(points(2 * dim, dim).T))
    by_spectrum = race(
        lambda: iso_score_star(covariance), {"torch svdvals": lambda: published_formula(covariance)}, **options
    )
    yield speed(f"IsoScore* of a {dim}×{dim} covariance", by_spectrum, at_least=100)
    error = abs(iso_score_star(covariance) - published_formula(covariance))
    yield limit("the same, difference", error, "", at_most=1e-12, against="eigenvalue formula")

    from IsoScore import IsoScore  # pyright: ignore[reportMissingImports]

    n, dim = setting.pick(smoke=(100, 32), default=(5000, 2048))
    for dtype in (np.float64, np.float32):
        x = points(n, dim).astype(dtype)
        ours = functools.partial(_score, x)
        theirs = functools.partial(IsoScore.IsoScore, x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the package's own calls
            measured = race(ours, {"IsoScore": theirs}, **options)
            error = abs(ours() - float(theirs()))
        yield speed(f"IsoScore* of {n}×{dim} points, {x.dtype}", measured, at_least=2.5)
        yield limit("the same, difference", error, "", at_most=1e-6, against="IsoScore")


def _score(x: np.ndarray) -> float:
    return iso_score_star(SecondMoment(x.shape[1]).update(torch.from_numpy(x)))


BENCHMARK = Benchmark("IsoScore* against singular values and the published package", run, ("IsoScore",))
