"""The provider of the observation column: finds the claim modules of this package and plans what they observe.

A claim is observed by a module of this package that declares ``CLAIM`` and ``observe(study, progress)``; nothing else
needs to know it.
"""

import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from manifoldtheory.errors import InputError, select
from manifoldtheory.ledger import Claim, Evidence, Kind, Prediction, Progress, Request, Size, Task

PACKAGE = "real_models"

INFRASTRUCTURE = frozenset(
    (
        "cache",
        "capture",
        "checkpoints",
        "corpora",
        "fit_windows",
        "intervals",
        "provider",
        "registry",
        "study",
        "tokenisation",
        "training",
        "verdicts",
    )
)
"""Modules that observe no claim. Naming one here only saves the time to import it, and torch with it, to find out."""


class ObservationProvider:
    """Evidence of kind observation: one task per claim and seed."""

    kind = Kind.OBSERVATION

    @property
    def location(self) -> str:
        """Folder of this package."""
        return str(Path(__file__).parent)

    def claims(self) -> Mapping[str, Claim]:
        """The claims observed here, by slug."""
        return {slug: module.CLAIM for slug, module in _modules().items()}

    def predictions(self, slug: str) -> Mapping[str, Prediction]:
        """None: observations are held against the proofs' predictions."""
        return {}

    def identity(self, request: Request) -> Mapping[str, Any]:
        """Model and training, corpus and its hash, rank, fit window, amounts of text. Raises as `plan` does."""
        from real_models.study import studies

        return studies(request)[0].identity

    def plan(self, request: Request) -> Sequence[Task]:
        """One task per claim and seed. Raises `InputError` for any part of the request that can't be observed."""
        from real_models.study import studies

        chosen = select("claim", _modules(), request.claims)
        if not chosen:
            return []
        found = studies(request)
        return [
            Task(f"{slug}.seed-{study.seed}", partial(_modules()[slug].observe, study))
            for slug in chosen
            for study in found
        ]

    def observe(
        self,
        model: str,
        *,
        claims: tuple[str, ...] | None,
        size: Size,
        seed: int,
        device: str,
        dtype: str,
        progress: Progress,
        options: Mapping[str, Any],
    ) -> list[Evidence]:
        """Plans and runs at once, for `real_models.observe`."""
        if dtype != "float32":
            raise InputError(f"dtype {dtype!r}: models are run in float32 (their moments are float64): leave it out")
        request = Request(claims, size, seed, device, dtype, {"model": model, **options})
        return [record for task in self.plan(request) for record in task.run(progress)]


@cache
def _modules() -> Mapping[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = (import_module(f"{PACKAGE}.{name}") for name in names if name not in INFRASTRUCTURE)
    return {module.CLAIM.slug: module for module in modules if hasattr(module, "CLAIM") and hasattr(module, "observe")}


PROVIDER = ObservationProvider()
