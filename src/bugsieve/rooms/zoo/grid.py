"""Cells in rows and columns: what pictures of grids have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bugsieve.pictures.scene import Words
from bugsieve.pictures.shapes import Circle, Rectangle, Shape, label
from bugsieve.rooms.zoo.layouts import STEPS, Spot, by_directions, by_numbers

CELL = 40.0
MOST_CELLS = 240
_MARGIN = 6.0


@dataclass(frozen=True)
class Grid:
    """Cells with their columns and rows."""

    spots: Mapping[str, Spot]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        columns, rows = (max(spot[axis] for spot in self.spots.values()) + 1 for axis in (0, 1))
        return columns * CELL + 2 * _MARGIN, rows * CELL + 2 * _MARGIN

    def corner(self, cell: str) -> tuple[float, float]:
        """The upper left corner of a cell."""
        column, row = self.spots[cell]
        return _MARGIN + column * CELL, _MARGIN + row * CELL

    def middle(self, cell: str) -> tuple[float, float]:
        """The middle of a cell."""
        x, y = self.corner(cell)
        return x + CELL / 2, y + CELL / 2

    def cells(self, roles: Mapping[str, str]) -> list[Shape]:
        """All cells, those with a role a little smaller, so that their lines do not overlap."""
        return [
            Rectangle(
                cell, *self._inset(cell, 2), CELL - 4, CELL - 4, role=roles[cell], tone="ground"
            )
            if roles.get(cell)
            else Rectangle(cell, *self.corner(cell), CELL, CELL, tone="ground")
            for cell in self.spots
        ]

    def round_thing(self, name: str, cell: str, role: str, text: str = "") -> list[Shape]:
        """A thing that moves by itself."""
        x, y = self.middle(cell)
        thing = Circle(name, x, y, CELL * 0.36, role=role, tone="dark")
        return [thing, label(f"{name} name", text or name, x, y, CELL * 0.6, size=11.0)]

    def square_thing(self, name: str, cell: str, role: str, text: str = "") -> list[Shape]:
        """A thing that others move."""
        side = CELL - 14
        thing = Rectangle(name, *self._inset(cell, 7), side, side, role=role)
        return [thing, label(f"{name} name", text or name, *self.middle(cell), side, size=11.0)]

    def _inset(self, cell: str, by: float) -> tuple[float, float]:
        x, y = self.corner(cell)
        return x + by, y + by


def connected_grid(words: Words, predicate: str = "connected") -> Grid | None:
    """The grid of a relation between neighbours, by the numbers in the names of its cells."""
    pairs = [pair for pair in words.static_of(predicate) if len(pair) == 2]
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if not 2 <= len(names) <= MOST_CELLS:
        return None
    spots = by_numbers(names, [(one, two) for one, two in pairs])
    return None if spots is None else Grid(spots)


def directed_grid(edges: Iterable[tuple[str, str, str]]) -> Grid | None:
    """The grid of edges (here, there, direction), in which a direction is a word with up, …"""
    named = [(here, there, _direction(word)) for here, there, word in edges]
    spots = by_directions(named)
    return None if not spots or len(spots) > MOST_CELLS else Grid(spots)


def _direction(word: str) -> str:
    return next((name for name in STEPS if name in word), "")
