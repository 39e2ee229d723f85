"""Visitall: a robot walks on a grid and has to see certain places."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.grids import Cell, neighbours, rectangle, thinned
from bugsieve.rooms.zoo.options import GeneratorOptions, count, require
from bugsieve.rooms.zoo.problems import PddlProblem

SUMMARY = "a robot visits places of a grid"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the grid, and how much of it there is to see."""

    width: int = count(3, "places from left to right", maximum=100)
    height: int = count(3, "places from top to bottom", maximum=100)
    missing: int = count(0, "places taken out of the grid", minimum=0, maximum=10_000)
    visit: int = count(100, "percentage of the places to be visited", maximum=100)

    def _check_together(self) -> None:
        places = self.width * self.height
        require(places >= 2, "a grid of width 1 and height 1 leaves nothing to visit")
        require(
            self.missing <= places - 2,
            f"missing must leave two of the {places} places, got {self.missing}",
        )


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: the grid is connected, also with places taken out."""
    cells = thinned(rectangle(options.height, options.width), options.missing, rng)
    start = rng.choice(cells)
    others = [cell for cell in cells if cell != start]
    wanted = set(rng.sample(others, max(1, len(others) * options.visit // 100)))
    among = set(cells)
    init = [f"(at-robot {_name(start)})", f"(visited {_name(start)})"]
    init += [
        f"(connected {_name(cell)} {_name(other)})"
        for cell in cells
        for _, other in neighbours(cell, among)
    ]
    goal = [f"(visited {_name(cell)})" for cell in cells if cell in wanted]
    return PddlProblem(objects={"place": [_name(cell) for cell in cells]}, init=init, goal=goal)


def _name(cell: Cell) -> str:
    return f"loc-x{cell[1]}-y{cell[0]}"
