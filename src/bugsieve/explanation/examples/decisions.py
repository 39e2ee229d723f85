"""Lessons of bugs: states, each with an action that is better than what the policy did.

A better plan shows what to do from the culprit on, in all states that it passes. Training learns
from the same states of the plans in certificates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bugsieve.explanation.blame.blame import blame
from bugsieve.explanation.causes.cost import LIMITS
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.tasks.grounded.arrays import ActionArray
from bugsieve.tasks.grounded.task import StateArray, Task


@dataclass(frozen=True)
class Example:
    """A state, and what to do there."""

    bug: str
    """The id of the bug that shows it."""
    step: int
    """The number of steps of the better plan made by then; 0 is the place of the culprit."""
    facts: tuple[str, ...]
    """All atoms that are true in the state, those among them that never change."""
    goal: tuple[str, ...]
    action: str
    """The better action."""
    instead_of: str | None
    """The policy's action at the place of the culprit; None in the states after it."""


def decided_by(
    task: Task, state: StateArray, plan: tuple[int, ...]
) -> tuple[StateArray, ActionArray]:
    """The states that a plan passes, without the last, and what it does in each."""
    return path_states(task, state, plan)[:-1], np.array(plan, dtype=np.int32)


def examples_of(bench: Bench, bugs: Iterable[Bug]) -> Iterator[Example]:
    """The states of a better plan from the culprit of each bug on; each state once.

    The certificates must hold. Of several bugs that pass a state the first says what to do.
    """
    known: set[bytes] = set()
    for bug in bugs:
        for example, state in _of_bug(bench, bug.id, bug.certificate):
            if state not in known:
                known.add(state)
                yield example


def _of_bug(
    bench: Bench, bug: str, certificate: Mapping[str, Any]
) -> Iterator[tuple[Example, bytes]]:
    task = bench.task
    names = task.operator_names
    found = blame(bench, certificate, limits=LIMITS)
    instead = None if found.action is None else names[found.action]
    states, operators = decided_by(task, found.state, found.plan)
    for step, (state, operator) in enumerate(zip(states, operators.tolist(), strict=True)):
        facts = tuple(sorted(task.facts(state)))
        made = None if step else instead
        yield (
            Example(bug, step, facts, task.goal_facts, names[operator], made),
            state.tobytes(),
        )
