"""Which bugs belong together, against slow and obvious ways to tell."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from bugsieve.pipeline.bugs.groups import (
    bug_regions,
    count_regions,
    have_unique_fact_pair,
    unique_fact_pair_share,
)
from bugsieve.tasks.grounded.task import Task
from tests.property.strategies import seeded_task, some_states, wide_task
from tests.reference.sas import SasTask, State
from tests.reference.successors import successors
from tests.unit.bugs.samples import LONG
from tests.unit.policies.line import as_task, at, line_task


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
    monkeypatch.setattr("bugsieve.pipeline.bugs.groups._CODES_PER_BATCH", 600)
    assert check_unique(as_task(sas), states) == share, "neither batches nor sorting matter"


def test_a_single_variable_has_no_pairs() -> None:
    assert have_unique_fact_pair(line_task(4), at(0, 1, 2)).tolist() == [False] * 3
