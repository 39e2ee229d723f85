"""Measures our side: searches, batch heuristics and random walks through the Python interface."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits, astar, greedy

States = NDArray[np.uint16]
WALK_LENGTH = 50
WALKERS = 1000


def astar_rate(task: Task, heuristic: str, seconds: float) -> float:
    """Evaluations per CPU second of A* from the initial state, building the heuristic included."""
    start = time.process_time()
    result = astar(task, task.initial_state, heuristic, limits=Limits(seconds=seconds))
    return result.evaluated / (time.process_time() - start)


@dataclass(frozen=True)
class Solution:
    """What A* with LM-cut spent until it had an optimal plan."""

    cost: int
    evaluated: int
    evaluated_before_last_layer: int
    seconds: float


def solve_optimally(task: Task) -> Solution:
    """A* with LM-cut from the initial state; seconds of CPU time, building it included."""
    start = time.process_time()
    result = _native.astar(task.native, task.initial_state, "lmcut")
    elapsed = time.process_time() - start
    if result.cost is None:
        raise RuntimeError(f"{task.name}: A* found no plan ({result.status})")
    return Solution(result.cost, result.evaluated, result.evaluated_before_last_layer, elapsed)


def greedy_cpu_seconds(task: Task, calls: int) -> float:
    """CPU seconds of one greedy search with h^FF and preferred operators, mean over calls."""
    start = time.process_time()
    for _ in range(calls):
        result = greedy(task, task.initial_state)
    elapsed = time.process_time() - start
    if result.plan is None:
        raise RuntimeError(f"{task.name}: greedy search found no plan ({result.status})")
    return elapsed / calls


def walk_batches(task: Task, *, batches: int = 12, seed: int = 1) -> list[States]:
    """Distinct end states of random walks with 1 to WALK_LENGTH steps, shuffled, in batches."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, WALK_LENGTH + 1, (batches, WALKERS))
    ends = np.concatenate([walk_ends(task, row, rng) for row in lengths])
    distinct = rng.permutation(np.unique(ends, axis=0))
    return [distinct[start : start + WALKERS] for start in range(0, len(distinct), WALKERS)]


def walk_ends(task: Task, lengths: NDArray[np.int64], rng: Generator) -> States:
    """Where random walks of the given lengths from the initial state end."""
    states = initial_states(task, len(lengths))
    for step in range(int(lengths.max())):
        walking = np.flatnonzero(lengths > step)
        states[walking], _ = random_step(task, states[walking], rng)
    return states


def evaluation_rate(
    task: Task, heuristic: str, batches: Sequence[States], seconds: float
) -> float:
    """Evaluations per CPU second of a batch heuristic that was built beforehand."""
    evaluate = task.heuristic(heuristic).evaluate
    evaluate(batches[0][:1])
    return _rate(lambda turn: len(evaluate(batches[turn % len(batches)])), seconds)


def walk_rate(task: Task, seconds: float, *, walkers: int = WALKERS) -> float:
    """Steps per CPU second of random walks in lockstep, restarted after WALK_LENGTH steps."""
    rng = np.random.default_rng(1)
    return _rate(lambda _: _walk_all(task, walkers, rng), seconds)


def _walk_all(task: Task, walkers: int, rng: Generator) -> int:
    states = initial_states(task, walkers)
    steps = 0
    for _ in range(WALK_LENGTH):
        states, moved = random_step(task, states, rng)
        steps += moved
    return steps


def initial_states(task: Task, count: int) -> States:
    """The initial state in each of `count` rows."""
    return np.repeat(task.initial_state[None, :], count, axis=0)


def random_step(task: Task, states: States, rng: Generator) -> tuple[States, int]:
    """A uniformly chosen successor per row and the number of steps; dead ends start again."""
    operators, offsets = task.applicable(states)
    choices = np.diff(offsets)
    stuck = choices == 0
    if stuck.any():
        successors = initial_states(task, len(states))
        moving = np.flatnonzero(~stuck)
        if len(moving):
            successors[moving], _ = random_step(task, states[moving], rng)
        return successors, len(moving)
    chosen = offsets[:-1] + (rng.random(len(states)) * choices).astype(np.int64)
    return task.successors(states, operators[chosen]), len(states)


def _rate(work: Callable[[int], int], seconds: float) -> float:
    done = 0
    turn = 0
    start = time.process_time()
    while True:
        done += work(turn)
        turn += 1
        elapsed = time.process_time() - start
        if elapsed >= seconds:
            return done / elapsed
