"""The `:constraints` of a case's files: plans must keep them, those that are given and found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bugsieve.base.errors import InternalError
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.monitoring.monitor import NO_LOOP, Monitor
from bugsieve.rooms.rules.monitoring.objective import CONSTRAINTS, Rules
from bugsieve.rooms.rules.monitoring.ruled_task import RuledTask
from bugsieve.rooms.rules.monitoring.traces import RunTraces
from bugsieve.tasks.grounded.task import Task


@dataclass(frozen=True, eq=False)
class Constraints:
    """The demands of a task's constraints on its plans."""

    task: Task

    @cached_property
    def monitor(self) -> Monitor:
        """Reads traces."""
        return Rules.from_spec(self.task, CONSTRAINTS).monitor

    def broken_by(self, plan: Sequence[str]) -> str | None:
        """The first constraint that an executable plan breaks, in words."""
        operators = self._followed(plan)
        states = path_states(self.task, self.task.initial_state, operators)
        trace = RunTraces.of_run(states, operators)
        found = self.monitor.broken(trace, np.array([True]), np.array([NO_LOOP]))[:, 0]
        for rule, is_broken in zip(self.monitor.rules, found, strict=True):
            if is_broken:
                return f"it breaks {rule.rule.id}: {to_text(rule.rule.formula)}"
        return None

    def _followed(self, plan: Sequence[str]) -> tuple[int, ...]:
        state, operators = self.task.initial_state, []
        for action in plan:
            fitting = [
                one
                for one in self.task.operator_ids(action)
                if self.task.is_applicable(state, [one])[0]
            ]
            if not fitting:
                raise InternalError(f"the grounded task has no operator for {action}")
            operators.append(fitting[0])
            state = self.task.successors(state, fitting[:1])[0]
        return tuple(operators)

    def within(self, task: Task) -> RuledTask:
        """The task, perhaps with other costs, whose plans keep all constraints."""
        return RuledTask(task, self.monitor)
