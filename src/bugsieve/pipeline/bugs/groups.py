"""Regions of bugs in the state space, and what sets bugs apart (papers/000)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import StateRegistry
from bugsieve.policies.run_table import Ids
from bugsieve.tasks.grounded.arrays import ask_core
from bugsieve.tasks.grounded.task import StateArray, Task

_STATES_PER_BATCH = 256
_CODES_PER_BATCH = 1 << 22


def bug_regions(task: Task, states: StateArray) -> NDArray[np.int64]:
    """The number of the region each bug is in, counted from 0 in order of first appearance.

    A region is a connected part of the state space that consists of bugs (Section 6.2 of
    papers/000); a transition connects two bugs in either direction.
    """
    registry = StateRegistry(task.native)
    ids = ask_core(registry.insert, task.checked_states(states))
    distinct = registry.states(np.arange(len(registry)))
    sources, targets = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for low in range(0, len(distinct), _STATES_PER_BATCH):
        after, _, offsets = task.all_successors(distinct[low : low + _STATES_PER_BATCH])
        found = registry.find(after)
        before = low + np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        # `find` knows the bugs alone: a successor that is not a bug has no number.
        sources.append(before[found >= 0])
        targets.append(found[found >= 0])
    return _renumbered(
        _joined(len(registry), np.concatenate(sources), np.concatenate(targets))[ids]
    )


def _joined(count: int, sources: Ids, targets: Ids) -> Ids:
    """The least number in the connected part of each of `count` nodes."""
    roots = np.arange(count)
    while len(sources):
        # Of two parts that touch, the one of the larger root joins the other, all at once; a part
        # that touches several joins the least, and the next time looks at what is left.
        one, other = roots[sources], roots[targets]
        np.minimum.at(roots, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(above := roots[roots], roots):
            roots = above
        apart = roots[sources] != roots[targets]
        sources, targets = sources[apart], targets[apart]
    return roots


def _renumbered(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[which]


def count_regions(task: Task, states: StateArray) -> int:
    """The number of regions that the bugs form."""
    return len(np.unique(bug_regions(task, states)))


def have_unique_fact_pair(task: Task, states: StateArray) -> NDArray[np.bool_]:
    """True for each distinct bug with two facts that no other bug has together (Section 6.2)."""
    rows = _telling_columns(task.checked_states(states))
    unique = np.zeros(len(rows), dtype=bool)
    sizes = rows.max(axis=0, initial=0) + 1
    # As many other columns at once as keep the table of codes small.
    step = max(1, _CODES_PER_BATCH // max(1, len(rows)))
    for first in range(rows.shape[1] - 1):
        for low in range(first + 1, rows.shape[1], step):
            others = slice(low, low + step)
            unique |= _are_unique(rows[:, first], rows[:, others], sizes[others])
        if unique.all():
            break
    return unique


def _telling_columns(states: StateArray) -> NDArray[np.int64]:
    """The states without those variables, but for two, that are the same in all of them.

    A fact of such a variable adds nothing to another fact, so two of them are as good as many.
    """
    rows = states.astype(np.int64)
    changing = (rows != rows[:1]).any(axis=0)
    constant = np.flatnonzero(~changing)[:2]
    return np.concatenate([rows[:, constant], rows[:, changing]], axis=1)


def _are_unique(
    one: NDArray[np.int64], others: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """True for each row with a pair of its value in `one` and a value in `others` for itself."""
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    codes = one[:, np.newaxis] * offsets[-1] + offsets[:-1] + others
    if (one.max() + 1) * offsets[-1] <= _CODES_PER_BATCH:
        counts = np.bincount(codes.ravel())[codes]
    else:  # huge variables: sorting the codes takes less room than a counter for each pair
        _, which, found = np.unique(codes, return_inverse=True, return_counts=True)
        counts = found[which].reshape(codes.shape)
    unique: NDArray[np.bool_] = (counts == 1).any(axis=1)
    return unique


def unique_fact_pair_share(task: Task, states: StateArray) -> float | None:
    """The fraction of bugs with a unique fact pair; None where there are no bugs."""
    found = have_unique_fact_pair(task, states)
    return float(found.mean()) if len(found) else None
