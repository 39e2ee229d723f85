"""`morph`: against its algorithms told naively, and what it must not depend on."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from math import inf, isnan
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import check_oracle_spec
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.decisions import Ending
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import NO_ACTION, Task
from tests.depth import examples
from tests.unit.campaigns.contents import contents
from tests.unit.dominance.naive import NaiveDominance, State
from tests.unit.dominance.random_tasks import random_task
from tests.unit.dominance.small_tasks import small_task
from tests.unit.oracles.dominance_cases import (
    CRASH,
    DominanceCase,
    TablePolicy,
    batch,
    dominance_case,
    flawed_table,
)
from tests.unit.oracles.naive_morph import largest_gap, morphs, run
from tests.unit.policies.generated import generated_task

ATOMIC = DominanceOptions(merging="atomic", floor=40)
BOUND = re.compile(r"a plan of cost (\d+) follows from")


def table_case(
    number: int, *, share: float = 0.4, options: DominanceOptions = ATOMIC
) -> DominanceCase:
    """A random task with a policy that remembers where it was asked."""
    task = random_task(number)
    policy = TablePolicy(flawed_table(task, Random(number), share))
    return DominanceCase(task, policy, "quantitative", options)


def naive_of(case: DominanceCase) -> NaiveDominance:
    """The slow twin of the case's function."""
    return NaiveDominance(
        case.task, case.function.blocks, tau=case.options.tau, floor=case.options.floor
    )


def some_states(case: DominanceCase, number: int) -> list[State]:
    """A few of all states, reachable or not."""
    return Random(number).sample(case.states, min(8, len(case.states)))


def promised(verdict: Verdict, value: float) -> float:
    """The gap by the bound that the reason tells of, whatever plan was then found; 0 if none."""
    found = BOUND.match(verdict.reason)
    return value - int(found[1]) if found else 0.0


@pytest.mark.parametrize("objective", ["quantitative", "qualitative"])
def test_finds_the_bugs_and_gaps_of_the_algorithms(objective: str) -> None:
    bugs = 0
    for number in range(examples(600, quick=30)):
        case = dominance_case(number, objective)
        if case.function.cut:
            continue
        naive, drawn = naive_of(case), some_states(case, number)
        suspects = case.bench.suspects(batch(drawn))
        verdicts = case.oracle("morph:all").judge(suspects)
        costs = np.where(suspects.runs.solved, suspects.runs.costs, inf).tolist()
        for state, value, cost, verdict in zip(
            drawn, suspects.values.tolist(), costs, verdicts, strict=True
        ):
            if isnan(value):
                assert verdict.outcome is Outcome.INCONCLUSIVE
                continue
            expected = largest_gap(case.task, case.policy, naive, state, case.step_limit)
            if objective == "qualitative" and cost < inf:
                expected = 0
            assert promised(verdict, cost) == expected
            assert (verdict.outcome in (Outcome.BUG, Outcome.IMPLIED)) == (expected > 0)
            if objective == "quantitative":
                assert verdict.gap >= expected, "replayed plans may be cheaper than promised"
            bugs += expected > 0
    assert bugs >= examples(400, quick=15)


def test_the_selection_depends_on_seed_and_state_alone() -> None:
    differing = 0
    for number in range(examples(60)):
        case = dominance_case(number)
        random, spec = Random(number), f"morph:{1 + number % 2}"
        first = case.oracle(spec, bench=case.fresh_bench(seed=7))
        one_by_one = [
            first.judge(first.bench.suspects(batch([state])))[0] for state in case.states
        ]
        order = random.sample(range(len(case.states)), len(case.states))
        second = case.oracle(spec, bench=case.fresh_bench(seed=7))
        shuffled = second.judge(second.bench.suspects(batch([case.states[i] for i in order])))
        assert [one_by_one[i] for i in order] == shuffled
        other = case.oracle(spec, bench=case.fresh_bench(seed=8))
        differing += other.judge(other.bench.suspects(batch(case.states))) != one_by_one
    assert differing >= examples(20), "other seeds select others"


@pytest.mark.parametrize("changes", [{"batch_size": 1}, {"workers": 2, "batch_size": 3}])
def test_batches_and_workers_do_not_matter(tmp_path: Path, changes: dict[str, Any]) -> None:
    task = generated_task(tmp_path, "gripper", balls=3)
    usual = CostOptions(
        task=(),
        policy="random",
        oracles=("morph:2", "morph:all:factors", "local"),
        fuzz=FuzzOptions(pool_size=25, round_walks=8, bias="uniform", seed=5),
        escalate_to=0,
    )
    found = []
    for name, options in (("usual", usual), ("other", replace(usual, **changes))):
        Campaign.create(tmp_path / name, options, subject=task).run()
        found.append(contents(tmp_path / name))
    assert found[0] == found[1] and len(found[0]["bugs"]) > 3


def test_fewer_morphs_find_no_more() -> None:
    for number in range(examples(150)):
        case = dominance_case(number)
        suspects = case.bench.suspects(batch(case.states))
        everything = case.oracle("morph:all").judge(suspects)
        some = case.oracle("morph:2").judge(suspects)
        for all_of_them, few, value in zip(everything, some, suspects.values, strict=True):
            if not isnan(value):
                cost = 0.0 if value == inf else value
                assert promised(few, value) == 0 or promised(all_of_them, cost) >= promised(
                    few, cost
                )
        most = case.oracle("morph:1000000").judge(suspects)
        assert most == everything


def test_runs_that_are_cut_leave_no_trace_and_ask_no_further() -> None:
    cuts = 0
    for number in range(examples(300, quick=60)):
        case = table_case(number)
        policy = case.policy
        assert isinstance(policy, TablePolicy)
        naive, drawn = naive_of(case), some_states(case, number)
        suspects = case.bench.suspects(batch(drawn))
        allowed = set(policy.asked)
        case.oracle("morph:all").judge(suspects)
        asked, policy.asked = policy.asked, set()
        for state in drawn:
            largest_gap(case.task, policy, naive, state, case.step_limit, allowed.add)
        assert asked <= allowed
        cuts += any(
            run(case.task, policy, morph, inf, case.step_limit) < inf
            for state in drawn
            for morph in set(morphs(case.task, naive, state)) - asked
        )
        everything = batch(case.states)
        ours, fresh = case.bench.runs(everything), case.fresh_bench().runs(everything)
        assert ours.endings.tolist() == fresh.endings.tolist()
        assert ours.costs.tolist() == fresh.costs.tolist()
        assert ours.steps.tolist() == fresh.steps.tolist()
    assert cuts >= examples(50, quick=10), "runs that would have reached the goal"


def test_crashes_in_morphs_do_no_harm() -> None:
    """A crash in a state that the suspect's own run does not meet is no more than a failure."""
    crashes = 0
    for number in range(examples(120, quick=40)):
        task = random_task(number)
        table = flawed_table(task, Random(number), 0.4)
        calm = {state: NO_ACTION if a == CRASH else a for state, a in table.items()}
        wild = DominanceCase(task, TablePolicy(_raising(task, calm)), "quantitative", ATOMIC)
        calm_case = DominanceCase(task, TablePolicy(_silent(task, calm)), "quantitative", ATOMIC)
        start = task.initial_state[None]
        (ours,) = wild.oracle("morph:all").judge(wild.bench.suspects(start))
        (theirs,) = calm_case.oracle("morph:all").judge(calm_case.bench.suspects(start))
        assert ours == theirs
        endings = wild.bench.runs(batch(wild.states)).endings
        crashes += int((endings == Ending.POLICY_CRASH).any())
    assert crashes


def _met(task: Task, table: dict[State, int]) -> set[State]:
    bench = Bench(task, TablePolicy(table), make_objective("quantitative", task))
    runs = bench.runs(task.initial_state[None])
    return {tuple(state) for state in runs.source.states(runs.paths[0]).tolist()}


def _raising(task: Task, table: dict[State, int]) -> dict[State, int]:
    met = _met(task, table)
    return {s: a if s in met or sum(s) % 2 else CRASH for s, a in table.items()}


def _silent(task: Task, table: dict[State, int]) -> dict[State, int]:
    met = _met(task, table)
    return {s: a if s in met or sum(s) % 2 else NO_ACTION for s, a in table.items()}


# Variable a goes round 0, 1, 2; b is a switch that must be on; the policy goes round once too
# often where b is 0.
ROUND = (
    "a=0 -> a=1 (2)",
    "a=1 -> a=2 (2)",
    "a=2 -> a=0 (2)",
    "b=0 -> b=1 (1)",
)
SWITCH = small_task("a=2,b=1", *ROUND)


def switch_case(table: dict[State, int], objective: str = "quantitative") -> DominanceCase:
    """A policy on the task above."""
    return DominanceCase(
        SWITCH, TablePolicy(table), objective, DominanceOptions(max_transitions=0)
    )


GOOD: dict[State, int] = {(0, 0): 0, (1, 0): 1, (2, 0): 3, (0, 1): 0, (1, 1): 1, (2, 1): NO_ACTION}


def test_the_reason_names_the_morph_and_the_bound() -> None:
    """From (2, 0) the policy goes round, though from (2, 1) it has arrived.

    That proves as much as its run from (0, 0), the first morph, which would have passed (2, 0).
    """
    case = switch_case({**GOOD, (2, 0): 2, (0, 0): 3})
    (verdict,) = case.oracle("morph:all").judge(case.bench.suspects(batch([(2, 0)])))
    assert verdict.plan == (3,) and verdict.gap == 6.0
    assert verdict.reason == (
        "a plan of cost 1 follows from the policy's run from the state with (at-0 x0)"
    )


def test_morphs_that_can_prove_nothing_are_not_run() -> None:
    """D(s, t) is -1 where s has the switch on: with a run of cost 1 nothing remains for s."""
    case = switch_case(GOOD)
    policy = case.policy
    assert isinstance(policy, TablePolicy)
    (verdict,) = case.oracle("morph:all").judge(case.bench.suspects(batch([(2, 0)])))
    worths = case.function.between(batch([(2, 1), (1, 0), (0, 0)]), batch([(2, 0)]))
    assert worths.tolist() == [[-1.0], [2.0], [4.0]]
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "nothing follows from 2 morphs"
    assert policy.asked == {(2, 0), (1, 0), (0, 0)}, "runs from there are cut before they end"


def test_where_the_policy_fails_runs_have_no_limit() -> None:
    for objective, gap in (("quantitative", inf), ("qualitative", 1.0)):
        case = switch_case({**GOOD, (0, 0): NO_ACTION, (1, 0): 1, (2, 0): 3}, objective)
        (verdict,) = case.oracle("morph:all").judge(case.bench.suspects(batch([(0, 0)])))
        assert (verdict.outcome, verdict.gap) == (Outcome.BUG, gap)
        assert verdict.plan is not None and sorted(verdict.plan) == [0, 1, 3]


def test_runs_end_at_dead_ends_and_count_as_open() -> None:
    task = small_task("a=1,b=1", "a=0 -> a=1", "b=0 -> b=1", "a=0 -> a=2", "a=2 -> a=3", "-> a=2")
    table: dict[State, int] = dict.fromkeys(product(range(4), range(2)), 4)
    policy = TablePolicy({**table, (0, 0): NO_ACTION, (0, 1): 2, (2, 1): 3, (1, 0): 1})
    case = DominanceCase(task, policy, "quantitative", ATOMIC)
    suspects = case.bench.suspects(batch([(0, 0)]))
    assert case.function.between(batch([(0, 1)]), batch([(0, 0)])) == -1
    (verdict,) = case.oracle("morph:all").judge(suspects)
    assert verdict.is_bug and verdict.plan is not None and sorted(verdict.plan) == [0, 1]
    assert policy.asked == {(0, 0), (0, 1), (1, 0)}, "not in (2, 1), where all is lost"
    assert case.bench.runs(batch([(0, 1)])).endings == Ending.LOOP
    assert policy.asked == {(0, 0), (0, 1), (1, 0), (2, 1), (3, 1)}


def test_a_run_of_unknown_value_is_left_open() -> None:
    case = DominanceCase(SWITCH, TablePolicy(GOOD), "quantitative", ATOMIC, step_limit=1)
    (verdict,) = case.oracle("morph").judge(case.bench.suspects(batch([(0, 0)])))
    assert verdict.outcome is Outcome.INCONCLUSIVE and "step limit" in verdict.reason


def test_factors_change_as_a_whole() -> None:
    """Both variables must change to prove it; only the merged factor does that at once."""
    task = small_task("a=1,b=1", "a=0,b=0 -> a=1,b=1 (1)", "a=1,b=0 -> b=1 (1)", "b=0 -> a=1 (5)")
    table: dict[State, int] = {(0, 0): 2, (1, 0): 1, (0, 1): NO_ACTION, (1, 1): NO_ACTION}
    case = DominanceCase(task, TablePolicy(table), "quantitative", DominanceOptions())
    assert len(case.function.blocks) == 1
    suspects = case.bench.suspects(batch([(0, 0)]))
    (verdict,) = case.oracle("morph:all:factors").judge(suspects)
    assert (verdict.plan, verdict.gap) == ((0,), 5.0)


def test_batches_of_any_size_and_none() -> None:
    case = switch_case(GOOD)
    assert case.oracle("morph").judge(case.bench.suspects(batch(case.states)[:0])) == []
    goal = case.oracle("morph").judge(case.bench.suspects(batch([(2, 1)])))
    assert [verdict.outcome for verdict in goal] == [Outcome.PASS]


@pytest.mark.parametrize(
    "spec", ["morph:0", "morph:-1", "morph:x", "morph:9999999", "morph:1:x", "morph:١"]
)
def test_wrong_arguments(spec: str) -> None:
    with pytest.raises(UsageError):
        check_oracle_spec(spec)
