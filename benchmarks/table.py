"""The table of measurements, on a terminal or in a file."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Measurement
from benchmarks.timing import BUSY

PIPE_WIDTH = 160
"""Columns of a table that goes to a file or pipe, which has no width of its own."""


def print_table(machine: Mapping[str, Any], results: Mapping[str, Sequence[Measurement]], *, judged: bool) -> None:
    """Every measurement with its target, what it was made on, and whether the machine was idle.

    At a size that is not `judged` no target is called met or missed.
    """
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, markup=False, emoji=False, highlight=False)
    table = Table("", "subject", "against", "measured", "spread", "target", "", "ours", "peer", "others")
    for name, measurements in results.items():
        for index, each in enumerate(measurements):
            table.add_row(
                name if index == 0 else "",
                each.subject,
                each.against,
                _quantity(each.value, each.unit),
                "" if each.low == each.high else f"{each.low:.3g} – {each.high:.3g}",
                f"{'≥' if each.at_least else '≤'} {_quantity(each.target, each.unit)}",
                ("met" if each.met else "missed") if judged else "",
                _seconds(each.seconds),
                _seconds(each.peer_seconds),
                f"{each.others:.1f}" if each.busy else "",
                style="bold red" if judged and not each.met else None,
            )
        table.add_section()
    console.print(table)
    console.print(
        "measured: median of the repetitions, peer and ours by turns in one process; spread: least and largest; "
        "ours, peer: seconds per call, not a target where the unit is ×; others: cores kept busy by other processes"
    )
    blas = machine["blas"]
    versions = {key: value for key, value in machine.items() if key not in ("blas", "processor", "cores", "threads")}
    console.print(
        f"{machine['processor']}, {machine['cores']} cores, {machine['threads']} threads; "
        f"BLAS: torch {blas['torch']}, numpy {blas['numpy']}"
    )
    console.print(", ".join(f"{key} {value}" for key, value in versions.items() if value is not None))
    measured = [each for measurements in results.values() for each in measurements]
    if any(each.busy for each in measured):
        console.print(
            f"The machine was not idle (more than {BUSY} cores used by others): "
            "ratios and times in these lines are not what an idle one gives."
        )
    met = sum(each.met for each in measured)
    console.print(f"{met} of {len(measured)} targets met" if judged else "Targets are for the default size.")


def line(measurement: Measurement) -> str:
    """What there is to say while the rest still runs."""
    sign = "≥" if measurement.at_least else "≤"
    quantities = [_quantity(value, measurement.unit) for value in (measurement.value, measurement.target)]
    busy = f", others used {measurement.others:.1f} cores" if measurement.busy else ""
    return f"{measurement.subject}: {quantities[0]} against {measurement.against} (target {sign} {quantities[1]}{busy})"


def record(measurement: Measurement) -> dict[str, Any]:
    """JSON-ready."""
    return {**asdict(measurement), "met": measurement.met, "busy": measurement.busy}


def _quantity(value: float, unit: str) -> str:
    return f"{value:.3g}{'' if unit in ('×', '%') else ' '}{unit}".rstrip()


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"
