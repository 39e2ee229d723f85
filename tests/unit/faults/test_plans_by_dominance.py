"""Plans are carried over from one state of a run to another, and are plans there."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from bugsieve.explanation.blame.run_with_plans import Course
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.rooms.dominance.blame import plans_by_dominance
from bugsieve.rooms.dominance.blame.plans_by_dominance import carry_over
from bugsieve.tasks.search import astar
from tests.unit.policies.generated import generated_task


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """The ferry sails about, and a plan is known from the first state alone."""
    task = generated_task(tmp_path, "ferry", seed=1, cars=2, locations=3)
    state, run = task.initial_state, []
    for _ in range(4):
        offered = task.applicable(state).operators.tolist()
        run.append(next(o for o in offered if task.operator_names[o].startswith("(sail")))
        state = task.successors(state, run[-1:])[0]
    found = {"ending": "no action", "operators": run, "loop_start": None}
    course = Course(task, found, task.initial_state)
    plan = astar(task, task.initial_state).plan
    assert plan is not None
    course.note(0, plan)
    return course


def test_what_is_carried_over_leads_to_the_goal(course: Course) -> None:
    before, best = course.sums, course.cost_to_go(0)
    assert before[-1] == inf
    carry_over(course, 0)
    assert (course.sums <= before).all() and course.sums[-1] < inf
    for step, state in enumerate(course.states):
        plan = course.plan(step)
        assert course.task.is_goal(path_states(course.task, state, plan)[-1:])[0]
        assert plan_cost(course.task, plan) == course.cost_to_go(step)
    assert course.cost_to_go(0) == best, "no plan is better than the best"


def test_long_runs_are_left_alone(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans_by_dominance, "_MOST_STATES", 4)
    carry_over(course, 0)
    assert course.sums[-1] == inf
    carry_over(course, 1)
    assert course.sums[-1] < inf, "four states are left"
