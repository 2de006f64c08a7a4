"""Streaming moments against the bare sum of chunks' XᵀX, and their memory."""

import functools
from collections.abc import Iterator

import torch
from torch import Tensor

from benchmarks.harness import Benchmark, Measurement, Setting, limit, speed
from benchmarks.memory import in_fresh_process, peak_memory
from benchmarks.timing import race
from manifoldtheory.estimators import SecondMoment

CHUNK = 8192


def ours(chunks: list[Tensor], dtype: torch.dtype) -> SecondMoment:
    moment = SecondMoment(chunks[0].shape[1], dtype)
    for chunk in chunks:
        moment.update(chunk)
    return moment


def bare(chunks: list[Tensor]) -> Tensor:
    total = chunks[0].new_zeros(chunks[0].shape[1], chunks[0].shape[1])
    for chunk in chunks:
        total.addmm_(chunk.T, chunk)
    return total


def run(setting: Setting) -> Iterator[Measurement]:
    count, size = setting.pick(smoke=(2, 256), default=(8, CHUNK))
    generator = torch.Generator().manual_seed(0)
    for dim in setting.pick(smoke=(16,), default=(128, 768)):
        double = [torch.randn(size, dim, generator=generator, dtype=torch.float64) for _ in range(count)]
        single = [chunk.float() for chunk in double]
        for chunks, dtype, at_least in (
            (double, torch.float64, 0.75),
            (single, torch.float32, 0.75),
            (single, torch.float64, 0.30),
        ):
            given, kept = (str(each).removeprefix("torch.") for each in (chunks[0].dtype, dtype))
            measured = race(
                functools.partial(ours, chunks, dtype),
                {f"bare XᵀX, {given}": functools.partial(bare, chunks)},
                seconds=setting.seconds,
                least=setting.least,
            )
            yield speed(f"moments, d = {dim}, {given} in, {kept} sums", measured, at_least=at_least)
    dim, chunks = setting.pick(smoke=(16, 8), default=(768, 40))
    growth = in_fresh_process("benchmarks.moments:memory_growth", size, dim, chunks)
    one_chunk = size * dim * 8 / 1e6
    yield limit(f"memory growth over {chunks} chunks, d = {dim}", growth / 1e6, "MB", at_most=one_chunk)


def memory_growth(size: int, dim: int, chunks: int) -> int:
    """Bytes by which the peak rises from 4 chunks to all of them; only one chunk is held at a time."""
    generator, moment, early = torch.Generator().manual_seed(0), SecondMoment(dim), 0
    for index in range(chunks):
        moment.update(torch.randn(size, dim, generator=generator))
        if index == 3:
            early = peak_memory()
    return peak_memory() - early


BENCHMARK = Benchmark("streaming moments against the bare chunked XᵀX; constant memory", run)
