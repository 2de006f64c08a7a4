"""Pytest in a copy of the tree, in processes forked from one that has the heavy packages loaded already.

Loading torch, Hypothesis and pytest takes longer than the tests of most bugs.
"""

import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.context import BaseContext
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("manifoldtheory", "proofs", "sims", "real_models")
LOADED = ("torch", "numpy", "scipy.stats", "scipy.integrate", "hypothesis", "pytest", "beartype", "jaxtyping", "mpmath")
PROFILE = "seeded-bugs"
"""Of Hypothesis; `tests/conftest.py` loads it by the environment."""
TIMEOUT = 300
"""Seconds for the tests of one bug."""
OTHER_TREE = 70
"""Exit status when the packages were not those of the copy."""


def process_context() -> BaseContext:
    """A server to fork from where there is one, else new processes."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(LOADED))
    return context


def pytest_in(copy: Path, tests: Sequence[str], context: BaseContext) -> tuple[int | None, str]:
    """Exit status of pytest, ``None`` after `TIMEOUT`, and what it printed."""
    output = copy / "output.txt"
    process = context.Process(target=_run, args=(copy, tuple(tests), output))  # pyright: ignore[reportAttributeAccessIssue]
    process.start()
    process.join(TIMEOUT)
    if process.is_alive():
        process.kill()
        process.join()
        return None, f"no verdict within {TIMEOUT} s"
    return process.exitcode, output.read_text(encoding="utf-8", errors="replace").strip()


def _run(copy: Path, tests: tuple[str, ...], output: Path) -> None:
    """In the child: everything of this tree is forgotten, and the copy takes its place."""
    with output.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(copy)
    for name in list(sys.modules):
        if name.split(".")[0] in (*PACKAGES, "tests", "benchmarks"):
            del sys.modules[name]
    sys.path[:] = [str(copy), *(entry for entry in sys.path if Path(entry or ".").resolve() not in (ROOT, copy))]
    # A compiled file is known by size and second of its source, which a bug of equal length does not change.
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_PROFILE": PROFILE}

    import pytest
    import torch
    from hypothesis import Phase, settings

    # As in continuous integration, but a failure is not shrunk: that there is one is enough.
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile(PROFILE, derandomize=True, deadline=None, max_examples=40, phases=phases)
    torch.set_num_threads(1)
    options = ["-x", "-p", "no:cacheprovider", "--tb=line", "--rootdir", str(copy), "-c", str(copy / "pyproject.toml")]
    status = int(pytest.main([*options, *tests]))
    found = [Path(sys.modules[name].__file__ or "") for name in PACKAGES if name in sys.modules]
    if not found or not all(file.resolve().is_relative_to(copy) for file in found):
        print(f"the packages came from {', '.join(map(str, found))}, not from the copy {copy}")
        status = OTHER_TREE
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
