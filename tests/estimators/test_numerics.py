"""Every cell of the numerics table, and the page that shows it."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import DegenerateProxyWarning
from tests.estimators.numerics import SECTIONS, document
from tests.estimators.numerics.rows import Refuses, Row, Value, Warns

PAGE = Path(__file__).parents[2] / "docs" / "numerics.md"


def cells() -> Iterator[ParameterSet]:
    for rows in SECTIONS.values():
        for row in rows:
            name = f"{row.estimator}: {row.condition}"
            for case in (*row.cases, *row.long):
                marks = [pytest.mark.thorough] if case in row.long else []
                yield pytest.param(row, case, id=f"{name} [{case}]", marks=marks)


@pytest.mark.parametrize(("row", "case"), list(cells()))
def test_promise(row: Row, case: object) -> None:
    match row.promise:
        case Value(tolerance=tolerance):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                error = row.run(case)
            assert isinstance(error, float)
            assert error <= tolerance(case)
        case Warns(match=match):
            with pytest.warns(DegenerateProxyWarning, match=match):
                row.run(case)
        case Refuses(match=match):
            with pytest.raises(InputError, match=match):
                row.run(case)


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == document()
