"""Infinite traces of a task that satisfy a formula: a way to a state, and a loop through it.

Fairness is not required: any actions that can be repeated for ever count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.errors import InternalError
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.engine.components import components
from bugsieve.rooms.rules.engine.conditions import NO_OPERATOR, Condition, dids_of, letter
from bugsieve.rooms.rules.engine.deciding import Inconclusive, in_time, require_atoms, spent_reason
from bugsieve.rooms.rules.engine.folding import folded
from bugsieve.rooms.rules.engine.liveness import accepting_places
from bugsieve.rooms.rules.engine.tableau import Obligations, Tableau
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search_limits import NO_LIMITS, Limits

_FIRST_PORTION = 500
_GROWTH = 8


@dataclass(frozen=True)
class Lasso:
    """Operators from the first state on; the last state is that before operator `loop_start`."""

    operators: tuple[int, ...]
    loop_start: int
    expanded: int = 0


@dataclass(frozen=True)
class NoLasso:
    """No infinite trace satisfies the formula: all that can be reached was looked at."""

    expanded: int = 0


LassoDecision: TypeAlias = Lasso | NoLasso | Inconclusive


def find_lasso(
    task: Task,
    formula: Formula,
    atoms: Mapping[str, Condition],
    *,
    limits: Limits = NO_LIMITS,
    state: ArrayLike | None = None,
) -> LassoDecision:
    """Decide if an infinite trace from the state satisfies the formula on infinite words.

    An expansion is one of a state together with what the formula demands of it.
    """
    require_atoms(formula, atoms)
    values = (task.initial_state if state is None else task.checked_state(state)).tolist()
    used = {name: atoms[name] for name in atoms_of(formula)}
    graph = PlaceGraph(task, Tableau(folded(task, formula, used, values)), used, values)
    found = in_time(lambda: _search(graph, limits), limits)
    return found or Inconclusive(spent_reason("time", limits), graph.expanded)


def _search(graph: PlaceGraph, limits: Limits) -> LassoDecision:
    portion = _FIRST_PORTION
    while True:
        most = portion if limits.expansions is None else min(portion, limits.expansions)
        is_all = graph.explore(most)
        lasso = graph.lasso()
        if lasso is not None:
            return lasso
        if is_all:
            return NoLasso(graph.expanded)
        if most == limits.expansions:
            return Inconclusive(spent_reason("expansions", limits), graph.expanded)
        portion *= _GROWTH


class LassoPlace(NamedTuple):
    """A state by its number, the kind of the operator that led there, and what must hold."""

    state: int
    did: int
    obligations: Obligations


class LassoStep(NamedTuple):
    """A step to another place, and what it puts off."""

    target: int
    operator: int
    put_off: Obligations


class PlaceGraph:
    """States with obligations, in the order in which they are met, breadth first."""

    def __init__(
        self,
        task: Task,
        tableau: Tableau,
        atoms: Mapping[str, Condition],
        values: Sequence[int],
    ) -> None:
        self._task = task
        self.tableau = tableau
        self._atoms = atoms
        self._registry = _native.StateRegistry(task.native)
        self._successors: dict[int, list[tuple[int, int]]] = {}
        self._letters: dict[tuple[int, int], frozenset[str]] = {}
        dids = sorted({did for condition in atoms.values() for did in dids_of(condition)})
        self._kinds: dict[tuple[bool, ...], int] = {}
        """The first operator of each set of did-parts that it makes true; it stands for all."""
        self._did_sets = [frozenset(did) for did in dids]
        self._kind_of: dict[int, int] = {}
        first = int(self._registry.insert(task.checked_states(values))[0])
        start = LassoPlace(first, self.kind(NO_OPERATOR), tableau.start)
        self.places = [start]
        self._number = {start: 0}
        self._came: list[tuple[int, int]] = [(-1, NO_OPERATOR)]
        self.edges: list[list[LassoStep]] = []

    @property
    def expanded(self) -> int:
        """The number of places whose successors were generated."""
        return len(self.edges)

    def explore(self, most: int) -> bool:
        """Expand up to so many places in all; whether there are no more."""
        while len(self.edges) < len(self.places):
            if len(self.edges) >= most:
                return False
            check_stop()
            number = len(self.edges)
            self.edges.append([*self._expansion(number, self.places[number])])
        return True

    def _expansion(self, number: int, place: LassoPlace) -> Iterator[LassoStep]:
        read = self.letter(place.state, place.did)
        choices = self.tableau.choices(place.obligations, read)
        for operator, after in self.following(place.state) if choices else ():
            for later, put_off in choices:
                target = LassoPlace(after, self.kind(operator), later)
                known = self._number.setdefault(target, len(self.places))
                if known == len(self.places):
                    self.places.append(target)
                    self._came.append((number, operator))
                yield LassoStep(known, operator, put_off)

    def kind(self, operator: int) -> int:
        """An operator that did-parts cannot tell from this one."""
        if operator not in self._kind_of:
            key = tuple(operator in did for did in self._did_sets)
            self._kind_of[operator] = self._kinds.setdefault(key, operator)
        return self._kind_of[operator]

    def letter(self, state: int, kind: int) -> frozenset[str]:
        """The atoms that hold in a state that an operator of the kind led into."""
        key = state, kind
        if key not in self._letters:
            self._letters[key] = letter(self._atoms, self.row(state), kind)
        return self._letters[key]

    def row(self, state: int) -> list[int]:
        """The values of a state."""
        values: list[int] = self._registry.states(_one(state))[0].tolist()
        return values

    def following(self, state: int) -> list[tuple[int, int]]:
        """The operators applicable in a state, each with the number of the state after it."""
        if state not in self._successors:
            rows, operators, _ = self._task.all_successors(self._registry.states(_one(state)))
            after = self._registry.insert(rows).tolist() if len(rows) else []
            self._successors[state] = list(zip(operators.tolist(), after, strict=True))
        return self._successors[state]

    def lasso(self) -> Lasso | None:
        """The lasso that begins earliest, if what was explored has one."""
        inner = [[e for e in edges if e.target < len(self.edges)] for edges in self.edges]
        component = components([[edge.target for edge in edges] for edges in inner])
        fair = accepting_places(inner, self.tableau.eventual)
        if not any(fair):
            return None
        first = component[fair.index(True)]
        return self._through(
            [
                (place, edge)
                for place, edges in enumerate(inner)
                for edge in edges
                if component[place] == component[edge.target] == first
            ]
        )

    def _through(self, edges: Sequence[tuple[int, LassoStep]]) -> Lasso:
        start = min(place for place, _ in edges)
        out: dict[int, list[LassoStep]] = {}
        for place, edge in edges:
            out.setdefault(place, []).append(edge)
        stem = self._way_to(start)
        loop: list[LassoStep] = []
        open_ = set(self.tableau.eventual)
        here = start
        while open_ or not loop:
            step = _nearest(out, here, partial(_helps, open_))
            loop += step
            for edge in step:
                open_ &= edge.put_off
            here = loop[-1].target
        if here != start:
            loop += _nearest(out, here, lambda edge: edge.target == start)
        operators = (*stem, *(edge.operator for edge in loop))
        return Lasso(operators, len(stem), self.expanded)

    def _way_to(self, place: int) -> list[int]:
        way = []
        while place > 0:
            place, operator = self._came[place]
            way.append(operator)
        return way[::-1]


def _one(state: int) -> NDArray[np.int64]:
    return np.array([state], dtype=np.int64)


def _helps(open_: set[Formula], edge: LassoStep) -> bool:
    """Return true if the edge fulfils something open, or if nothing is open."""
    return not open_ or not open_ <= edge.put_off


def _nearest(
    out: Mapping[int, Sequence[LassoStep]], start: int, wanted: Callable[[LassoStep], bool]
) -> list[LassoStep]:
    """A shortest way from a place that ends with a wanted edge; there must be one."""
    came: dict[int, tuple[int, LassoStep] | None] = {start: None}
    queue = deque([start])
    while queue:
        place = queue.popleft()
        for edge in out.get(place, ()):
            if wanted(edge):
                way = [edge]
                while (before := came[place]) is not None:
                    place = before[0]
                    way.append(before[1])
                return way[::-1]
            if edge.target not in came:
                came[edge.target] = place, edge
                queue.append(edge.target)
    raise InternalError("a strongly connected component has a place that cannot be reached")
