"""The policy's run as a course of states, and the best plans known from each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.tasks.grounded.task import StateArray, Task


class Course:
    """The states of a run, what it has cost by then, and the best plan known from each.

    The sum of a step is what the run has cost by then plus the cost of the best plan known from
    there on. It never falls along the run, since a plan from a later state is one from all before
    it. The regret of a step is by how much it raises the sum.
    """

    def __init__(self, task: Task, run: Mapping[str, Any], start: StateArray) -> None:
        self.task = task
        self.ending: str = run["ending"]
        self.run: tuple[int, ...] = tuple(run["operators"])
        self.loop_start: int | None = run["loop_start"] if self.ending == "loop" else None
        self.states = path_states(task, start, self.run)
        steps = task.operator_costs[list(self.run)].astype(np.int64)
        self.spent: list[int] = [0, *np.cumsum(steps).tolist()]
        self.last = len(self.run)
        self._plans: dict[int, tuple[int, ...]] = {}
        self._noted = np.full(self.last + 1, inf)
        if self.ending == "solved":
            self.note(self.last, ())

    @property
    def sums(self) -> NDArray[np.float64]:
        """The sums of all steps; infinite where no plan is known."""
        least: NDArray[np.float64] = np.minimum.accumulate(self._noted[::-1])[::-1]
        return least

    def note(self, step: int, plan: tuple[int, ...]) -> None:
        """Remember a plan from a step, if it is cheaper than what is known."""
        # If it begins as the run goes on, it is one from the next states, too.
        while plan and step < self.last and plan[0] == self.run[step]:
            step, plan = step + 1, plan[1:]
            if step == self.last and self.loop_start is not None:
                step = self.loop_start
        self._keep(step, plan)
        if self.loop_start is not None and self.sums[self.loop_start] < inf:
            self._keep(self.last, self.plan(self.loop_start))
            self._keep(self.loop_start, self.plan(self.last))

    def _keep(self, step: int, plan: tuple[int, ...]) -> None:
        total = self.spent[step] + plan_cost(self.task, plan)
        if total < self.sums[step]:
            self._plans[step] = plan
            self._noted[step] = total

    def cost_to_go(self, step: int) -> float:
        """The cost of the best plan known from a step."""
        return float(self.sums[step]) - self.spent[step]

    def plan(self, step: int) -> tuple[int, ...]:
        """The best plan known from a step, which must have one."""
        best = step + int(self._noted[step:].argmin())
        return self.run[step:best] + self._plans[best]

    def replayed(self, origin: int, step: int) -> tuple[int, ...] | None:
        """The plan from an earlier step without what the run has done since, if that is one.

        It often is: the order of many actions does not matter.
        """
        done = Counter(self.run[origin:step])
        state, rest = self.states[step : step + 1], []
        for operator in self.plan(origin):
            if done[operator]:
                done[operator] -= 1
            elif self.task.is_applicable(state, [operator])[0]:
                rest.append(operator)
                state = self.task.successors(state, [operator])
        return tuple(rest) if self.task.is_goal(state)[0] else None

    def known_paths(self, first: int) -> Iterator[tuple[StateArray, tuple[int, ...]]]:
        """The plans known from states of the run from a step on, with the states along them."""
        for step, plan in self._plans.items():
            if step >= first:
                yield path_states(self.task, self.states[step], plan), plan
