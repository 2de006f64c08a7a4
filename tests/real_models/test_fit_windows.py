from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from real_models.fit_windows import FitWindow

CHECKPOINTS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 400)


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        ("0:0.3", (0, 1, 2, 4, 8, 16, 32, 64)),
        ((0.1, 0.4), (64, 128)),
        ([0, 1.0], CHECKPOINTS),
        ("32,64", (32, 64)),
        ([64, 32, 64], (32, 64)),
        ((0, 1), (0, 1)),
        ("0.64:1", (256, 400)),
    ],
)
def test_windows_select_checkpoints(value: Any, steps: tuple[int, ...]) -> None:
    window = FitWindow.parse(value)
    assert window.select(CHECKPOINTS) == steps
    assert FitWindow.parse(str(window)) == window


@pytest.mark.parametrize(
    "value",
    [
        "",
        "a:b",
        "0.3",
        "0:0.3:1",
        "0.5:0.2",
        "0.2:0.2",
        "-0.1:0.5",
        "0:1.1",
        (0.1,),
        (0.5, 0.1),
        0.3,
        [],
        "-4",
        "nan:1",
    ],
)
def test_other_windows_say_how_to_write_one(value: Any) -> None:
    with pytest.raises(InputError, match="write fractions of the training as LOW:HIGH"):
        FitWindow.parse(value)


def test_a_window_between_checkpoints_lists_them() -> None:
    with pytest.raises(InputError, match=r"no checkpoint lies in the fit window 0.7:0.9.*256, 400"):
        FitWindow.parse("0.7:0.9").select(CHECKPOINTS)


def test_a_missing_step_lists_the_checkpoints() -> None:
    with pytest.raises(InputError, match=r"asks for step 48.*32, 64"):
        FitWindow.parse("32,48").select(CHECKPOINTS)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_whole_training_is_the_union_of_its_parts(first: float, second: float) -> None:
    low, high = sorted((first, second))
    chosen = {
        step
        for ends in ((0.0, low), (low, high), (high, 1.0))
        for step in CHECKPOINTS
        if ends[0] * 400 <= step <= ends[1] * 400
    }
    assert chosen == set(CHECKPOINTS)
