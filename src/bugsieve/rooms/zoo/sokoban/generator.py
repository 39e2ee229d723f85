"""Sokoban: a player pushes stones onto goal squares; a stone in a corner is lost."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from bugsieve.base.errors import UsageError
from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.grids import STEPS, Cell, neighbours, reachable, rectangle, step, thinned
from bugsieve.rooms.zoo.options import GeneratorOptions, count, require
from bugsieve.rooms.zoo.problems import PddlProblem

SUMMARY = "a player pushes stones onto goal squares (pushes cost, moves are free)"

ATTEMPTS = 40


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the room inside its outer walls."""

    rows: int = count(5, "rows of squares", minimum=2, maximum=30)
    columns: int = count(5, "squares in a row", minimum=2, maximum=30)
    stones: int = count(2, "number of stones, and of goal squares", maximum=20)
    walls: int = count(4, "squares inside the room that are walls", minimum=0)
    pulls: int = count(50, "backward moves tried to get stones away from goals", maximum=500)

    def _check_together(self) -> None:
        squares = self.rows * self.columns
        most = squares - 2  # the player and an empty square to pull to
        require(
            self.stones + self.walls <= most,
            f"stones and walls must take at most {most} of the {squares} squares, "
            f"got {self.stones + self.walls}",
        )


@dataclass(frozen=True)
class _Position:
    """Stones and player on a floor; `distance` is from the stones to their nearest goals."""

    floor: tuple[Cell, ...]
    goals: frozenset[Cell]
    stones: frozenset[Cell]
    player: Cell

    @property
    def distance(self) -> int:
        return sum(_distance(stone, self.goals) for stone in self.stones)


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: the stones were pulled from their goals, and each pull backwards is a push."""
    positions = []
    # A room may be so narrow that stones hardly move; the first that is hard enough ends the
    # search, else the best of all attempts is taken.
    for _ in range(ATTEMPTS):
        positions.append(_draw(options, rng))
        if positions[-1].distance >= 2 * options.stones:
            break
    best = max(positions, key=lambda position: position.distance)
    if not best.distance:
        raise UsageError(
            f"no room was found in which a stone can be moved, out of {ATTEMPTS}; "
            "use fewer walls or stones, or a larger room"
        )
    return _problem(best, rng)


def _draw(options: Options, rng: Stream) -> _Position:
    """A random room; of the positions on a random walk of pulls, one farthest from the goals."""
    floor = thinned(rectangle(options.rows, options.columns), options.walls, rng)
    player, *stones = rng.sample(floor, options.stones + 1)
    goals = frozenset(stones)
    best = position = _Position(tuple(floor), goals, goals, player)
    for _ in range(options.pulls):
        pulls = _possible_pulls(position)
        if not pulls:
            break
        position = _pull(position, *rng.choice(pulls))
        best = max(position, best, key=lambda candidate: candidate.distance)
    return best


def _distance(stone: Cell, goals: Collection[Cell]) -> int:
    return min(abs(stone[0] - row) + abs(stone[1] - column) for row, column in goals)


def _possible_pulls(position: _Position) -> list[tuple[Cell, str]]:
    """Stones next to which the player can get, each with a direction in which there is room."""
    free = set(position.floor) - position.stones
    at_hand = reachable(position.player, free)
    return [
        (stone, direction)
        for stone in sorted(position.stones)
        for direction in STEPS
        if step(stone, direction) in at_hand and step(stone, direction, length=2) in free
    ]


def _pull(position: _Position, stone: Cell, direction: str) -> _Position:
    """The player takes one step away from the stone, which follows."""
    stones = position.stones - {stone} | {step(stone, direction)}
    return replace(position, stones=stones, player=step(stone, direction, length=2))


def _problem(position: _Position, rng: Stream) -> PddlProblem:
    """The pulled position as the initial state, with the player anywhere it can walk to."""
    floor, goals = position.floor, position.goals
    player = rng.choice(sorted(reachable(position.player, set(floor) - position.stones)))
    stones = {f"stone{number}": cell for number, cell in enumerate(sorted(position.stones), 1)}
    init = [f"(at player1 {_name(player)})"]
    for stone, cell in stones.items():
        init.append(f"(at {stone} {_name(cell)})")
        init += [f"(at-goal {stone})"] if cell in goals else []
    among = set(floor)
    for cell in floor:
        init.append(f"({'is-goal' if cell in goals else 'is-nongoal'} {_name(cell)})")
        init += [f"(clear {_name(cell)})"] if cell not in {player, *stones.values()} else []
        for direction, other in neighbours(cell, among):
            init.append(f"(move-dir {_name(cell)} {_name(other)} dir-{direction})")
    return PddlProblem(
        objects={
            "player": ["player1"],
            "stone": list(stones),
            "location": [_name(cell) for cell in floor],
            "direction": [f"dir-{direction}" for direction in STEPS],
        },
        init=init,
        goal=[f"(at-goal {stone})" for stone in stones],
        has_costs=True,
    )


def _name(cell: Cell) -> str:
    return f"pos-{cell[0] + 1}-{cell[1] + 1}"
