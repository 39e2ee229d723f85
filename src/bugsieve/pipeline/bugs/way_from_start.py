"""The shortest way from the initial state of a task to the state of a bug."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.tasks.grounded.retargeting import steps_to
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, astar, greedy

DEFAULT_LIMITS = Limits(expansions=20_000, bytes=1 << 30)


def shortest_way(
    task: Task,
    state: StateArray,
    known: Sequence[int] | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[int, ...] | None:
    """Operators from the initial state to this one, at most as many as in a way that is known.

    As few as possible if the searches finish within the limits; None if no way is known or found.
    """
    best = None if known is None else _without_circles(task, tuple(known))
    if best == ():
        return best
    target = steps_to(task, state)
    bound = None if best is None else len(best)
    # Greedy search first: a shorter way that it finds quickly is a tighter bound for A*, which
    # may not finish.
    found = greedy(target, task.initial_state, limits=limits, cost_bound=bound)
    best = best if found.plan is None else found.plan
    bound = None if best is None else len(best)
    found = astar(target, task.initial_state, limits=limits, cost_bound=bound)
    return best if found.plan is None else found.plan


def _without_circles(task: Task, path: tuple[int, ...]) -> tuple[int, ...]:
    """The path without the parts that lead back to where they began."""
    states = path_states(task, task.initial_state, path)
    # Always on from the last visit of a state: everything between two visits was a circle.
    last = {state.tobytes(): step for step, state in enumerate(states)}
    kept = []
    step = last[states[0].tobytes()]
    while step < len(path):
        kept.append(path[step])
        step = last[states[step + 1].tobytes()]
    return tuple(kept)
