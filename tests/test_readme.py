"""What the README shows is run: its Python, its commands (at smoke size), and its make targets exist."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manifoldtheory.app.cli import app

TOP = Path(__file__).parents[1]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", (TOP / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
LINES = [line.partition("  #")[0] for language, text in BLOCKS if language == "sh" for line in text.splitlines()]
COMMANDS = [line for line in LINES if line.startswith("manifoldtheory ")]


def test_the_readme_has_examples():
    assert PYTHON
    assert COMMANDS


@pytest.mark.parametrize("text", PYTHON)
def test_python_examples_run(text, capsys):
    exec(compile(text, "README.md", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("make ")])
def test_make_targets_exist(line):
    assert re.search(rf"^{line.split()[1]}:", (TOP / "Makefile").read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("name", sorted({line.split()[1] for line in COMMANDS} - {"verify"}))
def test_commands_run(name, tmp_path, monkeypatch):
    """All but `verify`, which is these together; those of one name in one folder, since they may share files."""
    monkeypatch.chdir(tmp_path)
    for line in COMMANDS:
        if line.split()[1] == name:
            result = CliRunner().invoke(app, shlex.split(line)[1:])
            assert result.exit_code == 0, result.output
