"""Carries bugs back along the policy's runs: a state whose run meets a bug is a bug, too.

The actions up to there and the better run from there on prove it. Who is spared the oracles is
decided in the ledger, in order; judges only save the work where they can tell before. Whether a
carried claim is a bug is up to the checker, as ever.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from bugsieve import _native
from bugsieve.base.wording import counted
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.certificate import KnownRun
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.judging.cases import StateCase
from bugsieve.pipeline.judging.findings import CostBugRow
from bugsieve.pipeline.objectives.objective import Objective, path_states
from bugsieve.tasks.grounded.task import StateArray


def carried_back(
    objective: Objective, case: StateCase, run: KnownRun, steps: int, row: CostBugRow
) -> Verdict | None:
    """The verdict on the case, by a bug that its run meets after so many steps."""
    plan = (*run.part["operators"][:steps], *plan_of(row.bug))
    value = objective.plan_value(case.state, plan)
    if not objective.is_bug(run.value, value):
        return None
    reason = (
        f"carried back from test state {row.case}, to which the policy goes in "
        f"{counted(steps, 'step')}: {row.bug.reason}"
    )
    gap = objective.gap(run.value, value)
    return Verdict(Outcome.BUG, reason, plan, value, gap, objective.is_final(value))


def plan_of(bug: Bug) -> tuple[int, ...]:
    """The better run in the proof of a bug."""
    return tuple(bug.certificate["plan"]["operators"])


class Passages:
    """The states that runs of known cases pass, and when; those of unknown value say nothing."""

    def __init__(self, bench: Bench) -> None:
        self._task = bench.task
        self._registry = _native.StateRegistry(bench.task.native)
        self._starts: dict[int, int] = {}
        """The cases that begin in states."""
        self._passing: list[array[int]] = []
        """By state: the cases whose runs pass it, each with the number of steps to there."""

    def keep(self, case: StateCase, run: KnownRun) -> list[tuple[int, int]]:
        """Remember a run; returns the known cases that it meets, each after how many steps."""
        if np.isnan(run.value):
            return []
        path = path_states(self._task, case.state, tuple(run.part["operators"]))
        places, first = np.unique(self._registry.insert(path), return_index=True)
        passed = sorted(zip(first.tolist(), places.tolist(), strict=True))
        self._passing += (array("q") for _ in range(len(self._registry) - len(self._passing)))
        for steps, place in passed:
            self._passing[place].extend((case.number, steps))
        self._starts[passed[0][1]] = case.number
        return [(self._starts[place], n) for n, place in passed[1:] if place in self._starts]

    def through(self, state: StateArray) -> Iterator[tuple[int, int]]:
        """The cases whose runs pass the state, each with the number of steps to there."""
        place = int(self._registry.find(state.reshape(1, -1))[0])
        numbers = iter(self._passing[place].tolist() if place >= 0 else ())
        return zip(numbers, numbers, strict=True)


class Spared:
    """Which states a judge need not put to oracles: the policy runs from them into bugs that the
    same judge has proven at earlier visits."""

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._plans: dict[int, tuple[int, ...]] = {}
        """Better runs by the ids of states in the source of runs."""

    def note(self, suspects: Suspects, row: int, bug: Bug) -> None:
        """Remember a bug."""
        self._plans[int(suspects.runs.paths[row][0])] = plan_of(bug)

    def waves(self, suspects: Suspects) -> Iterator[list[int]]:
        """The rows that oracles have to judge, in parts: bugs of one may spare those after it."""
        paths = [path.tolist() for path in suspects.runs.paths]
        rows = {path[0]: row for row, path in enumerate(paths)}
        earlier = [
            {rows[place] for place in path[1:] if rows.get(place, row) < row}
            for row, path in enumerate(paths)
        ]
        waiting = set(range(len(suspects)))
        while waiting:
            ready = sorted(row for row in waiting if waiting.isdisjoint(earlier[row]))
            if asked := [row for row in ready if not self._meets_bug(suspects, row, paths[row])]:
                yield asked
            waiting.difference_update(ready)

    def _meets_bug(self, suspects: Suspects, row: int, path: list[int]) -> bool:
        value = float(suspects.values[row])
        for steps, place in enumerate(path[1:], 1):
            rest = self._plans.get(place)
            if rest is not None:
                plan = (*suspects.runs.plan(row)[:steps], *rest)
                better = self._objective.plan_value(suspects.states[row], plan)
                if self._objective.is_bug(value, better):
                    return True
        return False
