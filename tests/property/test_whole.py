"""Random tasks tested whole against brute force: every state, its run and the exact distances."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.checkers.cost import check
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import exact_costs
from tests.depth import examples
from tests.property.engine import rows
from tests.property.strategies import CONDITIONAL, TINY, sas_tasks, seeds
from tests.reference.sas import SasTask, State
from tests.reference.search import goal_distances
from tests.reference.successors import applicable, is_goal, successor
from tests.unit.campaigns.contents import contents
from tests.unit.policies.line import as_task

Actions = Mapping[State, int]


class Table:
    """A policy that looks its actions up."""

    def __init__(self, actions: Actions) -> None:
        self.actions = actions

    def choose(self, states: StateArray) -> ActionArray:
        """The action of each state."""
        return np.array([self.actions[state] for state in rows(states)], dtype=np.int32)


def drawn_actions(sas: SasTask, best: Mapping[State, int | None], seed: int) -> Actions:
    """Mostly a step of a cheapest plan, sometimes any action or none."""
    random = Random(seed)
    share = random.choice([0.0, 0.1, 0.5])
    return {state: _action(sas, best, state, random, share) for state in best}


def _action(
    sas: SasTask, best: Mapping[State, int | None], state: State, random: Random, share: float
) -> int:
    choices = applicable(sas, state)
    if not choices or random.random() < share / 10:
        return NO_ACTION
    after = {op: best[successor(sas, state, op)] for op in choices}
    good = [
        op for op, left in after.items() if left is not None and left + sas.cost(op) == best[state]
    ]
    return random.choice(good if good and random.random() >= share else choices)


def run_cost(sas: SasTask, state: State, actions: Actions) -> float:
    """What the policy's run from the state costs; infinite if it does not reach the goal."""
    cost, seen = 0, set()
    while not is_goal(sas, state):
        if state in seen or actions[state] == NO_ACTION:
            return inf
        seen.add(state)
        cost += sas.cost(actions[state])
        state = successor(sas, state, actions[state])
    return cost


def expected_gaps(sas: SasTask, actions: Actions, objective: str) -> dict[State, float]:
    """The bugs by brute force, with their gaps."""
    found = {}
    for state, least in goal_distances(sas, sas.initial).items():
        cost = run_cost(sas, state, actions)
        if least is not None and objective == "qualitative" and cost == inf:
            found[state] = 1.0
        elif least is not None and objective == "quantitative" and cost > least:
            found[state] = cost - least
    return found


def run_whole(folder: Path, task: Task, actions: Actions, **changes: Any) -> Any:
    """The summary of a campaign that tests the task whole."""
    options = CostOptions(**{"task": (), "policy": "Table", "whole": "yes", **changes})
    return Campaign.create(folder, options, task, policy=Table(actions)).run()


TASKS = st.one_of(sas_tasks(CONDITIONAL), sas_tasks(TINY), sas_tasks())


@given(TASKS, seeds(), st.sampled_from(["quantitative", "qualitative"]))
@settings(max_examples=examples(2000, quick=40), deadline=None)
def test_bugs_of_tasks_tested_whole_are_those_of_brute_force(
    sas: SasTask, seed: int, objective: str
) -> None:
    best, task = goal_distances(sas, sas.initial), as_task(sas)
    actions = drawn_actions(sas, best, seed)
    expected = expected_gaps(sas, actions, objective)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary, "uncut")
        summary = run_whole(folder, task, actions, objective=objective)
        coverage = summary.coverage
        with_plan = sum(least is not None for least in best.values())
        assert (coverage.reachable, coverage.with_plan) == (len(best), with_plan)
        if not with_plan:
            assert (summary.judged, summary.exit_code) == (0, 5)
            return
        with CostRecords(folder) as records:
            states, bugs = records.pool().states, records.bugs()
        assert sorted(rows(states)) == sorted(best), "every state, and none twice"
        assert {rows(states)[row.case]: row.bug.gap for row in bugs} == expected
        assert coverage.is_whole and summary.undecided == 0
        assert summary.exit_code == (1 if expected else 0)
        for row in bugs:
            check(task.to_sas(), row.bug.certificate)
        if len(expected) > 1:
            most = 1 + seed % (len(expected) - 1)
            cut = run_whole(
                Path(temporary, "cut"),
                task,
                actions,
                objective=objective,
                stop=StopRules(max_bugs=most),
            )
            assert cut.bugs == most
            with Campaign.open(
                Path(temporary, "cut"), policy=Table(actions), stop=StopRules()
            ) as campaign:
                campaign.run()
            assert contents(Path(temporary, "cut")) == contents(folder)


@given(TASKS, st.integers(0, 99))
@settings(max_examples=examples(40, quick=4), deadline=None)
def test_two_workers_find_the_same_in_tasks_tested_whole(sas: SasTask, seed: int) -> None:
    task = as_task(sas)
    if not exact_costs(task).with_plan:
        return
    with TemporaryDirectory() as temporary:
        for workers in (1, 2):
            options = CostOptions(
                task=(), policy=f"random:{seed}", whole="yes", workers=workers, batch_size=7
            )
            Campaign.create(Path(temporary, str(workers)), options, task).run()
        assert contents(Path(temporary, "1")) == contents(Path(temporary, "2"))
