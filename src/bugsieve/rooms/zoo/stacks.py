"""Blocks in stacks on a table: what the pictures of blocks have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

from bugsieve.pictures.shapes import Drawing, Line, Rectangle, Shape, Text, label

_WIDTH, _HEIGHT, _GAP = 40.0, 26.0, 6.0
_SMALL = 0.6
"""The size of the blocks that show the goal."""
MOST_BLOCKS = 100


Under: TypeAlias = Mapping[str, str | None]
"""Block to the block below it; None for the table. Held blocks are not in it."""


@dataclass(frozen=True)
class Stacks:
    """The thing below each block, the held blocks, and words about blocks."""

    under: Under
    held: Sequence[str] | None = None
    """The blocks in hands; None where there are no hands."""
    roles: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Room:
    """The slots of stacks in the states of a run, by their lowest blocks, and their most."""

    slots: Sequence[Mapping[str, int]]
    columns: int
    rows: int


def room_for(run: Iterable[Under]) -> Room:
    """A stack stays where its lowest block does, and a new one gets the first free slot."""
    slots: list[dict[str, int]] = []
    rows = 1
    for under in run:
        heights = {block: len(_below(under, block)) + 1 for block in under}
        bottoms = [block for block, height in heights.items() if height == 1]
        before = slots[-1] if slots else {}
        now = {block: before[block] for block in bottoms if block in before}
        free = (number for number in count() if number not in set(now.values()))
        for block in bottoms:
            if block not in now:
                now[block] = next(free)
        slots.append(now)
        rows = max(rows, *heights.values(), 1)
    columns = max((slot + 1 for now in slots for slot in now.values()), default=1)
    return Room(slots, columns, rows)


def _below(under: Under, block: str) -> list[str]:
    """The blocks below a block, down to the table; on a circle, which no domain has, each once."""
    found: list[str] = []
    while (lower := under.get(block)) is not None and lower not in found:
        found.append(lower)
        block = lower
    return found


def draw_stacks(
    now: Stacks, room: Room, index: int, goal: Stacks, notes: Sequence[tuple[str, str]] = ()
) -> Drawing:
    """The stacks of a state of a run, and beside them those of the goal.

    Notes are lines below, each a text with its role.
    """
    wanted = room_for([goal.under])
    hands = 0.0 if now.held is None else 1.3
    rows = max(room.rows, _SMALL * wanted.rows, 2) + hands
    ground, left = 6 + rows * _HEIGHT, room.columns * (_WIDTH + _GAP) + _GAP
    shapes: list[Shape] = [Line("table", 0, ground, left, ground, tone="dark")]
    shapes += _stacks(now, room.slots[index], (_GAP, ground), 1.0, "")
    for number, block in enumerate(now.held or ()):
        x = _GAP + number * (_WIDTH + _GAP)
        shapes.append(Line(f"hand {number}", x + _WIDTH / 2, 0, x + _WIDTH / 2, 4, tone="dark"))
        shapes += _block(now, block, (x, 4), 1.0, "")
    width = max(left, 2.5 * _WIDTH)
    if goal.under:
        middle = left + _GAP + wanted.columns * (_WIDTH + _GAP) * _SMALL / 2
        width = 2 * middle - left + _GAP
        top = ground - wanted.rows * _HEIGHT * _SMALL - 9
        shapes.append(Text("goal name", middle, top, "goal", 11.0))
        shapes += _stacks(goal, wanted.slots[0], (left + _GAP, ground), _SMALL, "goal ")
    height = ground + 8
    for number, (text, role) in enumerate(notes):
        shapes.append(label(f"note {number}", text, width / 2, height + 6, width, role=role))
        height += 16
    return Drawing(width, height, tuple(shapes))


def _stacks(
    now: Stacks, slots: Mapping[str, int], corner: tuple[float, float], scale: float, prefix: str
) -> Iterator[Shape]:
    """Every block on the one below it; the corner is the lower left one."""
    left, ground = corner
    for block in now.under:
        below = _below(now.under, block)
        x = left + slots.get(below[-1] if below else block, 0) * (_WIDTH + _GAP) * scale
        y = ground - (len(below) + 1) * _HEIGHT * scale
        yield from _block(now, block, (x, y), scale, prefix)


def _block(
    now: Stacks, block: str, corner: tuple[float, float], scale: float, prefix: str
) -> Iterator[Shape]:
    x, y = corner
    width, height = _WIDTH * scale, (_HEIGHT - 2) * scale
    yield Rectangle(f"{prefix}{block}", x, y, width, height, role=now.roles.get(block, ""))
    text = f"{block}{now.marks.get(block, '')}"
    middle = x + width / 2, y + height / 2
    yield label(f"{prefix}{block} name", text, *middle, width - 4, size=12.0 * scale**0.5)
