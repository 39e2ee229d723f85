"""The store of a training: tasks with their pools, and models as they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np

from bugsieve.campaigns.store.certificate_blobs import json_text
from bugsieve.campaigns.store.store import Row, Store
from bugsieve.campaigns.store.tables import TRAINING
from bugsieve.pipeline.judging.findings import Finding
from bugsieve.rooms.training.pool_test import PoolTest
from bugsieve.rooms.training.store.rows import TaskRow, TrainedModel, TrainingSubject
from bugsieve.rooms.training.store.tables import TRAINING_TABLES


class TrainingStore(Store):
    """Adds records to the store of a training."""

    kind = TRAINING
    tables = TRAINING_TABLES

    @classmethod
    def subject_meta(cls, subject: TrainingSubject) -> Mapping[str, Any]:
        """The entries of the table `meta` about the domain."""
        return {
            "domain name": subject.name,
            "domain": subject.domain,
            "dropped": json_text(subject.dropped),
        }

    def insert_cases(self, cases: Sequence[TaskRow], seconds: float) -> None:
        """Insert the tasks, before the first model."""
        self.many("tasks", map(_task_row, cases), verb="INSERT")

    def insert_own(self, findings: Sequence[Finding]) -> None:
        """Insert models with their tests, and what they learnt from."""
        for finding in findings:
            made: TrainedModel = finding.run
            number = made.row.number
            self.many("models", [(*astuple(made.row), made.content)], verb="INSERT")
            tests = (_test_row(number, task, test) for task, test in made.tests)
            self.many("tests", tests, verb="INSERT")
            parts = enumerate(made.examples)
            rows = ((number, place, part.source, part.content) for place, part in parts)
            self.many("examples", rows, verb="INSERT")


def _task_row(row: TaskRow) -> Row:
    task = row.task
    return (
        *(row.number, row.role, row.file, task.name, task.sas, task.sha256),
        *(json_text(task.objects), json_text(task.static_facts), task.problem),
        *(int(task.unit_cost), len(row.states)),
        np.ascontiguousarray(row.states, dtype="<u2").tobytes(),
    )


def _test_row(model: int, task: int, test: PoolTest) -> Row:
    return (
        *(model, task, int(test.is_solved), test.states, test.tested, test.solved, test.bugs),
        *(test.decisions, test.expanded, test.cpu_seconds),
    )
