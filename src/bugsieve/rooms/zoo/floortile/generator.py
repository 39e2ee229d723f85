"""Floortile: robots paint the tiles of a floor in a chequered pattern and must not lock up."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.grids import Cell, rectangle
from bugsieve.rooms.zoo.options import GeneratorOptions, count
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "robots paint floor tiles and cannot walk on painted ones (action costs)"

COLORS = ("white", "black")


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the painted area; one more row at the bottom stays unpainted."""

    rows: int = count(2, "rows of tiles to be painted", maximum=100)
    columns: int = count(3, "tiles in a row", maximum=100)
    robots: int = count(1, "number of robots, at most one for each column")

    def _check_together(self) -> None:
        self._at_most("robots", self.columns, "the number of columns")


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable by painting row by row, the top one first.

    Robots need no identity, as each can change its color, so they can take up any set of tiles
    of the connected unpainted part. Lined up in the row below the one to be painted they paint
    above themselves, the last one walks on to the tiles that are left, and all go down a row.
    """
    tiles = rectangle(options.rows + 1, options.columns)  # row 0 is the bottom row
    robots = numbered("robot", options.robots)
    places = dict(zip(robots, rng.sample(tiles, len(robots)), strict=True))
    init = [f"(available-color {color})" for color in COLORS]
    for robot, tile in places.items():
        init += [f"(robot-at {robot} {_name(tile)})", f"(robot-has {robot} {rng.choice(COLORS)})"]
    taken = set(places.values())
    init += [f"(clear {_name(tile)})" for tile in tiles if tile not in taken]
    init += [atom for tile in tiles for atom in _adjacency(tile, options)]
    shift = rng.integer(0, 1)
    goal = [
        f"(painted {_name(tile)} {COLORS[(sum(tile) + shift) % 2]})" for tile in tiles if tile[0]
    ]
    return PddlProblem(
        objects={"tile": [_name(tile) for tile in tiles], "robot": robots, "color": COLORS},
        init=init,
        goal=goal,
        has_costs=True,
    )


def _adjacency(tile: Cell, options: Options) -> list[str]:
    """The atoms that relate the tile to the next one in its row and to the one above it."""
    row, column = tile
    atoms = []
    if column + 1 < options.columns:
        other = _name((row, column + 1))
        atoms += [f"(right {other} {_name(tile)})", f"(left {_name(tile)} {other})"]
    if row < options.rows:
        other = _name((row + 1, column))
        atoms += [f"(up {other} {_name(tile)})", f"(down {_name(tile)} {other})"]
    return atoms


def _name(tile: Cell) -> str:
    return f"tile_{tile[0]}-{tile[1] + 1}"
