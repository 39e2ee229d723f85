"""The tables that `export` writes of a training: tasks, models with scores, and their tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.table_files import Table
from bugsieve.rooms.training.campaign.candidates import candidates_in
from bugsieve.rooms.training.candidates import scores
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.rows import ModelRow
from bugsieve.rooms.training.store.tables import TRAINING_TASK, VALIDATION_TASK

_TEST_COLUMNS = (
    *("is_solved", "states", "tested", "solved", "bugs"),
    *("decisions", "expanded", "cpu_seconds"),
)


def training_tables(records: TrainingRecords) -> dict[str, Table]:
    """All tables."""
    return {
        "tasks": _tasks(records),
        "models": _models(records),
        "tests": _tests(records),
    }


def about(header: CampaignHeader) -> Mapping[str, str]:
    """The subject of these tables."""
    return {"domain": header.subject.name}


def _tasks(records: TrainingRecords) -> Table:
    table: Table = {"number": [], "role": [], "file": [], "reason": []}
    for role in (TRAINING_TASK, VALIDATION_TASK):
        for number, file in records.task_files(role).items():
            _append(table, (number, role, file, None))
    for file, reason in records.header.subject.dropped:
        _append(table, (None, "dropped", file, reason))
    return table


def _models(records: TrainingRecords) -> Table:
    candidates = candidates_in(records)
    names = [field.name for field in fields(ModelRow)]
    table: Table = {name: [] for name in names}
    for row in records.models():
        _append(table, [getattr(row, name) for name in names])
    table["validation_solved"] = [c.solved_validation for c in candidates]
    table["states_solved"] = [float(c.parts[1]) for c in candidates]
    table["states_without_bug"] = [float(c.parts[2]) for c in candidates]
    table["score"] = [float(score) for score in scores(candidates)]
    return table


def _tests(records: TrainingRecords) -> Table:
    table: Table = {name: [] for name in ("model", "task", *_TEST_COLUMNS)}
    for model, found in records.tests().items():
        for task, test in found.items():
            _append(table, (model, task, *(getattr(test, name) for name in _TEST_COLUMNS)))
    return table


def _append(table: Table, row: Sequence[object]) -> None:
    for column, value in zip(table.values(), row, strict=True):
        column.append(value)
