"""Second fundamental forms against geomstats' stock `ImmersedSet`, and at size: seconds and memory."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from benchmarks.harness import Benchmark, Measurement, Setting, limit, speed
from benchmarks.memory import in_fresh_process, peak_memory
from benchmarks.timing import race, timing
from manifoldtheory.manifolds import Submanifold, Torus
from manifoldtheory.manifolds.geomstats_bridge import double_precision

MANIFOLDS = ("Torus",)


def manifold(name: str) -> Submanifold:
    """The torus with R = 2, r = 0.7: by its own closed form."""
    return Torus(2.0, 0.7)


def angles(n: int) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return 2 * math.pi * torch.rand(n, 2, generator=generator, dtype=torch.float64)


def in_coordinates(surface: Submanifold, x: Tensor, jacobian: Tensor) -> Tensor:
    """II(∂_i, ∂_j) as ambient vectors (…, d, m, m), from h^a in the frames at x and ∂_i (…, d, m)."""
    along = surface.tangent_frame(x).mT @ jacobian
    form = along.mT[..., None, :, :] @ surface.second_fundamental_form(x) @ along[..., None, :, :]
    return torch.einsum("...da,...aij->...dij", surface.normal_frame(x), form)


def run(setting: Setting) -> Iterator[Measurement]:
    n = setting.pick(smoke=5, default=1000)
    q = angles(n)
    for name in MANIFOLDS:
        surface = manifold(name)
        with double_precision():
            stock = Torus(2.0, 0.7).geomstats
            x = stock.immersion(q)
            measured = race(
                lambda surface=surface, x=x: surface.second_fundamental_form(x),
                {"geomstats ImmersedSet": lambda stock=stock: stock.metric.second_fundamental_form(q)},
                seconds=setting.seconds,
                least=setting.least,
            )
            theirs = stock.metric.second_fundamental_form(q)
            error = float((in_coordinates(surface, x, stock.jacobian_immersion(q)) - theirs).abs().max())
        yield speed(f"second form of {n} torus points, {name}", measured, at_least=200)
        yield limit("the same, difference", error, "", at_most=1e-12, against="geomstats")
        many = setting.pick(smoke=100, default=10**5)
        x = Torus(2.0, 0.7).immersion(angles(many))
        alone = timing(
            lambda s=surface, x=x: s.second_fundamental_form(x), seconds=setting.seconds, least=setting.least
        )
        yield limit(f"{many:.0e} points, {name}", alone.seconds, "s", at_most=0.5, others=alone.others)
        peak = in_fresh_process("benchmarks.second_forms:peak", name, many)
        yield limit("the same, whole process at its peak", peak / 1e9, "GB", at_most=1.5)


def peak(name: str, n: int) -> int:
    """Bytes a process needs that does nothing but this."""
    manifold(name).second_fundamental_form(Torus(2.0, 0.7).immersion(angles(n)))
    return peak_memory()


BENCHMARK = Benchmark("second fundamental forms against geomstats' ImmersedSet", run, ("geomstats",))
