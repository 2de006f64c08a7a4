"""The provider of the proofs column: finds the claim modules of this package and derives them."""

import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from manifoldtheory.errors import InputError, select
from manifoldtheory.ledger import (
    Claim,
    Evidence,
    Form,
    Kind,
    Prediction,
    Progress,
    Request,
    Task,
    Verdict,
    rung,
)
from manifoldtheory.ledger.providers import Size

if TYPE_CHECKING:
    from proofs.derivation import Derivation


MUTANTS: Mapping[Size, int | None] = {"smoke": 8, "default": 100, "thorough": None}
"""How many mutants of each claim's proof are tried, all of them for ``None``."""


class ProofProvider:
    """Evidence of kind proof: one task per claim; one record per finding of its derivation, one of its mutants."""

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
        most = MUTANTS[request.size]
        return [Task(slug, _Proof(self, slug, most)) for slug in select("claim", _modules(), request.claims)]

    def certificate(self, slug: str) -> str:
        """The certificate of a claim as JSON text. Raises `InputError` for an unknown claim."""
        from proofs.serialisation import dump

        return dump(self.derivation(slug).certificate)

    def check_certificate(self, text: str | bytes) -> "Checked":
        """Verifies a certificate, without its derivation. Raises `InputError` for what is no certificate."""
        from proofs.certificate import check
        from proofs.serialisation import load

        certificate = load(text)
        steps = sum(len(chain.steps) for chain in certificate.chains)
        refusals = tuple(str(refusal) for refusal in check(certificate.chains))
        return Checked(certificate.claim, len(certificate.chains), steps, refusals)


@dataclass(frozen=True)
class Checked:
    """A certificate that was verified again: its claim and size, and the steps refused, if any."""

    claim: str
    chains: int
    steps: int
    refusals: tuple[str, ...]


class _Proof:
    """Derives a claim, checks it, and records what its findings say: nothing, where a step they rest on is refused."""

    def __init__(self, provider: ProofProvider, slug: str, most: int | None) -> None:
        self.provider = provider
        self.slug = slug
        self.most = most

    def __call__(self, progress: Progress) -> list[Evidence]:
        start = time.perf_counter()
        progress(f"deriving {self.slug}", 0, 3)
        derivation = self.provider.derivation(self.slug)
        progress(f"checking {self.slug}", 1, 3)
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
        progress(f"trying mutants of {self.slug}", 2, 3)
        if not refused:
            evidence.append(self._mutations(derivation))
        progress(f"checked {self.slug}", 3, 3)
        return evidence

    def _mutations(self, derivation: "Derivation") -> Evidence:
        """How many mutants the checker refused (measured) of those tried (predicted); skipped ones are in the bin."""
        start = time.perf_counter()
        count = derivation.mutations(self.most)
        return Evidence(
            claim=self.slug,
            kind=Kind.PROOF,
            statement=Form.REPAIRED,
            verdict=Verdict.INCONCLUSIVE if count.accepted else Verdict.SUPPORTS,
            quantity="mutants-refused",
            predicted=float(count.tried),
            measured=float(count.refused),
            n=count.tried,
            bin=rung("skipped", count.skipped),
            seconds=time.perf_counter() - start,
        )


@cache
def _modules() -> Mapping[str, ModuleType]:
    package = Path(__file__).parent
    names = sorted(module.name for module in pkgutil.iter_modules([str(package)]))
    modules = (import_module(f"proofs.{name}") for name in names)
    return {module.CLAIM.slug: module for module in modules if hasattr(module, "CLAIM") and hasattr(module, "derive")}


PROVIDER = ProofProvider()
