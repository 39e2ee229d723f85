"""Tasks of problems whose goal the translator finds too trivial to make a task of."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.translator import TrivialGoalError
from bugsieve.tasks.grounded.worlds import load_world
from tests.unit.campaigns.rules.small import DOMAIN, PROBLEM

NO_HEAT = DOMAIN.replace(":effect (warm ?l))", ":effect (on ?l))")


def files(folder: Path, domain: str, goal: str) -> tuple[str, str]:
    (folder / "domain.pddl").write_text(domain)
    (folder / "problem.pddl").write_text(PROBLEM.replace("(warm a)", goal, 1))
    return str(folder / "domain.pddl"), str(folder / "problem.pddl")


@pytest.mark.parametrize(
    ("domain", "goal", "holds"),
    [
        (DOMAIN, "(warm a)", None),
        (NO_HEAT, "(warm a)", False),
        (NO_HEAT, "(not (warm a))", True),
        (DOMAIN, "(and)", True),
    ],
)
def test_the_actions_are_all_there(
    tmp_path: Path, domain: str, goal: str, holds: bool | None
) -> None:
    named = files(tmp_path, domain, goal)
    world = load_world(*named)
    assert world.goal_holds is holds
    names = {name.split()[0].strip("(") for name in world.task.operator_names}
    assert names == {"switch-on", "heat", "switch-off"}
    states = world.task.initial_state.reshape(1, -1)
    assert bool(world.task.is_goal(states)[0]) is bool(holds)
    if holds is not None:
        with pytest.raises(TrivialGoalError):
            load_task(*named)


def test_constraints_are_left_out_but_kept_in_the_texts(tmp_path: Path) -> None:
    constraint = "(:constraints (always (not (warm a)))) (:goal"
    domain, problem = files(tmp_path, DOMAIN, "(warm a)")
    Path(problem).write_text(PROBLEM.replace("(:goal", constraint))
    texts = load_world(domain, problem).task.pddl_texts
    assert texts is not None and b":constraints" in texts.problem


def test_what_is_no_pddl_is_refused(tmp_path: Path) -> None:
    domain, problem = files(tmp_path, "(define", "(warm a)")
    with pytest.raises(InputError, match="domain.pddl"):
        load_world(domain, problem)
