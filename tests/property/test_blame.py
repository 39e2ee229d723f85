"""The decision to blame against goal distances of all states, on random tasks."""

from __future__ import annotations

from collections import Counter
from math import inf, isinf

import pytest

from bugsieve.benches.objectives.objective import path_states, plan_cost
from bugsieve.bugs.cost.certificate import certificate_of
from bugsieve.faults.blame import BOUND, EXACT, NO_SINGLE_DECISION, blame
from bugsieve.search import Limits, astar
from bugsieve.tasks.fdr.task import StateArray
from tests.depth import examples
from tests.unit.bugs.samples import LONG, SMALL, Sample, make_sample


def best_sums(sample: Sample, states: StateArray, run: tuple[int, ...]) -> list[float]:
    """Cost so far plus best cost-to-go along a run; only success counts where cost does not."""
    task, objective = sample.bench.task, sample.bench.objective
    counts_cost = objective.spec == "quantitative"
    sums = []
    for step, state in enumerate(states):
        start = objective.alternatives().start(state)
        distance = inf if start is None else distance_to_goal(sample, state)
        sums.append(distance + plan_cost(task, run[:step]) if counts_cost else distance * 0)
    return [inf if value != value else value for value in sums]  # inf * 0 is no number


def distance_to_goal(sample: Sample, state: StateArray) -> float:
    if not sample.bench.objective.spec.startswith("avoid:"):
        return sample.distances[state.tobytes()]
    alternatives = sample.bench.objective.alternatives()
    start = alternatives.start(state)
    assert start is not None
    cost = astar(alternatives.task, start, "blind").cost
    return inf if cost is None else cost


@pytest.mark.parametrize("objective", ["quantitative", "qualitative", "avoid"])
def test_the_first_decision_that_raises_the_sum_is_blamed(objective: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(250) if objective == "avoid" else examples(80, quick=40)):
        sample = make_sample(seed, shape=LONG if seed % 3 else SMALL, objective=objective)
        for state, verdict in sample.bugs():
            certificate = certificate_of(sample.bench, state, verdict)
            run = tuple(certificate["run"]["operators"])
            states = path_states(sample.bench.task, state, run)
            sums = best_sums(sample, states, run)
            assert sums == sorted(sums), "the sums never fall"
            result = blame(sample.bench, certificate)
            raised = [step for step, value in enumerate(sums) if value > sums[0]]
            if raised:
                assert (result.index, result.sure) == (raised[0] - 1, EXACT)
                seen["raised"] += 1
            elif certificate["run"]["ending"] == "loop":
                assert result.sure == NO_SINGLE_DECISION
                assert result.action != result.better
                seen["loop"] += 1
            else:
                assert (result.index, result.sure) == (len(run), EXACT)
                seen["gave up"] += certificate["run"]["ending"] != "solved"
            check_better_run(sample, state, result.better_run, sums[0], result.plan_cost)
            limited = blame(sample.bench, certificate, limits=Limits(expansions=1))
            assert limited.index <= result.index or result.sure == NO_SINGLE_DECISION
            seen["bound"] += limited.sure == BOUND
    wanted = {"quantitative": ("raised", "loop", "gave up"), "qualitative": ("loop", "gave up")}
    assert min(seen[what] for what in wanted.get(objective, ("raised",))) >= examples(5), seen


def check_better_run(
    sample: Sample, state: StateArray, better: tuple[int, ...], best: float, cost: int
) -> None:
    """The run with the decision put right is as good as can be."""
    task, objective = sample.bench.task, sample.bench.objective
    assert task.is_goal(path_states(task, state, better)[-1]).all()
    assert plan_cost(task, better) == cost
    assert not isinf(best)
    if objective.spec == "quantitative":
        assert cost == best
    else:
        assert objective.plan_value(state, better) == 1
