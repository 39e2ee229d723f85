"""The records of a campaign as CSV, JSON or Parquet, for other programs."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from bugsieve.basis.errors import InputError, UnsupportedError, UsageError
from bugsieve.basis.files import write_together
from bugsieve.basis.names import no_such
from bugsieve.policies.decisions import Ending
from bugsieve.results.records import Records
from bugsieve.tasks.fdr.task import Task

Table = dict[str, list[Any]]
"""Columns of equal length; unknown values are None, lists stay lists."""

LIST_SEPARATOR = ";"
"""Between the items of a list in CSV: in PDDL it begins a comment, so no name contains it."""


def export(
    directory: str | os.PathLike[str], kind: str, target: str | os.PathLike[str]
) -> list[Path]:
    """Write pool, runs, verdicts and bugs; returns the files.

    "json" makes one file of the name `target`; "csv" and "parquet" make a folder of that name with
    one file per table. Files that are there already are replaced.
    """
    if kind not in _WRITERS:
        raise UsageError(no_such("export format", kind, _WRITERS))
    path = Path(target)
    with Records(directory) as records:
        tables = export_tables(records)
        header = records.header
    about = {"task": header.task.name, "policy": header.policy, "objective": header.objective}
    files = _WRITERS[kind](path, tables, about)
    try:
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
        write_together(files)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    return list(files)


def export_tables(records: Records) -> dict[str, Table]:
    """The four tables, with names instead of numbers where there are names."""
    task = records.header.task.load()
    return {
        "pool": _pool(records, task),
        "runs": _runs(records),
        "verdicts": _verdicts(records, task),
        "bugs": _bugs(records),
    }


def _pool(records: Records, task: Task) -> Table:
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


def _runs(records: Records) -> Table:
    runs = records.runs()
    return {
        "number": runs.numbers.tolist(),
        "ending": [Ending(code).label for code in runs.endings.tolist()],
        "steps": runs.steps.tolist(),
        "cost": runs.costs.tolist(),
        "value": _without_nan(runs.values.tolist()),
    }


def _verdicts(records: Records, task: Task) -> Table:
    table: Table = {name: [] for name in _VERDICT_COLUMNS}
    names = task.operator_names
    for oracle in records.header.used_oracles:
        columns = records.verdicts(oracle)
        plans = records.plans(oracle)
        numbers = columns.numbers.tolist()
        table["number"] += numbers
        table["oracle"] += [oracle] * len(columns)
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
    *("number", "oracle", "outcome", "reason", "gap", "value", "exact", "plan", "seconds"),
)


def _bugs(records: Records) -> Table:
    rows = records.bugs()
    certificates = [row.bug.certificate for row in rows]
    return {
        "id": [row.id for row in rows],
        "number": [row.number for row in rows],
        "kind": [row.bug.kind for row in rows],
        "gap": [row.bug.gap for row in rows],
        "exact": [row.bug.exact for row in rows],
        "oracle": [row.bug.oracle for row in rows],
        "finders": [list(row.finders) for row in rows],
        "ending": [certificate["run"]["ending"] for certificate in certificates],
        "run": [certificate["run"]["actions"] for certificate in certificates],
        "plan": [certificate["plan"]["actions"] for certificate in certificates],
        "run_cost": [certificate["run"]["cost"] for certificate in certificates],
        "plan_cost": [certificate["plan"]["cost"] for certificate in certificates],
        "seconds": [row.seconds for row in rows],
    }


def _known(numbers: Sequence[int]) -> list[int | None]:
    return [None if number < 0 else number for number in numbers]


def _without_nan(values: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]


def _as_csv(path: Path, tables: dict[str, Table], about: dict[str, str]) -> dict[Path, bytes]:
    return {path / f"{name}.csv": _csv_text(table).encode() for name, table in tables.items()}


def _csv_text(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        writer.writerow([_csv_cell(value) for value in row])
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    return LIST_SEPARATOR.join(map(str, value)) if isinstance(value, list) else value


def _as_json(path: Path, tables: dict[str, Table], about: dict[str, str]) -> dict[Path, bytes]:
    content: dict[str, Any] = dict(about)
    for name, table in tables.items():
        rows = zip(*table.values(), strict=True)
        content[name] = [
            {key: _json_value(value) for key, value in zip(table, row, strict=True)}
            for row in rows
        ]
    return {path: (json.dumps(content, allow_nan=False, indent=1) + "\n").encode()}


def _json_value(value: Any) -> Any:
    """JSON has no infinity; null already means unknown."""
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def _as_parquet(path: Path, tables: dict[str, Table], about: dict[str, str]) -> dict[Path, bytes]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UnsupportedError(
            "Parquet files need the package pyarrow: pip install 'bugsieve[parquet]'"
        ) from None
    files = {}
    for name, table in tables.items():
        buffer = io.BytesIO()
        parquet.write_table(pyarrow.table(table).replace_schema_metadata(about), buffer)
        files[path / f"{name}.parquet"] = buffer.getvalue()
    return files


_WRITERS: dict[str, Callable[[Path, dict[str, Table], dict[str, str]], dict[Path, bytes]]] = {
    "csv": _as_csv,
    "json": _as_json,
    "parquet": _as_parquet,
}
EXPORT_FORMATS = tuple(_WRITERS)
