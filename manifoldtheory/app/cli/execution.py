"""From a request to a finished run folder: plan everything, then run task by task."""

import gc
import multiprocessing
import os
import platform
import shlex
import signal
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from manifoldtheory import ledger
from manifoldtheory.app.cli.progress import display
from manifoldtheory.errors import InputError, select
from manifoldtheory.ledger import (
    Evidence,
    Form,
    Kind,
    Progress,
    Provider,
    Request,
    RunFolder,
    Verdict,
)
from manifoldtheory.ledger.environment import git_commit, installed_versions

INTERRUPTED = 130
"""The exit status of a run stopped by Ctrl-C, by the shells' convention (128 + SIGINT)."""


@dataclass(frozen=True)
class Part:
    """A task under the name its evidence is filed by, unique within the run."""

    name: str
    run: Callable[[Progress], list[Evidence]]
    portable: bool = False


@dataclass(frozen=True)
class Plan:
    """All that a run will do, validated."""

    identity: Mapping[str, Any]
    parts: tuple[Part, ...]


def installed_columns() -> dict[str, Provider]:
    """All columns by name. Raises `InputError` when there are none, or one can't be loaded."""
    try:
        return dict(ledger.load_providers())
    except InputError:
        raise
    except Exception as error:  # whatever a broken package raises on import, the way out is the same
        raise InputError(
            f"a column can't be loaded ({type(error).__name__}: {error}): `manifoldtheory doctor` says which, "
            "`make install` repairs the ones that ship"
        ) from error


def select_columns(providers: Mapping[str, Provider], kinds: Collection[Kind]) -> dict[str, Provider]:
    """The providers of the given kinds, in the order of the ledger. Raises `InputError` for a kind without any."""
    columns: dict[str, Provider] = {}
    for kind in kinds:
        found = {name: provider for name, provider in providers.items() if provider.kind == kind}
        if not found:
            raise InputError(f"no column of kind {kind} is installed: run `make install`")
        columns |= found
    return columns


def make_plan(command: str, request: Request, columns: Mapping[str, Provider]) -> Plan:
    """Asks every column for its tasks, which validates the request; raises `InputError` before any work is done."""
    known = dict.fromkeys(slug for provider in columns.values() for slug in provider.claims())
    claims = select("claim", known, request.claims)
    parts: dict[str, Part] = {}
    identities: dict[str, Any] = {}
    for name, provider in columns.items():
        own = tuple(slug for slug in claims if slug in provider.claims())
        if request.claims is not None and not own:
            continue
        asked = request if request.claims is None else replace(request, claims=own)
        for task in provider.plan(asked):
            part = f"{provider.kind}.{task.name}"
            if part in parts:
                raise InputError(f"two columns have a task {part}: uninstall one of the packages that add it")
            parts[part] = Part(part, task.run, task.portable)
        identities[name] = dict(provider.identity(asked))
    if not parts:
        raise InputError("nothing to do for this request: `manifoldtheory claims` lists what there is")
    identity = {
        "command": command,
        "size": request.size,
        "seed": request.seed,
        "device": request.device,
        "dtype": request.dtype,
        "claims": list(claims),
        "options": dict(request.options),
        "columns": identities,
        "versions": installed_versions(),
    }
    return Plan(identity, tuple(parts.values()))


def new_folder(command: str, now: datetime, parent: Path = Path("runs")) -> Path:
    """``runs/<command>-<YYYYmmdd-HHMMSS>``, with a number appended when that is taken."""
    path = first = parent / f"{command}-{now:%Y%m%d-%H%M%S}"
    number = 2
    while path.exists():
        path = first.with_name(f"{first.name}-{number}")
        number += 1
    return path


def run_record(argv: Sequence[str], now: datetime) -> dict[str, Any]:
    """What the run was made with, beside its identity."""
    return {
        "argv": list(argv),
        "started": now.isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()} CPUs",
        "git_commit": git_commit(),
    }


@dataclass(frozen=True)
class Executed:
    """What a run found, and the names of the tasks that another process ran."""

    evidence: list[Evidence]
    elsewhere: frozenset[str]


def execute(plan: Plan, folder: RunFolder, *, quiet: bool = False, worker: Any = None) -> Executed:
    """Runs the tasks that the folder does not hold yet and joins all evidence.

    The `worker`, a `multiprocessing` pool, takes portable tasks from the front meanwhile; this process those that are
    left when it has done the others, from the back. Whatever a task prints goes to stderr: stdout is for the result.
    """
    left = [part for part in plan.parts if not folder.has(part.name)]
    sent = _Sent(worker, deque(part for part in left if part.portable)) if worker is not None else None
    with display(len(plan.parts), len(plan.parts) - len(left), quiet=quiet) as show, redirect_stdout(sys.stderr):

        def run(part: Part) -> None:
            show.start(part.name)
            _write_shown(folder, part.name, part.run(show.update), show)
            for name, evidence in sent.ready() if sent else ():
                _write_shown(folder, name, evidence, show)

        for part in left:
            if sent is None or not part.portable:
                run(part)
        while sent is not None and sent.queue:
            with suppress(IndexError):  # the worker may have taken the last one by now
                run(sent.queue.pop())
        for name, result in list(sent.results.items()) if sent else ():
            if not folder.has(name):
                _write_shown(folder, name, result.get(), show)
    elsewhere = sent.forget() if sent else frozenset[str]()
    return Executed(folder.finish(part.name for part in plan.parts), elsewhere)


class _Sent:
    """Tasks that a worker takes one after the other from the front of a queue."""

    def __init__(self, worker: Any, queue: "deque[Part]") -> None:
        self.queue = queue
        self.results: dict[str, Any] = {}
        self._worker = worker
        self._written: set[str] = set()
        self._send()

    def _send(self, _: Any = None) -> None:
        with suppress(IndexError):
            part = self.queue.popleft()
            self.results[part.name] = self._worker.apply_async(
                part.run, (_unseen,), callback=self._send, error_callback=self._send
            )

    def ready(self) -> Iterator[tuple[str, list[Evidence]]]:
        """What is done and was not given before: kept at once, whatever happens to the rest."""
        for name, result in list(self.results.items()):
            if name not in self._written and result.ready() and result.successful():
                self._written.add(name)
                yield name, result.get()

    def forget(self) -> frozenset[str]:
        """The names of all tasks sent; their results hold on to the worker, which would outlive its context."""
        names = frozenset(self.results)
        self.results.clear()
        return names


def _unseen(message: str, done: int, total: int) -> None:
    """Progress of a task in another process."""


def _write_shown(folder: RunFolder, part: str, evidence: list[Evidence], show: Any) -> None:
    _write(folder, part, evidence)
    show.finish(part, len(evidence))


def _write(folder: RunFolder, part: str, evidence: list[Evidence]) -> None:
    try:
        folder.write(part, evidence)
    except OSError as error:
        raise InputError(
            f"can't write the evidence of {part} into {folder.path} ({error}): free the space or the permission, "
            f"then repeat the command with --out {folder.path}"
        ) from error


def run_columns(
    command: str,
    request: Request,
    columns: Mapping[str, Provider],
    *,
    argv: Sequence[str],
    out: Path | None,
    quiet: bool,
) -> tuple[RunFolder, list[Evidence]]:
    """Plans, opens the run folder, executes and writes the report; on Ctrl-C says how to go on and exits with 130."""
    from manifoldtheory.app.report import write_report

    plan = make_plan(command, request, columns)
    now = datetime.now(UTC).astimezone()
    folder = RunFolder.create(out or new_folder(command, now), plan.identity, run_record(argv, now))
    try:
        with drawing_processes() as mapping, working_process() as worker:
            done = execute(plan, folder, quiet=quiet, worker=worker)
            with redirect_stdout(sys.stderr):
                write_report(folder, columns, mapping=mapping, typesetting=worker.imap, elsewhere=done.elsewhere)
    except KeyboardInterrupt:
        again = shlex.join(["manifoldtheory", *argv[:1], *([] if out else ["--out", str(folder.path)]), *argv[1:]])
        typer.echo(f"\ninterrupted; what is done is kept. To finish it:\n  {again}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    return folder, done.evidence


@contextmanager
def drawing_processes() -> Iterator[Callable[..., Iterable[Any]]]:
    """A `map` over two processes for the figures, which import what they need while the tasks run.

    Leaving the context ends them at once, whatever they are at.
    """
    with multiprocessing.get_context("spawn").Pool(2, initializer=_prepare_to_draw) as pool:
        yield pool.imap


@contextmanager
def working_process() -> Iterator[Any]:
    """A pool of one process for portable tasks, and for typesetting what it derived; leaving the context ends it."""
    with multiprocessing.get_context("spawn").Pool(1, initializer=_prepare_to_work) as pool:
        yield pool


def _prepare_to_work() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    gc.set_threshold(100_000, 50, 100)  # as in `manifoldtheory.app.cli.commands.main`


def _prepare_to_draw() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that knows what to keep
    import_module("matplotlib.figure")


def failures(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The records that make a run fail: proofs that don't hold, and simulations that contradict a repaired form.

    A proof fails when it leaves anything open (its certificate was refused) or refutes a repaired form. Evidence
    against a statement as the source has it is a finding, and so is whatever a model shows.
    """
    return [record for record in evidence if _fails(record)]


def _fails(record: Evidence) -> bool:
    if record.kind == Kind.OBSERVATION or record.verdict == Verdict.SUPPORTS:
        return False
    if record.kind == Kind.PROOF and record.verdict == Verdict.INCONCLUSIVE:
        return True
    return record.statement == Form.REPAIRED and record.verdict == Verdict.REFUTES
