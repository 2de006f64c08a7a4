"""The figures of the report, each drawn from evidence records alone; one without evidence is left out."""

import io
import re
from collections.abc import Callable, Sequence
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
class Drawing:
    """A drawn figure: the same evidence gives the same SVG, byte by byte."""

    svg: str
    png: bytes

    @classmethod
    def of(cls, figure: "Figure") -> "Drawing":
        """Renders a figure; the style must be in force."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        # Laid out once, here: a figure that has a layout engine is drawn twice by each savefig.
        ConstrainedLayoutEngine().execute(figure)
        svg, png = io.BytesIO(), io.BytesIO()
        figure.savefig(svg, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", metadata={"Software": None})
        return cls(re.sub(r"<metadata>.*?</metadata>", "", svg.getvalue().decode(), flags=re.DOTALL), png.getvalue())

    def save(self, folder: Path, name: str) -> list[Path]:
        """Writes ``<name>.svg``, on white, and ``<name>.png``; returns both paths."""
        opened = re.sub(r"(<svg\b[^>]*>)", rf"\1{_BACKGROUND}", self.svg, count=1)
        contents = {"svg": opened.encode(), "png": self.png}
        for suffix, content in contents.items():
            write_atomically(folder / f"{name}.{suffix}", content)
        return [folder / f"{name}.{suffix}" for suffix in contents]

    @property
    def inline(self) -> str:
        """The ``<svg>`` element for a page: no background, and ink in the colour of the page's text."""
        element = self.svg[self.svg.index("<svg") :]
        return element.replace(INK, "currentColor").replace(FAINT, "var(--faint)")


_BACKGROUND = '<rect width="100%" height="100%" fill="white"/>'


@dataclass(frozen=True)
class FigureKind:
    """A figure the report knows to draw: for which claim, with which caption, and how."""

    name: str
    claim: str
    title: str
    caption: str
    _draw: "Callable[[Sequence[Evidence]], Figure | None]"

    def draw(self, evidence: Sequence[Evidence]) -> "Drawing | None":
        """The figure in the report's style, or ``None`` when its evidence is absent."""
        with styled():
            figure = self._draw(evidence)
            return None if figure is None else Drawing.of(figure)


FIGURES = {
    kind.name: kind
    for kind in (
        FigureKind(
            "energy-comparison",
            "energy-concentration",
            "R_energy, synthetic and real",
            "Gradient energy per dimension in the tangent space over that in matched subspaces of its complement. "
            "On manifolds against the radius t of the cloud: lines are predicted, points measured with 95 % intervals; "
            "open points and dashed lines have ambient noise. In the transformer over training, on the same axis and "
            "magnified: lines are medians over layers (and linear maps), bands their range, thin lines the layers. "
            "The confound of a gradient is the same ratio of the activations that it is made with. R = 1 is no "
            "concentration.",
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
            "Excess density of directions over uniform, measured (points, 95 % intervals) and predicted (lines). "
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


def draw_figure(name: str, evidence: Sequence[Evidence]) -> Drawing | None:
    """Draws a figure by its name; a function that other processes can be sent."""
    return FIGURES[name].draw(evidence)
