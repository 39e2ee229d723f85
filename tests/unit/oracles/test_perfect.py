"""The perfect oracle: decides every state, given the budget."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import Limits, greedy
from tests.unit.oracles.benches import places, road_bench, road_map
from tests.unit.policies.generated import generated_task

ROADS = ((0, 1, 1), (1, 2, 5), (0, 2, 9), (2, 3, 1), (4, 4, 1))
TASK = road_map(ROADS, places=5, goal=3)


def test_where_the_policy_arrives_only_cheaper_plans_are_bugs() -> None:
    bench = road_bench(TASK, {0: 2, 1: 1, 2: 3})
    verdicts = make_oracle("perfect", bench).judge(bench.suspects(places(0, 1, 2, 3)))
    outcomes = [verdict.outcome for verdict in verdicts]
    assert outcomes == [Outcome.BUG, Outcome.PASS, Outcome.PASS, Outcome.PASS]
    assert verdicts[0].exact and verdicts[0].gap == 3.0 and verdicts[0].plan == (0, 1, 3)


def test_where_the_policy_fails_the_plan_is_an_optimal_one() -> None:
    bench = road_bench(TASK, {})
    verdicts = make_oracle("perfect", bench).judge(bench.suspects(places(0, 4)))
    assert verdicts[0].is_bug and verdicts[0].exact
    assert (verdicts[0].value, verdicts[0].gap) == (7.0, math.inf)
    assert verdicts[1].outcome is Outcome.PASS


def test_a_spent_budget_is_named() -> None:
    bench = road_bench(TASK, {0: 2, 2: 3})
    oracle = make_oracle("perfect", bench, limits=Limits(expansions=0))
    (verdict,) = oracle.judge(bench.suspects(places(0)))
    assert verdict.outcome is Outcome.INCONCLUSIVE and "expansions" in verdict.reason


def test_a_quick_search_helps_where_an_optimal_one_is_too_dear(tmp_path: Path) -> None:
    task = generated_task(tmp_path, "visitall", seed=1, width=7, height=7)
    bench = Bench(task, Idle(), make_objective("quantitative", task))
    oracle = make_oracle("perfect", bench, limits=Limits(expansions=200))
    (verdict,) = oracle.judge(bench.suspects(task.initial_state))
    assert verdict.is_bug and not verdict.exact


def spanner(folder: Path) -> tuple[Task, Bench]:
    task = generated_task(folder, "spanner", spanners=3, nuts=3, locations=3, seed=1)
    policy = make_policy("greedy:hff", task)  # walks past spanners that it needs
    return task, Bench(task, policy, make_objective("qualitative", task))


def walk(task: Task) -> tuple[str, ...]:
    return tuple(name for name in task.operator_names if name.startswith("(walk"))


def test_known_domains_are_decided_without_search(tmp_path: Path) -> None:
    task, bench = spanner(tmp_path)
    passed_all = task.initial_state
    for place in ("shed", "location1", "location2", "location3"):
        (step,) = (name for name in walk(task) if name.startswith(f"(walk {place} "))
        passed_all = task.successors(passed_all, [task.operator_id(step)])[0]
    oracle = make_oracle("perfect", bench, limits=Limits(expansions=0))
    (verdict,) = oracle.judge(bench.suspects(passed_all))
    assert verdict.outcome is Outcome.PASS and "criterion of the domain" in verdict.reason


def test_a_plan_that_must_exist_but_was_not_found_is_implied(tmp_path: Path) -> None:
    task, _ = spanner(tmp_path)
    bench = Bench(task, Idle(), make_objective("quantitative", task))
    suspects = bench.suspects(task.initial_state)
    (verdict,) = make_oracle("perfect", bench, limits=Limits(expansions=0)).judge(suspects)
    assert verdict.outcome is Outcome.IMPLIED and verdict.gap == math.inf
    (verdict,) = make_oracle("perfect", bench).judge(suspects)
    assert verdict.is_bug and verdict.exact
    assert greedy(task, task.initial_state).cost == verdict.value, "all plans cost the same"


class Idle:
    """Never does anything."""

    def choose(self, states: StateArray) -> ActionArray:
        """No action."""
        return np.full(len(states), NO_ACTION, dtype=np.int32)
