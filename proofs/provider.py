"""The provider of the proofs column: finds the claim modules of this package and derives them."""

import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from manifoldtheory.errors import InputError, select
from manifoldtheory.ledger import Claim, Evidence, Kind, Prediction, Progress, Request, Task, Verdict

if TYPE_CHECKING:
    from proofs.derivation import Derivation


class ProofProvider:
    """Evidence of kind proof: one task per claim, one record per finding of its derivation."""

    kind = Kind.PROOF

    @property
    def location(self) -> str:
        """Folder of this package."""
        return str(Path(__file__).parent)

    def claims(self) -> Mapping[str, Claim]:
        """The claims derived here, by slug."""
        return {slug: module.CLAIM for slug, module in _modules().items()}

    def derive(self, slug: str, **options: Any) -> "Derivation":
        """Derives a claim anew. Raises `InputError` for an unknown slug or option."""
        (slug,) = select("claim", _modules(), [slug])
        function: Callable[..., Derivation] = _modules()[slug].derive
        known = tuple(signature(function).parameters)
        for option in options:
            if option not in known:
                raise InputError(
                    f"unknown option {option!r} for the derivation of {slug!r}: it takes {', '.join(known) or 'none'}"
                )
        return function(**options)

    @cache  # noqa: B019  (the provider lives as long as the process)
    def derivation(self, slug: str) -> "Derivation":
        """The derivation of a claim, made once per process."""
        return self.derive(slug)

    def predictions(self, slug: str) -> Mapping[str, Prediction]:
        """The predictions derived for a claim, by name."""
        return self.derivation(slug).predictions

    def identity(self, request: Request) -> Mapping[str, Any]:
        """Nothing beside the request decides what a proof finds."""
        return {}

    def plan(self, request: Request) -> Sequence[Task]:
        """One task per claim. Raises `InputError` for an unknown claim."""
        return [Task(slug, _Proof(self, slug)) for slug in select("claim", _modules(), request.claims)]


class _Proof:
    """Derives a claim, checks it, and records what its findings say: nothing, where a step they rest on is refused."""

    def __init__(self, provider: ProofProvider, slug: str) -> None:
        self.provider = provider
        self.slug = slug

    def __call__(self, progress: Progress) -> list[Evidence]:
        start = time.perf_counter()
        progress(f"deriving {self.slug}", 0, 2)
        derivation = self.provider.derivation(self.slug)
        progress(f"checking {self.slug}", 1, 2)
        refused = {refusal.chain for refusal in derivation.refusals}
        seconds = time.perf_counter() - start
        evidence = []
        for finding in derivation.findings:
            support = derivation.support(finding)
            fails = any(chain.name in refused for chain in support)
            evidence.append(
                Evidence(
                    claim=self.slug,
                    kind=Kind.PROOF,
                    statement=finding.form,
                    verdict=Verdict.INCONCLUSIVE if fails else finding.verdict,
                    quantity=finding.quantity,
                    n=sum(len(chain.steps) for chain in support if chain.name not in refused),
                    seconds=seconds,
                )
            )
        progress(f"checked {self.slug}", 2, 2)
        return evidence


@cache
def _modules() -> Mapping[str, ModuleType]:
    package = Path(__file__).parent
    names = sorted(module.name for module in pkgutil.iter_modules([str(package)]))
    modules = (import_module(f"proofs.{name}") for name in names)
    return {module.CLAIM.slug: module for module in modules if hasattr(module, "CLAIM") and hasattr(module, "derive")}


PROVIDER = ProofProvider()
