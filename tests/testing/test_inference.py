"""Type strategies: registered as soon as a type exists, without making it exist."""

import subprocess
import sys
from dataclasses import dataclass

import pytest
from hypothesis import strategies as st

from manifoldtheory.estimators import TangentProxy
from manifoldtheory.manifolds import (
    Cylinder,
    Ellipsoid,
    FixedRadius,
    Grassmannian,
    MongePatch,
    Product,
    RadialLaw,
    SpecialOrthogonal,
    Sphere,
    Stiefel,
    Submanifold,
    Torus,
    TruncatedHalfNormal,
    TruncatedPareto,
    TwoPoint,
    UniformBall,
    Veronese,
)
from manifoldtheory.testing import Loss, SamplingLaw, TokenCloud
from manifoldtheory.testing.inference import TYPES, register

REGISTERED = [
    *(Submanifold, MongePatch, Sphere, Ellipsoid, Torus, Cylinder, Product),
    *(SpecialOrthogonal, Stiefel, Grassmannian, Veronese),
    *(RadialLaw, FixedRadius, UniformBall, TruncatedHalfNormal, TwoPoint, TruncatedPareto),
    *(TangentProxy, SamplingLaw, Loss, TokenCloud),
]


@pytest.mark.parametrize("kind", REGISTERED)
def test_types_resolve_to_their_own_kind(kind: type, minimal) -> None:
    assert isinstance(minimal(st.from_type(kind)), kind)


def test_the_list_above_is_complete() -> None:
    assert {kind.__name__ for kind in REGISTERED} == {name for names in TYPES.values() for name in names}


@dataclass
class Experiment:
    manifold: Submanifold
    law: RadialLaw
    proxy: TangentProxy


def test_builds_infers_them(minimal) -> None:
    found = minimal(st.builds(Experiment))
    assert isinstance(found, Experiment)
    assert isinstance(found.manifold, Submanifold)


def test_hypothesis_does_not_load_the_types_and_still_knows_them() -> None:
    code = """
import sys, hypothesis
assert "torch" not in sys.modules
from manifoldtheory.manifolds import Submanifold
hypothesis.strategies.from_type(Submanifold).validate()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_types_that_are_loaded_already_are_registered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    registered = set()
    monkeypatch.setattr(st, "register_type_strategy", lambda kind, _: registered.add(kind))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    register()
    assert registered == set(REGISTERED)
