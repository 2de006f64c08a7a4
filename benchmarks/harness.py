"""What a benchmark is, what it measures, and where the benchmarks are."""

import importlib
import math
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import Literal, TypeVar

import benchmarks
from benchmarks.timing import BUSY, Race
from manifoldtheory.errors import InputError

T = TypeVar("T")
Size = Literal["smoke", "default"]
MACHINERY = ("harness", "machine", "memory", "table", "timing")


@dataclass(frozen=True)
class Setting:
    """How a benchmark is run."""

    size: Size = "default"

    def pick(self, *, smoke: T, default: T) -> T:
        """The value for this size."""
        return smoke if self.size == "smoke" else default

    @property
    def judged(self) -> bool:
        """Whether targets apply: at the smoke size every call is too short to compare."""
        return self.size != "smoke"

    @property
    def seconds(self) -> float:
        """What the repetitions of one race may take, after the first three; none at the smoke size."""
        return self.pick(smoke=0.0, default=4.0)

    @property
    def least(self) -> int:
        """Repetitions whatever they take."""
        return self.pick(smoke=1, default=3)


@dataclass(frozen=True)
class Measurement:
    """One line of the table: a value with its spread over the repetitions, and the target it is held against."""

    subject: str
    against: str
    """A peer, or ``limit``."""
    value: float
    """Median of the repetitions."""
    low: float
    high: float
    unit: str
    """``×`` for a speed ratio, else a unit; empty for a pure number."""
    target: float
    at_least: bool
    """Whether the value must reach the target, or stay below it."""
    seconds: float | None = None
    """Median time of ours."""
    peer_seconds: float | None = None
    others: float = 0.0
    """Cores in use by other processes while it ran."""

    @property
    def met(self) -> bool:
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def busy(self) -> bool:
        return self.others > BUSY


@dataclass(frozen=True)
class Benchmark:
    """A subject and the function that measures it; peers are imported inside that function only."""

    title: str
    run: Callable[[Setting], Iterable[Measurement]]
    requires: tuple[str, ...] = ()
    """Distributions of the peers."""

    def missing(self) -> tuple[str, ...]:
        """Those of `requires` that are not installed."""
        return tuple(name for name in self.requires if not _installed(name))


def discover() -> dict[str, Benchmark]:
    """Name → benchmark, of every module beside this one."""
    names = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    found = {}
    for name in names:
        if name not in (*MACHINERY, "__main__"):
            found[name.replace("_", "-")] = importlib.import_module(f"benchmarks.{name}").BENCHMARK
    return found


def require_peers(chosen: dict[str, Benchmark]) -> None:
    """Raises `InputError` when a peer is not installed, before anything is measured."""
    for name, benchmark in chosen.items():
        if missing := benchmark.missing():
            raise InputError(
                f"{name} compares with {', '.join(missing)}, which is not installed: "
                "pip install -c constraints.txt '.[benchmarks]'"
            )


def speed(subject: str, race: Race, *, at_least: float) -> Measurement:
    """How many times faster than the peer, pair by pair."""
    ratios = race.ratios
    return Measurement(
        subject,
        race.peer,
        median(ratios),
        min(ratios),
        max(ratios),
        "×",
        at_least,
        at_least=True,
        seconds=median(race.ours),
        peer_seconds=median(race.theirs),
        others=race.others,
    )


def limit(
    subject: str,
    values: float | Sequence[float],
    unit: str,
    *,
    at_most: float,
    against: str = "limit",
    others: float = 0.0,
) -> Measurement:
    """A value that must stay below a limit: the median of several. One that is not a number misses it."""
    several = [values] if isinstance(values, float | int) else list(values)
    several = [math.inf if math.isnan(value) else value for value in several]
    return Measurement(
        subject, against, median(several), min(several), max(several), unit, at_most, at_least=False, others=others
    )


def _installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
