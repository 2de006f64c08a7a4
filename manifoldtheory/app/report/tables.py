"""Evidence in tables: the ledger's cells, summaries of many records, and synthetic against real R_energy."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from manifoldtheory.ledger import Claim, Evidence, Form, Kind, Provider, Verdict, verdict_over
from manifoldtheory.ledger.evidence import Z95

SYNTHETIC = ("energy-ratio", "noisy-energy-ratio")
HIDDEN, CENTRED, ACTIVATION = (
    "hidden-state-energy-ratio",
    "hidden-state-energy-ratio-centred",
    "activation-energy-ratio",
)
WEIGHT = "weight-energy-ratio:"
"""Followed by the name of a linear map: R of its input-side weight gradients."""
MAP_INPUT = "activation-energy-ratio:"
"""Followed by the name of a linear map: R of its inputs, the confound of its weight gradients."""
CAP = "-cap"
CONTROL = "-complement-z"

SYMBOLS = {Verdict.SUPPORTS: "✓", Verdict.REFUTES: "✗", Verdict.INCONCLUSIVE: "?"}
WORDS = {Verdict.SUPPORTS: "supported", Verdict.REFUTES: "refuted", Verdict.INCONCLUSIVE: "inconclusive"}


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float | None) -> str:
    """A number in four significant digits, like ``1.234×10⁻⁷`` where that is shorter; ``–`` for none."""
    if value is None or not math.isfinite(value):
        return "–"
    digits, exponential, exponent = f"{value:.4g}".partition("e")
    return f"{digits}×10{str(int(exponent)).translate(_SUPERSCRIPTS)}" if exponential else digits


def probability(value: float | None) -> str:
    """A p-value; one that underflowed is below a bound, not 0."""
    return "<10⁻³⁰⁰" if value is not None and value < 1e-300 else number(value)


def interval(record: Evidence) -> tuple[float, float] | None:
    """The 95 % interval of the measurement, from its bounds or else its standard error; ``None`` without either."""
    if record.lower is not None and record.upper is not None:
        return record.lower, record.upper
    if record.measured is not None and record.stderr is not None:
        return record.measured - Z95 * record.stderr, record.measured + Z95 * record.stderr
    return None


def step_of(checkpoint: str | None) -> int | None:
    """``64`` for ``"step-64"``; ``None`` for a checkpoint that does not name its step."""
    name, _, step = (checkpoint or "").rpartition("step")
    digits = step.lstrip("-")
    return int(digits) if not name and digits.isdecimal() else None


def claims_of(providers: Mapping[str, Provider]) -> dict[str, Claim]:
    """The claims of all columns by slug; a proof's wording goes before the others'."""
    claims: dict[str, Claim] = {}
    for provider in sorted(providers.values(), key=lambda provider: list(Kind).index(provider.kind)):
        for slug, claim in provider.claims().items():
            claims.setdefault(slug, claim)
    return claims


@dataclass(frozen=True)
class Cell:
    """One cell of the ledger: what one kind of evidence says about one form of a claim. Empty without evidence."""

    verdict: Verdict | None
    records: int
    agreeing: int
    """How many of the records say what the cell says; the others leave it open, or are outweighed."""

    @property
    def counts(self) -> str:
        """``4``, or ``3 of 4`` when not all records agree."""
        return f"{self.records}" if self.agreeing == self.records else f"{self.agreeing} of {self.records}"

    @property
    def text(self) -> str:
        """Symbol and word of the verdict; ``–`` when there is no evidence."""
        return "–" if self.verdict is None else f"{SYMBOLS[self.verdict]} {WORDS[self.verdict]}"


@dataclass(frozen=True)
class LedgerRow:
    """A form of a claim with its cells, one per kind of evidence in the order of `Kind`."""

    claim: str
    form: Form
    cells: tuple[Cell, ...]


def ledger(evidence: Iterable[Evidence], claims: Iterable[str] = ()) -> list[LedgerRow]:
    """The ledger's rows: the given claims and then any other in the evidence, with the forms that have evidence."""
    grouped: dict[tuple[str, Form, Kind], list[Evidence]] = {}
    for record in evidence:
        grouped.setdefault((record.claim, record.statement, record.kind), []).append(record)
    rows = []
    for slug in dict.fromkeys([*claims, *(claim for claim, _, _ in grouped)]):
        for form in Form:
            groups = [grouped.get((slug, form, kind), []) for kind in Kind]
            if any(groups):
                rows.append(LedgerRow(slug, form, tuple(map(_cell_of, groups))))
    return rows


def _cell_of(group: Sequence[Evidence]) -> Cell:
    verdict = verdict_over(group)
    return Cell(verdict, len(group), sum(record.verdict == verdict for record in group))


@dataclass(frozen=True)
class Summary:
    """Records of one quantity and subject, whatever their rung, bin, layer or checkpoint."""

    kind: Kind
    form: Form
    quantity: str
    subject: str | None
    records: tuple[Evidence, ...]

    @property
    def predicted(self) -> str:
        """The prediction, or the range of predictions."""
        return _range(record.predicted for record in self.records)

    @property
    def measured(self) -> str:
        """The measurement, or the range of measurements."""
        return _range(record.measured for record in self.records)

    @property
    def interval(self) -> str:
        """The 95 % interval of a single measurement; the largest deviation, in standard errors, of several."""
        if len(self.records) == 1:
            bounds = interval(self.records[0])
            return "–" if bounds is None else f"[{number(bounds[0])}, {number(bounds[1])}]"
        deviations = [
            abs(record.measured - record.predicted) / record.stderr
            for record in self.records
            if record.measured is not None and record.predicted is not None and record.stderr
        ]
        return f"within {max(deviations):.1f} SE" if deviations else "–"

    @property
    def p_value(self) -> str:
        """The p-value, or the range of p-values."""
        return _range((record.p_value for record in self.records), probability)

    @property
    def verdicts(self) -> list[tuple[Verdict, int]]:
        """How many records gave each verdict, those that occur."""
        found = [record.verdict for record in self.records]
        return [(verdict, found.count(verdict)) for verdict in Verdict if verdict in found]


def _range(values: Iterable[float | None], text: Callable[[float | None], str] = number) -> str:
    finite = [value for value in values if value is not None and math.isfinite(value)]
    if not finite:
        return "–"
    low, high = text(min(finite)), text(max(finite))
    return low if low == high else f"{low} … {high}"


def summarise(evidence: Iterable[Evidence]) -> list[Summary]:
    """One `Summary` per kind, form, quantity and subject, in that order."""

    def key(record: Evidence) -> tuple[int, int, str, str]:
        return (
            list(Kind).index(record.kind),
            list(Form).index(record.statement),
            record.quantity,
            record.subject or "",
        )

    summaries = []
    for _, group in groupby(sorted(evidence, key=key), key=key):
        records = tuple(group)
        first = records[0]
        summaries.append(Summary(first.kind, first.statement, first.quantity, first.subject, records))
    return summaries


@dataclass(frozen=True)
class Row:
    """An R_energy, synthetic or real, with the R_activation and the cap of its own cell where they were measured.

    `activation` is the R of what the gradient's map reads where that was measured, and else of the hidden state.
    """

    evidence: Evidence
    activation: float | None = None
    cap: float | None = None


@dataclass(frozen=True)
class Headline:
    """A few numbers that stand for many: R_energy at one place of a ladder, or its median over layers at one step."""

    kind: Kind
    subject: str
    quantity: str
    place: str
    ratio: float
    low: float | None
    high: float | None
    predicted: float | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Synthetic and real R_energy of the same estimator."""

    rows: tuple[Row, ...]

    def of(self, *quantities: str, kind: Kind | None = None) -> list[Row]:
        """The rows of the given quantities (one that ends in ``:`` stands for every linear map) and kind."""
        return [
            row
            for row in self.rows
            if kind in (None, row.evidence.kind) and family(row.evidence.quantity) in quantities
        ]

    def series(self, kind: Kind) -> list[tuple[str, str, list[Headline]]]:
        """The headline of one kind, by subject and quantity."""
        found: dict[tuple[str, str], list[Headline]] = {}
        for line in self.headline():
            if line.kind == kind:
                found.setdefault((line.subject, line.quantity), []).append(line)
        return [(*key, lines) for key, lines in found.items()]

    def headline(self) -> list[Headline]:
        """Synthetic: the ends of each ladder, with 95 % intervals. Real: first, highest and last step, median and
        range over layers (and linear maps), with the largest p-value."""
        return [*_synthetic_headline(self.rows), *_real_headline(self.rows)]


def is_energy_ratio(record: Evidence) -> bool:
    """Whether the record is an R_energy or R_activation itself, and not a null, a cap or a fit of one."""
    if record.claim != "energy-concentration" or record.quantity.endswith((CAP, CONTROL)):
        return False
    if record.kind == Kind.SIMULATION:
        return record.quantity in SYNTHETIC
    return record.kind == Kind.OBSERVATION and family(record.quantity) in (
        HIDDEN,
        CENTRED,
        ACTIVATION,
        WEIGHT,
        MAP_INPUT,
    )


def family(quantity: str) -> str:
    """The quantity without the name of its linear map: ``weight-energy-ratio:`` for ``weight-energy-ratio:dense``."""
    name, colon, _ = quantity.partition(":")
    return name + colon


def compare(evidence: Sequence[Evidence]) -> Comparison:
    """The R_energy records of the evidence, each beside its cell's R_activation and cap."""
    beside = {
        (record.quantity, *_cell(record)): record.measured
        for record in evidence
        if record.kind == Kind.OBSERVATION
        and (family(record.quantity) in (ACTIVATION, MAP_INPUT) or record.quantity.endswith(CAP))
    }
    rows = []
    for record in filter(is_energy_ratio, evidence):
        cell = _cell(record)
        own = beside.get((record.quantity.replace(WEIGHT, MAP_INPUT), *cell))
        activation = own if family(record.quantity) == WEIGHT and own is not None else beside.get((ACTIVATION, *cell))
        rows.append(Row(record, activation, beside.get((f"{record.quantity}{CAP}", *cell))))
    return Comparison(tuple(rows))


def _cell(record: Evidence) -> tuple[object, ...]:
    return record.subject, record.checkpoint, record.layer, record.bin, record.seed


def _synthetic_headline(rows: Sequence[Row]) -> list[Headline]:
    ladders: dict[tuple[str, str], list[tuple[float, Evidence]]] = {}
    for record in (row.evidence for row in rows if row.evidence.kind == Kind.SIMULATION):
        if record.rung is not None and record.measured is not None:
            ladders.setdefault((record.subject or "–", record.quantity), []).append((record.rung[1], record))
    lines = []
    for (subject, quantity), ladder in ladders.items():
        ladder.sort(key=lambda pair: pair[0])
        for radius, record in dict([ladder[-1], ladder[0]]).items():
            low, high = interval(record) or (None, None)
            assert record.measured is not None
            lines.append(
                Headline(
                    Kind.SIMULATION, subject, quantity, f"t = {number(radius)}", record.measured, low, high,
                    record.predicted, record.p_value,
                )
            )  # fmt: skip
    return lines


def _real_headline(rows: Sequence[Row]) -> list[Headline]:
    series: dict[tuple[str, str], dict[int, list[Evidence]]] = {}
    for record in (row.evidence for row in rows if row.evidence.kind == Kind.OBSERVATION):
        step = step_of(record.checkpoint)
        if step is not None and record.measured is not None:
            key = (record.subject or "–", family(record.quantity))
            series.setdefault(key, {}).setdefault(step, []).append(record)
    lines = []
    for (subject, quantity), steps in series.items():
        name = quantity.replace(":", " (all maps)")
        values = {step: [record.measured or 0.0 for record in records] for step, records in steps.items()}
        peak = max(values, key=lambda step: median(values[step]))
        for step in sorted({min(values), peak, max(values)}):
            p_values = [record.p_value for record in steps[step] if record.p_value is not None]
            place = f"step {step} (highest)" if step == peak else f"step {step}"
            lines.append(
                Headline(
                    Kind.OBSERVATION, subject, name, place, median(values[step]), min(values[step]),
                    max(values[step]), None, max(p_values, default=None),
                )
            )  # fmt: skip
    return lines
