"""Applies each bug to a copy of the tree and runs the tests that must notice it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from manifoldtheory.errors import InputError
from tests.seeded_bugs.bug import Bug

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("manifoldtheory", "proofs", "sims", "real_models")
COPIED = (*PACKAGES, "tests", "pyproject.toml")
TIMEOUT = 300
"""Seconds for the tests of one bug."""


class Outcome(StrEnum):
    CAUGHT = "caught"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"
    """The tests did not run to a verdict: they can't be found or collected, or took too long."""


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

    Raises `InputError` when a bug is stale, when a copy is not what gets imported, or when the tests fail without any.
    """
    for bug in bugs:
        bug.applied(ROOT)
    with _copies(workers) as copies:
        tests = sorted({test for bug in bugs for test in bug.tests})
        outcome, output = _pytest(copies[0], tests)
        if outcome != Outcome.SURVIVED:
            raise InputError(f"the tests fail without any bug, so they can't judge one:\n{output}")
        free: SimpleQueue[Path] = SimpleQueue()
        for copy in copies:
            free.put(copy)

        def attempt(bug: Bug) -> Trial:
            copy = free.get()
            try:
                trial = try_bug(bug, copy)
            finally:
                free.put(copy)
            report(trial)
            return trial

        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(attempt, bugs))


def try_bug(bug: Bug, copy: Path) -> Trial:
    """Applies the bug in the copy, runs its tests, and takes it back."""
    file, start = copy / bug.path, time.perf_counter()
    sound = file.read_text(encoding="utf-8")
    file.write_text(bug.applied(copy), encoding="utf-8")
    try:
        outcome, output = _pytest(copy, bug.tests)
    finally:
        file.write_text(sound, encoding="utf-8")
    return Trial(bug, outcome, time.perf_counter() - start, output)


@contextmanager
def _copies(count: int) -> Iterator[list[Path]]:
    """Copies of the tree, of which it is certain that they are what a test imports."""
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
            _require_import_from(copy)
        yield copies


def _require_import_from(copy: Path) -> None:
    """Raises `InputError` unless the packages come from the copy and not from the installation."""
    code = f"import {', '.join(PACKAGES)}; print(*({'.__file__, '.join(PACKAGES)}.__file__,), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=copy, env=_environment(copy), capture_output=True, text=True, check=False
    )
    found = done.stdout.split()
    if len(found) != len(PACKAGES) or not all(Path(file).resolve().is_relative_to(copy) for file in found):
        raise InputError(f"the copy is not what Python imports, but {found}: {done.stderr.strip()[-300:]}")


def _environment(copy: Path) -> dict[str, str]:
    return os.environ | {
        "PYTHONPATH": str(copy),
        # A compiled file is known by size and second of its source, which a bug of equal length does not change.
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_PROFILE": "ci",
        "OMP_NUM_THREADS": "1",
    }


def _pytest(copy: Path, tests: Sequence[str]) -> tuple[Outcome, str]:
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "--tb=line", "--rootdir", str(copy)]
    try:
        done = subprocess.run(
            [*command, *tests],
            cwd=copy,
            env=_environment(copy),
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return Outcome.BROKEN, f"no verdict within {TIMEOUT} s"
    # 0: all passed; 1: some failed; anything else: nothing was judged.
    outcome = {0: Outcome.SURVIVED, 1: Outcome.CAUGHT}.get(done.returncode, Outcome.BROKEN)
    return outcome, (done.stdout + done.stderr).strip()
