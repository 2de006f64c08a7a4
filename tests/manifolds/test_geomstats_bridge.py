"""The gateway: geomstats as oracle, conversions both ways, and what the process looks like afterwards."""

import math
import os
import subprocess
import sys

import pytest
import torch

from manifoldtheory.manifolds import Cylinder, Ellipsoid, MongePatch, Sphere, Submanifold, Torus, from_geomstats
from manifoldtheory.manifolds.geomstats_bridge import double_precision

pytestmark = pytest.mark.filterwarnings(
    # geomstats hands tensors to numpy, whose version 2 wants a keyword that torch's `__array__` does not have.
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)

IMMERSED = [
    Sphere(2, 1.5),
    Ellipsoid((1.0, 1.3, 0.8)),
    Torus(2.0, 0.7),
    Cylinder(1.5),
    MongePatch(torch.tensor([[[0.7, 0.2], [0.2, -0.5]], [[0.1, -0.3], [-0.3, 0.4]]], dtype=torch.float64)),
]


@pytest.mark.parametrize("manifold", IMMERSED, ids=repr)
def test_second_fundamental_form_matches_geomstats(manifold: Submanifold) -> None:
    space = manifold.geomstats
    q = torch.tensor([0.8, 0.5], dtype=torch.float64)
    x = manifold.immersion(q)
    coordinates = manifold.tangent_frame(x).mT @ space.jacobian_immersion(q)
    ours = torch.einsum(
        "da,aij,ik,jl->dkl", manifold.normal_frame(x), manifold.second_fundamental_form(x), coordinates, coordinates
    )
    with double_precision():
        theirs = space.metric.second_fundamental_form(q)
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-12)
    assert from_geomstats(space) is manifold


def test_unit_sphere_is_a_hypersphere(generator: torch.Generator) -> None:
    sphere = Sphere(3)
    space = sphere.geomstats
    assert type(space).__name__ == "Hypersphere"
    assert from_geomstats(space) == sphere
    x = sphere.sample(10, generator=generator)
    v = torch.randn(10, 4, generator=generator, dtype=torch.float64)
    before = torch.get_default_dtype()
    with double_precision():
        assert bool(space.belongs(x).all())
        expected = space.metric.exp(v, x)
    assert torch.get_default_dtype() == before
    assert torch.allclose(expected, sphere.exp(x, v), rtol=0, atol=1e-14)


def run(code: str, **environment: str) -> str:
    clean = {key: value for key, value in os.environ.items() if key != "GEOMSTATS_BACKEND"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**clean, **environment}, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_loading_leaves_the_process_alone() -> None:
    output = run(
        """
import os, sys
import numpy as np, torch
torch.set_num_threads(1)
def state():
    return (torch.get_default_dtype(), torch.get_num_threads(), hash(torch.get_rng_state().numpy().tobytes()),
            hash(np.random.get_state()[1].tobytes()), hasattr(np, "trapz"), os.environ.get("GEOMSTATS_BACKEND"))
before = state()
import manifoldtheory, proofs, sims, real_models, manifoldtheory.manifolds as manifolds
assert "geomstats" not in sys.modules and "manifoldtheory.manifolds.base" not in sys.modules
from manifoldtheory.manifolds import Sphere, Torus
Sphere(2).sample(3, generator=torch.Generator())
assert "geomstats" not in sys.modules
space = Torus(2.0, 0.7).geomstats
assert "geomstats" in sys.modules
form = space.jacobian_immersion(torch.zeros(2, dtype=torch.float64))
assert form.dtype == torch.float64
assert state() == before, (before, state())
print("kept")
"""
    )
    assert output.strip() == "kept"


@pytest.mark.thorough  # a process of its own, which imports torch, scipy and geomstats again
def test_geomstats_on_numpy_first_converts_or_explains() -> None:
    output = run(
        """
import numpy as np
if not hasattr(np, "trapz"):
    np.trapz = np.trapezoid
from geomstats.geometry.hypersphere import Hypersphere
from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import Sphere, Torus, from_geomstats
sphere = from_geomstats(Hypersphere(4))
print(sphere == Sphere(4), from_geomstats(sphere.geomstats) == sphere, hasattr(np, "trapz"))
try:
    Torus(2.0, 0.7).geomstats
except InputError as error:
    print(error)
"""
    )
    first, second = output.strip().splitlines()
    assert first == "True True True"
    assert "numpy backend" in second
    assert "set GEOMSTATS_BACKEND=pytorch" in second


def test_a_unit_hypersphere_is_not_confused_with_another_radius() -> None:
    assert from_geomstats(Sphere(2, math.pi).geomstats) == Sphere(2, math.pi)
