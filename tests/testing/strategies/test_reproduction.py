"""What Hypothesis prints of a failing example rebuilds it, and so does its blob."""

import re
from fractions import Fraction
from typing import Any

import pytest
import torch
from hypothesis import Phase, given, reproduce_failure, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from manifoldtheory import manifolds, testing
from manifoldtheory.estimators import TangentProxy
from manifoldtheory.manifolds import MongePatch
from manifoldtheory.testing import TokenCloud, strategies

NAMES: dict[str, Any] = {name: getattr(module, name) for module in (manifolds, testing) for name in module.__all__}
NAMES |= {"Fraction": Fraction, "TangentProxy": TangentProxy}

DRAWN: dict[str, SearchStrategy] = {name: getattr(strategies, name)() for name in strategies.__all__}
# Tensors of one entry are the hard case: their rounded repr is short, and Hypothesis prints the shorter of two.
DRAWN |= {
    "odd bound": strategies.second_forms(1, 1, bound=1 / 3),
    "minimal": strategies.second_forms(2, 1, minimal=True),
    "product": strategies.submanifolds(families="product"),
    "wide": strategies.submanifolds(3, 32),
    "odd condition": strategies.covariances(2, condition=1e12 / 3),
    "two tokens": strategies.frequency_tables(2, exponent=1.0625),
    "geodesic": strategies.token_clouds(manifolds.Sphere(2), measure="arc", direction="geodesic"),
    "triad": strategies.sampling_laws(2, symmetric=False, centred=True),
}


def failing(strategy: SearchStrategy, found: list, **options: Any) -> Any:
    @settings(database=None, deadline=None, phases=[Phase.generate], print_blob=True, **options)
    @given(x=strategy, number=st.integers(0, 100))
    def test(x: Any, number: int) -> None:
        found.append(x)
        assert number < 60  # some random example, not the first, which is the simplest

    return test


def notes(test: Any) -> str:
    with pytest.raises(AssertionError) as failure:
        test()
    return "\n".join(getattr(failure.value, "__notes__", []))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, MongePatch):
        third = (one.third_form, other.third_form)
        return torch.equal(one.second_form, other.second_form) and (third[0] is third[1] is None or same(*third))
    if isinstance(one, TangentProxy):
        return torch.equal(one.basis, other.basis)
    if isinstance(one, TokenCloud):
        return same(one.manifold, other.manifold) and vars_but_manifold(one) == vars_but_manifold(other)
    return type(one) is type(other) and one == other


def vars_but_manifold(tokens: TokenCloud) -> tuple:
    return tuple(getattr(tokens, name) for name in tokens.__dataclass_fields__ if name != "manifold")


@pytest.mark.parametrize("name", DRAWN)
def test_the_printed_example_rebuilds_the_object(name: str) -> None:
    for attempt in range(8):
        found: list[Any] = []
        printed = notes(seed(attempt)(failing(DRAWN[name], found)))
        call = re.search(r"test\(\n(.*?)^\)", printed, flags=re.DOTALL | re.MULTILINE)
        assert call, printed
        arguments = eval(f"dict({call[1]})", NAMES)
        assert same(arguments["x"], found[-1]), printed


def test_the_blob_reproduces_the_object() -> None:
    found: list[Any] = []
    printed = notes(seed(3)(failing(strategies.token_clouds(), found)))
    blob = re.search(r"@reproduce_failure\('(.*?)', b'(.*?)'\)", printed)
    assert blob
    again: list[Any] = []
    notes(reproduce_failure(blob[1], blob[2].encode())(failing(strategies.token_clouds(), again)))
    assert len(again) < len(found)
    assert same(again[-1], found[-1])
