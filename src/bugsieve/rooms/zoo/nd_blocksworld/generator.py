"""Blocksworld with failing moves: a block that is dropped lands on the table and gets costly.

A block falls at most a given number of times. Unsafe are too many blocks on the table, or that
time runs out before the goal; a move takes as long as the block is costly, and one step more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb, perm

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.boxes import starts_option
from bugsieve.rooms.zoo.documents import BoundedVariable, Edge, Model, Start, chance
from bugsieve.rooms.zoo.expressions import (
    Expression,
    conj,
    disj,
    eq,
    ge,
    implies,
    ite,
    le,
    minus,
    ne,
    plus,
    smaller,
)
from bugsieve.rooms.zoo.options import GeneratorOptions, count, flag, one_of, require

SUMMARY = "blocks may fall; too many on the table are unsafe, or too much time"

_FAILURE = "failing_probability"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task and what is unsafe."""

    blocks: int = count(5, "number of blocks", minimum=2, maximum=50)
    variant: str = one_of("table", ("table", "time"), "what is limited")
    table: int = count(2, "how many blocks may lie on the table (variant table)")
    time: int = count(16, "time in which the goal must be reached (variant time)")
    failing: bool = flag("whether blocks may fall", default=True)
    max_cost: int = count(1, "how often one block may fall", maximum=100)
    starts: int = starts_option()

    def _check_together(self) -> None:
        is_limit = self.variant == "time" or self.table < self.blocks
        require(
            is_limit, f"table must be below the number of blocks ({self.blocks}), got {self.table}"
        )


def generate(options: Options, rng: Stream) -> Model:
    """Starts are all towers with at most the permitted number of blocks on the table."""
    blocks = _Blocks(options)
    tower = [eq(_on(1), 0), *(eq(_on(k), k - 1) for k in blocks.numbers[1:])]
    return Model(
        summary=SUMMARY,
        actions=blocks.actions(),
        variables=blocks.variables(),
        edges=list(blocks.edges()),
        start=blocks.start(rng),
        goal=conj(*tower),
        unsafe=blocks.unsafe(),
        constants={_FAILURE: 0.1} if options.failing else {},
    )


class _Blocks:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.has_time = options.variant == "time"
        self.number = options.blocks
        self.numbers = range(1, self.number + 1)

    def actions(self) -> list[str]:
        return [_move(b, place) for b in self.numbers for place in self._places(b)]

    def variables(self) -> list[BoundedVariable]:
        """Initially all blocks stand in the reverse of the tower that is the goal."""
        top = self.number
        on = [
            BoundedVariable(
                _on(b), 0, top, (b + 1) % (top + 1), f"what block {b} is on; 0: the table"
            )
            for b in self.numbers
        ]
        heights = [
            BoundedVariable(_height(b), 0, top - 1, top - b, f"blocks below block {b}")
            for b in self.numbers
        ]
        costs = [
            BoundedVariable(_cost(b), 0, self.options.max_cost, 0, f"how often block {b} fell")
            for b in self.numbers
            if self.options.failing
        ]
        time = [BoundedVariable("time", 0, self.options.time, 0)] if self.has_time else []
        return [*on, *heights, *costs, BoundedVariable("on_table", 0, top, 1), *time]

    def unsafe(self) -> Expression:
        if self.has_time:
            return ge("time", self.options.time)
        return ge("on_table", self.options.table + 1)

    def edges(self) -> Iterator[Edge]:
        for block in self.numbers:
            for place in self._places(block):
                yield from self._moves(block, place)

    def start(self, rng: Stream) -> Start:
        if self.options.starts:
            return Start(states=[self._draw(rng) for _ in range(self.options.starts)])
        untouched = [eq(_cost(b), 0) for b in self.numbers if self.options.failing]
        if self.has_time:
            untouched.append(eq("time", 0))
        else:
            untouched.append(le("on_table", self.options.table))
        lying = [ite(eq(_on(b), 0), 1, 0) for b in self.numbers]
        return Start(conj(*untouched, *self._towers(), eq("on_table", plus(*lying))))

    def _places(self, block: int) -> list[int]:
        return [0, *(other for other in self.numbers if other != block)]

    def _moves(self, block: int, place: int) -> Iterator[Edge]:
        tops = [block, place] if place else [block]
        parts: list[Expression] = [ne(_on(other), top) for top in tops for other in self.numbers]
        parts.append(ne(_on(block), place))
        if self.has_time:
            parts.append(le("time", self.options.time - 1))
        moved, action = self._put(block, place), _move(block, place)
        if not (self.options.failing and place):  # nothing falls lower than the table
            yield Edge(action, conj(*parts), chance([], moved))
            return
        most, cost = self.options.max_cost, _cost(block)
        fallen = (self._put(block, 0) | {cost: plus(cost, 1)}, _FAILURE)
        yield Edge(action, conj(*parts, le(cost, most - 1)), chance([fallen], moved))
        yield Edge(action, conj(*parts, eq(cost, most)), chance([], moved))

    def _put(self, block: int, place: int) -> dict[str, Expression]:
        was_lying, is_lying = ite(eq(_on(block), 0), 1, 0), int(place == 0)
        values: dict[str, Expression] = {
            _on(block): place,
            _height(block): plus(_height(place), 1) if place else 0,
            "on_table": minus(plus("on_table", is_lying), was_lying),
        }
        if self.has_time:
            cost = [_cost(block)] if self.options.failing else []
            values["time"] = smaller(plus("time", 1, *cost), self.options.time)
        return values

    def _towers(self) -> list[Expression]:
        """No two blocks on one, and heights that grow, which no circle of blocks allows."""
        single = [
            disj(eq(_on(one), 0), ne(_on(one), _on(other)))
            for one, other in combinations(self.numbers, 2)
        ]
        lying = [implies(eq(_on(b), 0), eq(_height(b), 0)) for b in self.numbers]
        above = [
            implies(eq(_on(b), c), eq(_height(b), plus(_height(c), 1)))
            for b in self.numbers
            for c in self.numbers
        ]
        return [*single, *lying, *above]

    def _draw(self, rng: Stream) -> Mapping[str, int | float]:
        """One of the start states, each equally likely."""
        order = rng.sample(self.numbers, self.number)
        lying = self._draw_towers(rng)
        bottoms = {0, *rng.sample(range(1, self.number), lying - 1)}
        values: dict[str, int | float] = {}
        height = 0
        for place, block in enumerate(order):
            is_bottom = place in bottoms
            values[_on(block)] = 0 if is_bottom else order[place - 1]
            height = 0 if is_bottom else height + 1
            values[_height(block)] = height
        return {**dict(sorted(values.items())), "on_table": lying}

    def _draw_towers(self, rng: Stream) -> int:
        """The number of towers: n!/k! · (n - 1 choose k - 1) ways lead to k of them."""
        most = self.number if self.has_time else self.options.table
        ways = [
            perm(self.number, self.number - k) * comb(self.number - 1, k - 1)
            for k in range(1, most + 1)
        ]
        draw = rng.integer(1, sum(ways))
        towers = 1
        while draw > ways[towers - 1]:
            draw -= ways[towers - 1]
            towers += 1
        return towers


def _on(block: int) -> str:
    return f"on_{block}"


def _height(block: int) -> str:
    return f"height_{block}"


def _cost(block: int) -> str:
    return f"cost_{block}"


def _move(block: int, place: int) -> str:
    return f"move_{block}_to_{place or 'table'}"
