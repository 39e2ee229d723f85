"""`undo-qual`: where every operator can be undone, every failure of the policy is a bug.

If the initial state has a plan, so has every state reached from it: undo the way there, then
follow that plan. The bug is proven by such a concrete plan; where none comes out within the
limits it is reported as implied.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.stopping import check_stop
from bugsieve.pipeline.bench import Bench, Origin, Suspects
from bugsieve.pipeline.bugs.verdict import Verdict, implied, inconclusive, passed
from bugsieve.pipeline.objectives.objective import Objective, path_states
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.tasks.grounded.inverses import Undoing, undoing, way_back
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import greedy


class UndoQual(Oracle):
    """A failure is a bug where every action can be undone."""

    usage = "undo-qual"

    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        """Objectives other than reaching the goal, and operators that may not be undoable."""
        if not bench.objective.takes_any_plan:
            return f"it knows nothing about the objective {bench.objective.spec}"
        try:
            obstacle = undoing(bench.task).obstacle
        except UnsupportedError as error:
            return str(error)
        if obstacle is None:
            return None
        return f"{bench.task.operator_names[obstacle]} could not be shown to be undoable"

    @cached_property
    def undoing(self) -> Undoing:
        """The plans that undo each operator."""
        return undoing(self.bench.task)

    @cached_property
    def initial_plan(self) -> tuple[int, ...] | None:
        """A plan of the initial state: the policy's run if it is one, or what search finds."""
        task = self.bench.task
        runs = self.bench.runs(task.initial_state[None])
        if runs.solved[0]:
            return runs.plan(0)
        return greedy(task, task.initial_state, limits=self.limits).plan

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """Failures are bugs; runs that reach the goal are left to other oracles."""
        objective = self.bench.objective
        verdicts = []
        for row, (value, origin) in enumerate(zip(suspects.values, suspects.origins, strict=True)):
            if not objective.always_beaten(float(value)):
                reached = suspects.runs.solved[row]
                verdicts.append(
                    _solved(objective, value) if reached else inconclusive("the run did not end")
                )
            elif origin is None or origin.from_initial is None:
                verdicts.append(inconclusive("no way from the initial state is known"))
            elif self.initial_plan is None:
                verdicts.append(inconclusive("no plan of the initial state is known"))
            else:
                verdicts.append(self._failure(suspects.states[row], float(value), origin))
        return verdicts

    def _failure(self, state: StateArray, value: float, origin: Origin) -> Verdict:
        check_stop()
        plan = self._back_and_on(state, origin)
        if plan is not None:
            return self.confirm(state, value, plan, "all operators can be undone")
        found = greedy(self.bench.task, state, limits=self.limits)
        gap = self.bench.objective.gap(value, self.bench.objective.best)
        verdict = implied("all operators can be undone, but no plan was found", gap=gap)
        if found.plan is not None:
            verdict = self.confirm(state, value, found.plan, "all operators can be undone")
        return replace(verdict, expanded=found.expanded)

    def _back_and_on(self, state: StateArray, origin: Origin) -> tuple[int, ...] | None:
        """Undo the way from the initial state, then follow its plan to the first goal state."""
        task = self.bench.task
        assert origin.from_initial is not None and self.initial_plan is not None
        back = way_back(task, self.undoing, task.initial_state, origin.from_initial)
        if back is None:
            return None
        # The way back ends in a state that covers the initial one, which need not be it. Plans of
        # the one are plans of the other, and the goal may be met earlier than that.
        plan = (*back, *self.initial_plan)
        goals = task.is_goal(path_states(task, state, plan))
        return plan[: int(goals.argmax())] if goals.any() else None


def _solved(objective: Objective, value: float) -> Verdict:
    if not objective.costs_count and value == objective.best:
        return passed("the policy reaches the goal")
    return inconclusive("the policy reaches the goal; its cost is not looked at")
