"""Reads the records of a training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting, parse_json
from bugsieve.campaigns.store.records import CampaignRecords, json_of, text_of
from bugsieve.campaigns.store.schema import damaged, understood
from bugsieve.campaigns.store.tables import TRAINING
from bugsieve.pipeline.judging.findings import BugRow
from bugsieve.rooms.training.pool_test import PoolTest
from bugsieve.rooms.training.store.rows import ExamplesRow, ModelRow, TaskRow, TrainingSubject
from bugsieve.rooms.training.store.tables import (
    TRAINING_CONDITIONS,
    TRAINING_TABLES,
    TRAINING_TASK,
    VALIDATION_TASK,
)
from bugsieve.tasks.grounded.saved import SavedTask

_TASKS = (
    "SELECT number, role, file, name, sas, sha256, objects, static_facts, problem, unit_cost,"
    " states, pool FROM tasks ORDER BY number"
)
_MODELS = (
    "SELECT number, parent, epoch, loss, solved, teacher_calls, teacher_failures,"
    " rollout_seconds, teacher_seconds, learning_seconds, test_seconds FROM models ORDER BY number"
)
_TESTS = (
    "SELECT model, task, is_solved, states, tested, solved, bugs, decisions, expanded,"
    " cpu_seconds FROM tests ORDER BY model, task"
)


class TrainingRecords(CampaignRecords[BugRow[Any]]):
    """The records of one training, as they were when it was opened."""

    wanted_kind = TRAINING
    tables = TRAINING_TABLES
    conditions = TRAINING_CONDITIONS

    def case_count(self) -> int:
        """The number of models."""
        ((count,),) = self._rows("SELECT COUNT(*) FROM models")
        return int(count)

    def task_files(self, role: str) -> dict[int, str]:
        """The files of the tasks of a role, by the numbers of tasks."""
        query = "SELECT number, file FROM tasks WHERE role = ? ORDER BY number"
        return dict(self._rows(query, role))

    def validation_numbers(self) -> frozenset[int]:
        """The numbers of the validation tasks."""
        return frozenset(self.task_files(VALIDATION_TASK))

    def training_tasks(self) -> list[TaskRow]:
        """The tasks that models are trained on."""
        return [row for row in self._tasks() if row.role == TRAINING_TASK]

    def validation_tasks(self) -> list[TaskRow]:
        """The tasks that models are tested on."""
        return [row for row in self._tasks() if row.role == VALIDATION_TASK]

    def models(self) -> list[ModelRow]:
        """All models, without their weights."""
        return [ModelRow(*row) for row in self._rows(_MODELS)]

    def content(self, model: int) -> bytes:
        """The weights of a model, and what its optimiser remembers."""
        rows = self._rows("SELECT content FROM models WHERE number = ?", model)
        if not rows:
            raise damaged(self.directory, f"table models: there is no row {model}")
        return bytes(rows[0][0])

    def tests(self) -> dict[int, dict[int, PoolTest]]:
        """The test results of each model on tasks, by the numbers of both."""
        found: dict[int, dict[int, PoolTest]] = {}
        for model, task, is_solved, *counts, seconds in self._rows(_TESTS):
            test = replace(PoolTest(bool(is_solved), *counts), cpu_seconds=seconds)
            found.setdefault(model, {})[task] = test
        return found

    def examples(self, model: int | None = None) -> Iterator[ExamplesRow]:
        """All examples, or those of one model, in the order in which they entered the data."""
        if model is None:
            return (row for _, row in self.examples_of_models())
        query = "SELECT source, content FROM examples WHERE model = ? ORDER BY place"
        return (ExamplesRow(*row) for row in self._rows(query, model))

    def examples_of_models(self) -> Iterator[tuple[int, ExamplesRow]]:
        """All of them, with the numbers of the models that were trained then."""
        query = "SELECT model, source, content FROM examples ORDER BY model, place"
        return ((model, ExamplesRow(*row)) for model, *row in self._each(query))

    def task_digests(self) -> list[tuple[str, str, bytes]]:
        """The keys of a list of tasks: roles, digests of tasks, and pools."""
        return self._rows("SELECT role, sha256, pool FROM tasks ORDER BY number")

    def _tasks(self) -> Iterator[TaskRow]:
        for number, role, file, name, sas, digest, *rest in self._rows(_TASKS):
            objects, facts, problem, unit_cost, states, pool = rest
            with understood(self.directory):
                pairs = fitting(parse_json(objects), [FixedList(str, str)])
                task = SavedTask(
                    name,
                    sas,
                    tuple((item, kind) for item, kind in pairs),
                    tuple(fitting(parse_json(facts), [str])),
                    self.header.subject.domain,
                    problem,
                    unit_cost=bool(unit_cost),
                )
                if task.sha256 != digest:
                    raise ValueError(f"table tasks, row {number}: is not what was stored")
            values = np.frombuffer(pool, dtype="<u2").astype(np.uint16)
            yield TaskRow(number, role, file, task, values.reshape(states, -1 if states else 0))

    def _subject(self, meta: dict[str, Any]) -> TrainingSubject:
        if not isinstance(meta["domain"], bytes):
            raise TypeError("domain is no file")
        dropped = json_of(meta, "dropped", [FixedList(str, str)])
        return TrainingSubject(
            text_of(meta, "domain name"),
            meta["domain"],
            tuple((file, reason) for file, reason in dropped),
        )

    def _bug(self, case: int, data: Any, *rest: Any) -> BugRow[Any]:
        raise damaged(self.directory, "table bugs: a training has none")
