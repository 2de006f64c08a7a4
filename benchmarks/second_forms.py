"""Second fundamental forms against geomstats' stock `ImmersedSet`, and at size: seconds and memory."""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from benchmarks.harness import Benchmark, Measurement, Setting, limit, speed
from benchmarks.memory import in_fresh_process, peak_memory
from benchmarks.timing import race, timing
from manifoldtheory.manifolds import Submanifold, Torus, from_immersion
from manifoldtheory.manifolds.geomstats_bridge import double_precision, load_geomstats

MAJOR, MINOR = 2.0, 0.7


def torus(q: Tensor) -> Tensor:
    """As a user would write it: one point (2,) → (3,)."""
    around, tube = q
    distance = MAJOR + MINOR * torch.cos(tube)
    return torch.stack([distance * torch.cos(around), distance * torch.sin(around), MINOR * torch.sin(tube)])


@dataclass(frozen=True)
class Way:
    """One of ours to the second form, from coordinates q (n, 2) and the points x (n, 3) there."""

    form: Callable[[Tensor, Tensor], Tensor]
    frames: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
    """Tangent and normal."""

    def in_coordinates(self, q: Tensor, x: Tensor, jacobian: Tensor) -> Tensor:
        """II(∂_i, ∂_j) as ambient vectors (n, 3, 2, 2), from ∂_i (n, 3, 2): what geomstats gives."""
        tangent, normal = self.frames(q, x)
        along = tangent.mT @ jacobian
        form = along.mT[:, None] @ self.form(q, x) @ along[:, None]
        return torch.einsum("nda,naij->ndij", normal, form)


def ways() -> dict[str, Way]:
    closed, immersed = Torus(MAJOR, MINOR), from_immersion(torus, 2, domain=(0, 2 * math.pi))

    def of_points(surface: Submanifold) -> Way:
        return Way(
            lambda q, x: surface.second_fundamental_form(x),
            lambda q, x: (surface.tangent_frame(x), surface.normal_frame(x)),
        )

    def frames_at(q: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        chart = immersed.chart_at(q)
        return chart.tangent_frame, chart.normal_frame

    return {
        "Torus": of_points(closed),
        "from_immersion, coordinates": Way(lambda q, x: immersed.chart_at(q).second_form, frames_at),
        "from_immersion, points": of_points(immersed),
    }


def places(n: int) -> tuple[Tensor, Tensor]:
    """Coordinates, and the points there."""
    q = 2 * math.pi * torch.rand(n, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return q, Torus(MAJOR, MINOR).immersion(q)


def stock_torus() -> Any:
    """geomstats' own class with nothing but the immersion filled in, as its documentation shows.

    Not `Torus.geomstats`: that differentiates in our way.
    """
    base, euclidean = (load_geomstats(f"geomstats.geometry.{name}") for name in ("base", "euclidean"))

    class StockTorus(base.ImmersedSet):
        def _define_embedding_space(self) -> Any:
            return euclidean.Euclidean(3)

        def immersion(self, point: Tensor) -> Tensor:
            around, tube = point[..., 0], point[..., 1]
            distance = MAJOR + MINOR * torch.cos(tube)
            flat = (distance * torch.cos(around), distance * torch.sin(around))
            return torch.stack([*flat, MINOR * torch.sin(tube)], -1)

    return StockTorus(2)


def run(setting: Setting) -> Iterator[Measurement]:
    few, many = setting.pick(smoke=(2, 20), default=(1000, 10**5))
    q, x = places(few)
    with double_precision():
        stock = stock_torus()
        jacobian, theirs = stock.jacobian_immersion(q), stock.metric.second_fundamental_form(q)
    for index, (name, way) in enumerate(ways().items()):
        with double_precision():
            measured = race(
                functools.partial(way.form, q, x),
                {"geomstats ImmersedSet": lambda: stock.metric.second_fundamental_form(q)},
                seconds=setting.seconds,
                least=setting.least,
            )
        yield speed(f"second form of {few} torus points: {name}", measured, at_least=200)
        error = float((way.in_coordinates(q, x, jacobian) - theirs).abs().max())
        yield limit("the same, difference", error, "", at_most=1e-12, against="geomstats")
        alone = timing(functools.partial(way.form, *places(many)), seconds=setting.seconds, least=setting.least)
        yield limit(f"the same, {many:.0e} points", alone.seconds, "s", at_most=0.5, others=alone.others)
        if setting.judged or index == 0:  # a process takes seconds to start
            peak = in_fresh_process("benchmarks.second_forms:peak", name, many)
            yield limit("the same, whole process at its peak", peak / 1e9, "GB", at_most=1.5)


def peak(name: str, n: int) -> int:
    """Bytes a process needs that does nothing but this."""
    ways()[name].form(*places(n))
    return peak_memory()


BENCHMARK = Benchmark("second fundamental forms against geomstats' ImmersedSet", run, ("geomstats",))
