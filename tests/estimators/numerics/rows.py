"""What a row of the numerics table is: an estimator, a condition, and a promise that a test can break."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor

EPS = torch.finfo(torch.float64).eps
EPS32 = torch.finfo(torch.float32).eps


@dataclass(frozen=True)
class Value:
    """A number: `run` returns its error, which the tolerance bounds. `bound` says it in words, `reason` why."""

    tolerance: Callable[..., float]
    bound: str
    reason: str


@dataclass(frozen=True)
class Warns:
    """A result with a `DegenerateProxyWarning` whose text matches."""

    match: str
    reason: str


@dataclass(frozen=True)
class Refuses:
    """An `InputError` whose text matches."""

    match: str
    reason: str


@dataclass(frozen=True)
class Row:
    """One row: `run` and the tolerance take each case in turn."""

    estimator: str
    condition: str
    promise: Value | Warns | Refuses
    run: Callable[..., object]
    cases: tuple[object, ...] = (None,)
    long: tuple[object, ...] = ()
    """Cases that take too long for every run of the tests."""


def value(bound: str, tolerance: float | Callable[..., float], reason: str) -> Value:
    """A `Value` whose tolerance may be a number."""
    return Value(tolerance if callable(tolerance) else lambda _: tolerance, bound, reason)


def normal(seed: int, *shape: int) -> Tensor:
    """Standard normal float64 numbers."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def orthonormal(seed: int, dim: int, rank: int) -> Tensor:
    """A Haar frame (dim, rank)."""
    return torch.linalg.qr(normal(seed, dim, rank)).Q


def generator() -> torch.Generator:
    """The seed of every cell that draws."""
    return torch.Generator().manual_seed(20260408)


def exact_covariance(x: Tensor) -> list[list[Fraction]]:
    """Covariance of the very floats given, in rational arithmetic."""
    rows = [[Fraction(v) for v in row] for row in x.double().tolist()]
    n, dim = len(rows), len(rows[0])
    mean = [sum(column, Fraction(0)) / n for column in zip(*rows, strict=True)]
    centred = [[v - m for v, m in zip(row, mean, strict=True)] for row in rows]
    return [[sum((row[i] * row[j] for row in centred), Fraction(0)) / n for j in range(dim)] for i in range(dim)]


def relative_error(found: Tensor, exact: list[list[Fraction]]) -> float:
    """Largest error of an entry, in units of the root of the product of its diagonal entries."""
    size = [float(exact[i][i]) ** 0.5 for i in range(len(exact))]
    return max(
        float(abs(Fraction(value) - exact[i][j])) / (size[i] * size[j])
        for i, row in enumerate(found.double().tolist())
        for j, value in enumerate(row)
    )


def subspace_distance(first: Tensor, second: Tensor) -> float:
    """Sine of the largest angle between two spans of orthonormal columns of equal number."""
    return float(torch.linalg.matrix_norm(second - first @ (first.T @ second), 2))


def rendered(rows: Iterable[Row]) -> str:
    """The table, in Markdown."""
    lines = ["| estimator | condition | promise | why |", "|---|---|---|---|"]
    for row in rows:
        match row.promise:
            case Value(bound=bound, reason=reason):
                promise = bound
            case Warns(match=match, reason=reason):
                promise = f"warning: “… {match} …”"
            case Refuses(match=match, reason=reason):
                promise = f"error: “… {match} …”"
        lines.append(f"| `{row.estimator}` | {row.condition} | {promise} | {reason} |")
    return "\n".join(lines)
