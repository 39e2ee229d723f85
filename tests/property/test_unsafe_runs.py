"""Walks into danger against Algorithm 1 step by step, on thousands of random systems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.safety.walks.unsafe_runs import Walk, core_walks, walk_keys, walks_of
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome
from tests.depth import examples
from tests.reference.safety import ORDINARY, UNSAFE, System, random_system
from tests.reference.unsafe_runs import Search, walk
from tests.unit.oracles.safety.graphs import graph_system

SEARCHES = [
    ("uniform", 1), ("greedy", 1), ("greedy", 2), ("greedy", None), ("sampling", 1),
    ("sampling", 3), ("sampling", None),
]  # fmt: skip
WALKS = 6


@dataclass(frozen=True)
class GraphWorld:
    """A random graph under its policy."""

    system: System
    distances: tuple[float, ...]

    def is_unsafe(self, state: int) -> bool:
        return self.system.kinds[state] == UNSAFE

    def successors(self, state: int) -> list[int]:
        if self.system.kinds[state] != ORDINARY:
            return []
        return list(self.system.transitions[state].get(self.system.policy[state], ()))

    def stuck(self, state: int) -> str:
        if self.system.kinds[state] != ORDINARY or self.successors(state):
            return ""
        if not self.system.transitions[state]:
            return "dead end"
        return "no action" if self.system.policy[state] < 0 else "illegal action"

    def distance(self, state: int) -> float:
        return self.distances[state]

    def reachable(self, state: int) -> set[int]:
        found, todo = {state}, [state]
        while todo:
            new = [s for s in self.successors(todo.pop()) if s not in found]
            found.update(new)
            todo.extend(new)
        return found


def random_world(seed: int) -> GraphWorld:
    random = Random(seed)
    system = random_system(random, most_states=random.choice([5, 12, 30]))
    distances = [
        0.0 if kind == UNSAFE else random.choice([1.0, 1.0, 2.0, 2.5]) for kind in system.kinds
    ]
    return GraphWorld(system, tuple(distances))


def walked(
    world: GraphWorld, options: SafetyFuzzOptions, starts: list[int], numbers: list[int],
    **settings: int,
) -> list[Walk]:  # fmt: skip
    graph = graph_system(world.system.kinds, world.system.transitions, world.distances)
    policy = _native.TablePolicy(np.array(world.system.policy, dtype=np.int32))
    native = core_walks(graph, policy, options, **settings)
    rows = np.array(starts, dtype=np.uint64).reshape(-1, 1)
    wanted = np.array(numbers, dtype=np.int64)
    return walks_of(numbers, native.run(rows, wanted, *walk_keys(options.seed)))


def summary(walk: Walk) -> tuple[Any, ...]:
    run = None if walk.run is None else (walk.run.states.tolist(), walk.run.actions.tolist())
    return walk.number, walk.outcome, run, walk.steps


def check_run(world: GraphWorld, found: Walk, start: int) -> None:
    """A returned run is one of the policy, from the start into danger."""
    assert found.run is not None
    states = found.run.states[:, 0].tolist()
    assert states[0] == start and len(states) == found.steps + 1 == len(found.run) + 1
    assert [world.is_unsafe(s) for s in states] == [False] * found.steps + [True]
    for (here, there), action in zip(pairwise(states), found.run.actions.tolist(), strict=True):
        assert action == world.system.policy[here]
        assert there in world.successors(here)


@pytest.mark.parametrize(("choice", "depth"), SEARCHES)
def test_walks_are_those_of_the_twin(choice: str, depth: int | None) -> None:
    endings: set[WalkOutcome] = set()
    for seed in range(examples(400)):
        world = random_world(seed)
        random = Random(seed)
        most_states = random.choice([1, 4, 10**6])
        step_limit = random.choice([3, 50])
        options = SafetyFuzzOptions(depth, choice, seed=seed, lookahead_states=most_states)
        search = Search(choice, depth, step_limit, most_states, seed)
        starts = [random.choice(world.system.states) for _ in range(WALKS)]
        numbers = list(range(WALKS))
        found_walks = walked(world, options, starts, numbers, step_limit=step_limit)
        for number, found in enumerate(found_walks):
            twin = walk(world, starts[number], number, search)
            assert (found.outcome.value, found.steps) == (twin.ending, len(twin.path) - 1), seed
            endings.add(found.outcome)
            if found.outcome is WalkOutcome.UNSAFE:
                check_run(world, found, starts[number])
                assert found.run is not None
                assert found.run.states[:, 0].tolist() == twin.path
    assert endings == set(WalkOutcome)


@pytest.mark.parametrize("choice", ["greedy", "sampling"])
def test_a_full_lookahead_gives_up_only_where_there_is_no_danger(choice: str) -> None:
    exhausted = 0
    for seed in range(1000, 1000 + examples(600)):
        world = random_world(seed)
        starts = list(world.system.states)
        options = SafetyFuzzOptions(None, choice, seed=seed)
        for start, found in zip(starts, walked(world, options, starts, starts), strict=True):
            can_fail = any(map(world.is_unsafe, world.reachable(start)))
            if not can_fail:
                assert found.outcome is not WalkOutcome.UNSAFE
            if found.outcome is WalkOutcome.EXHAUSTED:
                exhausted += 1
                twin = walk(world, start, start, Search(choice, None, 10_000, seed=seed))
                assert not any(map(world.is_unsafe, world.reachable(twin.path[-1])))
    assert exhausted > examples(500)


@pytest.mark.parametrize(("choice", "depth"), SEARCHES)
def test_walks_depend_on_seed_and_number_alone(choice: str, depth: int | None) -> None:
    unsafe = 0
    for seed in range(2000, 2000 + examples(60)):
        world = random_world(seed)
        options = SafetyFuzzOptions(depth, choice, seed=seed)
        walks = partial(walked, world, options, step_limit=40)
        random = Random(seed)
        starts = [random.choice(world.system.states) for _ in range(30)]
        numbers = list(range(30))
        wanted = [summary(w) for w in walks(starts, numbers)]
        few_lanes = walks(starts, numbers, lanes=3)
        assert [summary(w) for w in few_lanes] == wanted
        no_memory = walks(starts, numbers, lanes=7, cache_bytes=1)
        assert [summary(w) for w in no_memory] == wanted
        random.shuffle(numbers)
        mixed = walks([starts[n] for n in numbers], numbers)
        assert [summary(w) for w in mixed] == [wanted[n] for n in numbers]
        alone = walks([starts[11]], [11])
        assert summary(alone[0]) == wanted[11]
        unsafe += sum(w[1] is WalkOutcome.UNSAFE for w in wanted)
    assert unsafe > examples(100)


def test_memory_is_given_back() -> None:
    """A long line of states, of which a cache holds a few at a time."""
    size = 20_000
    line: list[dict[int, tuple[int, ...]]] = [{0: (k + 1,)} for k in range(size)]
    graph = graph_system([0] * size + [2], [*line, {}])
    policy = _native.TablePolicy(np.zeros(size + 1, dtype=np.int32))
    options = SafetyFuzzOptions()
    native = core_walks(graph, policy, options, step_limit=10**6, cache_bytes=200_000)
    starts = np.zeros((2, 1), dtype=np.uint64)
    found = walks_of([0, 1], native.run(starts, np.arange(2), *walk_keys(0)))
    assert [w.steps for w in found] == [size, size]
    assert native.times_forgotten > 2
    assert native.memory_bytes < 400_000
    assert native.decisions == size  # the walks go side by side
