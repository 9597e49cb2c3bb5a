"""One look for every figure of the course: four hues with fixed meanings, greys for data and truth."""

from typing import Any

from matplotlib.figure import Figure

MODEL = "#0072B2"
ERROR = "#D55E00"
REFERENCE = "#009E73"
SECOND = "#CC79A7"
DATA = "#4d4d4d"
TRUTH = "#8c8c8c"

RC: dict[Any, Any] = {
    "figure.facecolor": "white",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlepad": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8c8c8c",
    "axes.labelcolor": "#333333",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#ececec",
    "grid.linewidth": 0.8,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "lines.linewidth": 2.0,
    "lines.solid_capstyle": "round",
    "text.parse_math": True,
    "text.hinting": "no_hinting",  # hinting takes longer than everything else in a moving caption
    "mathtext.fontset": "dejavusans",
}


def headline(figure: Figure, finding: str) -> None:
    """One title over several axes."""
    figure.suptitle(finding, x=0.012, ha="left", fontsize=11, fontweight="bold")
