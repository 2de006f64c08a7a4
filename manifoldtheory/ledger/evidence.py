"""What was found: evidence records, and the rule by which a measurement meets a prediction."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from statistics import NormalDist
from typing import Any, Self

from manifoldtheory.ledger.claims import Form, Kind, Verdict

Z95 = NormalDist().inv_cdf(0.975)

FALSE_ALARM_RATE = 1e-3
"""Probability that a run in which every prediction is right contradicts one of them (see `acceptance_z`)."""


def acceptance_z(tests: int, false_alarm: float = FALSE_ALARM_RATE) -> float:
    """Two-sided normal quantile for `tests` comparisons that together raise a false alarm at most at the given rate.

    Bonferroni: each comparison gets ``false_alarm / tests``; valid whatever their dependence.
    """
    if tests < 1:
        raise ValueError(f"acceptance_z needs at least one test, got {tests}")
    return NormalDist().inv_cdf(1 - false_alarm / (2 * tests))


def agreement(measured: float, predicted: float, stderr: float, *, remainder: float = 0.0, z: float = Z95) -> Verdict:
    """Supports when ``|measured − predicted| ≤ z·stderr + |remainder|``, else refutes; not finite: inconclusive.

    The remainder is the prediction's own next-order term, so a leading-order formula is not refuted by its bias.
    """
    if not all(math.isfinite(value) for value in (measured, predicted, stderr, remainder)):
        return Verdict.INCONCLUSIVE
    return Verdict.SUPPORTS if abs(measured - predicted) <= z * stderr + abs(remainder) else Verdict.REFUTES


def rung(name: str, value: float) -> str:
    """Label of a rung of a ladder for `Evidence.bin`, e.g. ``"radius=0.01"``; `Evidence.rung` reads it back."""
    return f"{name}={value:.12g}"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One measured (or proved) number, next to what the theory predicts for it. Fields that do not apply are ``None``.

    ``lower`` and ``upper`` bound ``measured`` at 95 %; ``bin`` names the cell within the subject: a rung of a ladder
    (see `rung`), a bin of directions, or a bin of token frequencies.
    """

    claim: str
    kind: Kind
    statement: Form
    verdict: Verdict
    quantity: str
    predicted: float | None = None
    measured: float | None = None
    stderr: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    n: int | None = None
    subject: str | None = None
    checkpoint: str | None = None
    layer: str | None = None
    bin: str | None = None
    seed: int | None = None
    device: str | None = None
    dtype: str | None = None
    seconds: float | None = None
    versions: Mapping[str, str] | None = None

    @property
    def rung(self) -> tuple[str, float] | None:
        """Name and value of the ladder's rung in `bin`, or ``None``."""
        name, equals, value = (self.bin or "").partition("=")
        return (name, float(value)) if equals else None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary with every field; numbers that are not finite become ``None``."""
        return {name: _plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; unknown or missing fields raise ``ValueError``."""
        names = {field.name for field in fields(cls)}
        if set(record) != names:
            raise ValueError(f"not an evidence record: fields off by {sorted(names ^ set(record))}")
        return cls(
            **{
                **record,
                "kind": Kind(record["kind"]),
                "statement": Form(record["statement"]),
                "verdict": Verdict(record["verdict"]),
            }
        )


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Kind | Form | Verdict):
        return str(value)
    return value


def verdict_over(evidence: Iterable[Evidence]) -> Verdict | None:
    """What a cell of the ledger says: refuted if any record refutes, else supported if any supports, else undecided."""
    verdicts = {record.verdict for record in evidence}
    for verdict in (Verdict.REFUTES, Verdict.SUPPORTS, Verdict.INCONCLUSIVE):
        if verdict in verdicts:
            return verdict
    return None
