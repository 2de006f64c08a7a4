"""Synthetic against real R_energy: the figure that leads the report."""

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from manifoldtheory.app.report import style
from manifoldtheory.app.report.figures.ladders import by_subject, plot_points, plot_prediction
from manifoldtheory.app.report.tables import (
    ACTIVATION,
    HIDDEN,
    MAP_INPUT,
    SYNTHETIC,
    WEIGHT,
    Comparison,
    compare,
    step_of,
)
from manifoldtheory.ledger import Evidence, Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SERIES = (
    (MAP_INPUT, "map inputs x (its confound)", style.MAP_INPUT_COLOUR, "D"),
    (WEIGHT, "weight gradients δxᵀ", style.WEIGHT_COLOUR, "s"),
    (ACTIVATION, "activations h (its confound)", style.ACTIVATION_COLOUR, "D"),
    (HIDDEN, "hidden-state gradients ∂L/∂h", style.HIDDEN_COLOUR, "o"),
)
"""Drawn in this order, the theory's own object last and so on top."""

RATIO_LABEL = "R: energy per dimension, tangent / complement"


def draw_comparison(evidence: Sequence[Evidence]) -> "Figure | None":
    """R_energy against t on manifolds, and against the training step in models, on one logarithmic axis."""
    comparison = compare(evidence)
    synthetic = [row.evidence for row in comparison.of(*SYNTHETIC, kind=Kind.SIMULATION) if row.evidence.measured]
    real = _real_series(comparison)
    if not synthetic and not real:
        return None
    count = bool(synthetic) * (1 + bool(real)) + bool(real)
    figure = style.new_figure(3.4 * count + 0.6, 3.9)
    first = _panel(figure, count, 1)
    first.set_ylabel(RATIO_LABEL)
    if not synthetic:
        _draw_real(first, "A", real)
        _draw_layers(first, real)
        first.get_legend().set_loc("best")
        return figure
    _draw_synthetic(first, "A", synthetic)
    if real:
        axes = _panel(figure, count, 2, shared=first)
        axes.tick_params(labelleft=False)
        _draw_real(axes, "B", real)
        magnified = _panel(figure, count, 3)
        _draw_real(magnified, "C", real)
        _draw_layers(magnified, real)
        magnified.get_legend().remove()
        style.panel_title(magnified, "C", "the shaded part of B, each layer a line")
        axes.axhspan(*magnified.get_ylim(), color=style.FAINT, alpha=0.22, linewidth=0, zorder=0.5)
    return figure


def _panel(figure: Any, count: int, index: int, shared: Any = None) -> Any:
    axes = figure.add_subplot(1, count, index, sharey=shared)
    style.log_axis(axes, "y")
    axes.axhline(1, color=style.INK, linewidth=0.9, linestyle=(0, (1, 1.5)), zorder=1.5)
    return axes


def _draw_synthetic(axes: Any, letter: str, records: Sequence[Evidence]) -> None:
    from matplotlib.lines import Line2D

    looks = style.looks(record.subject or "–" for record in records)
    for quantity, hollow, line in (("energy-ratio", False, "-"), ("noisy-energy-ratio", True, "--")):
        for subject, ladder in by_subject(records, quantity).items():
            look = looks[subject]
            plot_prediction(axes, ladder, color=look.colour, linestyle=line, linewidth=0.9, alpha=0.75)
            plot_points(axes, ladder, hollow=hollow, color=look.colour, marker=look.marker)
    style.log_axis(axes, "x")
    axes.set_xlabel("radius t of the cloud")
    style.panel_title(axes, letter, "manifolds (simulated)")
    handles = style.subject_handles(looks)
    if any(record.quantity == "noisy-energy-ratio" for record in records):
        handles.append(Line2D([], [], color=style.INK, linestyle="-", linewidth=0.9, label="predicted"))
        handles.append(Line2D([], [], color=style.INK, linestyle="--", linewidth=0.9, label="… with noise"))
    axes.legend(handles=handles, loc="upper right", ncols=2, columnspacing=0.9, handlelength=1.6)


Series = dict[tuple[str, str], dict[str, dict[int, float]]]
"""Per model and quantity: per line (layer, linear map and seed) the ratio by step."""


def _real_series(comparison: Comparison) -> Series:
    series: Series = {}
    for quantity, _, _, _ in SERIES:
        for row in comparison.of(quantity, kind=Kind.OBSERVATION):
            record = row.evidence
            step = step_of(record.checkpoint)
            if step is not None and record.measured:
                lines = series.setdefault((record.subject or "–", quantity), {})
                line = f"{record.layer} {record.quantity} {record.bin} {record.seed}"
                lines.setdefault(line, {})[step] = record.measured
    return series


def _draw_real(axes: Any, letter: str, series: Series) -> None:
    from matplotlib.lines import Line2D

    models = sorted({subject for subject, _ in series})
    for quantity, _, colour, marker in SERIES:
        for subject in models:
            lines = series.get((subject, quantity))
            if not lines:
                continue
            steps = sorted({step for line in lines.values() for step in line})
            values = [[line[step] for line in lines.values() if step in line] for step in steps]
            axes.fill_between(
                steps, [min(at) for at in values], [max(at) for at in values], color=colour, alpha=0.16, linewidth=0
            )
            axes.plot(
                steps,
                [median(at) for at in values],
                color=colour,
                marker=marker,
                markersize=3,
                linestyle=style.LINES[models.index(subject) % len(style.LINES)],
            )
    _step_axis(axes, series)
    style.panel_title(axes, letter, f"{models[0] if len(models) == 1 else 'models'} (observed)")
    handles = [
        Line2D([], [], color=colour, marker=marker, markersize=3, label=label)
        for quantity, label, colour, marker in reversed(SERIES)
        if any(found == quantity for _, found in series)
    ]
    if len(models) > 1:
        handles += [
            Line2D([], [], color=style.INK, linestyle=style.LINES[index % len(style.LINES)], label=model)
            for index, model in enumerate(models)
        ]
    axes.legend(handles=handles, loc="upper left")


def _draw_layers(axes: Any, series: Series) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    for quantity, _, colour, _ in SERIES:
        for (_, found), lines in series.items():
            if found == quantity:
                for line in lines.values():
                    steps = sorted(line)
                    axes.plot(steps, [line[step] for step in steps], color=colour, linewidth=0.4, alpha=0.55)
    axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda ratio, _: f"{ratio:g}"))


def _step_axis(axes: Any, series: Series) -> None:
    steps = sorted({step for lines in series.values() for line in lines.values() for step in line})
    # Checkpoints are log-spaced and start at 0, which a logarithm has no place for.
    axes.set_xscale("symlog", base=2, linthresh=1)
    last = steps[-1]
    # Labels closer than an octave to the last one would run into it.
    shown = [s for index, s in enumerate(steps) if s == last or ((len(steps) <= 9 or index % 2 == 0) and 2 * s <= last)]
    axes.set_xticks(shown, [str(step) for step in shown])
    axes.minorticks_off()
    axes.set_xlabel("training step")
