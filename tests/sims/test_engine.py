from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import torch

from manifoldtheory.estimators import SecondMoment, pooled
from sims.engine import Stream, chunk_sizes, map_chunks


def gaussian_moment(scale: float, generator: torch.Generator, n: int) -> SecondMoment:
    return SecondMoment(2).update(scale * torch.randn(n, 2, generator=generator, dtype=torch.float64))


def test_any_executor_gives_the_same_result():
    function, sizes, stream = partial(gaussian_moment, 2.0), chunk_sizes(103, 10), Stream(3, "test")
    assert sum(sizes) == 103
    alone = pooled(map_chunks(function, sizes, stream))
    with ThreadPoolExecutor(3) as threads:
        threaded = pooled(map_chunks(function, sizes, stream, executor=threads))
    assert torch.equal(alone.second_moment, threaded.second_moment)
    assert alone.count == 103


def test_functions_and_streams_travel_to_other_processes():
    function, stream = partial(gaussian_moment, 1.0), Stream(0, "processes")
    import multiprocessing

    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        apart = pooled(map_chunks(function, [5, 5], stream, executor=processes))
    assert torch.equal(apart.second_moment, pooled(map_chunks(function, [5, 5], stream)).second_moment)


def test_streams_differ_by_seed_name_and_chunk():
    draws = {
        float(torch.rand(1, generator=stream.generator(chunk)))
        for stream in (Stream(0, "a"), Stream(1, "a"), Stream(0, "b"))
        for chunk in (0, 1)
    }
    assert len(draws) == 6
    again = [float(torch.rand(1, generator=Stream(0, "a").generator(1))) for _ in range(2)]
    assert again[0] == again[1]


def test_progress_counts_chunks():
    seen = []
    map_chunks(
        partial(gaussian_moment, 1.0),
        [1, 1, 1],
        Stream(0, "progress"),
        progress=lambda message, done, total: seen.append((message, done, total)),
        message="chunks",
    )
    assert seen == [("chunks", 1, 3), ("chunks", 2, 3), ("chunks", 3, 3)]
