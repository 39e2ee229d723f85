"""A task with one state as its goal."""

from __future__ import annotations

from bugsieve.tasks.grounded.retargeting import steps_to
from bugsieve.tasks.search import astar
from tests.unit.policies.line import at, line_task


def test_the_goal_is_the_state_and_every_step_costs_one() -> None:
    task = line_task(6, right_costs=[7, 0, 3, 9, 1])
    target = steps_to(task, at(3)[0])
    assert target.is_goal(at(2, 3, 5)).tolist() == [False, True, False]
    found = astar(target, at(5)[0])
    assert found.cost == 2
    assert found.plan == (task.operator_id("left p5"), task.operator_id("left p4"))
    assert target.operator_names == task.operator_names
