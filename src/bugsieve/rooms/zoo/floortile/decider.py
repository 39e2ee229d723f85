"""Floortile: can the robots paint the remaining tiles without locking themselves out?

Robots can take any colour, so they are interchangeable, and in a connected unpainted region they
can take up any positions. What counts is how many robots each region has. Think backwards: at the
end all tiles of the goal are painted and the robots stand in what is left, which falls into
components. Taking the paint off a tile above or below a component with a robot in it joins the
tile, and what lies beside it, to that component. So "a robot can get there" spreads along a
directed graph of components and tiles: from a component or tile to the unpainted tiles that can
be painted from it, and from a tile to the components beside it. All tiles are reached if and only
if every strongly connected part of that graph without a way into it has a robot. Such a part has a
component to put it in, or the state is a dead end; and the robots of a region must be enough for
all of these parts and find room in the components.
"""

from __future__ import annotations

from collections import Counter

from bugsieve.pipeline.oracles.deciders.decider import Decider
from bugsieve.rooms.zoo.graphs import Graph, components, source_parts
from bugsieve.rooms.zoo.schemas import (
    Action,
    Atoms,
    StripsAction,
    fluents,
    goal_atoms,
    recognised_actions,
)
from bugsieve.tasks.grounded.task import StateArray, Task


def _move(direction: str) -> StripsAction:
    return StripsAction(
        direction,
        "r here there",
        needs=("robot-at r here", f"{direction} there here", "clear there"),
        adds=("robot-at r there", "clear here"),
        deletes=("robot-at r here", "clear there"),
    )


def _paint(direction: str) -> StripsAction:
    return StripsAction(
        f"paint-{direction}",
        "r there here c",
        needs=("robot-has r c", "robot-at r here", f"{direction} there here", "clear there"),
        adds=("painted there c",),
        deletes=("clear there",),
    )


_SCHEMAS = (
    *(_move(direction) for direction in ("up", "down", "left", "right")),
    *(_paint(direction) for direction in ("up", "down")),
    StripsAction(
        "change-color",
        "r old new",
        needs=("robot-has r old", "available-color new"),
        adds=("robot-has r new",),
        deletes=("robot-has r old",),
    ),
)


class FloortileDecider(Decider):
    """Exact for any floor on which all robots can do the same, and go back wherever they go."""

    @classmethod
    def recognise(cls, task: Task) -> FloortileDecider | None:
        """The decider if the task is one of this domain with tiles to be painted."""
        actions = recognised_actions(task, _SCHEMAS)
        goal = goal_atoms(task, "painted")
        if not actions or goal is None:
            return None
        colors = {tile: color for _, tile, color in goal}
        if len(colors) < len(goal) or not _can_change(task, actions, set(colors.values())):
            return None
        robots = {action.arguments[0] for action in actions}
        floors = {robot: _floor(actions, robot, colors) for robot in robots}
        beside, painters = floors[min(robots)]
        alike = all(floor == (beside, painters) for floor in floors.values())
        both_ways = all(here in beside.get(there, ()) for here in beside for there in beside[here])
        along = all(painters[tile] <= beside.get(tile, set()) for tile in painters)
        return (
            cls(task, colors, robots, beside, painters) if alike and both_ways and along else None
        )

    def __init__(
        self,
        task: Task,
        colors: dict[str, str],
        robots: set[str],
        beside: Graph,
        painters: Graph,
    ) -> None:
        self._task = task
        self._colors = colors
        self._robots = robots
        self._beside = beside
        self._painters = painters
        """The tiles where a robot may stand to paint a tile of the goal."""
        self._colored = Atoms(fluents(task)).names("robot-has")

    def solvable(self, state: StateArray) -> bool | None:
        """Return true if every region can be painted by the robots in it."""
        atoms = Atoms(self._task.facts(state))
        standing = dict(atoms.pairs("robot-at"))
        clear = atoms.names("clear")
        painted = dict(atoms.pairs("painted"))
        if not self._is_sound(atoms, standing, clear, painted):
            return None
        todo = {tile for tile, color in self._colors.items() if painted.get(tile) != color}
        free = clear | set(standing.values())
        if not todo <= free:
            return False
        occupied = set(standing.values())
        return all(
            self._is_paintable(region, region & todo, len(region & occupied))
            for region in components(free, self._beside)
            if region & todo
        )

    def _is_sound(
        self,
        atoms: Atoms,
        standing: dict[str, str],
        clear: set[str],
        painted: dict[str, str],
    ) -> bool:
        """Return true if robots and paint are distributed as the domain can produce it."""
        occupied = set(standing.values())
        colors = Counter(robot for robot, _ in atoms.pairs("robot-has"))
        return (
            standing.keys() == self._robots
            and len(occupied) == len(atoms.pairs("robot-at")) == len(standing)
            and len(painted) == len(atoms.pairs("painted"))
            and not occupied & clear
            and not painted.keys() & (clear | occupied)
            and all(colors[robot] == 1 for robot in self._colored)
        )

    def _is_paintable(self, region: set[str], todo: set[str], robots: int) -> bool:
        """Return true if so many robots can paint these tiles of a connected unpainted region."""
        rest = region - todo
        # At the end each robot stands on a tile that is never painted, one robot to a tile.
        if robots > len(rest):
            return False
        # The backward graph of the module's text: components of what stays unpainted are single
        # nodes, as robots move freely inside them.
        node = {tile: tile for tile in todo}  # a component is named by one of its tiles
        for component in components(rest, self._beside):
            node |= dict.fromkeys(component, min(component))
        leads: Graph = {name: set() for name in node.values()}
        for tile in todo:
            for painter in self._painters.get(tile, set()) & region:
                leads[node[painter]].add(tile)
            leads[tile] |= {node[neighbour] for neighbour in self._beside.get(tile, set()) & rest}
        # A source part without tiles to paint needs no robot; one with tiles but without a
        # component has no place from which the last of them could be painted.
        parts = [part for part in source_parts(leads) if part & todo]
        return len(parts) <= robots and all(part - todo for part in parts)


def _floor(actions: list[Action], robot: str, colors: dict[str, str]) -> tuple[Graph, Graph]:
    """The tiles to which a robot can go, and those from which it can paint each goal tile."""
    beside: Graph = {}
    painters: Graph = {}
    for schema, (who, *arguments) in actions:
        if who != robot or schema == "change-color":
            continue
        if schema.startswith("paint-"):
            there, here, color = arguments
            if colors.get(there) == color:
                painters.setdefault(there, set()).add(here)
        else:
            here, there = arguments
            beside.setdefault(here, set()).add(there)
    return beside, painters


def _can_change(task: Task, actions: list[Action], wanted: set[str]) -> bool:
    """Return true if each robot can take every wanted colour, from each of its colours."""
    changes = {arguments for schema, arguments in actions if schema == "change-color"}
    return all(
        color == other or (robot, color, other) in changes
        for robot, color in Atoms(fluents(task)).pairs("robot-has")
        for other in wanted
    )
