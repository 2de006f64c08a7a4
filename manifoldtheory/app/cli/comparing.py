"""Synthetic and real R_energy of one or more runs, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from manifoldtheory.app.report.figures import FIGURES
from manifoldtheory.app.report.tables import Comparison, compare
from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Evidence, RunFolder
from manifoldtheory.ledger.runs import EVIDENCE

MAKE_ONE = "`manifoldtheory verify` makes one with both kinds, `simulate` and `observe` one each"


def latest_run(parent: Path) -> Path:
    """The finished run in `parent` that was made last. Raises `InputError` when there is none."""
    finished = [path for path in parent.glob("*") if (path / EVIDENCE).is_file()]
    if not finished:
        raise InputError(f"no finished run in {parent}/: {MAKE_ONE}")
    return max(finished, key=lambda path: (path / EVIDENCE).stat().st_mtime)


def compare_runs(folders: Sequence[Path], figures: Path) -> tuple[Comparison, list[Path]]:
    """The comparison over all runs, and the figure's files. Raises `InputError` when the runs hold no R_energy."""
    evidence = _told_apart({folder: RunFolder.load(folder).evidence for folder in folders})
    comparison = compare(evidence)
    if not comparison.rows:
        raise InputError(f"no R_energy in {', '.join(map(str, folders))}: {MAKE_ONE}")
    drawing = FIGURES["energy-comparison"].draw(evidence)
    try:
        return comparison, [] if drawing is None else drawing.save(figures, "energy-comparison")
    except OSError as error:
        raise InputError(f"can't write into {figures} ({error}): give --out a folder you can write") from error


def _told_apart(runs: Mapping[Path, Sequence[Evidence]]) -> list[Evidence]:
    """The evidence of all runs; a subject of several runs carries the name of its run."""
    seen = [subject for records in runs.values() for subject in {record.subject for record in records}]
    return [
        replace(record, subject=f"{record.subject} ({folder.name})") if seen.count(record.subject) > 1 else record
        for folder, records in runs.items()
        for record in records
    ]
