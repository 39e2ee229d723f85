"""Pairs of facts that exclude each other in every state reachable from the initial state.

The translator's mutex groups, made complete up to pairs. A pair of facts is possible when the
initial state has it, or an operator can lead to it whose preconditions are pairwise possible. The
critical-path heuristic h² asks the same question. Every other pair is excluded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve.tasks.grounded.task import Task

_MOST_WORK = 10**7
"""Facts times operators up to which pairs are explored; larger tasks keep the mutex groups."""


def fact_offsets(task: Task) -> NDArray[np.int64]:
    """The number of each variable's first fact; facts are numbered variable by variable."""
    return np.concatenate([[0], np.cumsum(task.domain_sizes)[:-1]]).astype(np.int64)


def exclusions(task: Task) -> NDArray[np.bool_]:
    """A symmetric matrix over all facts: no reachable state has both. No conditional effects."""
    offsets = fact_offsets(task)
    facts = int(task.domain_sizes.sum())
    excluded = _same_variable(task)
    for group in task.mutex_groups:
        members = np.array([offsets[variable] + value for variable, value in group])
        excluded[np.ix_(members, members)] = True
    np.fill_diagonal(excluded, False)
    # Once pairs were explored, a fact that cannot be reached at all excludes even itself.
    if facts * task.num_operators <= _MOST_WORK:
        excluded |= ~_possible_pairs(task, excluded)
    return excluded


def _same_variable(task: Task) -> NDArray[np.bool_]:
    owner = np.repeat(np.arange(task.num_variables), task.domain_sizes)
    same: NDArray[np.bool_] = owner[:, None] == owner[None, :]
    return same


def _possible_pairs(task: Task, excluded: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The fixpoint of pairs that operators can make true; the diagonal holds single facts."""
    offsets = fact_offsets(task)
    possible = np.zeros_like(excluded)
    start = offsets + task.initial_state
    possible[np.ix_(start, start)] = True
    operators = [_facts_of(task, offsets, index) for index in range(task.num_operators)]
    changed = True
    # From the pairs of the initial state upwards: a pair counts as possible only when something
    # makes it so, and the least fixpoint has every pair that a reachable state has. Mutex groups
    # hold there as well, so they may cut on the way.
    while changed:
        changed = False
        for before, after in operators:
            if possible[np.ix_(before, before)].all():
                changed |= _apply(possible, excluded, before, after)
    return possible


def _apply(
    possible: NDArray[np.bool_],
    excluded: NDArray[np.bool_],
    before: NDArray[np.int64],
    after: NDArray[np.int64],
) -> bool:
    """Add the pairs an operator makes true; whether any of them is new."""
    # What can be true beside the operator: a fact is kept if it goes with each precondition. That
    # it need not go with all at once is what makes h² an over-approximation, and cheap.
    if len(before):
        beside: NDArray[np.bool_] = np.all(possible[before], axis=0)
    else:
        beside = possible.diagonal().copy()
    beside[after] = True
    beside &= ~excluded[after].any(axis=0)  # other values of the variables it sets among them
    new = np.flatnonzero(beside & ~possible[after].all(axis=0))
    possible[np.ix_(after, new)] = True
    possible[np.ix_(new, after)] = True
    return len(new) > 0


def _facts_of(
    task: Task, offsets: NDArray[np.int64], index: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Preconditions and effects as numbers of facts."""
    before = [offsets[variable] + value for variable, value in task.native.preconditions(index)]
    values = {variable: value for _, variable, value in task.native.effects(index)}
    after = [offsets[variable] + value for variable, value in values.items()]
    return np.array(before, dtype=np.int64), np.array(after, dtype=np.int64)
