"""n-puzzle: tiles slide on a grid with one empty cell; slides may fail, which makes tiles costly.

A tile fails at most a given number of times. Unsafe is one tile in one cell, or too many failures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.boxes import starts_option
from bugsieve.rooms.zoo.documents import BoundedVariable, Edge, Model, Start, chance
from bugsieve.rooms.zoo.expressions import (
    Expression,
    conj,
    disj,
    eq,
    ge,
    ite,
    le,
    lt,
    modulo,
    ne,
    plus,
)
from bugsieve.rooms.zoo.options import GeneratorOptions, count, flag, one_of, require

SUMMARY = "tiles slide on a grid; one must not enter a cell, or slides not fail too often"

_DIRECTIONS = {"up": (1, 0), "down": (-1, 0), "left": (0, 1), "right": (0, -1)}
"""From the empty cell to the tile that slides in this direction."""
_FAILURE = "failing_probability"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Cells and tiles are numbered from 1, row by row; in the goal the numbers agree."""

    rows: int = count(3, "rows of the grid", minimum=2, maximum=10)
    columns: int = count(3, "columns of the grid", minimum=2, maximum=10)
    variant: str = one_of(
        "cell", ("cell", "cost"), "unsafe: a tile in a cell, or a high total cost"
    )
    tile: int = count(1, "the tile that must not enter the cell")
    cell: int = count(5, "the cell that the tile must not enter", maximum=100)
    failing: bool = flag("whether slides may fail, each time at the cost of 1", default=True)
    max_cost: int = count(2, "how often one tile may fail", maximum=100)
    limit: int = count(5, "the total cost that is unsafe", maximum=10_000)
    starts: int = starts_option()

    def _check_together(self) -> None:
        cells = self.rows * self.columns
        if self.variant == "cost":
            require(self.failing, "the variant cost needs slides that may fail")
            return
        require(self.tile < cells, f"tile must be one of the {cells - 1} tiles, got {self.tile}")
        require(self.cell <= cells, f"cell must be one of the {cells} cells, got {self.cell}")
        require(self.tile != self.cell, f"tile {self.tile} belongs into cell {self.cell}")


def generate(options: Options, rng: Stream) -> Model:
    """Starts are all configurations from which the goal can be reached."""
    puzzle = _Puzzle(options)
    goal = [eq(_tile(k), k) for k in puzzle.tiles]
    return Model(
        summary=SUMMARY,
        actions=list(_DIRECTIONS),
        variables=puzzle.variables(),
        edges=list(puzzle.edges()),
        start=puzzle.start(rng),
        goal=conj(*goal),
        unsafe=puzzle.unsafe(),
        constants={_FAILURE: 0.1} if options.failing else {},
    )


class _Puzzle:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.cells = options.rows * options.columns
        self.tiles = range(1, self.cells)

    def variables(self) -> list[BoundedVariable]:
        places = [
            BoundedVariable(_tile(k), 1, self.cells, k, f"cell of tile {k}") for k in self.tiles
        ]
        costs = [BoundedVariable(_cost(k), 0, self.options.max_cost, 0) for k in self.tiles]
        empty = BoundedVariable("empty", 1, self.cells, self.cells, "the cell without a tile")
        return [empty, *places, *(costs if self.options.failing else [])]

    def edges(self) -> Iterator[Edge]:
        for empty in range(1, self.cells + 1):
            for action, step in _DIRECTIONS.items():
                cell = self._neighbour(empty, step)
                if cell is not None:
                    for tile in self.tiles:
                        yield from self._slide(action, tile, cell, empty)

    def unsafe(self) -> Expression:
        if self.options.variant == "cell":
            return eq(_tile(self.options.tile), self.options.cell)
        return ge(plus(*map(_cost, self.tiles)), self.options.limit)

    def start(self, rng: Stream) -> Start:
        if self.options.starts:
            return Start(states=[self._draw(rng) for _ in range(self.options.starts)])
        places = [*map(_tile, self.tiles), "empty"]
        different = [ne(one, other) for one, other in combinations(places, 2)]
        free = [eq(_cost(k), 0) for k in self.tiles] if self.options.failing else []
        outside = []
        if self.options.variant == "cell":
            outside.append(ne(_tile(self.options.tile), self.options.cell))
        return Start(conj(*free, *outside, *different, self._is_solvable(places)))

    def _neighbour(self, cell: int, step: tuple[int, int]) -> int | None:
        row, column = divmod(cell - 1, self.options.columns)
        row, column = row + step[0], column + step[1]
        inside = 0 <= row < self.options.rows and 0 <= column < self.options.columns
        return row * self.options.columns + column + 1 if inside else None

    def _slide(self, action: str, tile: int, cell: int, empty: int) -> Iterator[Edge]:
        here = conj(eq("empty", empty), eq(_tile(tile), cell))
        moved: dict[str, Expression] = {_tile(tile): empty, "empty": cell}
        if not self.options.failing:
            yield Edge(action, here, chance([], moved))
            return
        most = self.options.max_cost
        failed = ({_cost(tile): plus(_cost(tile), 1)}, _FAILURE)
        yield Edge(action, conj(here, le(_cost(tile), most - 1)), chance([failed], moved))
        yield Edge(action, conj(here, eq(_cost(tile), most)), chance([], moved))

    def _is_solvable(self, places: Sequence[str]) -> Expression:
        """Every slide swaps two places and moves the empty cell by one: both parities agree."""
        swapped = [ite(lt(later, earlier), 1, 0) for earlier, later in combinations(places, 2)]
        odd = [eq("empty", cell) for cell in range(1, self.cells + 1) if self._is_odd(cell)]
        return eq(modulo(plus(*swapped, ite(disj(*odd), 1, 0)), 2), 0)

    def _is_odd(self, cell: int) -> bool:
        """Return true if the way from the last cell is odd."""
        row, column = divmod(self.cells - cell, self.options.columns)
        return (row + column) % 2 == 1

    def _draw(self, rng: Stream) -> dict[str, int | float]:
        """One of the start states, each equally likely."""
        places = list(range(1, self.cells + 1))
        while True:
            rng.shuffle(places)
            swapped = sum(later < earlier for earlier, later in combinations(places, 2))
            is_solvable = swapped % 2 == self._is_odd(places[-1])
            is_outside = self.options.variant != "cell" or (
                places[self.options.tile - 1] != self.options.cell
            )
            if is_solvable and is_outside:
                return {**{_tile(k): places[k - 1] for k in self.tiles}, "empty": places[-1]}


def _tile(number: int) -> str:
    return f"tile_{number}"


def _cost(number: int) -> str:
    return f"cost_{number}"
