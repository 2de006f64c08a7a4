"""The symbolic column of the ledger: claims derived with SymPy, in steps that are checked again.

`derive` gives a claim's `Derivation`; its predictions are what simulations and observations evaluate. A claim is a
module of this package that declares ``CLAIM`` and ``derive()``; nothing else needs to know it.
"""

from typing import TYPE_CHECKING, Any

from proofs.provider import PROVIDER

if TYPE_CHECKING:
    from proofs.derivation import Derivation

__all__ = ["PROVIDER", "derive"]


def derive(slug: str, **options: Any) -> "Derivation":
    """Derives a claim, once per process without options. Raises `InputError` for an unknown slug or option."""
    return PROVIDER.derive(slug, **options) if options else PROVIDER.derivation(slug)
