"""Many small computations side by side, where torch would share out each of them among its threads."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Part = TypeVar("Part")
Result = TypeVar("Result")

_IN_USE = threading.Lock()


def on_threads(function: Callable[[Part], Result], parts: Sequence[Part], device: torch.device) -> list[Result]:
    """Results for all parts, from as many threads as torch works on, each part on one of them.

    For parts of which torch's threads would spend much of their time waiting for each other. One after the other on
    another device than the CPU, and when this runs already: torch's number of threads, 1 meanwhile, is the process's.
    """
    threads = torch.get_num_threads()
    if min(threads, len(parts)) <= 1 or device.type != "cpu" or not _IN_USE.acquire(blocking=False):
        return list(map(function, parts))
    try:
        torch.set_num_threads(1)
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(function, parts))
    finally:
        torch.set_num_threads(threads)
        _IN_USE.release()
