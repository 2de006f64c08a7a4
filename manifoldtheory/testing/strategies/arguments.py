"""What the strategies do with their arguments, and the numbers they draw."""

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from torch import Tensor

from manifoldtheory.errors import InputError, select
from manifoldtheory.manifolds.checks import LARGEST_DIM
from manifoldtheory.testing.checks import require_number, require_whole

Result = TypeVar("Result")

Whole = int | SearchStrategy[int]
Real = float | SearchStrategy[float]

OR_A_STRATEGY = ", or a strategy for one"

seeds: SearchStrategy[int] = st.integers(0, 2**16 - 1)

_DYADIC = sorted({n / q for q in (1, 2, 4, 8, 16) for n in range(q + 1)}, key=lambda x: (x.as_integer_ratio()[1], x))

fractions_of_one: SearchStrategy[float] = st.sampled_from(_DYADIC)
"""0 ≤ n/16 ≤ 1; the simpler the fraction, the sooner shrinking gets to it: 0, 1, ½, ¼, ¾, …"""

positive_fractions: SearchStrategy[float] = st.sampled_from(_DYADIC[1:])
"""0 < n/16 ≤ 1; shrinks to 1."""

_SIGNED = [sign * x for x in _DYADIC[1:] for sign in (1, -1)]

signed_fractions: SearchStrategy[float] = st.sampled_from([0.0, *_SIGNED])
"""−1 ≤ n/16 ≤ 1; shrinks to 0."""

nonzero_fractions: SearchStrategy[float] = st.sampled_from(_SIGNED)
"""The same without 0; shrinks to 1."""

multiples: SearchStrategy[float] = st.sampled_from([1.0, 2.0, 1.5, 4.0, 1.25, 3.0, 8.0])
"""Factors ≥ 1; shrinks to 1."""


def whole(name: str, value: Whole, minimum: int, maximum: int = LARGEST_DIM) -> SearchStrategy[int]:
    """The strategy of an integer argument; raises `InputError` for a value out of range, now or when it is drawn."""

    def checked(number: Any) -> int:
        return require_whole(name, number, minimum, maximum, hint=OR_A_STRATEGY)

    return value.map(checked) if isinstance(value, SearchStrategy) else st.just(checked(value))


def real(name: str, value: Real, minimum: float, maximum: float, *, above: bool = False) -> SearchStrategy[float]:
    """The strategy of a number in [minimum, maximum], or with `above` in (minimum, maximum]; raises like `whole`."""

    def checked(number: Any) -> float:
        return require_number(name, number, minimum, maximum, above=above, hint=OR_A_STRATEGY)

    return value.map(checked) if isinstance(value, SearchStrategy) else st.just(checked(value))


def chosen(kind: str, known: Iterable[str], wanted: str | Iterable[str] | None) -> tuple[str, ...]:
    """The wanted families, one name or several or all, in the order known; raises `InputError` for others, or none."""
    known = tuple(known)
    if wanted is not None and not isinstance(wanted, Iterable):
        raise InputError(f"a {kind} is asked for by name, got {wanted!r}: choose among {', '.join(known)}")
    names = select(kind, known, (wanted,) if isinstance(wanted, str) else wanted)
    if not names:
        raise InputError(f"no {kind} left to draw from: choose among {', '.join(known)}")
    return names


def flag(name: str, value: bool | None) -> bool | None:
    """True, False, or None for either; raises `InputError` for anything else."""
    if value is not None and not isinstance(value, bool):
        raise InputError(f"{name} must be True, False, or None for either, got {value!r}")
    return value


def build(draw: DrawFn, function: Callable[..., Result], *arguments: Any, **keywords: Any) -> Result:
    """function(*arguments, **keywords), in a way that Hypothesis prints as this call.

    Trailing arguments that are 0 or empty are left to their defaults, so that the call is short: Hypothesis prints the
    shorter of call and `repr`, and the `repr` of a tensor is rounded.
    """
    while not isinstance(arguments[-1], Tensor) and not arguments[-1]:
        arguments = arguments[:-1]
    keywords = {name: st.just(value) for name, value in keywords.items()}
    return draw(st.builds(function, *map(st.just, arguments), **keywords))


def rounded(number: float) -> float:
    """The number cut to four significant digits, towards 0: short enough to print."""
    text = f"{number:.4g}"
    if abs(float(text)) > abs(number):
        digits = 3 - math.floor(math.log10(abs(number)))
        text = f"{math.trunc(number * 10**digits)}e{-digits}"
    return float(text)
