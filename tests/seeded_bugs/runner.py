"""Applies each bug to a copy of the tree and runs the tests that must notice it."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.context import BaseContext
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from manifoldtheory.errors import InputError
from tests.seeded_bugs.bug import Bug
from tests.seeded_bugs.worker import PACKAGES, ROOT, process_context, pytest_in

COPIED = (*PACKAGES, "benchmarks", "tests", "pyproject.toml")


class Outcome(StrEnum):
    CAUGHT = "caught"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"
    """The tests did not run to a verdict: they can't be found or collected, took too long, or ran elsewhere."""


@dataclass(frozen=True)
class Trial:
    """What became of one bug."""

    bug: Bug
    outcome: Outcome
    seconds: float
    output: str
    """Of pytest."""


def run_all(bugs: Sequence[Bug], workers: int, report: Callable[[Trial], None]) -> list[Trial]:
    """Every bug on its own, in copies of the tree; the tree itself is only read.

    Raises `InputError` when a bug is stale, and when the tests fail without any.
    """
    for bug in bugs:
        bug.applied(ROOT)
    context = process_context()
    with _copies(workers) as copies, ThreadPoolExecutor(workers) as pool:
        free: SimpleQueue[Path] = SimpleQueue()
        for copy in copies:
            free.put(copy)

        def without_bugs(tests: Sequence[str]) -> None:
            copy = free.get()
            outcome, output = _judge(copy, tests, context)
            free.put(copy)
            if outcome != Outcome.SURVIVED:
                raise InputError(f"the tests fail without any bug, so they can't judge one:\n{output}")

        def attempt(bug: Bug) -> Trial:
            copy = free.get()
            try:
                trial = try_bug(bug, copy, context)
            finally:
                free.put(copy)
            report(trial)
            return trial

        tests = sorted({test for bug in bugs for test in bug.tests})
        list(pool.map(without_bugs, [share for index in range(workers) if (share := tests[index::workers])]))
        return list(pool.map(attempt, bugs))


def try_bug(bug: Bug, copy: Path, context: BaseContext) -> Trial:
    """Applies the bug in the copy, runs its tests, and takes it back."""
    file, start = copy / bug.path, time.perf_counter()
    sound = file.read_text(encoding="utf-8")
    file.write_text(bug.applied(copy), encoding="utf-8")
    try:
        outcome, output = _judge(copy, bug.tests, context)
    finally:
        file.write_text(sound, encoding="utf-8")
    return Trial(bug, outcome, time.perf_counter() - start, output)


def _judge(copy: Path, tests: Sequence[str], context: BaseContext) -> tuple[Outcome, str]:
    status, output = pytest_in(copy, tests, context)
    # 0: all passed; 1: some failed; anything else: nothing was judged.
    return {0: Outcome.SURVIVED, 1: Outcome.CAUGHT}.get(status if status is not None else -1, Outcome.BROKEN), output


@contextmanager
def _copies(count: int) -> Iterator[list[Path]]:
    with TemporaryDirectory(prefix="seeded-bugs-") as folder:
        copies = [Path(folder).resolve() / str(index) for index in range(count)]
        for copy in copies:
            copy.mkdir()
            for name in COPIED:
                source = ROOT / name
                if source.is_dir():
                    shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy2(source, copy / name)
        yield copies
