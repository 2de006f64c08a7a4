"""Where evidence comes from: columns found through entry points, so that nothing imports back up.

A provider is one column of the ledger for some claims. It is registered under the entry-point group
``manifoldtheory.evidence``; a third-party package adds claims of its own in the same way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Literal, Protocol

from manifoldtheory.errors import InputError
from manifoldtheory.ledger.claims import Claim, Kind
from manifoldtheory.ledger.evidence import Evidence

if TYPE_CHECKING:
    from manifoldtheory.ledger.predictions import Prediction

GROUP = "manifoldtheory.evidence"

Size = Literal["smoke", "default", "thorough"]

Progress = Callable[[str, int, int], None]
"""Called with a message, the units done and the units in all."""


def silent(message: str, done: int, total: int) -> None:
    """The `Progress` that says nothing."""


@dataclass(frozen=True)
class Request:
    """What a user asked for. `options` holds what only some columns understand (manifold, model, rank, window, …)."""

    claims: tuple[str, ...] | None = None
    size: Size = "default"
    seed: int = 0
    device: str = "cpu"
    dtype: str = "float64"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """A unit of work whose evidence is written as soon as it is there; what a resumed run skips.

    `name` is unique within the column and safe as a file name (lower case, digits, ``-``, ``.``). `run` of a `portable`
    task can be pickled, so that it may run in another process, beside the others, where its progress is not seen.
    """

    name: str
    run: Callable[[Progress], list[Evidence]]
    portable: bool = False


class Provider(Protocol):
    """One column of the ledger."""

    @property
    def kind(self) -> Kind: ...

    @property
    def location(self) -> str:
        """Folder that the column's package was loaded from."""
        ...

    def claims(self) -> Mapping[str, Claim]:
        """The claims it has evidence for, by slug."""
        ...

    def predictions(self, slug: str) -> Mapping[str, "Prediction"]:
        """The predictions derived for a claim, by name; empty for columns without proofs."""
        ...

    def identity(self, request: Request) -> Mapping[str, Any]:
        """What decides the result beside the request (a corpus hash, say); JSON-ready, kept in the manifest."""
        ...

    def plan(self, request: Request) -> Sequence[Task]:
        """The tasks that answer the request. Validates all of it: raises `InputError` before any work is done."""
        ...


def load_providers() -> Mapping[str, Provider]:
    """The installed providers by entry-point name. Raises `InputError` when there are none: nothing was installed."""
    found = {point.name: point.load() for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}
    if not found:
        raise InputError(
            "no evidence columns are installed, only the source is on the path: run `make install` "
            "(or `pip install . -c constraints.txt`) and use the command it installs"
        )
    return found
