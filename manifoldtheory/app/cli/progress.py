"""Progress on stderr: bars on a terminal, one line per finished task elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol


class Display(Protocol):
    """What a run tells about itself while it goes on."""

    def start(self, name: str) -> None:
        """A task begins."""
        ...

    def update(self, message: str, done: int, total: int) -> None:
        """The task goes on; the `Progress` callback it is given."""
        ...

    def finish(self, name: str, records: int) -> None:
        """The task's evidence is on disk."""
        ...


class Silent:
    """Says nothing."""

    def start(self, name: str) -> None: ...
    def update(self, message: str, done: int, total: int) -> None: ...
    def finish(self, name: str, records: int) -> None: ...


class Lines:
    """One line per finished task: for logs and pipes."""

    def __init__(self, tasks: int, done: int = 0) -> None:
        self._tasks, self._done, self._started = tasks, done, monotonic()
        self._name = ""
        if done:
            print(f"resuming: {done} of {tasks} tasks are done", file=sys.stderr, flush=True)

    def start(self, name: str) -> None:
        self._name, self._started = name, monotonic()

    def update(self, message: str, done: int, total: int) -> None: ...

    def finish(self, name: str, records: int) -> None:
        self._done += 1
        # How long a task took in another process is not known here.
        seconds = f" in {monotonic() - self._started:.1f} s" if name == self._name else ""
        print(f"[{self._done}/{self._tasks}] {name}: {records} records{seconds}", file=sys.stderr, flush=True)


class Bars:
    """Two bars: all tasks, and the one that runs; with the time left."""

    def __init__(self, bars: object, tasks: int, done: int) -> None:
        from rich.progress import Progress

        assert isinstance(bars, Progress)
        self._bars, self._done = bars, done
        self._all = bars.add_task("all tasks", total=tasks, completed=done)
        self._one = bars.add_task("", total=None, visible=False)

    def start(self, name: str) -> None:
        self._name = name
        self._bars.reset(self._one, description=name, total=None, visible=True)

    def update(self, message: str, done: int, total: int) -> None:
        description = f"{self._name}: {message}" if message else self._name
        self._bars.update(self._one, description=description, completed=done, total=total)
        self._bars.update(self._all, completed=self._done + min(done / total, 1.0) if total else self._done)

    def finish(self, name: str, records: int) -> None:
        self._done += 1
        self._bars.update(self._all, completed=self._done)
        self._bars.update(self._one, visible=False)


@contextmanager
def display(tasks: int, done: int, *, quiet: bool) -> Iterator[Display]:
    """The display that fits where stderr goes; `done` tasks of `tasks` were found finished."""
    if quiet:
        yield Silent()
        return
    if not sys.stderr.isatty():
        yield Lines(tasks, done)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False, transient=True) as bars:
        yield Bars(bars, tasks, done)
