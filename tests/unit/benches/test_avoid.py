"""The objective of never meeting a condition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.objectives.avoid import Avoid
from bugsieve.tasks.search import astar
from tests.unit.bugs.samples import line_bench, make_sample
from tests.unit.policies.line import at, line_task

TASK = line_task(6)


def test_values_of_runs() -> None:
    bench = line_bench(
        TASK,
        {1: "right", 2: "right", 3: "left", 4: "right"},
        objective="avoid:(at p3)",
        step_limit=1,
    )
    places = {0: 1, 1: math.nan, 2: 0, 3: 0, 4: 1, 5: 1}
    values = bench.values(bench.runs(at(*places)))
    np.testing.assert_array_equal(values, list(places.values()))


def test_a_loop_without_the_condition_is_worth_as_much_as_the_goal() -> None:
    bench = line_bench(TASK, {1: "right", 2: "left"}, objective="avoid:(at p3)")
    assert bench.values(bench.runs(at(1, 2, 3))).tolist() == [1, 1, 0]
    assert bench.values(bench.runs(at()[:0].reshape(0, 1))).tolist() == []


def test_a_run_that_was_cut_is_worthless_only_if_the_condition_held() -> None:
    steps = dict.fromkeys(range(5), "right")
    cut = line_bench(TASK, steps, objective="avoid:(at p2)", step_limit=1)
    np.testing.assert_array_equal(
        cut.values(cut.runs(at(0, 1, 2, 3, 4))), [math.nan, 0, 0, math.nan, 1]
    )


def test_values_of_plans_and_the_place_where_a_run_is_settled() -> None:
    objective = make_objective("avoid:(or (at p1) (at p4))", TASK)
    assert objective.spec == "avoid:(or (at p1) (at p4))"
    assert objective.plan_value(at(2)[0], (2, 3, 4)) == 0
    assert objective.plan_value(at(5)[0], ()) == 1
    assert objective.plan_value(at(4)[0], (4,)) == 0, "the first state counts"
    assert objective.settled_at(at(2, 3, 4, 5)) == 2
    assert objective.settled_at(at(2, 3)) is None
    assert objective.better(1, 0)
    assert not objective.is_bug(0.0, 0.0)
    assert not objective.is_bug(math.nan, 1.0)


def test_the_alternatives_are_made_once_and_lead_around_the_condition() -> None:
    objective = Avoid(TASK, "(at p1)")
    alternatives = objective.alternatives()
    assert objective.alternatives() is alternatives
    assert alternatives.start(at(1)[0]) is None
    start = alternatives.start(at(2)[0])
    assert start is not None
    found = astar(alternatives.task, start)
    assert found.plan is not None
    assert alternatives.plan(found.plan) == (2, 3, 4)


def test_bad_conditions_are_named() -> None:
    with pytest.raises(InputError, match=r"\(at p9\)"):
        make_objective("avoid:(at p9)", TASK)
    with pytest.raises(UsageError, match="there is no objective 'avoid'"):
        make_objective("avoid", TASK)


def test_values_agree_with_a_naive_look_at_every_state() -> None:
    seen = set()
    for seed in range(40):
        sample = make_sample(seed, objective="avoid")
        bench, objective = sample.bench, sample.bench.objective
        assert isinstance(objective, Avoid)
        values = bench.values(bench.runs(sample.states))
        for state, value in zip(sample.states, values.tolist(), strict=True):
            path = bench.graph.paths(bench.runs(state))[0]
            met = any(objective.condition.holds(s)[0] for s in bench.graph.states(path))
            assert value == (0 if met else 1)
            seen.add(value)
    assert seen == {0, 1}
