"""The one error type that means "what you asked for cannot be done as asked"."""


class InputError(ValueError):
    """Bad usage or input: the message says what was wrong, the limit, and the fix.

    The command line prints it on one line and exits with 2; library callers can catch it as a ``ValueError``.
    """
