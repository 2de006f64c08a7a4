"""What every simulation shares: its options by size, and measurements that become evidence."""

import math
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy.special import stdtrit

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import PowerLaw
from manifoldtheory.ledger import Evidence, Form, Kind, Progress, Verdict, acceptance_z, agreement, silent
from manifoldtheory.ledger.environment import installed_versions
from manifoldtheory.ledger.evidence import FALSE_ALARM_RATE, Z95
from proofs.majorants import RANGE
from sims.catalogue import Subject, subject
from sims.engine import Stream
from sims.sampling import Curvature

COMPARISONS = 1000
"""More than a run compares: with `acceptance_z`, right predictions are contradicted in at most one run of 1000."""
ACCEPTANCE = acceptance_z(COMPARISONS)
LEVEL = FALSE_ALARM_RATE / (2 * COMPARISONS)
"""Of either side of one comparison."""
LEAST_FREEDOM = 3

POINTS: Mapping[str, int] = {"smoke": 2**11, "default": 2**15, "thorough": 2**19}
"""Points per rung."""
RUNGS: Mapping[str, int] = {"smoke": 4, "default": 7, "thorough": 13}
LARGEST_RADIUS = 1e-1
SMALLEST_RADIUS = 1e-4


@dataclass(frozen=True)
class Simulation:
    """One claim on one manifold: sizes, randomness, and the makers of evidence."""

    claim: str
    manifold: str
    size: str = "default"
    seed: int = 0
    device: str = "cpu"
    executor: Executor | None = None
    progress: Progress = field(default=silent, compare=False)

    @cached_property
    def subject(self) -> Subject:
        return subject(self.manifold, seed=self.seed, device=self.device)

    @cached_property
    def curvature(self) -> Curvature:
        """The invariants at the base point. Raises `InputError` when it bends too much for the proofs' remainders."""
        found = Curvature(self.subject)
        if found.bound * LARGEST_RADIUS > float(RANGE):
            raise InputError(
                f"{self.manifold} bends too much at the base point of seed {self.seed}: curvature_bound · radius is "
                f"{found.bound * LARGEST_RADIUS:.3g}, and remainders are known up to {float(RANGE)}: take another seed"
            )
        return found

    @property
    def points(self) -> int:
        """Points per rung."""
        return POINTS[self.size]

    @property
    def radii(self) -> list[float]:
        """The ladder of radii t, falling."""
        return np.geomspace(LARGEST_RADIUS, SMALLEST_RADIUS, RUNGS[self.size]).tolist()

    def stream(self, name: str) -> Stream:
        """A stream of randomness of this claim and manifold; the same name gives the same numbers."""
        return Stream(self.seed, f"{self.claim}/{self.manifold}/{name}", self.device)

    def compare(
        self,
        quantity: str,
        *,
        measured: float,
        predicted: float,
        stderr: float,
        remainder: float = 0.0,
        effect: float | None = None,
        blocks: int | None = None,
        n: int | None = None,
        bin: str | None = None,
    ) -> Evidence:
        """Evidence for a measured number against its prediction.

        Refuted when they differ by more than z·stderr + remainder, z from `acceptance_z`, or Student's quantile of that
        level when the standard error was estimated from a few `blocks`. Inconclusive when the remainder exceeds half of
        the `effect` (the prediction itself, if not given): then almost any measurement would agree.
        """
        z = ACCEPTANCE if blocks is None else -float(stdtrit(blocks - 1, LEVEL))
        verdict = agreement(measured, predicted, stderr, remainder=remainder, z=z)
        if abs(remainder) > abs(predicted if effect is None else effect) / 2 > 0 and verdict is Verdict.SUPPORTS:
            verdict = Verdict.INCONCLUSIVE
        width = Z95 if blocks is None else float(stdtrit(blocks - 1, 0.975))
        interval = (measured - width * stderr, measured + width * stderr)
        return self._evidence(quantity, Form.REPAIRED, verdict, measured, stderr, interval, predicted, n, bin)

    def compare_exponent(self, quantity: str, law: PowerLaw, predicted: float) -> Evidence:
        """Evidence for a fitted exponent, whose standard error holds sampling error and remainder."""
        found = law.exponent, law.exponent_stderr, law.exponent_interval
        return self._compare_fit(quantity, law, *found, predicted)

    def compare_coefficient(self, quantity: str, law: PowerLaw, predicted: float) -> Evidence:
        """Evidence for the fitted coefficient of a power law, likewise."""
        found = law.coefficient, law.coefficient_stderr, law.coefficient_interval
        return self._compare_fit(quantity, law, *found, predicted)

    def _compare_fit(
        self, quantity: str, law: PowerLaw, value: float, stderr: float, interval: tuple[float, float], predicted: float
    ) -> Evidence:
        """Where the standard error was estimated from the scatter of few rungs, the quantile is Student's.

        With fewer than `LEAST_FREEDOM` degrees of freedom that is so wide that agreement says nothing.
        """
        estimated = not law.misfit <= 1
        quantile = -float(stdtrit(law.degrees_of_freedom, LEVEL)) if estimated else ACCEPTANCE
        verdict = agreement(value, predicted, stderr, z=quantile)
        if estimated and law.degrees_of_freedom < LEAST_FREEDOM and verdict is Verdict.SUPPORTS:
            verdict = Verdict.INCONCLUSIVE
        return self._evidence(quantity, Form.REPAIRED, verdict, value, stderr, interval, predicted, None, None)

    def test_sign(self, quantity: str, *, measured: float, stderr: float, n: int) -> Evidence:
        """Evidence on a claim as stated that something is positive: its sign, beyond z standard errors."""
        verdict = Verdict.INCONCLUSIVE
        if math.isfinite(measured) and abs(measured) > ACCEPTANCE * stderr:
            verdict = Verdict.SUPPORTS if measured > 0 else Verdict.REFUTES
        interval = (measured - Z95 * stderr, measured + Z95 * stderr)
        return self._evidence(quantity, Form.AS_STATED, verdict, measured, stderr, interval, None, n, None)

    def _evidence(
        self,
        quantity: str,
        statement: Form,
        verdict: Verdict,
        measured: float,
        stderr: float,
        interval: tuple[float, float],
        predicted: float | None,
        n: int | None,
        bin: str | None,
    ) -> Evidence:
        return Evidence(
            claim=self.claim,
            kind=Kind.SIMULATION,
            statement=statement,
            verdict=verdict,
            quantity=quantity,
            predicted=None if predicted is None else float(predicted),
            measured=float(measured),
            stderr=float(stderr),
            lower=float(interval[0]),
            upper=float(interval[1]),
            n=n,
            subject=self.manifold,
            bin=bin,
            seed=self.seed,
            device=self.device,
            dtype="float64",
            versions=_versions(),
        )


@cache
def _versions() -> dict[str, Any]:
    return {
        name: found for name, found in installed_versions(("manifoldtheory", "torch", "geomstats")).items() if found
    }
