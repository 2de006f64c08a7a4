"""Paired timing: peer and ours by turns in one process, so that what slows one slows the other."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from benchmarks.machine import cores_used_by_others, processor_times

Run = Callable[[], object]
R = TypeVar("R", "Race", "Timing")
BUSY = 0.1
"""Cores in use by other processes above which a measurement is repeated, and marked: a peer's threads may suffer."""
SHORTEST = 0.02
"""Seconds a timing takes at least, by calling several times: the clock and the first miss of a cache don't count."""
MOST = 30
"""Repetitions at most."""


@dataclass(frozen=True)
class Race:
    """Seconds per call, repetition by repetition, and how many cores others used meanwhile."""

    peer: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    others: float

    @property
    def ratios(self) -> tuple[float, ...]:
        """Their time over ours, per pair."""
        return tuple(theirs / ours for ours, theirs in zip(self.ours, self.theirs, strict=True))


def race(ours: Run, peers: Mapping[str, Run], *, seconds: float, least: int) -> Race:
    """Ours against the fastest of the peers' ways to do the same.

    Each is warmed up, then the two take turns, the first alternating, at least `least` times and until `seconds` are
    over. When others were at work on the machine, once more: the quieter of the two counts.
    """
    calls = _calls(ours)
    times = {name: _warm(run) for name, run in peers.items()}
    peer = min(times, key=lambda name: times[name])
    theirs, peer_calls = peers[peer], _calls_for(times[peer])

    def once() -> Race:
        own, foreign = [], []
        before, start = processor_times(), time.perf_counter()
        while len(own) < least or (time.perf_counter() - start < seconds and len(own) < MOST):
            turns = [(ours, calls, own), (theirs, peer_calls, foreign)]
            for run, count, into in turns if len(own) % 2 else reversed(turns):
                into.append(timed(run, count))
        return Race(peer, tuple(own), tuple(foreign), cores_used_by_others(before))

    return _quieter(once, seconds)


@dataclass(frozen=True)
class Timing:
    """Seconds per call of one function, repetition by repetition."""

    seconds: tuple[float, ...]
    others: float

    @property
    def median(self) -> float:
        return median(self.seconds)


def timing(run: Run, *, seconds: float, least: int) -> Timing:
    """One function on its own, for an absolute limit."""
    calls = _calls(run)

    def once() -> Timing:
        taken = []
        before, start = processor_times(), time.perf_counter()
        while len(taken) < least or (time.perf_counter() - start < seconds and len(taken) < MOST):
            taken.append(timed(run, calls))
        return Timing(tuple(taken), cores_used_by_others(before))

    return _quieter(once, seconds)


def timed(run: Run, calls: int = 1) -> float:
    """Seconds per call."""
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def _quieter(once: Callable[[], R], seconds: float) -> R:
    """The result, or the quieter of two when others were at work; never again what took long already."""
    start = time.perf_counter()
    first = once()
    if first.others <= BUSY or time.perf_counter() - start > 2 * seconds:
        return first
    return min(first, once(), key=lambda result: result.others)


def _warm(run: Run) -> float:
    """Seconds of a warm call; of the first one where that takes a second, which no cache explains."""
    first = timed(run)
    return first if first > 1 else timed(run)


def _calls(run: Run) -> int:
    return _calls_for(_warm(run))


def _calls_for(seconds: float) -> int:
    return max(1, math.ceil(SHORTEST / max(seconds, 1e-9)))
