"""Slow twin of the state-morphing oracle: Algorithms 1 and 2 of papers/002 to the letter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np

from bugsieve._native import DEAD_END
from bugsieve.policies.policy import Policy
from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.naive import NaiveDominance, State, successor
from tests.unit.dominance.plans import is_goal

Visit = Callable[[State], None]


def ignored(state: State) -> None:
    """Nobody wants to know."""


def morphs(task: Task, naive: NaiveDominance, t: State) -> Iterator[State]:
    """Algorithm 2 without its selection."""
    for v, size in enumerate(task.domain_sizes.tolist()):
        for d in range(size):
            s = (*t[:v], d, *t[v + 1 :])
            if d != t[v] and naive.value(s, t) > -inf:
                yield s


def run(
    task: Task, policy: Policy, s: State, cutoff: float, steps: int, visit: Visit = ignored
) -> float:
    """What the policy's run costs; inf if it fails, or if its cost reaches the cut-off."""
    cost, seen = 0, set[State]()
    while not is_goal(task, s):
        if cost >= cutoff or s in seen or len(seen) == steps or _is_dead_end(task, s):
            return inf
        seen.add(s)
        visit(s)
        action = _action(policy, s)
        after = successor(task, s, action) if 0 <= action < task.num_operators else None
        if after is None:
            return inf
        cost, s = cost + int(task.operator_costs[action]), after
    return cost if cost < cutoff else inf


def largest_gap(
    task: Task,
    policy: Policy,
    naive: NaiveDominance,
    t: State,
    steps: int,
    visit: Visit = ignored,
) -> float:
    """Algorithm 1, but for all morphs: the largest gap that one of them proves, 0 for none."""
    of_t = run(task, policy, t, inf, steps)
    gap = 0.0
    for s in morphs(task, naive, t):
        worth = naive.value(s, t)
        cutoff = of_t + worth
        if cutoff > 0:
            of_s = run(task, policy, s, cutoff, steps, visit)
            if of_s < inf and of_s - of_t < worth:
                gap = max(gap, of_t - max(0.0, of_s - worth))
    return gap


def _action(policy: Policy, state: State) -> int:
    try:
        return int(policy.choose(np.array([state], dtype=np.uint16))[0])
    except ArithmeticError:
        return -1


def _is_dead_end(task: Task, state: State) -> bool:
    values = task.heuristic("hmax").evaluate(np.array([state], dtype=np.uint16))
    return int(values[0]) == DEAD_END
