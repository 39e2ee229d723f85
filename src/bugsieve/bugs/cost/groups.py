"""Which bugs belong together: runs that merge, connected regions, and what sets bugs apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import StateRegistry
from bugsieve.benches.bench import Bench
from bugsieve.policies.decisions import Ending
from bugsieve.policies.run_table import Ids, PassedStates, RunTable
from bugsieve.tasks.fdr.arrays import ask_core
from bugsieve.tasks.fdr.task import StateArray, Task

_STATES_PER_BATCH = 256
_CODES_PER_BATCH = 1 << 22


@dataclass(frozen=True, eq=False)
class BlameGroup:
    """Bugs whose policy runs merge, so that one decision may be to blame for all of them."""

    members: tuple[int, ...]
    """Row numbers of the bugs, ascending."""
    state: StateArray
    """The first state that all their runs go through: where the decision to blame may be."""


@dataclass(frozen=True, eq=False)
class _Trace:
    """The states of a run in which the policy may be to blame, and what merging runs share."""

    ids: Ids
    key: int


def blame_groups(bench: Bench, states: StateArray, *, bound: str = "hmax") -> list[BlameGroup]:
    """Bugs grouped by merging runs, the largest group first; every bug is in one group.

    Runs count as merging only where the policy may still be to blame: not in states from which it
    reaches the goal as cheaply as the admissible heuristic `bound` says is possible. Two runs that
    meet stay together, so they merge exactly if they share their last questionable state or loop.
    """
    if not len(states):
        return []
    runs = bench.runs(states)
    doubts = _doubts(bench, runs.passed(), bound)
    settled = _settled(bench, runs)
    traces = [_trace(runs, row, doubts[row], settled[row]) for row in range(len(runs))]
    members: dict[int, list[int]] = {}
    for row, trace in enumerate(traces):
        members.setdefault(trace.key, []).append(row)
    groups = [
        BlameGroup(tuple(rows), _first_common(runs, [traces[row].ids for row in rows]))
        for rows in members.values()
    ]
    return sorted(groups, key=lambda group: (-len(group.members), group.members))


def _doubts(bench: Bench, passed: PassedStates, bound: str) -> list[NDArray[np.bool_]]:
    """For each state of each run whether the goal might be reached from it more cheaply."""
    table = bench.runs(passed.states)
    doubtful = np.ones(len(table), dtype=bool)
    solved = np.flatnonzero(table.solved)
    if len(solved):
        least = bench.task.heuristic(bound).evaluate(passed.states[solved])
        doubtful[solved] = table.costs[solved] > least
    return passed.split(doubtful)


def _settled(bench: Bench, runs: RunTable) -> list[int | None]:
    """After how many steps the value of each run is settled for good, if it is before the end."""
    return [
        bench.objective.settled_at(runs.source.states(path), actions.tolist())
        for path, actions in zip(runs.paths, runs.actions(), strict=True)
    ]


def _trace(runs: RunTable, row: int, doubtful: NDArray[np.bool_], settled: int | None) -> _Trace:
    path = runs.paths[row]
    if settled is not None:
        path = path[: max(settled, 1)]
    elif runs.endings[row] == Ending.LOOP:
        loop = path[runs.loop_start(row) :]
        return _Trace(path[:-1], int(loop.min()))
    elif runs.endings[row] == Ending.SOLVED:
        path = path[doubtful] if doubtful.any() else path[:1]
    return _Trace(path, int(path[-1]))


def _first_common(runs: RunTable, paths: Sequence[Ids]) -> StateArray:
    """The first state that is on all paths; no path has a state twice."""
    ids, counts = np.unique(np.concatenate(paths), return_counts=True)
    # No path has a state twice, so a state that is counted once per path is on all of them.
    shared = np.isin(paths[0], ids[counts == len(paths)])
    state: StateArray = runs.source.states(paths[0][shared][:1])[0]
    return state


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
        # `find` knows the bugs alone: a successor that is none has no number.
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
    """How many regions the bugs form."""
    return len(np.unique(bug_regions(task, states)))


def have_unique_fact_pair(task: Task, states: StateArray) -> NDArray[np.bool_]:
    """Which of the distinct bugs have two facts that no other bug has together (Section 6.2)."""
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
    """Which rows have a pair of their value in `one` and a value in `others` for themselves."""
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
