"""Runs as frames: drawn once, then as elements of the page and as data for its script.

The first frame of a run travels whole, each later one as what differs from the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from bugsieve.campaigns.exhibits import Track
from bugsieve.pictures import Drawing, draw_run
from bugsieve.pictures.shapes import Shape, as_json
from bugsieve.pictures.strips import when
from bugsieve.pictures.svg import class_of
from bugsieve.reports.markup import Markup, element, joined, shown

MOST_STEPS = 500
"""Steps of a run that the slider shows from the start on; the decision and the end always are."""
AROUND = 3
"""Steps of the strip before the decision and after it."""


@dataclass(frozen=True, eq=False)
class Moment:
    """A state that is shown."""

    index: int
    action: str
    """The action that leads there from the state before; empty for the first one."""
    words: str
    """The changes there, and what is known of it."""
    drawing: Drawing | None


@dataclass(frozen=True, eq=False)
class DrawnTrack:
    """A run whose states are drawn."""

    track: Track
    moments: Sequence[Moment]
    note: str = ""
    """The reason why the picture is another one than was meant."""
    legend: Sequence[str] = ()
    """The meanings of its lines and signs."""
    beside: Sequence[DrawnTrack] = ()
    """The runs that are shown with it, in the same size."""

    @property
    def count(self) -> int:
        """The number of states that the run has; that in which a loop closes counts once."""
        return len(self.track) - self.closes

    @property
    def closes(self) -> bool:
        """Return true if the last state is an earlier one."""
        return self.track.loop_start is not None

    @property
    def back_to(self) -> str:
        """The place where a loop goes on after its last step."""
        start = self.track.loop_start
        return f"back to the state {when(start)}" if start else "back to the start"

    @property
    def drawings(self) -> list[Drawing]:
        """The drawings of all moments."""
        return [one.drawing for one in self.moments if one.drawing is not None]

    @cached_property
    def size(self) -> tuple[float, float] | None:
        """The size that all drawings fit into, those beside it too; None where there are none."""
        if not self.drawings:
            return None
        drawings = [one for track in (self, *self.beside) for one in track.drawings]
        return max(one.width for one in drawings), max(one.height for one in drawings)

    def together(self, tracks: Sequence[DrawnTrack]) -> DrawnTrack:
        """The same, shown with these."""
        return replace(self, beside=tracks)

    def strip(self) -> list[Moment]:
        """The start, the moments around the decision, and the end."""
        wanted = _wanted(self.track, self.count)
        return [moment for moment in self.moments if moment.index in wanted]


def drawn_track(track: Track, picture: str | None, beside: Sequence[Track] = ()) -> DrawnTrack:
    """The run with pictures of its states, on the scale of those that are shown with it."""
    kept = _kept(track)
    words, note = [""] * len(kept), ""
    legend: tuple[str, ...] = ()
    drawings: list[Drawing | None] = [None] * len(kept)
    if track.subject is not None:
        others = [_states(one) for one in beside if one.subject is track.subject]
        run = draw_run(track.subject, _states(track), picture=picture, beside=others)
        words = [frame.sentence for frame in run.frames]
        drawings = [frame.drawing for frame in run.frames]
        note, legend = run.note, run.legend
    moments = [
        Moment(index, track.actions[index - 1] if index else "", _said(track, index, said), drawn)
        for index, said, drawn in zip(kept, words, drawings, strict=True)
    ]
    return DrawnTrack(track, moments, note, legend)


def _kept(track: Track) -> list[int]:
    """The states that are drawn; that in which a loop closes is drawn already."""
    count = len(track) - (track.loop_start is not None)
    return sorted({*range(min(count, MOST_STEPS + 1)), *_wanted(track, count)})


def _states(track: Track) -> list[Any]:
    return [track.states[index] for index in _kept(track)]


def _wanted(track: Track, count: int) -> set[int]:
    """The states of the strip."""
    place = track.marked
    around = range(0) if place is None else range(place - AROUND, place + AROUND + 1)
    if place is None:
        around = range(2 * AROUND + 1)
    return {0, count - 1, *(index for index in around if 0 <= index < count)}


def _said(track: Track, index: int, sentence: str) -> str:
    note = track.notes[index] if index < len(track.notes) else ""
    return "; ".join(part for part in (sentence, note) if part)


@dataclass(eq=False)
class Shapes:
    """Writes drawings as SVG; a shape that was written before is only named again."""

    _known: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Shapes:
        """Another one that knows the same."""
        return Shapes(dict(self._known))

    def svg(self, drawing: Drawing, size: tuple[float, float], label: str) -> Markup:
        """The drawing as an element that says what it shows."""
        shapes = joined(*map(self._shape, drawing.shapes))
        box = f"0 0 {_number(size[0])} {_number(size[1])}"
        return element("svg", shapes, viewBox=box, role="img", aria_label=label)

    def _shape(self, shape: Shape) -> Markup:
        text = _attributes(shape)
        known = self._known.get(text)
        if known is not None:
            return Markup(f'<use href="#{known}"/>')
        name = self._known[text] = f"s{len(self._known):x}"
        tag, rest = text.split(" ", 1)
        return Markup(f'<{tag} id="{name}" {rest}')


_FORMS: Mapping[str, str] = {
    "r": 'rect x="{}" y="{}" width="{}" height="{}" rx="3" class="{}"/>',
    "c": 'circle cx="{}" cy="{}" r="{}" class="{}"/>',
    "l": 'line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>',
}


def _attributes(shape: Shape) -> str:
    """The shape as an element, but for its first sign."""
    letter, _, role, tone, *rest = as_json(shape)
    name = class_of(role or tone)
    if letter == "t":
        x, y, size, anchor, text = rest
        return (
            f'text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}"'
            f' class="{name}-text">{joined(text)}</text>'
        )
    if letter == "p":
        points = " ".join(map(str, rest))
        return f'polyline points="{points}" class="{name}"/>'
    return _FORMS[letter].format(*rest, name)


def _number(number: float) -> str:
    return f"{number:g}"


class FrameData:
    """The frames of runs as data for the script: names and styles are numbers there."""

    def __init__(self) -> None:
        self.styles: dict[str, int] = {}

    def track(self, drawn: DrawnTrack) -> dict[str, Any]:
        """A run: its moments, and what is drawn for each."""
        ids: dict[str, int] = {}
        size = drawn.size
        return {
            "title": shown(drawn.track.title),
            "count": drawn.count,
            "marked": drawn.track.marked,
            "mark": shown(drawn.track.mark),
            "loop": drawn.back_to if drawn.closes else "",
            "back": shown(drawn.track.actions[-1]) if drawn.closes else "",
            "ending": shown(drawn.track.ending),
            "size": None if size is None else [round(number, 1) for number in size],
            "at": [moment.index for moment in drawn.moments],
            "actions": [shown(moment.action) for moment in drawn.moments],
            "words": [shown(moment.words) for moment in drawn.moments],
            "frames": list(self._frames(drawn.moments, ids)) if size is not None else [],
        }

    def _frames(self, moments: Iterable[Moment], ids: dict[str, int]) -> Iterator[list[Any]]:
        """For each moment the new or changed shapes, those gone, and their order if it changed."""
        before: dict[int, list[Any]] = {}
        for moment in moments:
            assert moment.drawing is not None
            shapes = dict(self._packed(moment.drawing.shapes, ids))
            gone = [number for number in before if number not in shapes]
            fresh = [shape for number, shape in shapes.items() if before.get(number) != shape]
            order = [number for number in before if number in shapes]
            order += [number for number in shapes if number not in before]
            yield [fresh, gone] if order == [*shapes] else [fresh, gone, [*shapes]]
            before = shapes

    def _packed(
        self, shapes: Iterable[Shape], ids: dict[str, int]
    ) -> Iterator[tuple[int, list[Any]]]:
        for shape in shapes:
            letter, name, role, tone, *rest = as_json(shape)
            number = ids.setdefault(name, len(ids))
            style = self.styles.setdefault(class_of(role or tone), len(self.styles))
            yield number, [number, letter, style, *rest]
