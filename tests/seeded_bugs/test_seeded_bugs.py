"""The seeded bugs still fit the code; `make seeded-bugs` runs them."""

import ast
import re

import pytest

from manifoldtheory.errors import InputError
from tests.seeded_bugs.bug import Bug
from tests.seeded_bugs.bugs import BUGS
from tests.seeded_bugs.worker import ROOT


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_every_bug_applies_and_its_tests_exist(bug: Bug) -> None:
    before = (ROOT / bug.path).read_text(encoding="utf-8")
    # Whatever parses to the same tree is no bug.
    assert ast.dump(ast.parse(bug.applied(ROOT))) != ast.dump(ast.parse(before))
    assert bug.tests
    for test in bug.tests:
        file, *names = test.split("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        for name in names:
            assert re.search(rf"^\s*(def|class) {re.escape(name)}\b", text, re.MULTILINE), test


def test_names_are_unique() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS)


def test_a_stale_bug_is_named() -> None:
    with pytest.raises(InputError, match=r"seeded bug gone is stale: its text occurs 0 times in pyproject\.toml"):
        Bug("gone", "pyproject.toml", "no such text", "", ()).applied(ROOT)
