"""Runs as strips of pictures in one SVG file: what `bugsieve explain --svg` writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from numpy.typing import ArrayLike

from bugsieve.base.notebooks import image_html, line_html
from bugsieve.pictures.runs import Frame, draw_run, telling_steps
from bugsieve.pictures.scene import Subject
from bugsieve.pictures.shapes import Curve, Text, label
from bugsieve.pictures.svg import element, number_text, sheet

_PANEL, _GAP, _MARGIN = 300.0, 34.0, 14.0
_TALLEST = 420.0
_LARGEST = 1.3
"""The factor by which a small picture may be stretched."""
_TITLE, _LINE = 30.0, 18.0
AROUND = 2
"""States shown before a decision and after it."""


@dataclass(frozen=True)
class Panel:
    """A state of a run."""

    frame: Frame
    heading: str
    action: str
    """The action there, with the number of the step, or how the run ends."""
    decision: str = ""
    """The heading in place of it where it is marked, for the step that is taken there."""
    skipped: int = 0
    """States before it that are not shown."""

    @property
    def is_marked(self) -> bool:
        """Return true for the state with the decision to look at."""
        return bool(self.decision)


@dataclass(frozen=True)
class Strip:
    """A run from left to right."""

    title: str
    panels: tuple[Panel, ...]
    note: str = ""
    """The reason why its pictures are others than was meant."""


@dataclass(frozen=True)
class SvgFile:
    """A picture as the text of a file."""

    text: str
    notes: tuple[str, ...] = ()
    """The odd things about it."""


def run_strip(
    title: str,
    subject: Subject,
    states: ArrayLike,
    doings: Sequence[str],
    *,
    focus: int = 0,
    is_marked: bool = True,
    earlier: int = 0,
    picture: str | None = None,
    beside: Sequence[ArrayLike] = (),
) -> Strip:
    """The states of a run around one of them, which may be the decision to mark.

    `doings` has what is done in each state, and in the last one how the run ends; `earlier` is the
    number of steps before the first one; `beside` has the states of the other strips. Step 1 is
    the first action of the run, as in all that is said of it.
    """
    steps = telling_steps(len(doings), focus, AROUND)
    drawn = draw_run(subject, states, picture=picture, steps=steps, beside=beside)
    gaps = [step - before - 1 for before, step in pairwise((-1, *steps))]
    marked, last = focus if is_marked else None, len(doings) - 1
    panels = []
    for frame, step, gap in zip(drawn.frames, steps, gaps, strict=True):
        name = f"step {earlier + step + 1}"
        doing = doings[step] if step == last else f"{name}: {doings[step]}"
        decision = f"{name}: the decision" if step == marked else ""
        panels.append(Panel(frame, state_name(earlier + step), doing, decision, gap))
    return Strip(title, tuple(panels), drawn.note)


def state_name(steps: int) -> str:
    """Name a state of a run: `start`, or `after step 2`."""
    return when(steps) if steps else "start"


def when(steps: int) -> str:
    """The same inside a sentence: `at the start`, or `after step 2`."""
    return f"after step {steps}" if steps else "at the start"


def strips_svg(strips: Sequence[Strip], *, title: str) -> str:
    """All strips below each other, with what changes in words as the description."""
    drawings = [panel.frame.drawing for strip in strips for panel in strip.panels]
    width, tallest = (max(getattr(d, side) for d in drawings) for side in ("width", "height"))
    scale = min(_LARGEST, _PANEL / width, _TALLEST / tallest)
    tallest *= scale
    height = _TITLE + 2 * _LINE + tallest + _MARGIN
    longest = max(len(strip.panels) for strip in strips)
    parts: list[str] = []
    for row, strip in enumerate(strips):
        top = row * height
        parts.append(element(Text("title", _MARGIN, top + _TITLE / 2, strip.title, 15.0, "start")))
        for column, panel in enumerate(strip.panels):
            x = _MARGIN + column * (_PANEL + _GAP)
            parts += _panel(panel, x, top + _TITLE, tallest, scale)
    size = (2 * _MARGIN + longest * (_PANEL + _GAP) - _GAP, len(strips) * height)
    return sheet(size, parts, title=title, description=_description(strips)) + "\n"


def strips_file(strips: Sequence[Strip], *, title: str) -> SvgFile:
    """The same as a file, with each note once."""
    notes = dict.fromkeys(strip.note for strip in strips if strip.note)
    return SvgFile(strips_svg(strips, title=title), tuple(notes))


def strips_image(strips: Sequence[Strip], *, title: str) -> str:
    """The same as an image for notebooks, with a line for each note."""
    notes = dict.fromkeys(strip.note for strip in strips if strip.note)
    image = image_html(strips_svg(strips, title=title), f"{title}. {_description(strips)}")
    return image + "".join(map(line_html, notes))


def _panel(panel: Panel, x: float, y: float, tallest: float, scale: float) -> Iterator[str]:
    middle, bottom = x + _PANEL / 2, y + _LINE + tallest
    if panel.skipped:
        gap = label("gap", f"+{panel.skipped} …", x - _GAP / 2, y + _LINE + tallest / 2, _GAP)
        yield element(gap)
    if panel.is_marked:
        yield _mark(x - 6, y - 2, _PANEL + 12, tallest + 2 * _LINE + 4)
    heading = f"▶ {panel.decision}" if panel.is_marked else panel.heading
    yield element(label("heading", heading, middle, y + _LINE / 2, _PANEL))
    drawing = panel.frame.drawing
    width, height = drawing.width * scale, drawing.height * scale
    place = {"x": middle - width / 2, "y": bottom - height, "width": width, "height": height}
    where = " ".join(f'{name}="{number_text(number)}"' for name, number in place.items())
    box = f"0 0 {number_text(drawing.width)} {number_text(drawing.height)}"
    yield f'<svg {where} viewBox="{box}">'
    yield from map(element, drawing.shapes)
    yield "</svg>"
    yield element(label("action", panel.action, middle, bottom + _LINE / 2, _PANEL))


def _mark(x: float, y: float, width: float, height: float) -> str:
    """A thick frame around a decision."""
    right, low = x + width, y + height
    corners = ((x, y), (right, y), (right, low), (x, low), (x, y))
    return element(Curve("mark", corners, tone="dark")).replace(
        'stroke-width="1.5"', 'stroke-width="5" stroke-linejoin="round"'
    )


def _description(strips: Sequence[Strip]) -> str:
    """A description of each state for screen readers."""
    return " ".join(
        f"{strip.title}: "
        + " ".join(
            f"{panel.heading}: {panel.frame.sentence}; then {panel.action}."
            for panel in strip.panels
        )
        for strip in strips
    )
