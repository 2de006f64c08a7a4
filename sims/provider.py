"""The provider of the simulations column: one task per claim and manifold."""

import pkgutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from manifoldtheory.errors import InputError, select
from manifoldtheory.ledger import (
    Claim,
    Evidence,
    Kind,
    Prediction,
    Progress,
    Request,
    Size,
    Task,
    silent,
)


class SimulationProvider:
    """Evidence of kind simulation. A claim's module declares ``simulate(simulation)`` and is named after its slug."""

    kind = Kind.SIMULATION

    @property
    def location(self) -> str:
        """Folder of this package."""
        return str(Path(__file__).parent)

    def claims(self) -> Mapping[str, Claim]:
        """The claims simulated here, by slug: declared with their proofs."""
        from proofs import PROVIDER as PROOFS

        return {slug: claim for slug, claim in PROOFS.claims().items() if slug in _modules()}

    def predictions(self, slug: str) -> Mapping[str, Prediction]:
        """None of its own: simulations evaluate those of the proofs."""
        return {}

    def identity(self, request: Request) -> Mapping[str, Any]:
        """Nothing beside the request decides what a simulation finds."""
        return {}

    def plan(self, request: Request, executor: Executor | None = None) -> Sequence[Task]:
        """One task per claim and manifold. Raises `InputError` for unknown ones, and for another dtype than float64."""
        from sims.catalogue import NAMES, SMOKE_NAMES

        slugs = select("claim", self.claims(), request.claims)
        wanted = request.options.get("manifold") or (SMOKE_NAMES if request.size == "smoke" else None)
        manifolds = select("manifold", NAMES, wanted)
        if request.dtype != "float64":
            raise InputError(
                f"simulations need --dtype float64, got {request.dtype}: the ladder goes down to radii where a normal "
                "part of order t² drowns in float32's rounding of t"
            )
        return [
            Task(f"{slug}.{name.lower()}", partial(_simulate, slug, name, request, executor))
            for slug in slugs
            for name in manifolds
        ]


def _simulate(
    slug: str, manifold: str, request: Request, executor: Executor | None, progress: Progress
) -> list[Evidence]:
    from sims.simulation import Simulation

    start = time.perf_counter()
    simulation = Simulation(slug, manifold, request.size, request.seed, request.device, executor, progress)
    function: Callable[[Simulation], list[Evidence]] = _modules()[slug].simulate
    evidence = function(simulation)
    return [replace(record, seconds=time.perf_counter() - start) for record in evidence]


@cache
def _modules() -> Mapping[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = {name: import_module(f"sims.{name}") for name in names if name != "provider"}
    return {name.replace("_", "-"): module for name, module in modules.items() if hasattr(module, "simulate")}


def run(
    slug: str,
    *,
    manifold: Iterable[str] | str | None = None,
    size: Size = "default",
    seed: int = 0,
    device: str = "cpu",
    executor: Executor | None = None,
    progress: Progress = silent,
) -> list[Evidence]:
    """See `sims.run`."""
    import torch

    if size not in get_args(Size):
        raise InputError(f"unknown size {size!r}: choose among {', '.join(get_args(Size))}")
    if device not in ("cpu", "cuda") or (device == "cuda" and not torch.cuda.is_available()):
        raise InputError(f"device {device!r} is not here: choose 'cpu'" + (" or 'cuda'" * torch.cuda.is_available()))
    names = None if manifold is None else (manifold,) if isinstance(manifold, str) else tuple(manifold)
    request = Request((slug,), size, seed, device, options={"manifold": names})
    return [record for task in PROVIDER.plan(request, executor) for record in task.run(progress)]


PROVIDER = SimulationProvider()
