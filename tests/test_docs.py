"""What the pages of docs/ show is run: the Python of a page is one test module."""

import re
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


@pytest.mark.parametrize("name", [name for name, blocks in PYTHON.items() if blocks])
def test_python_examples_run(name: str, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    path = pytester.makepyfile(**{f"test_{Path(name).stem}": "\n".join(PYTHON[name])})
    # A process of its own: what a run in this one imports first, it takes away again at its end.
    result = pytester.runpytest_subprocess(path)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}
    assert outcomes["passed"] == sum(block.count("\ndef test_") for block in PYTHON[name])


def test_there_are_examples() -> None:
    assert PYTHON["testing.md"]
