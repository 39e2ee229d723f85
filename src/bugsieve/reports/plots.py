"""The common parts of all plots: colours, style, and equal files for equal content."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypedDict

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.base.wording import printable_lines
from bugsieve.campaigns.store.schema import explained

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"),
    *("#882255", "#999933", "#AAAAAA"),
)
"""Okabe and Ito's, which all people can tell apart, without the pale yellow; then
three of Tol's for those who need more."""
DASHES = ("-", "--", ":", "-.")
GREY = "#666666"
_NOTE_LETTERS, _NOTE_LINE = 20.0, 0.11
"""Letters of a footnote in an inch, and the height of its lines."""

# No dates and versions: the same content gives the same file.
_METADATA: dict[str, dict[str, None]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_STYLE: dict[str, Any] = {
    "svg.hashsalt": "bugsieve",
    "svg.fonttype": "path",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
}


class Style(TypedDict):
    """The style of a curve."""

    color: str
    linestyle: str


def check_picture_file(path: Path) -> None:
    """UsageError unless the name says what kind of picture it is to be."""
    if path.suffix.lower() not in _METADATA:
        kinds = ", ".join(_METADATA)
        raise UsageError(f"{path}: the name of a picture must end in one of {kinds}")


@contextlib.contextmanager
def picture_style() -> Iterator[None]:
    """Figures must be made and saved inside; UnsupportedError without matplotlib."""
    try:
        from matplotlib import style
    except ImportError:
        raise UnsupportedError(
            "pictures need the package matplotlib: pip install 'bugsieve[plot]'"
        ) from None
    with style.context(["default", _STYLE]):
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def save_picture(figure: Figure, path: Path) -> None:
    """Write the figure to a file of the kind that its name says."""
    check_picture_file(path)
    suffix = path.suffix.lower()
    data = io.BytesIO()
    figure.savefig(data, format=suffix[1:], metadata=_METADATA[suffix])
    with explained(path.parent):
        write_atomically(path, data.getvalue())


def plain_label(text: str) -> str:
    """A name as pictures show it: matplotlib would read what is between two $ as a formula."""
    return printable_lines(text).replace("$", r"\$")


def say_nothing_there(axes: Axes, text: str) -> None:
    """Explain an empty panel."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color="#666666")


def add_footnotes(figure: Figure, notes: Sequence[str]) -> None:
    """Small lines over the legend at the bottom of a figure, wrapped to its width."""
    if notes:
        room = int(_NOTE_LETTERS * figure.get_figwidth())
        lines = [line for note in notes for line in wrap(plain_label(note), room)]
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + _NOTE_LINE * len(lines))
        # As a part of the legend, for which the layout has room: other texts would overlap it.
        legend = figure.legends[-1]
        legend.set_title("\n".join(lines))
        legend.get_title().set(color=GREY, fontsize=6)
