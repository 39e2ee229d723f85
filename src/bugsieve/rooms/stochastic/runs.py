"""Runs of a stochastic policy: from each state one that shows what may become of it.

Where the policy reaches the goal with probability 1, that is the likeliest way there. Where it may
fail, it is the likeliest way to a state from which it cannot reach the goal any more, and on from
there. Where a limit leaves that open, it leads to the likeliest state of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.wording import counted
from bugsieve.policies.call_counter import CallCounter
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.distributions import Weights
from bugsieve.policies.policy import Policy
from bugsieve.policies.run_table import Ids, RunTable
from bugsieve.rooms.stochastic.bounds import SCALE, upper_bounds
from bugsieve.rooms.stochastic.graph import ChanceGraph
from bugsieve.rooms.stochastic.part import ReachablePart, explore, path_along
from bugsieve.rooms.stochastic.sampling import sample
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task

_STARTS_AT_ONCE = 32
_ASKS_AT_THE_END = (Ending.SOLVED, Ending.LOOP)


@dataclass(frozen=True, eq=False)
class _Shown:
    """A run that shows what may become of a state."""

    actions: ActionArray
    path: Ids
    ending: Ending
    failure: Failure | None = None
    loop_start: int = 0


@dataclass(frozen=True, eq=False)
class Chance:
    """The known probability of reaching the goal from a state."""

    bound: float
    """The probability is at most that; NaN if nothing below 1 is proven, and 1 if it is 1."""
    rows: tuple[dict[str, Any] | None, ...] = ()
    """The proof, as certificates have it: a row for each state that is met from the start on."""


class ChanceRuns:
    """Runs by the ids of the states they start in."""

    gives_distributions = True
    no_graph = "here distributions count, by which a state has several successors"

    def __init__(self, task: Task, policy: Policy, *, limit: int, seed: int = 0) -> None:
        self.task = task
        self.limit = limit
        self._seed = seed
        self._graph = ChanceGraph(task, policy)
        self._shown: dict[int, _Shown] = {}
        self._sure: dict[int, int] = {}
        """States with probability 1, and the place of the action that begins their run."""
        self._chances: dict[int, Chance] = {}
        self._sampled: dict[int, Failure] = {}

    @property
    def calls(self) -> CallCounter:
        """States that the policy was asked about."""
        return self._graph.calls

    def table(self, states: StateArray, *, step_limit: int) -> RunTable:
        """The runs from the states, each of at most `step_limit` actions."""
        ids = self._graph.register(self.task.checked_states(states))
        self._show(dict.fromkeys(ids.tolist()))
        runs = [self._shown[start] for start in ids.tolist()]
        steps = np.array([len(run.actions) for run in runs], dtype=np.int64)
        endings = np.array([int(run.ending) for run in runs], dtype=np.int8)
        asks = np.array([run.ending not in _ASKS_AT_THE_END for run in runs], dtype=np.bool_)
        cut = steps + asks > step_limit
        endings[cut], steps[cut] = Ending.STEP_LIMIT, np.minimum(steps[cut], step_limit)
        costs = [
            int(self.task.operator_costs[run.actions[:count]].sum(dtype=np.int64))
            for run, count in zip(runs, steps.tolist(), strict=True)
        ]
        return RunTable(ids, endings, steps, np.array(costs, dtype=np.int64), self)

    def paths(self, table: RunTable) -> list[Ids]:
        """The states of each run of the table as ids, from its start to its end."""
        return [self._shown[run].path[: steps + 1] for run, steps in _rows(table)]

    def actions(self, table: RunTable) -> list[ActionArray]:
        """The actions of each run of the table."""
        return [self._shown[run].actions[:steps] for run, steps in _rows(table)]

    def states(self, ids: Ids) -> StateArray:
        """The states behind ids."""
        return self._graph.states(ids)

    def answered(self, ids: Ids) -> tuple[StateArray, list[Weights | Failure]]:
        """Those of the states in which the policy was asked, with its distributions."""
        return self._graph.answered(ids)

    def failure(self, run: int) -> Failure | None:
        """The reason why the run ended before the goal: after a limit, what samples say."""
        shown = self._shown[run]
        if shown.ending is not Ending.STEP_LIMIT:
            return shown.failure
        if run not in self._sampled:
            found = sample(self._graph, run, self._seed)
            sentence = (
                f"it may come to more than {counted(self.limit, 'state')}, so that its "
                f"probability remains open: {found.in_words}"
            )
            self._sampled[run] = Failure(Ending.STEP_LIMIT, sentence)
        return self._sampled[run]

    def loop_start(self, run: int) -> int:
        """After how many steps a looping run first meets the state it comes back to."""
        return self._shown[run].loop_start

    def values(self, table: RunTable) -> NDArray[np.float64]:
        """Upper bounds on the probabilities of reaching the goal; NaN where nothing is proven."""
        bounds = np.array([self.chance(run).bound for run in table.ids.tolist()])
        return np.where(table.endings == Ending.STEP_LIMIT, np.nan, bounds)

    def chance(self, run: int) -> Chance:
        """The known probability from the state in which a run starts."""
        if self._shown[run].ending is Ending.SOLVED:
            return Chance(1.0)
        if run not in self._chances:
            (part,) = explore(self._graph, [run], self.limit)  # from memory
            self._chances[run] = _proof(part)
        return self._chances[run]

    def _show(self, starts: Iterable[int]) -> None:
        waiting = [start for start in starts if start not in self._shown]
        for low in range(0, len(waiting), _STARTS_AT_ONCE):
            new = [s for s in waiting[low : low + _STARTS_AT_ONCE] if not self._is_known(s)]
            for start, part in zip(new, explore(self._graph, new, self.limit), strict=True):
                if not self._is_known(start):
                    self._note(start, part)
            for start in waiting[low : low + _STARTS_AT_ONCE]:
                if start not in self._shown:
                    self._shown[start] = self._run(start, self._sure, Ending.SOLVED)

    def _is_known(self, start: int) -> bool:
        return self._graph.is_goal(start) or start in self._sure or start in self._shown

    def _note(self, start: int, part: ReachablePart) -> None:
        if part.is_sure:
            # As sure from all of its states; which action begins the run from one of them does
            # not depend on the part.
            self._sure.update(part.toward(part.goals))
        elif part.traps:
            self._shown[start] = self._trapped(start, part)
        else:
            excused = part.open - part.unasked
            ends = part.unasked or excused
            run = self._run(start, part.toward(ends), Ending.STEP_LIMIT)
            failure = None if part.unasked else self._graph.choice(int(run.path[-1])).failure
            if failure is not None:
                run = _Shown(run.actions, run.path, failure.ending, failure)
            self._shown[start] = run

    def _run(self, start: int, toward: dict[int, int], ending: Ending) -> _Shown:
        return self._followed(start, path_along(self._graph, start, toward), ending)

    def _trapped(self, start: int, part: ReachablePart) -> _Shown:
        """The likeliest way into a trap, and by the likeliest actions until it repeats or ends."""
        way = path_along(self._graph, start, part.toward(part.traps))
        state = self._after(way[-1]) if way else start
        seen: dict[int, int] = {}
        while state not in seen and (choice := self._graph.choice(state)).ending is None:
            seen[state] = len(way)
            way.append((state, choice.likeliest))
            state = self._after(way[-1])
        if state in seen:
            return self._followed(start, way, Ending.LOOP, loop_start=seen[state])
        choice = self._graph.choice(state)
        assert choice.ending is not None
        return self._followed(start, way, choice.ending, choice.failure)

    def _after(self, step: tuple[int, int]) -> int:
        state, place = step
        return self._graph.choice(state).successors[place]

    def _followed(
        self,
        start: int,
        way: Sequence[tuple[int, int]],
        ending: Ending,
        failure: Failure | None = None,
        *,
        loop_start: int = 0,
    ) -> _Shown:
        actions = [self._graph.choice(state).weights[place][0] for state, place in way]
        path = [start, *map(self._after, way)]
        columns = np.array(actions, dtype=np.int32), np.array(path, dtype=np.int64)
        return _Shown(*columns, ending, failure, loop_start)


def _rows(table: RunTable) -> Iterable[tuple[int, int]]:
    """The start and the number of steps of each run."""
    return zip(table.ids.tolist(), table.steps.tolist(), strict=True)


def _proof(part: ReachablePart) -> Chance:
    """The bound on the probability from the start of a part, with the rows that prove it."""
    bounds = upper_bounds(part) if part.traps else {}
    if part.start not in bounds:
        return Chance(np.nan)
    met = {part.start: None}
    rows: list[dict[str, Any] | None] = []
    waiting = [part.start]
    for state in waiting:
        if state not in bounds:
            rows.append(None)
            continue
        choice = part.graph.choice(state)
        if choice.ending is not None:
            rows.append({"value": 0, "ending": choice.ending.label})
            continue
        weights = [[action, _plain(weight)] for action, weight in choice.weights]
        rows.append({"value": bounds[state], "weights": weights})
        for after in choice.successors:
            if after not in met and not part.graph.is_goal(after):
                met[after] = None
                waiting.append(after)
    return Chance(bounds[part.start] / SCALE, tuple(rows))


def _plain(weight: float) -> int | float:
    """The number with as few digits as it has."""
    return int(weight) if weight.is_integer() and weight < 1e15 else weight
