"""A budget of questions to the policy, and the bias that is taken where answers are slow."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost import usual_bias
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.python_calls.problems import share
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.registry import make_policy
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.tasks.grounded.task import ActionArray, StateArray, Task
from tests.unit.campaigns.test_problems import part
from tests.unit.policies.generated import generated_task

OPTIONS = CostOptions(
    task=(),
    policy="object",
    oracles=("lookahead",),
    escalate_to=0,
    fuzz=FuzzOptions(pool_size=60, bias="policy-quality"),
)
SPENT = "no calls of the policy left"


class Counted:
    """Another policy, which counts the questions and may take its time."""

    def __init__(self, task: Task, *, seconds: float = 0.0) -> None:
        self.task = task
        self.asked = 0
        self._inner = make_policy("hill-climbing:hadd", task)
        self._seconds = seconds

    def choose(self, states: StateArray) -> ActionArray:
        """The choices of the other policy."""
        time.sleep(self._seconds)
        self.asked += len(states)
        return self._inner.choose(states)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=5)


def budget(most: int | None) -> CostOptions:
    return replace(OPTIONS, stop=StopRules(max_calls=most))


@pytest.mark.parametrize("most", [1, 30, 150])
def test_no_more_questions_than_the_budget(task: Task, tmp_path: Path, most: int) -> None:
    policy = Counted(task)
    summary = Campaign.create(
        tmp_path / "campaign", budget(most), subject=task, policy=policy
    ).run()
    assert summary.reason == SPENT
    assert 0 < summary.policy_calls <= summary.all_calls <= most
    assert policy.asked == summary.all_calls


def test_the_budget_goes_on_with_a_larger_one(task: Task, tmp_path: Path) -> None:
    whole = Campaign.create(
        tmp_path / "whole", budget(None), subject=task, policy=Counted(task)
    ).run()
    folder = tmp_path / "campaign"
    Campaign.create(folder, budget(60), subject=task, policy=Counted(task)).run()
    again = Campaign.open(folder, policy=Counted(task)).run()
    assert (again.reason, again.policy_calls <= 60) == (SPENT, True)
    more = Campaign.open(folder, policy=Counted(task), stop=StopRules(max_calls=10**9)).run()
    assert (more.reason, more.bugs) == (whole.reason, whole.bugs)


def test_most_of_the_budget_is_used(task: Task, tmp_path: Path) -> None:
    frugal = replace(budget(100), fuzz=replace(OPTIONS.fuzz, bias="uniform"))
    summary = Campaign.create(
        tmp_path / "campaign", frugal, subject=task, policy=Counted(task)
    ).run()
    assert summary.reason == SPENT
    assert 85 <= summary.all_calls <= 100  # a tenth is kept to ask again where nothing is found


def test_calls_are_shared_between_problems() -> None:
    rules = StopRules(max_calls=100)
    parts = {"a": part(policy_calls=30), "b": part(policy_calls=20)}
    assert share(rules, {}, "a", 4) == StopRules(max_calls=25)
    assert share(rules, parts, "c", 2) == StopRules(max_calls=25)
    assert share(rules, parts, "a", 1) == StopRules(max_calls=80)  # all sessions together
    assert share(rules, {"a": part(policy_calls=99)}, "b", 2) is None


def test_other_kinds_have_no_such_budget() -> None:
    with pytest.raises(UsageError, match="max_calls is for cost testing"):
        SafetyOptions(model=("model.jani",), policy="random", stop=StopRules(max_calls=5))


@pytest.mark.parametrize(("seconds", "bias"), [(0.0, "policy-quality"), (0.02, "uniform")])
def test_slow_answers_make_walks_ask_nothing(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, bias: str
) -> None:
    monkeypatch.setattr(usual_bias, "SLOW", 0.015)  # far above what a busy machine takes
    options = replace(
        OPTIONS, fuzz=FuzzOptions(pool_size=5), stop=StopRules(max_calls=40, max_time=60.0)
    )
    policy = Counted(task, seconds=seconds)
    campaign = Campaign.create(tmp_path / "campaign", options, subject=task, policy=policy)
    assert campaign.options.fuzz.bias == bias
    assert policy.asked <= 4
    asked = policy.asked
    campaign.run()
    again = Campaign.open(tmp_path / "campaign", policy=policy)
    assert again.options.fuzz.bias == bias
    again.close()
    assert policy.asked > asked


def test_a_bias_that_is_named_is_taken(task: Task, tmp_path: Path) -> None:
    policy = Counted(task, seconds=0.02)
    with Campaign.create(
        tmp_path / "campaign", budget(None), subject=task, policy=policy
    ) as campaign:
        assert campaign.options.fuzz.bias == "policy-quality"
    assert policy.asked == 0


@pytest.mark.parametrize(("most", "is_whole"), [(100, False), (10_000, True)])
def test_a_task_is_tested_whole_if_the_budget_is_large_enough(
    task: Task, tmp_path: Path, most: int, is_whole: bool
) -> None:
    policy = Counted(task)
    options = CostOptions(task=(), policy="object", stop=StopRules(max_calls=most))
    campaign = Campaign.create(tmp_path / "campaign", options, subject=task, policy=policy)
    reachable = campaign.header.reachable
    assert reachable is not None and reachable.is_counted
    assert reachable.is_whole == is_whole
    summary = campaign.run()
    assert summary.policy_calls <= most
    assert policy.asked == summary.policy_calls + summary.asked_again
