"""Monte Carlo on manifolds: the claims simulated, against the predictions that their proofs end in."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manifoldtheory.ledger import Evidence, Provider

    PROVIDER: Provider

__all__ = ["PROVIDER", "run"]


def run(slug: str, **options: Any) -> list["Evidence"]:
    """Simulates a claim: the evidence on each of its manifolds.

    Options: `manifold` (names of `sims.catalogue`), `size`, `seed`, `device`, and `executor`, any
    `concurrent.futures.Executor` (in-process if not given). Raises `InputError` for an unknown claim, manifold, size
    or device before any work.
    """
    from sims.provider import run

    return run(slug, **options)


def __getattr__(name: str) -> Any:
    if name == "PROVIDER":
        from sims.provider import PROVIDER

        return PROVIDER
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
