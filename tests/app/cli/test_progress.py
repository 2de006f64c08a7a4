"""Progress on a terminal, in a pipe, and none."""

import io
import sys

import pytest

from manifoldtheory.app.cli.progress import display


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def go_on(*, quiet: bool = False) -> None:
    with display(3, 1, quiet=quiet) as show:
        show.start("first")
        show.update("half way", 1, 2)
        show.finish("first", 10)
        show.start("second")
        show.update("", 0, 0)
        show.finish("second", 1)


def test_a_terminal_gets_bars_with_both_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    go_on()
    assert "all tasks" in terminal.getvalue()
    assert "second" in terminal.getvalue()
    assert "records in" not in terminal.getvalue()


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    go_on()
    assert "\x1b[3" not in terminal.getvalue()


def test_a_pipe_gets_a_line_per_finished_task(capsys: pytest.CaptureFixture[str]) -> None:
    go_on()
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0] == "resuming: 1 of 3 tasks are done"
    assert [line.split(" records")[0] for line in lines[1:]] == ["[2/3] first: 10", "[3/3] second: 1"]


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    go_on(quiet=True)
    assert capsys.readouterr() == ("", "")
