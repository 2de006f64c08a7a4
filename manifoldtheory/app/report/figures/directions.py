"""Density of directions at fixed radius, against its prediction."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manifoldtheory.app.report import style
from manifoldtheory.app.report.figures.ladders import by_subject, plot_points, plot_prediction, simulated
from manifoldtheory.ledger import Evidence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = "curvature-bias"
COLUMNS = 3
LABEL = "density / uniform − 1"


def draw_directions(evidence: Sequence[Evidence]) -> "Figure | None":
    """One panel per surface (density against angle) and one for all higher dimensions (measured against predicted)."""
    records = by_subject(simulated(evidence, CLAIM, "direction-density"), "direction-density")
    surfaces = {subject: bins for subject, bins in records.items() if _bin_name(bins) == "angle"}
    higher = {
        subject: [record for record in bins if record.predicted is not None]
        for subject, bins in records.items()
        if _bin_name(bins) != "angle"
    }
    panels = len(surfaces) + bool(higher)
    if not panels:
        return None
    looks = style.looks(records)
    columns = min(COLUMNS, panels)
    rows = math.ceil(panels / columns)
    figure = style.new_figure(3.1 * columns, 2.6 * rows + 0.2)
    for index, (subject, bins) in enumerate(surfaces.items()):
        # One scale for all surfaces: a flat one, like the sphere, would otherwise be drawn at a scale of its own noise.
        axes = figure.add_subplot(rows, columns, index + 1, sharey=figure.axes[0] if figure.axes else None)
        plot_prediction(axes, bins, less=1, color=style.INK, linewidth=1.0)
        plot_points(axes, bins, less=1, color=looks[subject].colour, marker=looks[subject].marker)
        axes.axhline(0, color=style.FAINT, linewidth=0.9)
        axes.set_xlabel("angle of the direction (rad)")
        _finish(axes, "ABCDEFGH"[index % 8], subject)
        if index % columns == 0:
            axes.set_ylabel(LABEL)
    if higher:
        axes = figure.add_subplot(rows, columns, panels)
        _draw_higher(axes, higher, looks)
        _finish(axes, "ABCDEFGH"[(panels - 1) % 8], "dimension above 2, the same")
    return figure


def _bin_name(bins: Sequence[Evidence]) -> str:
    rung = bins[0].rung
    return rung[0] if rung else ""


def _draw_higher(axes: Any, higher: dict[str, list[Evidence]], looks: dict[str, style.Look]) -> None:
    for subject, bins in higher.items():
        look = looks[subject]
        predicted = [(record.predicted or 0.0) - 1 for record in bins]
        plot_points(axes, bins, x=predicted, less=1, color=look.colour, marker=look.marker)
    values = [(record.predicted or 0.0) - 1 for bins in higher.values() for record in bins]
    if values:
        ends = [min(values), max(values)]
        axes.plot(ends, ends, color=style.INK, linewidth=1.0)
    axes.set_xlabel("predicted")
    axes.set_ylabel("measured")
    shown = {subject: looks[subject] for subject in higher}
    axes.legend(handles=style.subject_handles(shown), loc="upper left", handletextpad=0.3)


def _finish(axes: Any, letter: str, title: str) -> None:
    style.panel_title(axes, letter, title)
    axes.locator_params(nbins=5)
    axes.ticklabel_format(axis="both", scilimits=(-2, 3), useMathText=True)
