"""Tests of a measurement: each depends on the seed and its number alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.pipeline.pool.sample import (
    ALL_MADE,
    ALL_TESTS,
    Sample,
    SampleFuzzer,
    SampleShare,
    distribution,
    require_sample,
    sampling,
)
from bugsieve.policies.registry import make_policy
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.task import Task
from tests.reference.sas import parse, render
from tests.unit.policies.generated import generated_task

STUCK = """
(define (domain stuck) (:predicates (at0) (at1) (done))
 (:action go :parameters () :precondition (at0) :effect (and (not (at0)) (at1)))
 (:action win :parameters () :precondition (at0) :effect (done)))
"""


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=3)


def drawn(task: Task, tests: int, part: SampleShare = ALL_TESTS, **settings: int) -> Sample:
    bench = Bench(task, make_policy("random", task), make_objective("quantitative", task))
    sampler = SampleFuzzer(bench, sampling(**settings), part, tests, pool=Sample(task))
    while sampler.finished is None:
        sampler.round()
    assert sampler.finished == ALL_MADE
    return sampler.pool


def test_more_tests_do_not_change_the_first_ones(task: Task) -> None:
    few, many = drawn(task, 100), drawn(task, 400)
    assert np.array_equal(few.states(), many.states(range(100)))
    assert [*few] == [*many][:100]
    assert not np.array_equal(few.states(), drawn(task, 100, seed=1).states())


def test_the_walk_of_a_test_leads_to_it(task: Task) -> None:
    sample = drawn(task, 100, walk_length=7)
    for entry in sample:
        assert (entry.walk, entry.parent) == (entry.number, None)
        assert 1 <= len(entry.actions) <= 7
        end = path_states(task, task.initial_state, entry.actions)[-1]
        assert np.array_equal(end, sample.states([entry.number])[0])
        assert sample.origin(entry.number).from_initial == entry.actions
    assert {len(entry.actions) for entry in sample} == set(range(1, 8))


def test_a_state_that_comes_again_counts_again(task: Task) -> None:
    states = Counter(state.tobytes() for state in drawn(task, 400).states())
    assert max(states.values()) > 1
    assert states.total() == 400


def test_a_walk_ends_where_nothing_can_be_done(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(STUCK)
    problem = "(define (problem p) (:domain stuck) (:init (at0)) (:goal (done)))"
    (tmp_path / "problem.pddl").write_text(problem)
    task = load_task(tmp_path)
    for entry in drawn(task, 100, walk_length=9):
        names = [task.operator_names[action] for action in entry.actions]
        assert "(go)" not in names[:-1] and len(names) >= 1  # after it nothing can be done
    after = task.successors(task.initial_state, [task.operator_names.index("(go)")])[0]
    stuck = replace(parse(task.to_sas()), initial=tuple(after.tolist()))
    (tmp_path / "stuck.sas").write_text(render(stuck))
    still = drawn(load_task(tmp_path / "stuck.sas"), 100)
    assert {entry.actions for entry in still} == {()}
    assert np.array_equal(still.states([99])[0], still.task.initial_state)


def test_each_test_draws_one_problem() -> None:
    numbers = np.arange(1000)
    parts = [SampleShare(problem, 3).of(7, numbers).tolist() for problem in range(3)]
    assert sorted(number for part in parts for number in part) == numbers.tolist()
    assert all(280 < len(part) < 390 for part in parts)
    assert parts[0] == [n for n in SampleShare(0, 3).of(7, np.arange(2000)).tolist() if n < 1000]


def test_parts_of_a_sample_have_gaps_in_their_numbers(task: Task) -> None:
    part, whole = SampleShare(1, 2), drawn(task, 100)
    sample = drawn(task, 100, part)
    own = part.of(0, np.arange(100)).tolist()
    assert [entry.walk for entry in sample] == own
    assert np.array_equal(sample.states(), whole.states(own))


@pytest.mark.parametrize("text", ["", "0/1", "2/1", "1", "1/0", "a/b", "1/1/1", "١/1"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="sample must be K/N"):
        SampleShare.parse(text)


def test_parts_read_what_they_write() -> None:
    assert SampleShare.parse(str(SampleShare(1, 5))) == SampleShare(1, 5)


@pytest.mark.parametrize(
    "change", [{"bias": "loopiness"}, {"novelty": 1}, {"prune_dead_ends": True}]
)
def test_walks_that_prefer_something_make_no_sample(change: dict[str, object]) -> None:
    require_sample(sampling(walk_length=3, seed=9))
    with pytest.raises(UsageError, match="end of a uniform walk"):
        require_sample(replace(sampling(), **change))  # type: ignore[arg-type]


def test_the_distribution_is_told_in_a_sentence() -> None:
    assert "from the initial state: 1 to 7 steps" in distribution(sampling(walk_length=7))
    assert "of one of 3 problems, drawn each time" in distribution(sampling(), 3)
