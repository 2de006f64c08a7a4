"""Bias and divergence from uniform as the radial law concentrates."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from manifoldtheory.app.report import style
from manifoldtheory.app.report.figures.ladders import by_subject, plot_points, plot_prediction, simulated
from manifoldtheory.ledger import Evidence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = "bias-attenuation"
QUANTITIES = (("direction-bias", "directional bias"), ("kl-divergence", "divergence from uniform (KL, nats)"))


def draw_attenuation(evidence: Sequence[Evidence]) -> "Figure | None":
    """Both quantities against E t² on logarithmic axes, where a bias is predicted at all (not on spheres)."""
    records = [
        record
        for record in simulated(evidence, CLAIM, *(name for name, _ in QUANTITIES))
        if record.measured and record.measured > 0 and record.predicted != 0
    ]
    drawn = [(name, label, ladders) for name, label in QUANTITIES if (ladders := by_subject(records, name))]
    if not drawn:
        return None
    looks = style.looks(record.subject or "–" for record in records)
    figure = style.new_figure(4.2 * len(drawn), 3.4)
    for index, (_, label, ladders) in enumerate(drawn):
        axes = figure.add_subplot(1, len(drawn), index + 1)
        for subject, ladder in ladders.items():
            look = looks[subject]
            plot_prediction(axes, ladder, color=look.colour, linewidth=0.8, alpha=0.75)
            plot_points(axes, ladder, color=look.colour, marker=look.marker)
        style.log_axis(axes, "x")
        style.log_axis(axes, "y")
        axes.set_xlabel("E t² of the radial law")
        axes.set_ylabel(label)
        style.panel_title(axes, "AB"[index], label.partition(" (")[0])
    figure.axes[0].legend(handles=style.subject_handles(looks), loc="upper left", handletextpad=0.3)
    return figure
