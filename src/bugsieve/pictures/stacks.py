"""Blocks in stacks on a table: what the pictures of blocks have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bugsieve.pictures.shapes import Drawing, Line, Rectangle, Shape, Text, label

_WIDTH, _HEIGHT, _GAP = 40.0, 26.0, 6.0
_SMALL = 0.6
"""The size of the blocks that show the goal."""
MOST_BLOCKS = 100


@dataclass(frozen=True)
class Stacks:
    """What stands on what, what is held, and what there is to say of a block."""

    under: Mapping[str, str | None]
    """Block to the block below it; None for the table. Held blocks are not in it."""
    held: Sequence[str] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)


def draw_stacks(
    blocks: Sequence[str], now: Stacks, goal: Stacks, notes: Sequence[tuple[str, str]] = ()
) -> Drawing:
    """The stacks, each where its lowest block belongs, and beside them those of the goal.

    Notes are lines below, each a text with its role.
    """
    room = _Room(blocks, 1.0)
    beside = _Room(blocks, _SMALL)
    left = room.width + _GAP
    shapes: list[Shape] = [*room.drawn(now, 0.0, room.height, "")]
    width = room.width
    if goal.under:
        columns = list(dict.fromkeys(_bottom(goal.under, block) for block in goal.under))
        places = {block: number for number, block in enumerate(columns)}
        width = left + 2 * _GAP + len(columns) * beside.column
        shapes.append(Text("goal name", (left + width) / 2, 9, "goal", 11.0))
        shapes += beside.stacks(goal, left + _GAP, room.height, "goal ", places)
    height = room.height + 8
    for number, (text, role) in enumerate(notes):
        shapes.append(label(f"note {number}", text, width / 2, height + 6, width, role=role))
        height += 16
    return Drawing(width, height, tuple(shapes))


def _bottom(under: Mapping[str, str | None], block: str) -> str:
    """The lowest block of a stack; on a circle, which only a goal could want, any."""
    seen = {block}
    while (below := under.get(block)) is not None and below not in seen:
        seen.add(below)
        block = below
    return block


class _Room:
    """Room for all blocks beside and over each other, and for what is held above."""

    def __init__(self, blocks: Sequence[str], scale: float) -> None:
        self.home = {block: number for number, block in enumerate(blocks)}
        self.scale = scale
        self.column = (_WIDTH + _GAP) * scale
        self.width = self.column * len(blocks) + _GAP
        self.height = 22 + _HEIGHT * scale * (max(3, len(blocks)) + 1)

    def drawn(self, now: Stacks, left: float, ground: float, prefix: str) -> Iterator[Shape]:
        """The table, the stacks, and what is held over its own place."""
        yield Line("table", left, ground, left + self.width, ground, tone="dark")
        yield from self.stacks(now, left + _GAP, ground, prefix, self.home)
        for number, block in enumerate(now.held):
            x = left + _GAP + number * self.column
            middle = x + _WIDTH / 2
            yield Line(f"hand {number}", middle, 0, middle, 4, tone="dark")
            yield from self._block(now, block, x, 4, prefix)

    def stacks(
        self,
        now: Stacks,
        left: float,
        ground: float,
        prefix: str,
        places: Mapping[str, int],
    ) -> Iterator[Shape]:
        """Every block on the one below it."""
        for block in now.under:
            height, below, seen = 1, block, {block}
            while (lower := now.under.get(below)) is not None and lower not in seen:
                height, below = height + 1, lower
                seen.add(lower)
            if now.under.get(below) is not None and below not in now.under:
                continue
            x = left + places.get(below, 0) * self.column
            yield from self._block(now, block, x, ground - height * _HEIGHT * self.scale, prefix)

    def _block(self, now: Stacks, block: str, x: float, y: float, prefix: str) -> Iterator[Shape]:
        width, height = _WIDTH * self.scale, (_HEIGHT - 2) * self.scale
        yield Rectangle(f"{prefix}{block}", x, y, width, height, role=now.roles.get(block, ""))
        text = f"{block}{now.marks.get(block, '')}"
        size = 12.0 * self.scale**0.5
        middle = x + width / 2, y + height / 2
        yield label(f"{prefix}{block} name", text, *middle, width - 4, size=size)
