"""One thread, as for the manifolds, whose many small operations only wait for the others; and minimal examples."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from hypothesis import Phase, find, settings
from hypothesis.strategies import SearchStrategy


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def minimal() -> Callable[..., Any]:
    """The simplest example of a strategy, or the simplest that meets a condition."""

    def minimal(strategy: SearchStrategy, condition: Callable[[Any], bool] = lambda _: True) -> Any:
        phases = [Phase.generate, Phase.shrink]
        quiet = settings(max_examples=500, database=None, phases=phases, derandomize=True, deadline=None)
        return find(strategy, condition, settings=quiet)

    return minimal
