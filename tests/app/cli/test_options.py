"""Options become a validated request."""

import pytest

from manifoldtheory.app.cli.options import build_request, resolve_device


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
