from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def same_modules_every_time() -> Iterator[None]:
    """Modules are initialised from torch's global state: it is the same for each test, and left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield
