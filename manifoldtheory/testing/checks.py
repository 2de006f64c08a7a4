"""What the objects and strategies of this package ask of their arguments: one line that names value, limit and fix."""

import math
from typing import Any

from manifoldtheory.errors import InputError

LARGEST_FORM = 2**28
"""Most entries of a form (codim, m, …, m): 2 GiB in float64."""

LARGEST_VOCABULARY = 10**8
"""Most tokens of a frequency table: 0.8 GB in float64."""

LARGEST_SEED = 2**63 - 1


def require_number(
    name: str, value: Any, minimum: float = -math.inf, maximum: float = math.inf, *, above: bool = False, hint: str = ""
) -> float:
    """The number as a float; raises `InputError` unless it is finite and in [minimum, maximum].

    With `above` the minimum itself is refused. `hint` says what else the argument may be.
    """
    limits = [] if minimum == -math.inf else [f"{'above' if above else 'at least'} {minimum:g}"]
    limits += ["finite"] if maximum == math.inf else [f"at most {maximum:g}"]
    limit = " and ".join(limits)
    try:
        number = None if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last: tensors of several entries
        number = None
    if number is None:
        raise InputError(f"{name} must be a number, {limit}{hint}, got {value!r}")
    if not math.isfinite(number) or not (minimum < number if above else minimum <= number) or number > maximum:
        raise InputError(f"{name} must be {limit}, got {number:g}")
    return number


def require_whole(name: str, value: Any, minimum: int, maximum: int | None = None, *, hint: str = "") -> int:
    """The integer; raises `InputError` unless it is one, in [minimum, maximum]."""
    limit = f"at least {minimum}" if maximum is None else f"between {minimum} and {maximum}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name} must be an integer {limit}{hint}, got {value!r}")
    if value < minimum or (maximum is not None and value > maximum):
        raise InputError(f"{name} must be {limit}, got {value}")
    return value


def require_numbers(name: str, values: Any, minimum: float = -math.inf) -> tuple[float, ...]:
    """Finite numbers as floats; raises `InputError` unless there is a sequence or tensor of them."""
    try:
        entries = None if isinstance(values, str | bytes) else tuple(values)
    except TypeError:
        entries = None
    if entries is None:
        raise InputError(f"{name} must be a sequence of numbers, got {values!r}: for one number write ({values!r},)")
    return tuple(require_number(f"{name}[{index}]", entry, minimum) for index, entry in enumerate(entries))


def require_seed(seed: Any) -> int:
    """The seed; raises `InputError` unless it is an integer ≥ 0 that a generator takes."""
    return require_whole("seed", seed, 0, LARGEST_SEED)


def form_fits(dim: int, codim: int, order: int) -> bool:
    """Whether a form (codim, m, …, m) with `order` axes of length m fits in memory."""
    return codim * dim**order <= LARGEST_FORM


def require_form(dim: int, codim: int, order: int) -> None:
    """Raises `InputError` unless the form fits in memory."""
    if not form_fits(dim, codim, order):
        raise InputError(
            f"a form of shape {(codim, *[dim] * order)} has {codim * dim**order:.3g} entries, "
            f"and at most {LARGEST_FORM} fit in memory: lower dim or codim"
        )


def require_instance(name: str, value: Any, kind: type, example: str) -> None:
    """Raises `InputError` unless the value is of that kind."""
    if not isinstance(value, kind):
        raise InputError(f"{name} must be a {kind.__name__}, got {value!r}: e.g. {example}")
