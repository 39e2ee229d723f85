"""Which bugs belong together, against slow and obvious ways to tell."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from bugsieve.benches.bench import Bench
from bugsieve.benches.objectives import make_objective
from bugsieve.bugs.cost.groups import (
    blame_groups,
    bug_regions,
    count_regions,
    have_unique_fact_pair,
    unique_fact_pair_share,
)
from bugsieve.tasks.fdr.task import StateArray, Task
from tests.property.strategies import seeded_task, some_states, wide_task
from tests.reference.sas import SasTask, State
from tests.reference.successors import successors
from tests.unit.bugs.samples import LONG, TablePolicy, fork_task, line_bench, make_sample
from tests.unit.policies.line import as_task, at, line_task


def members(bench: Bench, states: StateArray) -> list[tuple[int, ...]]:
    return [group.members for group in blame_groups(bench, states)]


def test_runs_into_one_loop_or_one_stop_belong_together() -> None:
    task = line_task(10)
    steps = {0: "right", 1: "right", 2: "left", 4: "right", 6: "left", 7: "left", 8: "left"}
    bench = line_bench(task, steps)
    groups = blame_groups(bench, at(0, 1, 2, 4, 5, 6, 7, 8, 3))
    assert [group.members for group in groups] == [(3, 4, 5, 6, 7), (0, 1, 2), (8,)]
    assert [group.state.tolist() for group in groups] == [[5], [1], [3]]


def test_runs_to_the_goal_merge_only_where_the_policy_may_be_wrong() -> None:
    """All runs end in p9, but from p7 on they are the cheapest possible."""
    task = line_task(10)
    bench = line_bench(task, dict.fromkeys(range(9), "right"))
    assert members(bench, at(7, 8)) == [(0,), (1,)], "both are optimal where they start"
    fork = fork_task()
    policy = TablePolicy({(0,): 1, (1,): 2})
    bench = Bench(fork, policy, make_objective("quantitative", fork))
    assert members(bench, at(0, 1)) == [(0,), (1,)]


def test_runs_that_should_avoid_a_condition_merge_before_it_holds() -> None:
    task = line_task(8)
    bench = line_bench(task, dict.fromkeys(range(7), "right"), objective="avoid:(at p3)")
    groups = blame_groups(bench, at(0, 1, 2))
    assert [group.members for group in groups] == [(0, 1, 2)]
    assert groups[0].state.tolist() == [2]


def test_no_bugs_no_groups() -> None:
    task = line_task(3)
    none = at()[:0].reshape(0, 1)
    assert blame_groups(line_bench(task, {}), none) == []
    assert bug_regions(task, none).tolist() == []
    assert count_regions(task, none) == 0
    assert unique_fact_pair_share(task, none) is None


@pytest.mark.parametrize("seed", range(12))
def test_groups_are_those_of_runs_that_share_a_questionable_state(seed: int) -> None:
    sample = make_sample(seed, shape=LONG, count=60)
    states = np.array([state for state, _ in sample.bugs()]).reshape(-1, sample.states.shape[1])
    bench = sample.bench
    runs = bench.runs(states)
    hmax = bench.task.heuristic("hmax")
    questionable = []
    for path, solved in zip(bench.graph.paths(runs), runs.solved, strict=True):
        visited = bench.graph.states(path)
        costs = bench.runs(visited).costs
        keep = costs > hmax.evaluate(visited) if solved else np.ones(len(path), dtype=bool)
        questionable.append(set(path[keep].tolist()))
    groups = blame_groups(bench, states)
    label = {row: number for number, group in enumerate(groups) for row in group.members}
    assert sorted(label) == list(range(len(states)))
    for one, other in combinations(range(len(states)), 2):
        merge = bool(questionable[one] & questionable[other])
        assert (label[one] == label[other]) == merge
    for group in groups:
        candidate = int(bench.graph.table(group.state).ids[0])
        assert all(candidate in questionable[row] for row in group.members)


def naive_regions(task: SasTask, states: list[State]) -> list[set[State]]:
    """Merge sets of states until no transition connects two of them."""
    regions = [{state} for state in dict.fromkeys(states)]
    for state in states:
        for _, after in successors(task, state):
            if after in states:
                joined = [r for r in regions if state in r or after in r]
                regions = [r for r in regions if r not in joined]
                regions.append(set().union(*joined))
    return regions


@pytest.mark.parametrize("seed", range(15))
def test_regions(seed: int) -> None:
    sas = seeded_task(seed, LONG)
    states = some_states(sas, seed, 40)
    labels = bug_regions(as_task(sas), np.array(states, dtype=np.uint16)).tolist()
    expected = naive_regions(sas, states)
    assert len(set(labels)) == len(expected) == max(labels) + 1
    for one, other in combinations(range(len(states)), 2):
        together = any(states[one] in r and states[other] in r for r in expected)
        assert (labels[one] == labels[other]) == together
    firsts = [labels.index(number) for number in range(max(labels) + 1)]
    assert firsts == sorted(firsts), "regions are numbered as they appear"


def test_regions_connect_across_batches() -> None:
    task = line_task(1000)
    assert count_regions(task, at(*range(1000))) == 1
    assert count_regions(task, at(*range(0, 1000, 2))) == 500
    assert bug_regions(task, at(5, 900, 6, 901, 5)).tolist() == [0, 1, 0, 1, 0]


def naive_unique(states: list[State]) -> list[bool]:
    counts = Counter(p for state in states for p in combinations(enumerate(state), 2))
    return [any(counts[p] == 1 for p in combinations(enumerate(s), 2)) for s in states]


def check_unique(task: Task, states: list[State]) -> float:
    found = have_unique_fact_pair(task, np.array(states, dtype=np.uint16))
    assert found.tolist() == naive_unique(states)
    return float(found.mean())


@pytest.mark.parametrize("seed", range(15))
def test_unique_fact_pairs(seed: int) -> None:
    sas = seeded_task(seed, LONG)
    states = list(dict.fromkeys(some_states(sas, seed, 50)))
    task = as_task(sas)
    for count in (1, 2, 3, len(states)):
        check_unique(task, states[:count])
    share = unique_fact_pair_share(task, np.array(states, dtype=np.uint16))
    assert share == np.mean(naive_unique(states))


def test_unique_fact_pairs_of_many_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    sas = wide_task(3, 30, 40)
    states = list(dict.fromkeys(some_states(sas, 5, 200)))
    share = check_unique(as_task(sas), states)
    assert 0 < share < 1, "otherwise little was tested"
    monkeypatch.setattr("bugsieve.bugs.cost.groups._CODES_PER_BATCH", 600)
    assert check_unique(as_task(sas), states) == share, "neither batches nor sorting matter"


def test_a_single_variable_has_no_pairs() -> None:
    assert have_unique_fact_pair(line_task(4), at(0, 1, 2)).tolist() == [False] * 3
