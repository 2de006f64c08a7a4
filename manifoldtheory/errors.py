"""The one error type that means "what you asked for cannot be done as asked", and the commonest reason for it."""

from collections.abc import Iterable


class InputError(ValueError):
    """Bad usage or input: the message says what was wrong, the limit, and the fix.

    The command line prints it on one line and exits with 2; library callers can catch it as a ``ValueError``.
    """


def select(kind: str, known: Iterable[str], wanted: Iterable[str] | None) -> tuple[str, ...]:
    """The wanted names, in the order known; all of them for ``None``. Raises `InputError` for an unknown one.

    `kind` says in the message what the names are of: ``unknown claim 'flat-earth': choose among …``.
    """
    known = tuple(known)
    wanted = known if wanted is None else tuple(wanted)
    for name in wanted:
        if name not in known:
            raise InputError(f"unknown {kind} {name!r}: choose among {', '.join(known)}")
    return tuple(name for name in known if name in wanted)
