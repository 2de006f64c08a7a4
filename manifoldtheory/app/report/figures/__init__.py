"""The figures of the report, each drawn from evidence records alone; one without evidence is left out."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from manifoldtheory.app.report.figures.attenuation import draw_attenuation
from manifoldtheory.app.report.figures.comparison import draw_comparison
from manifoldtheory.app.report.figures.directions import draw_directions
from manifoldtheory.app.report.figures.scaling import draw_scaling
from manifoldtheory.app.report.style import FAINT, INK, styled
from manifoldtheory.ledger import Evidence
from manifoldtheory.ledger.runs import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class FigureKind:
    """A figure the report knows to draw: for which claim, with which caption, and how."""

    name: str
    claim: str
    title: str
    caption: str
    _draw: "Callable[[Sequence[Evidence]], Figure | None]"

    def draw(self, evidence: Sequence[Evidence]) -> "Figure | None":
        """The figure in the report's style, or ``None`` when its evidence is absent."""
        with styled():
            return self._draw(evidence)


FIGURES = {
    kind.name: kind
    for kind in (
        FigureKind(
            "energy-comparison",
            "energy-concentration",
            "R_energy, synthetic and real",
            "Gradient energy per dimension in the tangent space over that in matched subspaces of its complement. "
            "A: on manifolds, against the radius t of the cloud; lines are the prediction, points the measurement with "
            "its 95 % interval, open points and dashed lines have ambient noise. B: in the transformer over training, "
            "on the same axis; lines are medians over layers (and linear maps), bands their range. C: B magnified, "
            "with each layer as a thin line. R_activation is the confound: the same ratio of the activations themselves. "
            "R = 1 is no concentration.",
            draw_comparison,
        ),
        FigureKind(
            "scaling",
            "tangent-normal-scaling",
            "Tangent and normal parts of a displacement",
            "A: root mean square over directions of the tangent and the normal part of a displacement of ambient "
            "radius t; lines are the prediction. B: fitted exponent less the predicted one, with its 95 % interval.",
            draw_scaling,
        ),
        FigureKind(
            "directions",
            "curvature-bias",
            "Density of directions at fixed radius",
            "Density of directions relative to uniform, measured (points, 95 % intervals) and predicted (lines). "
            "For surfaces against the direction's angle in the tangent frame; above dimension 2 measured against "
            "predicted, where the diagonal is agreement.",
            draw_directions,
        ),
        FigureKind(
            "attenuation",
            "bias-attenuation",
            "The bias fades as the cloud concentrates",
            "Directional bias and divergence from uniform over a ladder of concentrated radial laws; points with "
            "95 % intervals are measured, lines predicted.",
            draw_attenuation,
        ),
    )
}
"""The figures by name, in the order of the report."""


def save(figure: "Figure", folder: Path, name: str) -> list[Path]:
    """Writes the figure as SVG and PNG and returns both paths; the same evidence gives the same SVG, byte by byte."""
    paths = []
    for suffix, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
        path = folder / f"{name}.{suffix}"
        write_atomically(path, _render(figure, suffix, metadata, transparent=False))
        paths.append(path)
    return paths


def inline_svg(figure: "Figure") -> str:
    """The figure as an ``<svg>`` element for a page: no background, and ink in the colour of the page's text."""
    text = _render(figure, "svg", {"Date": None, "Creator": None}, transparent=True).decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return text.replace(INK, "currentColor").replace(FAINT, "var(--faint)")


def _render(figure: "Figure", suffix: str, metadata: Mapping[str, str | None], *, transparent: bool) -> bytes:
    buffer = io.BytesIO()
    with styled():
        figure.savefig(buffer, format=suffix, metadata=metadata, transparent=transparent)
    return buffer.getvalue()
