"""The tables of cost testing for other programs, with names instead of numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.store.causes import cause_table
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.table_files import Table
from bugsieve.campaigns.store.unstable import unstable_tables
from bugsieve.pipeline.judging.escalation import SEARCH
from bugsieve.pipeline.judging.findings import CostBugRow
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.task import Task


def about(header: CampaignHeader) -> dict[str, str]:
    """What the tables are about."""
    task = header.subject
    costs = {"costs": "unit"} if task.unit_cost else {}
    return {
        "task": task.name,
        **costs,
        "policy": header.policy,
        "objective": header.objective,
    }


def export_tables(records: CostRecords) -> dict[str, Table]:
    """The tables of cost testing, with names instead of numbers where there are names."""
    task = records.header.subject.load()
    return {
        "pool": _pool(records, task),
        "runs": _runs(records),
        "verdicts": _verdicts(records, task),
        "bugs": _bugs(records),
        "causes": cause_table(records),
        **unstable_tables(records),
    }


def _pool(records: CostRecords, task: Task) -> Table:
    pool = records.pool()
    names = task.operator_names
    actions = pool.actions.tolist()
    offsets = pool.offsets.tolist()
    static = task.static_facts
    return {
        "number": list(range(len(pool))),
        "parent": _known(pool.parents.tolist()),
        "walk": _known(pool.walks.tolist()),
        "actions": [
            [names[action] for action in actions[start:stop]] for start, stop in pairwise(offsets)
        ],
        "state": pool.states.tolist(),
        "facts": [sorted(task.facts(state) - static) for state in pool.states],
        "seconds": pool.seconds.tolist(),
    }


def _runs(records: CostRecords) -> Table:
    runs = records.runs()
    return {
        "number": runs.numbers.tolist(),
        "ending": [Ending(code).label for code in runs.endings.tolist()],
        "steps": runs.steps.tolist(),
        "cost": runs.costs.tolist(),
        "value": _without_nan(runs.values.tolist()),
    }


def _verdicts(records: CostRecords, task: Task) -> Table:
    table: Table = {name: [] for name in _VERDICT_COLUMNS}
    names = task.operator_names
    judges = [(oracle, 0) for oracle in records.header.used_oracles]
    judges += [(SEARCH, level) for level in range(1, records.levels() + 1)]
    for oracle, level in judges:
        columns = records.verdicts(oracle, level)
        plans = records.plans(oracle, level)
        numbers = columns.numbers.tolist()
        table["number"] += numbers
        table["oracle"] += [oracle] * len(columns)
        table["level"] += [level] * len(columns)
        table["outcome"] += columns.outcomes.tolist()
        table["reason"] += columns.reasons
        table["gap"] += columns.gaps.tolist()
        table["value"] += _without_nan(columns.values.tolist())
        table["exact"] += columns.exact.tolist()
        table["plan"] += [
            [names[operator] for operator in plans[number]] if number in plans else None
            for number in numbers
        ]
        table["seconds"] += columns.seconds.tolist()
    return table


_VERDICT_COLUMNS = (
    *("number", "oracle", "level", "outcome", "reason"),
    *("gap", "value", "exact", "plan", "seconds"),
)


def _bugs(records: CostRecords) -> Table:
    table: Table = {name: [] for name in _BUG_COLUMNS}
    lines = {member.id: member.line for member in records.members_of_causes()}
    for row in records.each_bug():  # certificates are large, and only some of each is wanted
        cells = (*_bug_cells(row), lines.get(row.id, ""))
        for column, cell in zip(table.values(), cells, strict=True):
            column.append(cell)
    return table


_BUG_COLUMNS = (
    *("id", "number", "kind", "gap", "exact", "oracle", "finders", "ending"),
    *("run", "plan", "run_cost", "plan_cost", "seconds", "cause", "line"),
)


def _bug_cells(row: CostBugRow) -> tuple[Any, ...]:
    bug, run, plan = row.bug, row.bug.certificate["run"], row.bug.certificate["plan"]
    return (
        *(row.id, row.case, bug.kind, bug.gap, bug.exact, bug.oracle, list(row.finders)),
        *(run["ending"], _shared(run["actions"]), _shared(plan["actions"])),
        *(run["cost"], plan["cost"], row.seconds, row.cause.id),
    )


def _shared(names: Sequence[str]) -> list[str]:
    """The names, each kept once: the actions of many bugs are the same few."""
    return [sys.intern(name) for name in names]


def _known(numbers: Sequence[int]) -> list[int | None]:
    return [None if number < 0 else number for number in numbers]


def _without_nan(values: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]
