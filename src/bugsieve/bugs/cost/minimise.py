"""Makes a bug easier to understand: it starts where the trouble starts, and is reached quickly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from bugsieve.benches.bench import Bench, Suspects
from bugsieve.benches.objectives.objective import path_states
from bugsieve.bugs.cost.bug import Bug, make_bug
from bugsieve.bugs.cost.verdict import Verdict
from bugsieve.checkers.cost import check
from bugsieve.search import Limits, astar, greedy
from bugsieve.tasks.fdr.retargeting import steps_to
from bugsieve.tasks.fdr.task import StateArray, Task

DEFAULT_LIMITS = Limits(expansions=20_000, bytes=1 << 30)
_STATES_PER_BATCH = 16


class Judge(Protocol):
    """What minimising needs of an oracle."""

    spec: str

    def judge(self, suspects: Suspects) -> list[Verdict]:
        """One verdict per suspect, in order."""
        ...


@dataclass(frozen=True)
class Minimised:
    """The smaller bug, and how much smaller it is."""

    bug: Bug
    steps_later: int
    """After how many steps of the old run the new one starts."""
    path_saved: int
    """By how many operators the way from the initial state to it became shorter."""


def minimise(
    bench: Bench, judge: Judge, bug: Bug, *, limits: Limits = DEFAULT_LIMITS
) -> Minimised:
    """The last start on the policy's run whose gap is no smaller, and a shorter way to it."""
    steps, later = _last_start(bench, judge, bug)
    found = later.found_by
    if found is None or found.path is None:
        return Minimised(later, steps, 0)
    path = shorter_path(bench.task, found.path, limits=limits)
    saved = len(found.path) - len(path)
    return Minimised(replace(later, found_by=replace(found, path=path)), steps, saved)


def _last_start(bench: Bench, judge: Judge, bug: Bug) -> tuple[int, Bug]:
    """Judges the run from its end, so that few states are judged if the trouble is there."""
    run = bug.certificate["run"]
    start = np.array(bug.certificate["state"], dtype=np.uint16)
    states = path_states(bench.task, start, tuple(run["operators"]))
    if run["ending"] == "loop":  # its states lead to each other, so the first stands for all
        states = states[: run["loop_start"] + 1]
    for high in range(len(states), 1, -_STATES_PER_BATCH):
        low = max(1, high - _STATES_PER_BATCH)
        verdicts = judge.judge(bench.suspects(states[low:high]))
        for step in range(high - 1, low - 1, -1):
            verdict = verdicts[step - low]
            if verdict.is_bug and verdict.gap >= bug.gap:
                steps = run["operators"][:step]
                return step, _moved(bench, judge, bug, steps, states[step], verdict)
    return 0, bug


def _moved(
    bench: Bench,
    judge: Judge,
    bug: Bug,
    steps: list[int],
    state: StateArray,
    verdict: Verdict,
) -> Bug:
    found = bug.found_by
    if found is not None and found.path is not None:
        found = replace(found, path=(*found.path, *steps))
    moved = make_bug(bench, state, verdict, oracle=judge.spec, found_by=found)
    check(bench.task.to_sas(), moved.certificate)  # no bug without a certificate that holds
    return moved


def shorter_path(
    task: Task, path: Sequence[int], *, limits: Limits = DEFAULT_LIMITS
) -> tuple[int, ...]:
    """Operators from the initial state to where the path leads, at most as many as before.

    As few as possible if the search finishes within the limits.
    """
    states = path_states(task, task.initial_state, tuple(path))
    best = _without_circles(states, tuple(path))
    if not best:
        return best
    target = steps_to(task, states[-1])
    # Greedy search first: a shorter path that it finds quickly is a tighter bound for A*, which
    # may not finish.
    found = greedy(target, task.initial_state, limits=limits, cost_bound=len(best))
    best = best if found.plan is None else found.plan
    found = astar(target, task.initial_state, limits=limits, cost_bound=len(best))
    return best if found.plan is None else found.plan


def _without_circles(states: StateArray, path: tuple[int, ...]) -> tuple[int, ...]:
    """The path without the parts that lead back to where they began."""
    # Always on from the last visit of a state: everything between two visits was a circle.
    last = {state.tobytes(): step for step, state in enumerate(states)}
    kept = []
    step = last[states[0].tobytes()]
    while step < len(path):
        kept.append(path[step])
        step = last[states[step + 1].tobytes()]
    return tuple(kept)
