"""Things in places: what pictures of rooms, roads, floors and lines have in common.

A member says which places there are and where they lie, which thing is in which place or in which
other thing, and what the goals want where. Places are boxes, things are boxes inside, and what a
goal wants is a dashed box where the thing is to be.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, hypot
from typing import NamedTuple, TypeAlias

from bugsieve.pictures.layouts import Edge, Spot
from bugsieve.pictures.picture import TaskPicture
from bugsieve.pictures.scene import Atom, TaskScene
from bugsieve.pictures.shapes import MOST_SHAPES, Curve, Drawing, Rectangle, Shape, Text, label

_TITLE = 16.0
"""The height of a place's name."""
_CHIP, _THIN = 47.0, 9.0
"""The least width of a thing, and its least height."""
_THICK = 18.0


_DETOURS = (0.7, -0.7, 1.0, -1.0, 1.4, -1.4)
"""How far around a place a road may lead, in sizes of places."""

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

    def meets(self, way: Sequence[Point]) -> bool:
        """Whether a line through these points passes it, as far as one sees."""
        return any(
            self._holds(x1 + (x2 - x1) * step / 12, y1 + (y2 - y1) * step / 12)
            for (x1, y1), (x2, y2) in pairwise(way)
            for step in range(13)
        )

    def _holds(self, x: float, y: float) -> bool:
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height


@dataclass(frozen=True)
class Thing:
    """What is in a place, or in another thing, and the facts that say so or want it."""

    name: str
    where: str
    facts: tuple[Atom, ...]
    tone: str = "thing"
    mark: str = ""
    """A few words after its name."""
    label: str = ""
    """What is written on it in place of its name."""

    @property
    def text(self) -> str:
        """What is written on it."""
        return f"{self.label or self.name} {self.mark}".strip()


class PlacesPicture(TaskPicture):
    """Things in places."""

    box_width: float = 104.0
    gap: float = 18.0

    @cached_property
    def spots(self) -> Mapping[str, Spot]:
        """Where the places are."""
        return self.layout()

    @abstractmethod
    def layout(self) -> Mapping[str, Spot]:
        """The places, each with its column and row."""

    @abstractmethod
    def things(self, scene: TaskScene) -> Sequence[Thing]:
        """What is where, those that hold others first."""

    def wishes(self, scene: TaskScene) -> Sequence[Thing]:
        """What goals that do not hold want where."""
        return ()

    def roads(self) -> Sequence[Edge]:
        """The places that are connected, each pair once."""
        return ()

    def role_of_place(self, scene: TaskScene, place: str) -> str:
        """What there is to say of a place itself."""
        return ""

    @cached_property
    def box_height(self) -> float:
        """Room for a little more than a fair share of all things."""
        movable = {atom[1] for atom in self.words.possible if len(atom) == 3}
        rows = min(6, max(2, ceil(1.5 * len(movable - self.spots.keys()) / len(self.spots))))
        return _TITLE + rows * _THICK + 6

    def draw_facts(self, scene: TaskScene) -> Drawing:
        """Roads below boxes, things inside them."""
        boxes = self._boxes
        things, wishes = self.things(scene), self.wishes(scene)
        shapes: list[Shape] = []
        for name, box in boxes.items():
            shapes += self._place(scene, name, box)
            inside = [thing for thing in things if thing.where == name]
            wanted = [wish for wish in wishes if wish.where == name]
            shapes += _filled(scene, box, inside, wanted, things)
        roads = self._roads[: MOST_SHAPES - len(shapes)]
        width = max(box.x + box.width for box in boxes.values()) + self.gap / 2
        height = max(box.y + box.height for box in boxes.values()) + self.gap / 2
        return Drawing(width, height, (*roads, *shapes))

    @cached_property
    def _boxes(self) -> dict[str, Box]:
        return {name: self._box(spot) for name, spot in self.spots.items()}

    @cached_property
    def _roads(self) -> list[Curve]:
        return [_road(one, two, self._boxes) for one, two in self.roads()]

    def _box(self, spot: Spot) -> Box:
        column, row = spot
        x = self.gap / 2 + column * (self.box_width + self.gap)
        y = self.gap / 2 + row * (self.box_height + self.gap)
        return Box(x, y, self.box_width, self.box_height)

    def _place(self, scene: TaskScene, name: str, box: Box) -> list[Shape]:
        role = self.role_of_place(scene, name)
        return [
            Rectangle(name, *box, tone="ground", role=role),
            label(
                f"{name} name", name, box.x + box.width / 2, box.y + 10, box.width - 8, size=11.0
            ),
        ]


def _road(one: str, two: str, boxes: Mapping[str, Box]) -> Curve:
    """Straight, or bent where it would seem to lead to a place that it only passes."""
    start, end = boxes[one].middle, boxes[two].middle
    others = [box for name, box in boxes.items() if name not in (one, two)]
    ways = [(start, end), *_bent(start, end, boxes[one])]
    free = (way for way in ways if not any(box.meets(way) for box in others))
    return Curve(f"{one} {two} road", next(free, ways[0]), tone="ground")


def _bent(start: Point, end: Point, box: Box) -> Iterator[tuple[Point, ...]]:
    """Ways around on both sides, the narrow ones first."""
    (x1, y1), (x2, y2) = start, end
    length = hypot(x2 - x1, y2 - y1) or 1.0
    for share in _DETOURS:
        x = (x1 + x2) / 2 - share * box.width * (y2 - y1) / length
        y = (y1 + y2) / 2 + share * box.height * (x2 - x1) / length
        yield start, (x, y), end


def _filled(
    scene: TaskScene,
    box: Box,
    inside: Sequence[Thing],
    wanted: Sequence[Thing],
    things: Sequence[Thing],
) -> Iterator[Shape]:
    """The things of a place: those with something in them have a row of their own."""
    full = [thing for thing in inside if any(other.where == thing.name for other in things)]
    loose = [thing for thing in inside if thing not in full]
    room = Box(box.x + 4, box.y + _TITLE + 3, box.width - 8, box.height - _TITLE - 6)
    across = max(1, int(room.width // _CHIP))
    rows: list[list[tuple[Thing, bool]]] = [[(thing, False)] for thing in full]
    small = [*((thing, False) for thing in loose), *((wish, True) for wish in wanted)]
    rows += [small[begin : begin + across] for begin in range(0, len(small), across)]
    most = max(1, int(room.height // _THIN))
    left_out = sum(map(len, rows[most - 1 :])) if len(rows) > most else 0
    rows = rows[: most - 1] if left_out else rows
    height = min(_THICK, room.height / max(1, len(rows) + bool(left_out)))
    for number, row in enumerate(rows):
        y = room.y + number * height
        width = room.width / (across if len(row) > 1 or row[0][0] not in full else 1)
        for place, (thing, is_wish) in enumerate(row):
            chip = Box(room.x + place * width + 1, y + 1, width - 2, height - 2)
            if is_wish:
                yield from _chip(
                    chip, thing, f"{thing.name} wish {box.x:g} {box.y:g}", "open goal"
                )
            elif thing in full:
                load = [other for other in things if other.where == thing.name]
                yield from _carrier(scene, chip, thing, load)
            else:
                yield from _chip(chip, thing, thing.name, _role(scene, thing))
    if left_out:
        y = room.y + (most - 0.5) * height
        text = f"and {left_out} more"
        yield Text(f"more {box.x:g} {box.y:g}", box.x + box.width / 2, y, text, 9.0)


def _carrier(scene: TaskScene, box: Box, thing: Thing, load: Sequence[Thing]) -> Iterator[Shape]:
    """A thing with others in it: its name, and boxes inside its box."""
    yield Rectangle(thing.name, *box, role=_role(scene, thing), tone=thing.tone)
    share = box.width / (len(load) + 1)
    name = f"{thing.name} name"
    yield label(name, thing.text, box.x + share / 2, box.y + box.height / 2, share - 3, size=11.0)
    for number, other in enumerate(load):
        inner = Box(box.x + (number + 1) * share, box.y + 2, share - 3, box.height - 4)
        yield from _chip(inner, other, other.name, _role(scene, other))


def _chip(box: Box, thing: Thing, name: str, role: str) -> Iterator[Shape]:
    yield Rectangle(name, *box, role=role, tone=thing.tone)
    x, y = box.x + box.width / 2, box.y + box.height / 2
    size = min(11.0, box.height - 1)
    yield label(f"{name} name", thing.text, x, y, box.width - 3, size=size)


def _role(scene: TaskScene, thing: Thing) -> str:
    """Dashed boxes are wishes: what is there has none, though more may be wanted of it."""
    role = scene.role(*thing.facts)
    return "" if role == "open goal" else role
