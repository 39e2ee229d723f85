"""Things in places: what pictures of rooms, roads, floors and lines have in common.

A member says which places there are and where they lie, which thing is in which place or in which
other thing, and what the goals want where. Places are boxes, things are boxes inside, and what a
goal wants is a dashed box where the thing is to be.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, permutations, starmap
from math import ceil, dist
from typing import NamedTuple, TypeAlias

import numpy as np

from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import Atom, TaskScene
from bugsieve.pictures.shapes import MOST_SHAPES, Curve, Drawing, Rectangle, Shape, Text, label
from bugsieve.rooms.zoo.layouts import Edge, Spot

_TITLE = 16.0
"""The height of a place's name."""
_CHIP = 47.0
"""The least width of a thing."""
_THICK, _THIN, _THIN_FULL = 18.0, 12.0, 15.0
"""The height of a row, its least one, and that where things have others in them."""
_PART, _MOST_CARRIED = 24.0, 5
"""The least width of a thing in another one, and how many are shown there; more are counted."""
_MOST_ROWS = 6

Point: TypeAlias = tuple[float, float]


class Box(NamedTuple):
    """A part of the sheet."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> Point:
        """Its middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def corners(self) -> tuple[Point, ...]:
        """Its four corners."""
        right, low = self.x + self.width, self.y + self.height
        return (self.x, self.y), (right, self.y), (self.x, low), (right, low)

    def wider(self, by: float) -> Box:
        """The same with an edge around it."""
        return Box(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def meets(self, way: Sequence[Point]) -> bool:
        """Return true if a line through these points passes it."""
        return any(self._meets_line(start, end) for start, end in pairwise(way))

    def _meets_line(self, start: Point, end: Point) -> bool:
        """Return true if the shares of the line within its columns and within its rows overlap."""
        first, last = 0.0, 1.0
        sides = ((self.x, self.x + self.width), (self.y, self.y + self.height))
        for here, there, (low, high) in zip(start, end, sides, strict=True):
            if here == there:
                if not low <= here <= high:
                    return False
                continue
            shares = sorted(((low - here) / (there - here), (high - here) / (there - here)))
            first, last = max(first, shares[0]), min(last, shares[1])
        return first <= last


@dataclass(frozen=True)
class Thing:
    """A thing in a place, or in another thing, and the facts that say so or want it."""

    name: str
    where: str
    facts: tuple[Atom, ...]
    tone: str = "thing"
    mark: str = ""
    """A few words after its name."""
    label: str = ""
    """The text on it in place of its name."""

    @property
    def text(self) -> str:
        """The text on it."""
        return f"{self.label or self.name} {self.mark}".strip()


Chips: TypeAlias = list[tuple[Thing, bool]]
"""Things side by side, each with whether it is a wish."""


class PlacesPicture(TaskPicture):
    """Things in places."""

    box_width: float = 104.0
    gap: float = 18.0

    @cached_property
    def spots(self) -> Mapping[str, Spot]:
        """The spots of the places."""
        return self.layout()

    @abstractmethod
    def layout(self) -> Mapping[str, Spot]:
        """The places, each with its column and row."""

    @abstractmethod
    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """The things in their places, those that hold others first."""

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """The things that unmet goals want, in the places where they want them."""
        return ()

    def roads(self) -> Sequence[Edge]:
        """The places that are connected, each pair once."""
        return ()

    @cached_property
    def box_height(self) -> float:
        """Room for a little more than a fair share of all things, and than is there at first."""
        movable = {atom[1] for atom in self.words.possible if len(atom) == 3}
        fair = ceil(1.5 * len(movable - self.spots.keys()) / len(self.spots))
        rows = min(_MOST_ROWS, max(2, fair, self._rows_at_first + 1))
        return _TITLE + rows * _THICK + 6

    @property
    def _rows_at_first(self) -> int:
        """Those of the fullest place in the initial state."""
        scene = TaskScene(self.words, self.task.initial_state[np.newaxis], 0)
        things, across = self.things(scene), _across(self.box_width - 8)
        full = {thing.where for thing in things}
        rows = Counter(thing.where for thing in things if thing.name in full)
        loose = Counter(
            thing.where for thing in (*things, *self.wishes(scene)) if thing.name not in full
        )
        return max(rows[name] + ceil(loose[name] / across) for name in self.spots)

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """Roads below boxes, or over those that they cannot but pass; things inside boxes."""
        boxes, things, wishes = self._boxes, self.things(scene), self.wishes(scene)
        places = [shape for name, box in boxes.items() for shape in _place(name, box)]
        inside = [
            shape
            for name, box in boxes.items()
            for shape in _filled(
                scene,
                box,
                [thing for thing in things if thing.where == name],
                [wish for wish in wishes if wish.where == name],
                things,
            )
        ]
        width = max(box.x + box.width for box in boxes.values()) + self.gap / 2
        height = max(box.y + box.height for box in boxes.values()) + self.gap / 2
        most = MOST_SHAPES - len(places) - len(inside) - 1
        roads = self._roads[: max(0, most)]
        if len(roads) < len(self._roads):
            said = f"and {len(self._roads) - len(roads)} more roads"
            inside.append(Text("more roads", width / 2, height, said, 11.0, tone="faint"))
            height += 16
        below = [road for road in roads if road.tone == "ground"]
        over = [road for road in roads if road.tone == "faint"]
        return Drawing(width, height, (*below, *places, *over, *inside))

    @cached_property
    def _boxes(self) -> dict[str, Box]:
        return {name: self._box(spot) for name, spot in self.spots.items()}

    @cached_property
    def _roads(self) -> list[Curve]:
        return [_road(one, two, self._boxes, self.gap / 3) for one, two in self.roads()]

    def _box(self, spot: Spot) -> Box:
        column, row = spot
        x = self.gap / 2 + column * (self.box_width + self.gap)
        y = self.gap / 2 + row * (self.box_height + self.gap)
        return Box(x, y, self.box_width, self.box_height)


def _place(name: str, box: Box) -> list[Shape]:
    x, _ = box.middle
    return [
        Rectangle(name, *box, tone="ground"),
        label(f"{name} name", name, x, box.y + 10, box.width - 8, size=11.0),
    ]


def _road(one: str, two: str, boxes: Mapping[str, Box], apart: float) -> Curve:
    """Straight, or around places that it would seem to lead to but only passes."""
    straight = boxes[one].middle, boxes[two].middle
    others = [box for name, box in boxes.items() if name not in (one, two)]
    passed = [box.wider(apart) for box in others if box.meets(straight)]
    ways = _ways_around(*straight, passed) if passed else [straight]
    free = (way for way in ways if not any(box.meets(way) for box in others))
    way = next(free, None)
    return Curve(f"{one} {two} road", way or straight, tone="ground" if way else "faint")


def _ways_around(start: Point, end: Point, passed: Sequence[Box]) -> list[tuple[Point, ...]]:
    """Ways by one or two corners of what a straight line passes, the short ones first."""
    corners = [corner for box in passed for corner in box.corners]
    ways = [(start, *via, end) for via in (*permutations(corners, 2), *zip(corners))]
    return sorted(ways, key=lambda way: sum(starmap(dist, pairwise(way))))


def _filled(
    scene: TaskScene,
    box: Box,
    inside: Sequence[Thing],
    wanted: Sequence[Thing],
    things: Sequence[Thing],
) -> Iterator[Shape]:
    """The things of a place: those with something in them have a row of their own."""
    loads = {thing: [other for other in things if other.where == thing.name] for thing in inside}
    room = Box(box.x + 4, box.y + _TITLE + 3, box.width - 8, box.height - _TITLE - 6)
    across, thin = _across(room.width), _THIN_FULL if any(loads.values()) else _THIN
    most = max(1, int(room.height // thin))
    loose = [(thing, False) for thing in inside if not loads[thing]]
    wishes = [(wish, True) for wish in wanted]
    full = [[(thing, False)] for thing in inside if loads[thing]]
    rows = [*full, *_rows([*loose, *wishes], across)]
    left_out = 0
    if len(rows) > most:  # changed things must not be left out
        moved = {thing for thing in inside if _has_moved(scene, thing, loads[thing])}
        loose.sort(key=lambda chip: chip[0] not in moved)
        rows = [*full, *_rows([*loose, *wishes], across)]
        rows.sort(key=lambda row: moved.isdisjoint(thing for thing, _ in row))
        left_out = sum(map(len, rows[most - 1 :]))
        rows = rows[: most - 1]
    height = min(_THICK, room.height / max(1, len(rows) + bool(left_out)))
    for number, row in enumerate(rows):
        width = room.width if row in full else room.width / across
        for place, (thing, is_wish) in enumerate(row):
            x, y = room.x + place * width + 1, room.y + number * height + 1
            chip = Box(x, y, width - 2, height - 2)
            if is_wish:
                name = f"{thing.name} wish {box.x:g} {box.y:g}"
                yield from _chip(chip, thing, name, "open goal")
            else:
                yield from _carrier(scene, chip, thing, loads[thing])
    if left_out:
        x, y = box.middle[0], room.y + (most - 0.5) * height
        yield Text(f"more {box.x:g} {box.y:g}", x, y, f"and {left_out} more", 9.0)


def _has_moved(scene: TaskScene, thing: Thing, load: Sequence[Thing]) -> bool:
    return any(_role(scene, one) == "moved" for one in (thing, *load))


def _across(width: float) -> int:
    return max(1, int(width // _CHIP))


def _rows(chips: Chips, across: int) -> list[Chips]:
    return [chips[begin : begin + across] for begin in range(0, len(chips), across)]


def _carrier(scene: TaskScene, box: Box, thing: Thing, load: Sequence[Thing]) -> Iterator[Shape]:
    """A thing, and boxes inside its box for what is in it."""
    if not load:
        yield from _chip(box, thing, thing.name, _role(scene, thing))
        return
    shown, most = load, min(_MOST_CARRIED, int(box.width // _PART) - 1)
    if len(load) > most:
        shown = sorted(load, key=lambda other: _role(scene, other) != "moved")
        shown = shown[: max(1, most - 1)]
    more = len(load) - len(shown)
    share = box.width / (len(shown) + 1 + bool(more))
    x, y = box.x + share / 2, box.y + box.height / 2
    yield Rectangle(thing.name, *box, role=_role(scene, thing), tone=thing.tone)
    yield label(f"{thing.name} name", thing.text, x, y, share - 3, size=11.0)
    if more:
        x = box.x + box.width - share / 2
        yield label(f"{thing.name} more", f"+{more}", x, y, share - 3, size=11.0)
    for number, other in enumerate(shown):
        inner = Box(box.x + (number + 1) * share, box.y + 2, share - 2, box.height - 4)
        yield from _chip(inner, other, other.name, _role(scene, other))


def _chip(box: Box, thing: Thing, name: str, role: str) -> Iterator[Shape]:
    yield Rectangle(name, *box, role=role, tone=thing.tone)
    x, y = box.x + box.width / 2, box.y + box.height / 2
    size = min(11.0, box.height - 1)
    yield label(f"{name} name", thing.text, x, y, 0.9 * box.width, size=size)


def _role(scene: TaskScene, thing: Thing) -> str:
    """Dashed boxes are wishes: what is there has none, though more may be wanted of it."""
    role = scene.role(*thing.facts)
    return "" if role == "open goal" else role
