"""The decision to blame against goal distances of all states, on random tasks."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

import numpy as np
import pytest

from bugsieve.explanation.blame.blame import BOUND, EXACT, NO_SINGLE_DECISION, Blame, blame
from bugsieve.explanation.blame.exact_costs import costs_for, exact_culprit
from bugsieve.explanation.blame.regret import GAVE_UP, BlameQuestion, CulpritSearch
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from bugsieve.tasks.grounded.task import StateArray
from bugsieve.tasks.search import Limits, astar
from tests.depth import examples
from tests.reference.regret import culprit, regrets
from tests.unit.bugs.samples import LONG, SMALL, Sample, make_sample


def goal_distances(sample: Sample, states: StateArray) -> list[float]:
    """The best cost-to-go of states of a run; 0 where only success counts and can be had."""
    objective = sample.bench.objective
    distances = [
        inf if objective.alternatives().start(state) is None else distance_to_goal(sample, state)
        for state in states
    ]
    return distances if objective.costs_count else [0.0 if d < inf else d for d in distances]


def distance_to_goal(sample: Sample, state: StateArray) -> float:
    if not sample.bench.objective.spec.startswith("avoid:"):
        return sample.distances[state.tobytes()]
    alternatives = sample.bench.objective.alternatives()
    start = alternatives.start(state)
    assert start is not None
    cost = astar(alternatives.task, start, "blind").cost
    return inf if cost is None else cost


@pytest.mark.parametrize("objective", ["quantitative", "qualitative", "avoid"])
def test_the_first_decision_with_a_regret_is_blamed(objective: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(250) if objective == "avoid" else examples(400, quick=40)):
        sample = make_sample(seed, shape=LONG if seed % 3 else SMALL, objective=objective)
        for state, verdict in sample.bugs():
            certificate = certificate_of(sample.bench, state, verdict)
            result = blame(sample.bench, certificate)
            seen[check_blame(sample, state, certificate, result)] += 1
            limited = blame(sample.bench, certificate, limits=Limits(expansions=1))
            check_better_run(sample, state, limited)
            check_without_sizes(sample, certificate)
            if limited.sure == EXACT:
                assert limited.index == result.index
            seen["bound"] += limited.sure == BOUND
    wanted = {"quantitative": ("regret", "loop", "end"), "qualitative": ("loop", "end")}
    assert min(seen[what] for what in wanted.get(objective, ("regret",))) >= examples(5), seen


def check_without_sizes(sample: Sample, certificate: dict[str, Any]) -> None:
    """Who does not ask for sizes is told the same decision, as sure, and the same plan."""
    for expansions in (20, 100, 10_000) if sample.bench.objective.costs_count else ():
        limits = Limits(expansions=expansions)
        told = set()
        for sizes in (True, False):
            asked = BlameQuestion(sizes=sizes, compares=False)
            regrets = CulpritSearch(sample.bench.task, certificate, limits, asked)
            found = regrets.culprit()
            plan = None if found is None else regrets.course.plan(found.index)
            told.add((None, None, None) if found is None else (found.index, found.certain, plan))
        assert len(told) == 1
        quick = blame(sample.bench, certificate, limits=limits, thorough=False)
        whole = blame(sample.bench, certificate, limits=limits)
        assert quick.sure != EXACT or (whole.index, whole.sure) == (quick.index, EXACT)


def check_blame(
    sample: Sample, state: StateArray, certificate: dict[str, Any], result: Blame
) -> str:
    """The decision is the one of the definition; which kind of decision that is."""
    run, task = certificate["run"], sample.bench.task
    operators = tuple(run["operators"])
    states = path_states(task, state, operators)
    distances = goal_distances(sample, states)
    counts = sample.bench.objective.costs_count
    costs = [float(task.operator_costs[step]) * counts for step in operators]
    truth = culprit(costs, distances, run["loop_start"])
    check_better_run(sample, state, result)
    check_table(sample, run, states, truth)
    if truth is not None:
        assert (result.index, result.sure) == (truth, EXACT)
        if counts:
            assert result.plan_cost - sum(costs[:truth]) == distances[truth]
            check_suspects(result, regrets(costs, distances), run)
        return "regret"
    if run["ending"] == "loop":
        assert result.sure == NO_SINGLE_DECISION
        assert result.action != result.better
        return "loop"
    assert (result.index, result.sure) == (len(operators), EXACT)
    return "end"


def check_table(
    sample: Sample, run: dict[str, Any], states: StateArray, truth: int | None
) -> None:
    """The exact costs of all states blame the same decision, where they reach."""
    costs = costs_for(sample.bench)
    if costs is None or np.isnan(costs.to_go(states)).any():
        return
    expected = len(run["operators"]) if truth is None and run["ending"] in GAVE_UP else truth
    assert exact_culprit(sample.bench, run, states, costs) == expected


def check_suspects(result: Blame, lost: list[float], run: dict[str, Any]) -> None:
    """They are the largest regrets of where the culprit is: the searches see all of such tasks."""
    in_cycle = run["ending"] == "loop" and result.index >= run["loop_start"]
    first = run["loop_start"] if in_cycle else 0
    largest = sorted((-regret, step) for step, regret in enumerate(lost) if step >= first)
    named = [(-suspect.regret, suspect.index) for suspect in result.suspects]
    gives_up = run["ending"] in GAVE_UP and inf not in lost
    expected = [(-inf, len(lost)), *largest] if gives_up else largest
    assert named == [pair for pair in sorted(expected) if pair[0] < 0][:2]


def check_better_run(sample: Sample, state: StateArray, result: Blame) -> None:
    """The run with the decision put right reaches the goal as the objective wants it."""
    task, objective = sample.bench.task, sample.bench.objective
    better = result.better_run
    assert task.is_goal(path_states(task, state, better)[-1]).all()
    assert plan_cost(task, better) == result.plan_cost
    assert objective.costs_count or objective.plan_value(state, better) == 1
