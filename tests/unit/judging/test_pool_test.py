"""A test on a pool finds what a campaign with the same states and oracles finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.registry import make_policy
from bugsieve.rooms.training.model_tests import make_pool
from bugsieve.rooms.training.pool_test import PoolTest, examine_pool
from bugsieve.tasks.grounded.task import StateArray, Task
from tests.unit.policies.generated import generated_task

NO_LIMIT = 10**9


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "transport", seed=2)


@pytest.fixture(scope="module")
def pool(task: Task) -> StateArray:
    return make_pool(task, FuzzOptions(pool_size=60, novelty=0, bias="uniform"), "test")


def outcome_of(
    task: Task, pool: StateArray, policy: str, oracles: tuple[str, ...], work: int = NO_LIMIT
) -> PoolTest:
    bench = Bench(task, make_policy(policy, task), make_objective("quantitative", task))
    made = [make_oracle(spec, bench) for spec in oracles]
    return examine_pool(bench, made, pool, work=work, with_plans=True)


@pytest.mark.parametrize("policy", ["greedy:hff", "lazy:hff", "hill-climbing:hadd"])
@pytest.mark.parametrize("oracles", [("bmo:20",), ("lookahead:1", "bmo:5"), ("planner:gbfs",)])
def test_it_counts_what_a_campaign_finds(
    task: Task, pool: StateArray, policy: str, oracles: tuple[str, ...], tmp_path: Path
) -> None:
    found = outcome_of(task, pool, policy, oracles)
    options = CostOptions(
        task=(),
        policy=policy,
        oracles=oracles,
        escalate_to=0,
        fuzz=FuzzOptions(pool_size=len(pool)),
    )
    summary = Campaign.create(tmp_path / "campaign", options, task, states=pool).run()
    assert found.is_solved and found.states == found.tested == len(pool) == summary.judged
    assert (found.bugs, found.solved) == (summary.bugs, summary.endings.get("solved", 0))
    with CostRecords(tmp_path / "campaign") as records:
        plans = {
            row.case: tuple(row.bug.certificate["plan"]["operators"]) for row in records.bugs()
        }
    assert {plan.case: plan.operators for plan in found.plans} == plans


def test_some_policy_has_bugs_and_their_plans_lead_to_the_goal(
    task: Task, pool: StateArray
) -> None:
    found = outcome_of(task, pool, "lazy:hff", ("planner:astar-lmcut",))
    assert found.bugs == len(found.plans) > 0 and not found.rejected
    for plan in found.plans:
        state = pool[plan.case : plan.case + 1]
        for operator in plan.operators:
            state = task.successors(state, np.array([operator], dtype=np.int32))
        assert task.is_goal(state).all()


def test_a_task_whose_initial_state_fails_counts_as_unsolved_and_as_bugs(
    task: Task, pool: StateArray
) -> None:
    found = outcome_of(task, pool, "random:1", ("bmo:20",))
    assert not found.is_solved and (found.tested, found.solved, found.bugs) == (0, 0, 0)
    assert found.counted == (len(pool), 0, len(pool)) and not found.is_cut


def test_the_limit_counts_work_and_cuts_a_prefix(task: Task, pool: StateArray) -> None:
    whole = outcome_of(task, pool, "greedy:hff", ("bmo:20",))
    assert not whole.is_cut and whole.counted == (whole.states, whole.solved, whole.bugs)
    total = whole.decisions + whole.expanded
    for work in (1, total // 3, total // 2, total - 1):
        cut = outcome_of(task, pool, "greedy:hff", ("bmo:20",), work)
        assert cut == outcome_of(task, pool, "greedy:hff", ("bmo:20",), work)
        assert cut.is_cut and cut.tested < whole.tested
        shorter = outcome_of(task, pool[: cut.tested], "greedy:hff", ("bmo:20",))
        assert (cut.tested, cut.solved, cut.bugs) == shorter.counted == cut.counted
    assert outcome_of(task, pool, "greedy:hff", ("bmo:20",), total + 1) == whole
