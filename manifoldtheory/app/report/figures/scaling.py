"""Tangent and normal parts of a displacement over a ladder of radii."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manifoldtheory.app.report import style
from manifoldtheory.app.report.figures.ladders import by_subject, plot_points, plot_prediction, simulated
from manifoldtheory.app.report.tables import interval
from manifoldtheory.ledger import Evidence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = "tangent-normal-scaling"
NORMS = (("tangent-norm", True), ("normal-norm", False))
EXPONENTS = (("tangent-exponent", True), ("normal-exponent", False))


def draw_scaling(evidence: Sequence[Evidence]) -> "Figure | None":
    """Norms against t with the predicted lines, and the deviation of the fitted exponents from the predicted ones."""
    norms = simulated(evidence, CLAIM, *(name for name, _ in NORMS))
    exponents = [
        record
        for record in simulated(evidence, CLAIM, *(name for name, _ in EXPONENTS))
        if record.predicted is not None
    ]
    if not norms:
        return None
    figure = style.new_figure(8.6 if exponents else 4.6, 3.7)
    looks = style.looks(record.subject or "–" for record in [*norms, *exponents])
    axes = figure.add_subplot(1, 2 if exponents else 1, 1)
    for quantity, hollow in NORMS:
        for subject, ladder in by_subject(norms, quantity).items():
            look = looks[subject]
            plot_prediction(axes, ladder, color=look.colour, linewidth=0.8, alpha=0.75)
            plot_points(axes, ladder, hollow=hollow, color=look.colour, marker=look.marker)
    style.log_axis(axes, "x")
    style.log_axis(axes, "y")
    axes.set_xlabel("ambient radius t")
    axes.set_ylabel("root mean square over directions")
    style.panel_title(axes, "A", "tangent part (open) and normal part (filled)")
    axes.legend(handles=style.subject_handles(looks), loc="lower right", handletextpad=0.3)
    if exponents:
        _draw_exponents(figure.add_subplot(1, 2, 2), exponents, looks)
    return figure


def _draw_exponents(axes: Any, exponents: Sequence[Evidence], looks: dict[str, style.Look]) -> None:
    subjects = list(looks)
    for record in exponents:
        assert record.measured is not None
        assert record.predicted is not None
        tangent = record.quantity == "tangent-exponent"
        look = looks[record.subject or "–"]
        height = subjects.index(record.subject or "–") + (-0.16 if tangent else 0.16)
        low, high = interval(record) or (record.measured, record.measured)
        axes.plot([low - record.predicted, high - record.predicted], [height, height], color=look.colour)
        face = "none" if tangent else look.colour
        axes.plot(record.measured - record.predicted, height, color=look.colour, marker=look.marker, mfc=face)
    axes.axvline(0, color=style.INK, linewidth=0.9, linestyle=(0, (1, 1.5)))
    axes.set_yticks(range(len(subjects)), subjects)
    axes.set_ylim(len(subjects) - 0.5, -0.5)
    low, high = axes.get_xlim()
    reach = max(abs(low), abs(high))
    axes.set_xlim(-reach, reach)
    axes.ticklabel_format(axis="x", scilimits=(-2, 3), useMathText=True)
    axes.locator_params(axis="x", nbins=5)
    axes.set_xlabel("fitted exponent − predicted exponent")
    style.panel_title(axes, "B", "exponents: tangent (open), normal (filled)")
