"""The pool of another campaign, taken over with the policy's runs from its states.

So several campaigns compare oracles on the same states in the same order, and a slow policy is
asked once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from bugsieve.base.commands import quoted_command
from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.campaigns.cost.records import CostRecords, PoolColumns
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.folder import OPTIONS_FILE
from bugsieve.campaigns.store.schema import STORE_FILE, damaged
from bugsieve.pipeline.judging.findings import RunRow
from bugsieve.pipeline.judging.stability import Decided, recorded_answers
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.policies.decisions import Decisions, Failure, Recorded
from bugsieve.tasks.grounded.task import StateArray, Task


@dataclass(frozen=True, eq=False)
class TakenPool:
    """The states of a pool from which the policy's runs are known."""

    pool: Pool
    walks: int
    """How many were made to find them."""
    recorded: Recorded
    """The policy's decisions on these runs."""


def take_pool(
    task: Task, options: CostOptions, fingerprint: str, *, beside: Path | None = None
) -> TakenPool:
    """What the options name as `pool_from`; InputError if it is about something else.

    A folder that is gone is sought `beside` the campaign: both may have been moved together.
    """
    folder = Path(options.pool_from or "")
    if beside is not None and not os.path.exists(folder / STORE_FILE):
        folder = beside.parent / folder.name
    with CostRecords(folder) as records:
        _check_same(records, task, options, fingerprint)
        runs, count = records.whole_runs(), records.judged()
        if not count or any(number not in runs for number in range(count)):
            raise InputError(
                f"{folder}: has no runs of the policy to take over: make its pool in the mode pool"
            )
        pool = restored_pool(Pool(task), records.pool(), count)
        try:
            recorded = _recorded(task, pool.states(), runs)
        except (BugsieveError, LookupError, OverflowError, ValueError):
            raise damaged(folder, "table runs: a run is none of the task") from None
        return TakenPool(pool, records.progress().walks, recorded)


PoolT = TypeVar("PoolT", bound=Pool)


def restored_pool(pool: PoolT, columns: PoolColumns, count: int | None = None) -> PoolT:
    """An empty pool with the entries of a stored campaign, or with the first of them."""
    for number, state in enumerate(columns.states[:count]):
        parent, walk = int(columns.parents[number]), int(columns.walks[number])
        start, stop = columns.offsets[number : number + 2]
        pool.add(
            state,
            parent=None if parent < 0 else parent,
            actions=columns.actions[start:stop].tolist(),
            walk=None if walk < 0 else walk,
        )
    return pool


def _check_same(records: CostRecords, task: Task, options: CostOptions, fingerprint: str) -> None:
    """InputError unless the campaign is finished and its runs would be the same here."""
    folder, header = records.directory, records.header
    had = CostOptions.from_toml(header.options, name=str(folder / OPTIONS_FILE))
    if header.subject.sha256 != task.sha256:
        raise InputError(f"{folder}: is a campaign on another task ({header.subject.name})")
    if header.policy_fingerprint != fingerprint or had.policy_seed != options.policy_seed:
        raise InputError(
            f"{folder}: has runs of another policy ({header.policy}), or of another "
            "version or seed of it: make the pool anew"
        )
    if had.step_limit != options.step_limit:
        raise InputError(
            f"{folder}: has runs of at most {had.step_limit} steps, not of "
            f"{options.step_limit}: take the same step limit"
        )
    if records.progress().finished is None:
        raise InputError(f"{folder}: is not finished: {quoted_command('resume', folder)} first")


def _recorded(task: Task, states: StateArray, runs: Mapping[int, RunRow]) -> Recorded:
    """The decisions on the runs from the states."""
    parts: list[StateArray] = []
    answers: list[Decided] = []
    for number, state in enumerate(states):
        own = list(_answers(runs[number]))
        operators = tuple(runs[number].whole["operators"])  # type: ignore[index]
        parts.append(path_states(task, state, operators)[: len(own)])
        answers += own
    return Recorded(np.concatenate(parts), Decisions.of(answers))


def _answers(run: RunRow) -> Iterator[Decided]:
    """What the policy said on a run; a crash that leaves the value open is one it is excused."""
    assert run.whole is not None
    for answer in recorded_answers(run.whole):
        if isinstance(answer, Failure):
            yield replace(answer, excused=math.isnan(run.value))
        else:
            yield answer
