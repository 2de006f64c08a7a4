"""How long Hypothesis takes to draw and build a submanifold."""

import time
from collections.abc import Iterator
from itertools import pairwise

from benchmarks.harness import Benchmark, Measurement, Setting, limit
from benchmarks.machine import cores_used_by_others, processor_times

DIM, AMBIENT_DIM = 3, 32


def seconds_per_example(smoothness: str, examples: int) -> list[float]:
    """Between one call of a test that does nothing and the next: drawing, building, and all that Hypothesis does."""
    from hypothesis import HealthCheck, Phase, given, settings

    from manifoldtheory.testing.strategies import submanifolds

    moments: list[float] = []

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(submanifolds(DIM, AMBIENT_DIM, smoothness=smoothness, families="patch"))  # pyright: ignore[reportArgumentType]
    def collect(_: object) -> None:
        moments.append(time.perf_counter())

    collect()
    return [after - before for before, after in pairwise(moments)]


def run(setting: Setting) -> Iterator[Measurement]:
    examples = setting.pick(smoke=5, default=300)
    for smoothness in ("quadratic", "cubic"):
        seconds_per_example(smoothness, setting.pick(smoke=3, default=30))  # warm
        before = processor_times()
        taken = [1e3 * seconds for seconds in seconds_per_example(smoothness, examples)]
        yield limit(
            f"{smoothness} patch of dimension {DIM} in R^{AMBIENT_DIM}, per example",
            taken,
            "ms",
            at_most=5,
            others=cores_used_by_others(before),
        )


BENCHMARK = Benchmark("Hypothesis strategies, once warm", run, ("hypothesis",))
