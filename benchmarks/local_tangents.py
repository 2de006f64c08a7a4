"""Local tangent spaces against scikit-dimension's lPCA, point by point, and with an outlier among the neighbours."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Benchmark, Measurement, Setting, limit, speed
from benchmarks.timing import race
from manifoldtheory.estimators import local_tangents
from manifoldtheory.manifolds import Sphere

DIM, AMBIENT_DIM = 5, 64


def points(n: int) -> np.ndarray:
    """Uniform on a sphere of dimension 5 that lies askew in R^64, with noise far below its size."""
    generator = torch.Generator().manual_seed(0)
    gaussian = torch.randn(AMBIENT_DIM, DIM + 1, generator=generator, dtype=torch.float64)
    noise = torch.randn(n, AMBIENT_DIM, generator=generator, dtype=torch.float64)
    on_sphere = Sphere(DIM).sample(n, generator=generator)
    return (on_sphere @ torch.linalg.qr(gaussian).Q.T + 1e-3 * noise).numpy()


def dimensions(x: np.ndarray, neighbours: int) -> np.ndarray:
    return np.asarray(local_tangents(x, neighbours).dimensions)


def run(setting: Setting) -> Iterator[Measurement]:
    import skdim  # pyright: ignore[reportMissingImports]
    from threadpoolctl import threadpool_limits

    n, neighbours = setting.pick(smoke=(60, 20), default=(2000, 100))
    x = points(n)

    def theirs(x: np.ndarray = x, neighbours: int = neighbours, **options: Any) -> np.ndarray:
        return np.asarray(skdim.id.lPCA().fit_pw(x, n_neighbors=neighbours, **options).dimension_pw_)

    def on_one_thread() -> np.ndarray:
        with threadpool_limits(1):
            return theirs()

    ways = {
        "lPCA.fit_pw": theirs,
        "lPCA.fit_pw, BLAS on one thread": on_one_thread,
        "lPCA.fit_pw, n_jobs=2": partial(theirs, n_jobs=2),
    }
    measured = race(
        partial(local_tangents, x, neighbours),
        ways if setting.judged else {"lPCA.fit_pw": theirs},
        seconds=setting.seconds,
        least=setting.least,
    )
    yield speed(f"tangents at {n} points in R^{AMBIENT_DIM}, {neighbours} neighbours", measured, at_least=5)
    different = int((dimensions(x, neighbours) != theirs()).sum())
    yield limit("points of another dimension", float(different), "", at_most=0, against="lPCA.fit_pw")

    far = np.concatenate([x, np.full((1, AMBIENT_DIM), 1e6)])
    changed = int((dimensions(far, neighbours)[:-1] != dimensions(x, neighbours)).sum())
    yield limit("points whose dimension a far outlier changes", float(changed), "", at_most=0)
    # All others are neighbours, and so is the outlier.
    few = x[: neighbours + 1]
    joined = np.concatenate([few, np.full((1, AMBIENT_DIM), 1e3)])
    sound = dimensions(few, neighbours)
    changed = int((dimensions(joined, neighbours + 1)[:-1] != sound).sum())
    thrown = int((theirs(joined, neighbours + 1)[:-1] != sound).sum())
    yield limit(f"the same among {len(few)} neighbours; lPCA: {thrown}", float(changed), "", at_most=0)


BENCHMARK = Benchmark("local tangent spaces against lPCA", run, ("scikit-dimension",))
