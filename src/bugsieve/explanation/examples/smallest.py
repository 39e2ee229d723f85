"""The smallest example of a bug: where it begins, how to get there, and what is needed to show it.

First the start moves to the state in which the culprit is the first decision, and the way there
becomes as short as possible; the policy is not asked for that. Then objects are left out of the
problem that begins there (`shrinking`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.wording import counted
from bugsieve.explanation.causes.cost import cause_of
from bugsieve.explanation.examples.shrinking import (
    Remake,
    Shrinking,
    ShrinkingBudget,
    blamed,
    later_starts,
)
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug, FoundBy
from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.pipeline.bugs.checking import check_certificate
from bugsieve.pipeline.bugs.later_start import objection, starting_later
from bugsieve.pipeline.bugs.way_from_start import shortest_way
from bugsieve.tasks.grounded.fewer_objects import objects_of
from bugsieve.tasks.grounded.task import Task

USUAL = ShrinkingBudget()

FROM_SAS = "the task comes from a SAS file, which has no objects"


@dataclass(frozen=True)
class SmallestExample:
    """A bug that shows what another one shows, by less."""

    task: Task = field(repr=False)
    """The one of its certificate."""
    bug: Bug
    way: tuple[str, ...] | None
    """Actions from the initial state of the original task to where it begins, if one is known."""
    steps_later: int
    """The number of steps of the policy's run after which it begins."""
    objects: int
    """Of its task; constants of the domain do not count."""
    objects_before: int
    candidates: int = 0
    """Problems that were tried."""
    calls: int = 0
    """The number of times that the policy was asked."""
    kept: str | None = None
    """The reason why objects were kept that might be left out; None if no other can be."""
    is_new_problem: bool = False
    """True if its task is a problem of its own, which begins where the bug does."""
    steps_further: int = 0
    """The steps after that at which the new problem begins, as the policy goes there."""
    unmoved: str | None = None
    """The reason why it begins at the bug, although the culprit comes later; None if not."""


def smallest_example(
    bench: Bench, bug: Bug, remake: Remake | str, *, budget: ShrinkingBudget = USUAL
) -> SmallestExample:
    """The smallest example of a bug, whose certificate must hold.

    The policy of the bench is not asked. `remake` makes it for other tasks, or says why it is
    bound to this one.
    """
    cause = cause_of(bench, bug.certificate)
    with doing(f"looking for the decision to blame for {bug.id}"):
        steps, start, unmoved = _at_the_culprit(bench, bug, cause)
    with doing(f"looking for the shortest way to {bug.id}"):
        start = _with_way(bench.task, start, budget)
    example = replace(_example(bench.task, start, steps), unmoved=unmoved)
    if bench.task.pddl_texts is None:
        return replace(example, kept=FROM_SAS)
    if isinstance(remake, str):
        return replace(example, kept=remake)
    return _without_objects(example, Shrinking(bench, start, cause, remake, budget))


def _at_the_culprit(bench: Bench, bug: Bug, cause: Cause) -> tuple[int, Bug, str | None]:
    """The bug with the culprit as its first decision, and after how many steps that begins; or the
    bug as it is, and why."""
    found = blamed(bench, bug.certificate)
    if found is None:
        can_move = len(later_starts(bench, bug.certificate)) > 1
        return 0, bug, objection(bug.certificate) if can_move else None
    if found.index == 0:
        return 0, bug, None
    moved = starting_later(bench, bug, found.index, found.plan)
    if moved is None or cause_of(bench, moved.certificate) != cause:
        return 0, bug, "from the decision to blame on it is no bug of this cause"
    # There is no bug without a certificate that holds.
    check_certificate(bench.task.to_sas(), moved.certificate)
    return found.index, moved, None


def _with_way(task: Task, bug: Bug, budget: ShrinkingBudget) -> Bug:
    state = np.array(bug.certificate["state"], dtype=np.uint16)
    found = bug.found_by or FoundBy(0)
    way = shortest_way(task, state, found.path, limits=budget.way)
    return replace(bug, found_by=replace(found, path=way))


def _example(task: Task, start: Bug, steps: int) -> SmallestExample:
    path = None if start.found_by is None else start.found_by.path
    way = None if path is None else tuple(task.operator_names[operator] for operator in path)
    objects = len(objects_of(task))
    return SmallestExample(task, start, way, steps, objects, objects)


def _without_objects(example: SmallestExample, shrinking: Shrinking) -> SmallestExample:
    smallest = shrinking.smallest()
    verb = "was" if shrinking.tried == 1 else "were"
    cut = f"no more than {counted(shrinking.tried, 'problem')} {verb} to be tried"
    kept = cut if shrinking.is_cut else shrinking.refusal
    tried = replace(example, candidates=shrinking.tried, calls=shrinking.calls, kept=kept)
    if smallest is None:
        return tried
    return replace(
        tried,
        task=smallest.task,
        bug=smallest.bug,
        objects=example.objects - len(smallest.dropped),
        is_new_problem=True,
        steps_further=smallest.steps,
        unmoved=None if smallest.steps else example.unmoved,
    )
