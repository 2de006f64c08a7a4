"""What a chain takes for granted beside equations: which quantities are constant, independent, centred, not zero, …

Conditions are declared on chains, printed with them, and carried along by every fact that rests on them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from proofs.expressions import Mean


@dataclass(frozen=True)
class Condition:
    """A condition by its kind (a name in `KINDS`) and arguments: expressions, or tuples of them."""

    kind: str
    arguments: tuple[Any, ...]

    def describe(self, written: Callable[[Any], str] = str) -> str:
        """The condition in words, its expressions written by a function."""
        return KINDS[self.kind].format(*_pieces(self, written))


KINDS: Mapping[str, str] = {
    "vectors": "{0} are vectors",
    "curve": "{0} are the derivatives of a curve, in order, all along it",
    "identity": "{0} is the identity matrix",
    "direction-free": "{0} do not depend on the direction",
    "deterministic": "{0} are not random",
    "sphere": "directions are uniform on the unit sphere in {0} dimensions",
    "projectors": "projectors are Haar-distributed in {0} dimensions, of rank {1}",
    "independent": "independent: {0}",
    "centred": "{0} have mean zero",
    "gaussian": "{0} are jointly Gaussian with mean zero",
    "nonzero": "{0} is not zero",
    "positive": "{0} is positive",
    "nonnegative": "{0} is not negative",
    "finite": "expectations are averages over finitely many cases",
    "remainder": "{0} is bounded as {1} falls to 0, in all directions at once, and {2} of its derivatives (times "
    "powers of {1}) are too",
    "vector-remainder": "the vector {0} is bounded as {1} falls to 0, in all directions at once, and {2} of its "
    "derivatives (times powers of {1}) are too",
}
"""The kinds of conditions, in words."""

_LISTS = {"vectors", "curve", "direction-free", "deterministic", "centred", "gaussian"}
_COUNTS = {
    "finite": 0,
    "sphere": 1,
    "projectors": 2,
    "nonzero": 1,
    "identity": 1,
    "positive": 1,
    "nonnegative": 1,
    "remainder": 3,
    "vector-remainder": 3,
}


def _pieces(condition: Condition, written: Callable[[Any], str]) -> list[str]:
    if condition.kind == "independent":
        return ["; ".join(", ".join(map(written, group)) for group in condition.arguments)]
    if condition.kind in _LISTS:
        return [", ".join(map(written, condition.arguments))]
    return [written(argument) for argument in condition.arguments]


def fault(condition: Condition) -> str | None:
    """What is wrong with the form of a condition; ``None`` when nothing is."""
    kind, arguments = condition.kind, condition.arguments
    if kind not in KINDS:
        return f"unknown kind of condition {kind!r}"
    if kind == "independent":
        groups_fit = all(isinstance(group, tuple) and group and _symbols(group) for group in arguments)
        return None if len(arguments) > 1 and groups_fit else "independence needs groups of symbols"
    if not all(isinstance(argument, sympy.Expr) for argument in arguments):
        return f"{kind!r} needs expressions"
    plain = arguments if kind != "deterministic" else [part for part in arguments if not isinstance(part, Mean)]
    if kind in _LISTS and not (arguments and _symbols(plain)):
        return f"{kind!r} needs symbols"
    if len(arguments) != _COUNTS.get(kind, len(arguments)):
        return f"{kind!r} needs {_COUNTS[kind]} arguments"
    if kind == "identity" and not _symbols(arguments):
        return "the identity needs a symbol"
    if kind.endswith("remainder") and not (_symbols(arguments[:2]) and _is_small_count(arguments[2])):
        return "a remainder needs its symbol, its variable, and the number of its bounded derivatives"
    return None


def _symbols(arguments: Iterable[Any]) -> bool:
    return all(isinstance(argument, sympy.Symbol) for argument in arguments)


def _is_small_count(argument: Any) -> bool:
    return bool(argument.is_Integer) and 0 <= argument <= 99


def vectors(*symbols: Any) -> Condition:
    """The symbols stand for vectors; all others are numbers."""
    return Condition("vectors", symbols)


def curve(*derivatives: Any) -> Condition:
    """The vectors are γ′, γ″, …, along a curve."""
    return Condition("curve", derivatives)


def identity_matrix(symbol: Any) -> Condition:
    """The vector is the identity matrix: its inner products are traces."""
    return Condition("identity", (symbol,))


def direction_free(*symbols: Any) -> Condition:
    """The symbols are constant under `Mean`."""
    return Condition("direction-free", symbols)


def deterministic(*symbols: Any) -> Condition:
    """The symbols, or averages over directions, are constant under `Expectation`."""
    return Condition("deterministic", symbols)


def sphere(dimension: Any) -> Condition:
    """`Mean` is over the unit sphere of this dimension's space."""
    return Condition("sphere", (dimension,))


def projectors(dimension: Any, rank: Any) -> Condition:
    """`HaarMean` is over projectors of this rank."""
    return Condition("projectors", (dimension, rank))


def independent(*groups: tuple[Any, ...]) -> Condition:
    """The groups of symbols are independent of each other under `Expectation`."""
    return Condition("independent", groups)


def centred(*symbols: Any) -> Condition:
    """The vectors have mean zero under `Expectation`."""
    return Condition("centred", symbols)


def gaussian(*symbols: Any) -> Condition:
    """The numbers are jointly Gaussian with mean zero under `Expectation`."""
    return Condition("gaussian", symbols)


def nonzero(expression: Any) -> Condition:
    """The expression does not vanish: what may be divided by."""
    return Condition("nonzero", (expression,))


def finite() -> Condition:
    """`Expectation` is an average over finitely many cases."""
    return Condition("finite", ())


def positive(expression: Any) -> Condition:
    """The expression is above 0, so that it may be divided by, too."""
    return Condition("positive", (expression,))


def nonnegative(expression: Any) -> Condition:
    """The expression is not below 0."""
    return Condition("nonnegative", (expression,))


def remainder(symbol: Any, variable: Any, derivatives: int = 0, *, vector: bool = False) -> Condition:
    """The remainder is bounded as the variable falls to 0, as are its first derivatives, ``t^k dᵏR/dtᵏ``."""
    return Condition("vector-remainder" if vector else "remainder", (symbol, variable, sympy.Integer(derivatives)))
