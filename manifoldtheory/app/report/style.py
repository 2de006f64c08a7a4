"""How figures look: one palette (colour-blind safe), one set of markers, one font size, the same for every figure."""

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

INK = "#1b1e24"
"""Colour of text, axes and theory; the page replaces it by its own text colour, so figures follow light and dark."""
FAINT = "#b9bec7"
"""Colour of grids and null lines; the page replaces it as well."""

# Okabe and Ito's palette without black and yellow, which vanish on a dark and on a light page.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
LINES = ("-", "--", ":", "-.")

HIDDEN_COLOUR, WEIGHT_COLOUR = "#0072b2", "#d55e00"
# What confounds a gradient has the gradient's hue, lighter.
ACTIVATION_COLOUR, MAP_INPUT_COLOUR = "#6fb7e6", "#e6a15c"

# Subjects keep their look in every figure; one that is not here takes a free look in alphabetical order.
_KNOWN = ("S2", "S5", "torus", "ellipsoid", "cylinder", "monge-3-8", "monge-3-32")

_RC: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.55,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "errorbar.capsize": 1.5,
    "mathtext.fontset": "dejavusans",
    "figure.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "manifoldtheory",
    "savefig.dpi": 180,
}


class Look(NamedTuple):
    """Colour and marker of one subject."""

    colour: str
    marker: str


def in_order(subjects: Iterable[str]) -> list[str]:
    """The distinct subjects: the manifolds that ship in their usual order, then others by name."""
    return sorted(set(subjects), key=lambda name: (_KNOWN.index(name) if name in _KNOWN else len(_KNOWN), name))


def looks(subjects: Iterable[str]) -> dict[str, Look]:
    """A colour and a marker for each subject, the same in every figure for the manifolds that ship."""
    names = in_order(subjects)
    taken = {_KNOWN.index(name) for name in names if name in _KNOWN}
    free = [index for index in range(len(COLOURS)) if index not in taken] or [len(COLOURS) - 1]
    others = [name for name in names if name not in _KNOWN]
    index = {name: free[position % len(free)] for position, name in enumerate(others)}
    index |= {name: _KNOWN.index(name) for name in names if name in _KNOWN}
    return {name: Look(COLOURS[index[name]], MARKERS[index[name]]) for name in names}


def subject_handles(looks: dict[str, Look]) -> list[Any]:
    """Legend entries for subjects."""
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=look.colour, marker=look.marker, linestyle="none", label=subject)
        for subject, look in looks.items()
    ]


@contextmanager
def styled() -> Iterator[None]:
    """The style, inside the block only: a user's own matplotlib settings are left alone."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        yield


def new_figure(width: float, height: float) -> Any:
    """A figure of the given size in inches, outside pyplot and its global list of figures."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def log_axis(axes: Any, axis: str) -> None:
    """Makes the ``"x"`` or ``"y"`` axis logarithmic, with a tick at most at each power of ten.

    Plain text instead of matplotlib's mathematics, and no minor ticks: these take most of the time of a figure.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    (axes.set_xscale if axis == "x" else axes.set_yscale)("log")
    target = axes.xaxis if axis == "x" else axes.yaxis
    target.set_major_locator(LogLocator(10, numticks=8))
    target.set_major_formatter(FuncFormatter(lambda value, _: _power_of_ten(value)))
    target.set_minor_locator(NullLocator())


def _power_of_ten(value: float) -> str:
    exponent = round(math.log10(value)) if value > 0 else 0
    if 0 <= exponent <= 2:
        return f"{10**exponent}"
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def panel_title(axes: Any, letter: str, text: str) -> None:
    """The title of a panel with its letter; no mathematics is read from it, so names from outside are safe."""
    axes.set_title(f"{letter}  {text}", parse_math=False)
