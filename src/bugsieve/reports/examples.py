"""Each cause with a bug: strips of pictures, what is known, commands to copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bugsieve.base.commands import command_line
from bugsieve.base.pages import json_block
from bugsieve.base.wording import counted
from bugsieve.campaigns.exhibits import Track
from bugsieve.pictures.strips import state_name
from bugsieve.reports.contents import Contents, ShownBug, ShownCause
from bugsieve.reports.frames import DrawnTrack, FrameData, Moment, Shapes, drawn_track
from bugsieve.reports.markup import Markup, element, joined
from bugsieve.reports.panels import printed

_MOST_ALONE = 200
"""Bugs without a cause that are shown by themselves; the table of all bugs has the others, too."""


@dataclass(eq=False)
class PageBudget:
    """The number of bytes that optional parts of the page may take; None for any number."""

    left: int | None
    refused: int = 0
    """Parts that did not fit."""

    def takes(self, size: int) -> bool:
        """Return true if a part of this size goes in; from then on it counts."""
        if self.left is None:
            return True
        if size > self.left:
            self.refused += 1
            return False
        self.left -= size
        return True


@dataclass(eq=False)
class Gallery:
    """Writes examples, and collects the frames for the script."""

    contents: Contents
    budget: PageBudget
    """For pictures."""
    others: PageBudget
    """For causes without pictures."""
    shapes: Shapes = field(default_factory=Shapes)
    data: FrameData = field(default_factory=FrameData)
    runs: dict[str, Any] = field(default_factory=dict)
    """The data that the script gets for each example, by its anchor."""
    anchors: set[str] = field(default_factory=set)
    """Of the causes that are on the page."""

    def section(self) -> Markup | None:
        """All causes of all folders."""
        causes = [*self.contents.causes()]
        drawn = [one for one in causes if one.cause.example.exhibit is not None]
        if not drawn:
            return None
        articles = [self._article(one) for one in drawn]
        self.anchors.update(one.anchor for one in drawn)
        articles += self._rest(causes)
        title = element("h2", "What is wrong", id="examples")
        return element("section", title, *articles, aria_labelledby="examples")

    def _rest(self, causes: Sequence[ShownCause]) -> Iterator[Markup]:
        """Further causes, without pictures, as far as they fit."""
        for one in causes:
            is_listed = bool(one.cause.id) or one.number <= _MOST_ALONE
            if is_listed and one.anchor not in self.anchors:
                article = self._article(one)
                if self.others.takes(len(article.encode())):
                    self.anchors.add(one.anchor)
                    yield article

    def _article(self, shown: ShownCause) -> Markup:
        number, name, chapter, cause = shown
        count = f"{counted(cause.count, 'bug')} · " if cause.id else ""
        examples = [(cause.example, name)]
        examples += ((other.example, f"{name}-{n}") for n, other in enumerate(cause.also, 1))
        first, *others = (self._example(example, place) for example, place in examples)
        also = [
            joined(element("h4", f"also {counted(other.count, 'bug')}: {other.words}"), made)
            for other, made in zip(cause.also, others, strict=True)
        ]
        where = f"{chapter.folder} · " if len(self.contents.chapters) > 1 else ""
        lead = element("span", f"{number}. ", where, count, class_="count")
        heading = element("h3", lead, cause.words)
        return element("article", heading, first, *also, id=name, class_="cause", tabindex="-1")

    def _example(self, example: ShownBug, anchor: str) -> Markup:
        exhibit = example.exhibit
        about = f": {example.about}" if example.about else ""
        where = f" of {example.campaign.name}" if example.campaign.name else ""
        lead = element("p", "as ", element("code", example.bug), f"{where}{about}", class_="as")
        if exhibit is None:
            return joined(lead, self._commands(example, {"explain": ""}))
        sentences = element("ul", *(element("li", line) for line in exhibit.sentences))
        is_shown = self.contents.with_output and exhibit.printed
        output = printed(exhibit.printed) if is_shown else None
        if exhibit.printed and not is_shown:
            hint = "what the policy printed is left out: --with-output shows it"
            output = element("p", hint, class_="hint")
        tracks = self._runs(
            [drawn_track(one, self.contents.picture, exhibit.tracks) for one in exhibit.tracks],
            anchor,
        )
        return joined(lead, tracks, sentences, output, self._commands(example, exhibit.commands))

    def _runs(self, tracks: Sequence[DrawnTrack], anchor: str) -> Markup | None:
        """The strips, and the frames for the script; a sentence where they do not fit."""
        if not tracks:
            return None
        known = self.shapes.copy()
        tracks = [track.together(tracks) for track in tracks]
        strips = joined(*(_strip(track, known) for track in tracks), _legend(tracks))
        told = [self.data.track(track) for track in tracks]
        if not self.budget.takes(len(strips.encode()) + len(json_block(told).encode())):
            return element("p", "its pictures are left out: --full brings them", class_="hint")
        self.shapes, self.runs[f"run-{anchor}"] = known, told
        return element("div", strips, id=f"run-{anchor}", class_="runs")

    def _commands(self, example: ShownBug, commands: Any) -> Markup | None:
        """Commands that hold the folder as it was typed and the id, and nothing else."""
        rows = [
            element(
                "li",
                element("code", command_for(name, example), class_="command"),
                element("span", does, class_="does") if does else None,
            )
            for name, does in commands.items()
        ]
        return element("ul", *rows, class_="commands") if rows else None


def command_for(name: str, example: ShownBug) -> str:
    """A command about a bug, as a shell takes it."""
    return command_line(name, Path(example.campaign.folder), example.bug)


def _legend(tracks: Sequence[DrawnTrack]) -> Markup | None:
    """The meanings of lines and signs, for a reader who has nothing but the page."""
    meanings = dict.fromkeys(meaning for track in tracks for meaning in track.legend)
    said = f"In the pictures: {'; '.join(meanings)}."
    return element("p", said, class_="hint legend") if meanings else None


def _strip(drawn: DrawnTrack, shapes: Shapes) -> Markup:
    """A row of pictures: the start, the decision and what is around it, the end."""
    track = drawn.track
    ending = f"{track.title}: {counted(len(track.actions), 'step')}, {track.ending}"
    title = element("p", ending, class_="track-title")
    note = element("p", drawn.note, class_="hint") if drawn.note else None
    frames = element(
        "ol", *_frames(drawn, shapes), class_="strip", tabindex="0", aria_label=track.title
    )
    return element("div", title, note, frames, class_="track")


def _frames(drawn: DrawnTrack, shapes: Shapes) -> Iterator[Markup]:
    before = -1
    for moment in drawn.strip():
        if moment.index > before + 1:
            between = counted(moment.index - before - 1, "step")
            yield element("li", f"… {between} …", class_="gap")
        before = moment.index
        yield _frame(drawn, moment, shapes)
    if drawn.closes:
        track = drawn.track
        back = f"↩ step {len(track.actions)}: {track.actions[-1]}: {drawn.back_to}, for ever"
        yield element("li", back, class_="gap back")


def _marked(track: Track) -> str:
    """The words for the decision in a state: what it is, not what led there."""
    assert track.marked is not None
    taken = track.actions[track.marked : track.marked + 1]
    return ": ".join((track.mark, *taken))


def _frame(drawn: DrawnTrack, moment: Moment, shapes: Shapes) -> Markup:
    track, size = drawn.track, drawn.size
    is_marked = moment.index == track.marked
    name = state_name(moment.index)
    said = f"{name}: {moment.words}" if moment.words else name
    if moment.drawing is None or size is None:
        picture = element("p", moment.words, class_="words")
    else:
        picture = shapes.svg(moment.drawing, size, said)
    mark = element("span", f"▼ {_marked(track)}", class_="mark") if is_marked else None
    loop = None
    if drawn.closes and moment.index == track.loop_start:
        loop = element("span", "↻ the loop begins", class_="mark")
    reached = f"{name}: {moment.action}" if moment.action else name
    caption = element("span", reached, class_="action")
    looks = "frame marked" if is_marked else "frame"
    note = track.notes[moment.index] if moment.index < len(track.notes) else ""
    known = element("span", note, class_="note") if note else None
    return element("li", mark, loop, picture, caption, known, class_=looks, data_step=moment.index)
