"""Options become a validated request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.app.cli.options import build_request, fit_window, resolve_device
from manifoldtheory.errors import InputError

fractions = st.floats(min_value=0, max_value=1)


@given(fractions, fractions)
def test_a_fit_window_reads_back_or_is_refused(low: float, high: float) -> None:
    text = f"{low!r}:{high!r}"
    if low < high:
        assert fit_window(text) == (low, high)
    else:
        with pytest.raises(InputError, match="LOW < HIGH"):
            fit_window(text)


@pytest.mark.parametrize("text", ["", "0.3", "0:0.3:1", "a:b", "0-0.3", "0:", "-0.1:0.3", "0:1.01", "0:inf", "nan:1"])
def test_other_fit_windows_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match=r"0:0\.3"):
        fit_window(text)


def test_options_that_were_not_given_are_left_out() -> None:
    request = build_request(
        size="smoke", seed=1, device="cpu", dtype="float32", claims=[], model=None, rank=3, manifold=[]
    )
    assert request.options == {"rank": 3}
    assert request.claims is None


def test_auto_is_the_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_device("auto") == resolve_device("cuda") == "cuda"
    assert resolve_device("auto", tensors=False) == resolve_device("cpu") == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve_device("auto") == "cpu"
