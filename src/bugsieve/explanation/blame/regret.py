"""The decisions of a run that cost something, by their regrets.

The regret of a step is its cost plus the best cost-to-go after it minus that before it; infinite
into a dead end. In a loop the culprit is the first step of the cycle with a regret, otherwise the
first of the run. Cost so far plus best cost-to-go never falls, so that the first regret is found
by bisection where optimal search reaches. Where it does not, the best plans known after
improvement stand in for the best ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.explanation.blame.run_with_plans import Course
from bugsieve.explanation.blame.search_budget import PROOFS, Effort, is_settled
from bugsieve.explanation.blame.states_around_run import Ids, Neighbourhood
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits

PLAN_HINTS: MemberTable[Callable[[Course, int], None]] = MemberTable(families.PLAN_HINTS)
"""They note better plans from a step of a run on, made of those that are known."""

_ROUNDS = (16, 16, 8, 4, 2)
_CLOSING = 12
_SAVED = 4
_SHOWN = 2

GAVE_UP = ("no action", "illegal action", "policy crash")
"""Endings that are a decision, too: one without a usable action."""


@dataclass(frozen=True)
class Suspect:
    """A decision with a regret, which is infinite where it leaves no way to the goal."""

    index: int
    regret: float


@dataclass(frozen=True)
class Culprit:
    """The decision with the first regret, and whether that is proven."""

    index: int
    certain: bool
    suspects: tuple[Suspect, ...]
    """The largest regrets, as far as they are known."""


@dataclass(frozen=True)
class BlameQuestion:
    """The questions to answer beside the culprit."""

    sizes: bool = True
    """True to find how large regrets are, when the culprit is certain already."""
    compares: bool = True
    """True to compare states of the run by dominance, when it is not."""


class CulpritSearch:
    """Looks for the culprit of one run."""

    def __init__(
        self,
        task: Task,
        certificate: Mapping[str, Any],
        limits: Limits,
        asked: BlameQuestion,
    ) -> None:
        start = np.array(certificate["state"], dtype=np.uint16)
        self.course = Course(task, certificate["run"], start)
        self.effort = Effort(task, limits)
        self.course.note(0, tuple(certificate["plan"]["operators"]))
        self._asked = asked
        self._proven: set[int] = set()
        """Steps from which no plan is cheaper than the best one known."""
        self._least: dict[int, float] = {}
        """Proven lower bounds on the cost of plans from a step."""

    def culprit(self) -> Culprit | None:
        """The decision to blame; None if all regrets are 0, and the run is a loop."""
        found = self._in_cycle()
        if found is not None:
            return found
        found = self._first_from(0)
        # Plans that were found from other states may show that the cycle is not a dead end.
        return self._in_cycle() or found

    def _in_cycle(self) -> Culprit | None:
        """The first decision of the cycle that has a regret, if the run ends in one."""
        cycle = self._dear_cycle
        return None if cycle is None else self._first_from(cycle)

    @property
    def _dear_cycle(self) -> int | None:
        """The start of a cycle that costs something, so that one of its steps has a regret."""
        loop, spent = self.course.loop_start, self.course.spent
        return None if loop is None or spent[loop] == spent[-1] else loop

    def way_out(self) -> tuple[int, tuple[int, ...]]:
        """The step at which the best plan known leaves a loop without a culprit, and its rest."""
        course = self.course
        assert course.loop_start is not None
        step, plan = course.loop_start, course.plan(course.loop_start)
        # The plan leads to a goal and the loop never meets one, so it leaves the loop somewhere.
        while plan[0] == course.run[step]:
            plan = plan[1:]
            step = step + 1 if step + 1 < course.last else course.loop_start
        return step, plan

    def _first_from(self, first: int) -> Culprit | None:
        """The first decision from a step on that has a regret; None if there is none."""
        if not self._open(first):
            return None
        if first in self._proven:
            self._bisect(first)
        if self._is_certain(first):
            if not self._asked.sizes:
                return self._named(first)
            self.effort.save(_SAVED)  # only how large the regrets are is left to find out
        self._reach_the_end()
        self._improve(first)
        if not self._is_certain(first):
            if self._asked.compares:
                for note_plans in PLAN_HINTS.values():
                    note_plans(self.course, first)
            self._close_gaps(first)
        return self._named(first)

    def _open(self, first: int) -> bool:
        """Look for the best plan from where to begin; whether there is any."""
        course = self.course
        known = course.cost_to_go(first)
        bound = None if known == inf else int(known)
        found = self.effort.optimal(course.states[first], bound)
        if found.plan is not None:
            course.note(first, found.plan)
        if is_settled(found):
            self._proven.add(first)
            self._at_least(first, course.cost_to_go(first))
        elif bound is None:
            self._look_for_any(first)
        return course.cost_to_go(first) < inf

    def _at_least(self, step: int, cost: float) -> None:
        self._least[step] = max(cost, self._least.get(step, 0))
        if step == self.course.loop_start:
            self._least[self.course.last] = self._least[step]

    @property
    def _floors(self) -> NDArray[np.float64]:
        """A lower bound on the sum of each step; as sums do, it never falls."""
        floors = np.array(self.course.spent, dtype=np.float64)
        for step, cost in self._least.items():
            floors[step] += cost
        return np.maximum.accumulate(floors)

    def _good_and_bad(self, first: int) -> tuple[int, int]:
        """The last step without a regret before it, and the first with one for certain."""
        total = self.course.sums[first]
        good = int(np.searchsorted(self.course.sums[first:], total, side="right")) - 1 + first
        bad = int(np.searchsorted(self._floors, total, side="right"))
        return good, bad

    def _bisect(self, first: int) -> None:
        """Narrow down where the sum first rises above the best one, which is known."""
        settled = True
        while settled:
            good, bad = self._good_and_bad(first)
            if bad == good + 1:
                return
            step = self.course.last if bad > self.course.last else (good + bad) // 2
            settled = self._is_settled(first, step, self.course.sums[first])

    def _is_settled(self, first: int, step: int, total: float) -> bool:
        """Return true if it is known now whether the sum of a step is more than the total."""
        allowance = int(total) - self.course.spent[step]
        if allowance >= 0:
            self._replay(first, step)
        if self.course.sums[step] <= total:
            return True
        found = self.effort.optimal(self.course.states[step], allowance + 1)
        if found.plan is not None:
            self.course.note(step, found.plan)
        elif found.status in PROOFS:
            self._at_least(step, inf if found.status == "unsolvable" else allowance + 1)
        return is_settled(found)

    def _replay(self, first: int, step: int) -> None:
        plan = self.course.replayed(first, step)
        if plan is not None:
            self.course.note(step, plan)

    def _is_certain(self, first: int) -> bool:
        cycle = self._dear_cycle
        if cycle is not None and first != cycle and self._floors[cycle] < inf:
            return False  # it may not be a dead end, and have the culprit
        good, bad = self._good_and_bad(first)
        return first in self._proven and bad == good + 1

    def _reach_the_end(self) -> None:
        """Find some plan from as late a state as possible."""
        far = self.course.last
        self._look_for_any(far)
        while True:
            near = int(np.searchsorted(self.course.sums, inf)) - 1
            far = min(far, int(np.searchsorted(self._floors, inf)))
            if far - near <= 1:
                return
            middle = (near + far) // 2
            self._look_for_any(middle)
            if self.course.sums[middle] == inf:
                far = middle

    def _look_for_any(self, step: int) -> None:
        if self.course.sums[step] < inf or self._floors[step] == inf:
            return
        found = self.effort.any_plan(self.course.states[step])
        if found.plan is not None:
            self.course.note(step, found.plan)
        elif found.status in PROOFS:
            self._at_least(step, inf)

    def _improve(self, first: int) -> None:
        """Find better plans for all steps at once, around the run and the plans known."""
        course, task = self.course, self.course.task
        start = course.states[first]
        course.note(first, self.effort.improved(start, course.plan(first)))
        if Neighbourhood.objection(task) is not None:
            return
        around = Neighbourhood(task)
        ids = around.add_path(course.states[first:], course.run[first:])
        for states, plan in course.known_paths(first):
            around.add_path(states, plan)
        around.settle()
        for part in _ROUNDS:
            self._spread(around, ids, part)
        sums = np.array(around.costs(ids)) + course.spent[first:]
        for place in range(len(ids) - 1, -1, -1):
            if sums[place] < course.sums[first + place]:
                course.note(first + place, around.way(int(ids[place])))

    def _spread(self, around: Neighbourhood, ids: Ids, part: int) -> None:
        before = around.transitions
        expanded = around.spread(around.on_ways(ids), self.effort.expansions(part))
        self.effort.spend_transitions(expanded, around.transitions - before)
        around.settle()

    def _close_gaps(self, first: int) -> None:
        """Ask of the first regrets whether they only come from plans that are not the best."""
        for _ in range(_CLOSING):
            sums = self.course.sums
            good, bad = self._good_and_bad(first)
            if good == self.course.last or bad == good + 1:
                return
            # Either up to where the sum rises again, or for one step.
            flat_end = int(np.searchsorted(sums, sums[good + 1], side="right")) - 1
            if not any(self._close(first, step) for step in (flat_end, good + 1)):
                return

    def _close(self, first: int, step: int) -> bool:
        """Return true if a plan is found that leaves no regret up to a step."""
        course, total = self.course, self.course.sums[first]
        if not self._is_settled(first, step, total):
            allowance = int(total) - course.spent[step]
            found = self.effort.any_plan(course.states[step], allowance + 1)
            if found.plan is not None:
                course.note(step, found.plan)
        return bool(course.sums[step] <= total)

    def _named(self, first: int) -> Culprit | None:
        course = self.course
        good, _ = self._good_and_bad(first)
        is_end = good == course.last
        if is_end and course.loop_start is not None:
            return None
        return Culprit(good, self._is_certain(first), tuple(self._suspects(first))[:_SHOWN])

    def _suspects(self, first: int) -> list[Suspect]:
        """All decisions that seem to have a regret, the largest first."""
        course, sums = self.course, self.course.sums[first:].tolist()
        found = [
            Suspect(first + place, after - before)
            for place, (before, after) in enumerate(pairwise(sums))
            if after > before
        ]
        if course.ending in GAVE_UP and sums[-1] < inf:
            found.append(Suspect(course.last, inf))
        return sorted(found, key=lambda suspect: (-suspect.regret, suspect.index))
