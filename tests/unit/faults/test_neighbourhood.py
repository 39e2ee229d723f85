"""Ways to the goal around a path, against the goal distances of all states."""

from __future__ import annotations

from math import inf

import numpy as np

from bugsieve.explanation.blame.states_around_run import Neighbourhood
from bugsieve.pipeline.objectives.objective import path_states, plan_cost
from tests.depth import examples
from tests.unit.bugs.samples import LONG, make_sample
from tests.unit.policies.line import at, line_task


def test_of_a_whole_task_all_ways_are_cheapest() -> None:
    solvable = 0
    for seed in range(examples(100)):
        sample = make_sample(seed, shape=LONG)
        task = sample.bench.task
        around = Neighbourhood(task)
        ids = np.concatenate([around.add_path(state[None], ()) for state in sample.states])
        around.settle()
        around.spread(ids, 10**6)
        around.settle()
        for state, start, cost in zip(sample.states, ids, around.costs(ids), strict=True):
            assert cost == sample.distances[state.tobytes()]
            if cost < inf:
                way = around.way(int(start))
                assert plan_cost(task, way) == cost
                assert task.is_goal(path_states(task, state, way)[-1]).all()
                solvable += 1
    assert solvable >= examples(200)


def test_it_expands_what_is_nearest_to_the_centre_and_no_more_than_it_may() -> None:
    task = line_task(20)
    around = Neighbourhood(task)
    ids = around.add_path(at(5), ())
    assert around.spread(ids, 3) == 3
    around.settle()
    assert around.transitions == 6
    assert around.costs(ids) == [inf]
    plan = tuple(range(5, 19))
    around.add_path(path_states(task, at(5)[0], plan), plan)
    around.settle()
    assert around.costs(ids) == [14]
    assert around.way(int(ids[0])) == plan
    assert len(around.on_ways(ids)) == 15
