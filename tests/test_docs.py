"""What the pages of docs/ show is run: the Python of a page is one test module, or one script where it has no tests."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = "pytester"

PAGES = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
PYTHON = {page.name: re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL) for page in PAGES}


CONFTEST = """
import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("docs", deadline=None, max_examples=10, derandomize=True)
settings.load_profile("docs")
"""


TESTS = [name for name, blocks in PYTHON.items() if "\ndef test_" in "".join(blocks)]
SCRIPTS = [name for name, blocks in PYTHON.items() if blocks and name not in TESTS]


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_run(name: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", "\n".join(PYTHON[name])], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout


def test_every_rule_is_in_the_table() -> None:
    from proofs.rules import RULES

    page = (Path(__file__).parents[1] / "docs" / "proofs.md").read_text()
    assert set(re.findall(r"`([a-z-]+)`", page)) >= RULES.keys()


@pytest.mark.parametrize("name", TESTS)
def test_python_examples_run(name: str, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    path = pytester.makepyfile(**{f"test_{Path(name).stem}": "\n".join(PYTHON[name])})
    # A process of its own: what a run in this one imports first, it takes away again at its end.
    result = pytester.runpytest_subprocess(path)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}
    assert outcomes["passed"] == sum(block.count("\ndef test_") for block in PYTHON[name])


def test_there_are_examples() -> None:
    assert TESTS == ["testing.md"]
    assert SCRIPTS == ["proofs.md"]
