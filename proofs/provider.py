"""The provider of the proofs column: finds the claim modules of this package and derives them."""

import pkgutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
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
    from proofs.patches.continued_expansions import Expansion, Surface


MUTANTS: Mapping[Size, int | None] = {"smoke": 8, "default": 100, "thorough": None}
"""How many mutants of each claim's proof are tried, all of them for ``None``."""


class ProofProvider:
    """Evidence of kind proof: one task per claim; one record per finding of its derivation, one of its mutants."""

    kind = Kind.PROOF

    def __reduce__(self) -> str:
        """The column is one object in every process."""
        return "PROVIDER"

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
        """One task per claim, and one per surface that expansions are continued on (see `expansions`).

        Raises `InputError` for an unknown claim, and for what can't be continued.
        """
        most = MUTANTS[request.size]
        claims = select("claim", _modules(), request.claims)
        continued = [Task(each.task, each) for each in _continuations(request)]
        return [*(Task(slug, _Proof(self, slug, most), self is PROVIDER) for slug in claims), *continued]

    def expansions(self, request: Request) -> "Sequence[Expansion]":
        """The expansions of chord-arc on surfaces that the options ``order``, ``graph`` and ``align`` ask for.

        Empty where there are none of these. Raises `InputError` for what can't be expanded.
        """
        return [each.expansion for each in _continuations(request)]

    def certificate(self, slug: str) -> str:
        """The certificate of a claim as JSON text. Raises `InputError` for an unknown claim."""
        from proofs.serialisation import dump

        return dump(self.derivation(slug).certificate)

    def check_certificate(self, text: str | bytes) -> "Checked":
        """Verifies a certificate, without its derivation. Raises `InputError` for what is no certificate."""
        from proofs.certificate import check
        from proofs.expressions import text as written
        from proofs.serialisation import load

        certificate = load(text)
        steps = sum(len(chain.steps) for chain in certificate.chains)
        refusals = tuple(str(refusal) for refusal in check(certificate.chains))
        proved = tuple(
            (f"{chain.title}: {written(chain.start)} = {written(chain.conclusion)}", chain.given_text())
            for chain in certificate.chains
        )
        return Checked(certificate.claim, len(certificate.chains), steps, refusals, proved)


@dataclass(frozen=True)
class Checked:
    """A certificate that was verified again: its claim and size, and the steps refused, if any."""

    claim: str
    chains: int
    steps: int
    refusals: tuple[str, ...]
    proved: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Of each chain what it proves, and the kind and text of all that it takes for granted."""


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


CONTINUED = "chord-arc"
"""The claim whose expansions can be continued."""


def _continuations(request: Request) -> "list[_Continuation]":
    options = {
        name: request.options[name] for name in ("order", "graph", "align") if request.options.get(name) is not None
    }
    if not options:
        return []
    if CONTINUED not in (request.claims or ()):
        given = ", ".join(f"--{name}" for name in options)
        raise InputError(f"{given}: only expansions of {CONTINUED} are continued: add that claim")
    return _continued(options.get("order"), options.get("graph"), bool(options.get("align")))


@cache
def _continued(order: int | None, graph: str | None, align: bool) -> "list[_Continuation]":
    from proofs.patches.continued_expansions import surfaces

    order, found = surfaces(order, graph, align=align)
    return [_Continuation(surface, order) for surface in found]


class _Continuation:
    """Expands on a surface, and records the checks of the expansion."""

    def __init__(self, surface: "Surface", order: int) -> None:
        self.surface, self.order = surface, order

    @property
    def task(self) -> str:
        """A name for the task."""
        return f"{CONTINUED}.{self.surface.slug}.order-{self.order}"

    @cached_property
    def expansion(self) -> "Expansion":
        """The expansion, made once."""
        from proofs.patches.continued_expansions import expand_on

        return expand_on(self.surface, self.order)

    def __call__(self, progress: Progress) -> list[Evidence]:
        start = time.perf_counter()
        progress(f"expanding on the {self.surface.title}", 0, 1)
        checks = self.expansion.checks
        seconds = time.perf_counter() - start
        progress(f"expanded on the {self.surface.title}", 1, 1)
        return [
            Evidence(
                claim=CONTINUED,
                kind=Kind.PROOF,
                statement=Form.REPAIRED,
                verdict=Verdict.SUPPORTS if holds else Verdict.INCONCLUSIVE,
                quantity=name,
                subject=self.surface.title,
                bin=rung("order", self.order),
                seconds=seconds,
            )
            for name, holds in checks.items()
        ]


@cache
def _modules() -> Mapping[str, ModuleType]:
    package = Path(__file__).parent
    names = sorted(module.name for module in pkgutil.iter_modules([str(package)]))
    modules = (import_module(f"proofs.{name}") for name in names)
    return {module.CLAIM.slug: module for module in modules if hasattr(module, "CLAIM") and hasattr(module, "derive")}


PROVIDER = ProofProvider()
