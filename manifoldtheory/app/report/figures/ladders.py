"""What figures of ladders share: records as series over a rung, and points with intervals."""

from collections.abc import Iterable, Sequence
from typing import Any

from manifoldtheory.app.report.style import in_order
from manifoldtheory.app.report.tables import interval
from manifoldtheory.ledger import Evidence, Kind


def simulated(evidence: Iterable[Evidence], claim: str, *quantities: str) -> list[Evidence]:
    """The measured simulation records of the claim with one of the quantities."""
    return [
        record
        for record in evidence
        if record.kind == Kind.SIMULATION
        and record.claim == claim
        and record.quantity in quantities
        and record.measured is not None
    ]


def by_subject(records: Iterable[Evidence], quantity: str) -> dict[str, list[Evidence]]:
    """The quantity's records per subject, in the order of their rung."""
    found: dict[str, list[Evidence]] = {}
    for record in records:
        if record.quantity == quantity and record.rung is not None:
            found.setdefault(record.subject or "–", []).append(record)
    return {subject: sorted(found[subject], key=_position) for subject in in_order(found)}


def _position(record: Evidence) -> float:
    assert record.rung is not None
    return record.rung[1]


def positions(records: Sequence[Evidence]) -> list[float]:
    """The rungs of the records."""
    return [_position(record) for record in records]


def plot_points(
    axes: Any, records: Sequence[Evidence], *, hollow: bool = False, x: Any = None, less: float = 0.0, **look: Any
) -> None:
    """Measurements, `less` a constant, with their 95 % intervals, over their rung unless `x` is given."""
    values = [record.measured or 0.0 for record in records]
    bounds = [interval(record) or (value, value) for record, value in zip(records, values, strict=True)]
    below = [max(value - low, 0.0) for value, (low, _) in zip(values, bounds, strict=True)]
    above = [max(high - value, 0.0) for value, (_, high) in zip(values, bounds, strict=True)]
    if hollow:
        look |= {"markerfacecolor": "none"}
    over = positions(records) if x is None else x
    shown = [value - less for value in values]
    axes.errorbar(over, shown, yerr=(below, above), linestyle="none", elinewidth=0.8, **look)


def plot_prediction(axes: Any, records: Sequence[Evidence], *, less: float = 0.0, **look: Any) -> None:
    """The predicted values, `less` a constant, over their rung as a line; nothing when fewer than two are predicted."""
    known = [(position, record.predicted) for position, record in zip(positions(records), records, strict=True)]
    line = [(position, predicted - less) for position, predicted in known if predicted is not None]
    if len(line) > 1:
        axes.plot(*zip(*line, strict=True), **look)
