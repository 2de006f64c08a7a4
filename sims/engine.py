"""Chunks of random points → results in a fixed order, on any executor: the same for any number of workers."""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeVar

import torch

from manifoldtheory.ledger import Progress, silent

T = TypeVar("T")


@dataclass(frozen=True)
class Stream:
    """An explicit source of randomness: chunk i of a stream is the same numbers on a device, whoever draws it."""

    seed: int
    name: str
    device: str = "cpu"

    def generator(self, chunk: int = 0) -> torch.Generator:
        """The generator of a chunk, seeded by a hash of seed, name and chunk."""
        digest = hashlib.sha256(f"{self.seed}/{self.name}/{chunk}".encode()).digest()
        return torch.Generator(self.device).manual_seed(int.from_bytes(digest[:8], "little") >> 1)


def chunk_sizes(n: int, chunk: int) -> list[int]:
    """n split into chunks of the given size and a rest."""
    return [chunk] * (n // chunk) + ([n % chunk] if n % chunk else [])


def map_chunks(
    function: Callable[[torch.Generator, int], T],
    sizes: Sequence[int],
    stream: Stream,
    *,
    executor: Executor | None = None,
    progress: Progress = silent,
    message: str = "",
) -> list[T]:
    """``function(generator, size)`` of every chunk, in the order of the chunks; `function` must pickle for processes.

    Chunk i draws from ``stream.generator(i)`` and nothing else, so the results do not depend on the executor.
    """
    if executor is None:
        results = []
        for index, size in enumerate(sizes):
            results.append(function(stream.generator(index), size))
            progress(message, index + 1, len(sizes))
        return results
    futures = [executor.submit(_run_chunk, function, stream, index, size) for index, size in enumerate(sizes)]
    results = []
    for index, future in enumerate(futures):
        results.append(future.result())
        progress(message, index + 1, len(sizes))
    return results


def _run_chunk(function: Callable[[torch.Generator, int], T], stream: Stream, index: int, size: int) -> T:
    return function(stream.generator(index), size)
