"""Geodesics of the 2-sphere against geomstats on torch."""

from collections.abc import Iterator

import torch

from benchmarks.harness import Benchmark, Measurement, Setting, limit, speed
from benchmarks.timing import race
from manifoldtheory.manifolds import Sphere
from manifoldtheory.manifolds.geomstats_bridge import double_precision


def run(setting: Setting) -> Iterator[Measurement]:
    n = setting.pick(smoke=100, default=10**6)
    sphere, generator = Sphere(2), torch.Generator().manual_seed(0)
    x = sphere.sample(n, generator=generator)
    v = torch.randn(n, 3, generator=generator, dtype=torch.float64)
    v = v - (v * x).sum(-1, keepdim=True) * x
    with double_precision():
        peer = sphere.geomstats.metric
        measured = race(
            lambda: sphere.exp(x, v),
            {"geomstats": lambda: peer.exp(v, x)},
            seconds=setting.seconds,
            least=setting.least,
        )
        error = float((sphere.exp(x, v) - peer.exp(v, x)).abs().max())
    yield speed(f"exp on S², {n:.0e} points", measured, at_least=3.5)
    yield limit("the same, difference", error, "", at_most=1e-12, against="geomstats")


BENCHMARK = Benchmark("exp on S² against geomstats", run, ("geomstats",))
