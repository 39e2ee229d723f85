"""Policies that fail at once are judged alike with any limit on bugs; idle ones pass nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError, PolicyError, UsageError
from bugsieve.campaigns.campaign import Campaign, summary_of
from bugsieve.campaigns.flat_options import flat_options
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.find import find_bugs
from bugsieve.campaigns.python_calls.problems import ProblemCampaigns
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.verdict import BUGS_FOUND, LEFT_OPEN, NOTHING_TESTED, CampaignResult
from bugsieve.policies.foreign.function_policy import FunctionPolicy
from bugsieve.rooms.regression.check import check
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.problem_sets import ProblemFiles
from tests.unit.campaigns.test_greens import best_policy
from tests.unit.judging.test_determinism import FailsLate
from tests.unit.policies.generated import generated_task


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "gripper", balls=2)


def run(folder: Path, task: Task, function: Any, **changes: Any) -> Any:
    policy = FunctionPolicy(task, function)
    options = CostOptions(**{"task": (), "policy": policy.spec, **changes})
    return Campaign.create(folder, options, task, policy=policy).run()


@pytest.mark.parametrize("most", [1, 2, 3, 10, None])
@pytest.mark.parametrize("whole", ["auto", "no"])
def test_an_answer_that_is_none_is_no_bug_with_any_limit(
    task: Task, tmp_path: Path, most: int | None, whole: str
) -> None:
    def answer(facts: Any, applicable: Any) -> Any:
        return 42

    stop = StopRules(max_bugs=most)
    summary = run(tmp_path / "campaign", task, answer, stop=stop, whole=whole)
    assert summary.exit_code == NOTHING_TESTED
    assert "returned 42, neither an action name nor None" in summary.unanswered
    assert summary_of(tmp_path / "campaign").verdict == summary.verdict
    with pytest.raises(PolicyError, match="returned 42"):
        find_bugs(task, answer, max_bugs=most)


def test_a_crash_in_one_state_is_a_bug_with_any_limit(task: Task, tmp_path: Path) -> None:
    start = task.facts(task.initial_state)
    good = best_policy(task)

    def answer(facts: Any, applicable: Any) -> Any:
        if facts == start:
            raise RuntimeError("not here")
        (number,) = good.choose(task.state(facts)[None])
        return task.operator_names[number]

    for most in (1, 2):
        summary = run(tmp_path / str(most), task, answer, stop=StopRules(max_bugs=most))
        assert (summary.bugs, summary.exit_code) == (1, BUGS_FOUND)


def test_who_never_acts_avoids_nothing(task: Task, tmp_path: Path) -> None:
    def idle(facts: Any, applicable: Any) -> None:
        return None

    def one(facts: Any, applicable: Any) -> Any:
        return next((name for name in applicable if name.startswith("(pick")), None)

    objective = "avoid:(at-robby room2)"
    summary = run(tmp_path / "idle", task, idle, objective=objective)
    assert summary.outcome is CampaignResult.NOTHING and summary.exit_code == NOTHING_TESTED
    assert summary.verdict.sentence == (
        "nothing could be tested: the policy never acts: it has no action in any of "
        f"{summary.decided} states"
    )
    assert run(tmp_path / "one", task, one, objective=objective).exit_code == 0


def test_find_bugs_takes_what_check_takes(task: Task) -> None:
    bugs = find_bugs(task, "random", step_limit=50, max_calls=100, expansions=10, pool_size=3)
    assert len(bugs) == 3
    with pytest.raises(InputError, match=r"find_bugs: .*did you mean 'pool_size'"):
        find_bugs(task, "random", pool_sise=3)
    with pytest.raises(InputError, match="there is no option 'nonsense'"):
        check("random", task, nonsense=1)
    with pytest.raises(InputError, match="there is no option 'nonsense'"):
        find_bugs(task, "random", nonsense=1)
    assert flat_options("random", {"step_limit": 50}, place="find_bugs").step_limit == 50


@pytest.mark.parametrize("nothing", [[], ()])
def test_no_problems_are_a_mistake_in_a_sentence(nothing: Any) -> None:
    with pytest.raises(UsageError, match=r"problems must be files, .* at least one, got"):
        check("random", nothing)


def test_of_several_problems_one_that_changes_is_enough(task: Task, tmp_path: Path) -> None:
    tables = best_policy(task).table
    made = iter([FailsLate(tables), best_policy(task)])
    options = CostOptions(task=(), policy="function:table")
    problems = [ProblemFiles(name, ()) for name in ("a", "b")]
    campaigns = ProblemCampaigns.create(tmp_path / "all", options, problems, is_object=True)
    summary = campaigns.run(load=lambda _: task, bind=lambda _: next(made), is_typed=True)
    assert summary.exit_code == LEFT_OPEN
    assert "when asked again, in a" in summary.verdict.sentence
    assert summary.parts["b"].exit_code == 0
