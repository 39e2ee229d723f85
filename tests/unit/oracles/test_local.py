"""`local`: decisions that are bad by themselves, on tasks where one can see them."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.oracles.registry import check_oracle_spec
from bugsieve.rooms.dominance.decisions import BadDecision, bad_decisions, worst_decision
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.task import NO_ACTION, Task
from tests.depth import examples
from tests.unit.dominance.naive import State, successor
from tests.unit.dominance.small_tasks import small_task
from tests.unit.oracles.dominance_cases import (
    DominanceCase,
    TablePolicy,
    batch,
    dominance_case,
)

LEAVE, RETURN, GO_HOME, COME_BACK, LOAD, UNLOAD, HONK = range(7)
# A truck a, and a parcel b that is at place 0, delivered (1) or in the truck (2).
DELIVERY = small_task(
    "a=2,b=1",
    "a=0 -> a=1 (3)",
    "a=1 -> a=0 (3)",
    "a=1 -> a=2 (2)",
    "a=2 -> a=1 (2)",
    "a=0,b=0 -> b=2",
    "a=1,b=2 -> b=1",
    "c=0 -> c=1",
)
BEST = [LOAD, LEAVE, UNLOAD, GO_HOME]
ATOMIC = DominanceOptions(merging="atomic")
MERGED = DominanceOptions()


def scripted(task: Task, script: list[int]) -> TablePolicy:
    """From the initial state it does what the script says."""
    table: dict[State, int] = {}
    state = tuple(task.initial_state.tolist())
    for action in script:
        table[state] = action
        after = successor(task, state, action)
        assert after is not None and after not in table
        state = after
    return TablePolicy({**table, state: NO_ACTION})


def verdict_on(script: list[int], options: DominanceOptions) -> Verdict:
    """What `local` says of a delivery."""
    case = DominanceCase(DELIVERY, scripted(DELIVERY, script), "quantitative", options)
    suspects = case.bench.suspects(DELIVERY.initial_state[None])
    (verdict,) = case.oracle("local").judge(suspects)
    return verdict


def test_driving_away_and_back_before_loading() -> None:
    verdict = verdict_on([LEAVE, HONK, RETURN, *BEST], MERGED)
    assert verdict.reason == "decision 1, (op0), costs at least 6 more than (op4)"
    assert (verdict.plan, verdict.gap) == (tuple(BEST), 7.0), "the honk went too"


def test_driving_past_and_back_with_the_parcel() -> None:
    verdict = verdict_on([LOAD, LEAVE, GO_HOME, HONK, COME_BACK, UNLOAD, GO_HOME], MERGED)
    assert verdict.reason == "decision 3, (op2), costs at least 4 more than (op5)"
    assert (verdict.plan, verdict.gap) == (tuple(BEST), 5.0)


def test_what_need_not_be_done_at_all() -> None:
    """No other action is better there: home is where the truck has to be."""
    verdict = verdict_on([LOAD, LEAVE, GO_HOME, HONK, COME_BACK, UNLOAD, GO_HOME], ATOMIC)
    assert verdict.reason == "decision 4, (op6), costs at least 1 more than doing nothing"
    assert verdict.gap == 1.0
    assert verdict.plan == (LOAD, LEAVE, GO_HOME, COME_BACK, UNLOAD, GO_HOME)


@pytest.mark.parametrize("options", [ATOMIC, MERGED])
def test_good_decisions_are_left_alone(options: DominanceOptions) -> None:
    verdict = verdict_on(BEST, options)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "no decision is bad by itself"


@pytest.mark.parametrize("options", [ATOMIC, MERGED])
def test_runs_that_fail_prove_nothing(options: DominanceOptions) -> None:
    verdict = verdict_on([LOAD, HONK, LEAVE], options)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason.startswith("the policy fails")


def test_a_goal_is_a_pass_and_no_decision() -> None:
    case = DominanceCase(DELIVERY, TablePolicy({}), "quantitative", ATOMIC)
    (verdict,) = case.oracle("local").judge(case.bench.suspects(batch([(2, 1, 0)])))
    assert verdict.outcome is Outcome.PASS
    assert worst_decision(case.function, batch([(2, 1, 0)]), ()) is None


def test_costs_must_count() -> None:
    check_oracle_spec("local")
    with pytest.raises(UsageError):
        check_oracle_spec("local:1")
    case = DominanceCase(DELIVERY, TablePolicy({}), "qualitative", ATOMIC)
    with pytest.raises(UnsupportedError, match="compares costs"):
        case.oracle("local")


def test_losses_are_those_of_the_definition_and_true() -> None:
    """Of every other action and of doing nothing; the first of those that are equally good."""
    seen = {"operator": 0, "nothing": 0}
    for number in range(examples(600, quick=90)):
        case = dominance_case(number)
        runs = case.bench.runs(batch(case.states))
        for row in np.flatnonzero(runs.solved).tolist():
            states, run = runs.source.states(runs.paths[row]), runs.plan(row)
            bad = bad_decisions(case.function, states, run)
            assert bad == list(naive_bad_decisions(case, states.tolist(), run))
            worst = worst_decision(case.function, states, run)
            assert worst == max(bad, key=lambda one: (one.loss, -one.index), default=None)
            for one in bad:
                seen["nothing" if one.better is None else "operator"] += 1
    assert min(seen.values()) >= examples(40, quick=5), seen


def naive_bad_decisions(
    case: DominanceCase, states: list[list[int]], run: tuple[int, ...]
) -> list[BadDecision]:
    """One pair after the other; each loss is checked against h*."""
    found = []
    costs = [*case.task.operator_costs.tolist(), 0]
    path = [tuple(state) for state in states]
    for step, action in enumerate(run):
        before, after = path[step], path[step + 1]
        options: dict[int | None, State | None] = {
            o: successor(case.task, before, o) for o in range(case.task.num_operators)
        }
        best: BadDecision | None = None
        for other, instead in {**options, None: before}.items():
            if instead is None:
                continue
            spared = costs[action] - costs[-1 if other is None else other]
            (value,) = case.function.between(batch([after]), batch([instead]))[0]
            loss = value + spared
            if loss > (best.loss if best else 0):
                assert loss <= case.h[after] - case.h[instead] + spared < inf
                best = BadDecision(step, other, int(loss))
        found += [best] if best else []
    return found
