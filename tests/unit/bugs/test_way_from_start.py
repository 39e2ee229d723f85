"""The shortest way to a state."""

from __future__ import annotations

from random import Random

import numpy as np

from bugsieve.pipeline.bugs.way_from_start import shortest_way
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits
from tests.unit.bugs.samples import LONG, fork_task, make_sample
from tests.unit.policies.line import at, line_task


def test_limits_never_make_a_way_longer() -> None:
    task = line_task(30)
    circles = (0, task.operator_id("left p1")) * 5
    straight = tuple(range(20))
    detour = (*straight[:10], 10, task.operator_id("left p11"), *straight[10:])
    there = at(20)[0]
    for limits in (Limits(expansions=0), Limits(expansions=3), Limits()):
        assert shortest_way(task, at(0)[0], circles, limits=limits) == ()
        assert shortest_way(task, there, circles + straight, limits=limits) == straight
        assert shortest_way(task, there, detour, limits=limits) == straight, "without search"
    assert shortest_way(task, at(0)[0], ()) == ()


def test_a_way_that_nobody_knows_is_looked_for() -> None:
    task = line_task(30)
    assert shortest_way(task, at(3)[0]) == (0, 1, 2)
    assert shortest_way(task, at(3)[0], limits=Limits(expansions=0)) is None
    assert shortest_way(task, at(0)[0]) == ()
    assert shortest_way(fork_task(), at(1)[0]) == (1,)


def test_ways_in_random_tasks_lead_to_the_same_state_in_as_few_steps_as_possible() -> None:
    shortened = 0
    for seed in range(25):
        task = make_sample(seed, shape=LONG).bench.task
        random = Random(seed)
        state, path = task.initial_state, []
        for _ in range(15):
            operators = task.applicable(state).operators.tolist()
            if not operators:
                break
            path.append(random.choice(operators))
            state = task.successors(state, [path[-1]])[0]
        for known in (path, None):
            short = shortest_way(task, state, known)
            assert short is not None
            assert path_states(task, task.initial_state, short)[-1].tolist() == state.tolist()
            assert len(short) == steps_between(task.initial_state.tolist(), state.tolist(), task)
            shortened += len(short) < len(path)
    assert shortened >= 20


def steps_between(start: list[int], end: list[int], task: Task) -> int:
    """Breadth-first search without any cleverness."""
    layer, steps, seen = {tuple(start)}, 0, {tuple(start)}
    while tuple(end) not in layer:
        after, _, _ = task.all_successors(np.array(sorted(layer), dtype=np.uint16))
        layer = {tuple(row) for row in after.tolist()} - seen
        seen |= layer
        steps += 1
    return steps
