"""Tests policies of trainings on one test task, in a process of an experiment."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bugsieve.base.errors import BugsieveError, InputError, InternalError, UsageError
from bugsieve.rooms.formats.asnets.signature import Signature, signature_of
from bugsieve.rooms.lab.experiments.final_options import FinalTestOptions
from bugsieve.rooms.lab.experiments.final_records import FinalRecord, read_record, write_record
from bugsieve.rooms.training.campaign.choices import stored_signature, stored_weights
from bugsieve.rooms.training.model_tests import (
    ModelTestPlan,
    PooledTask,
    TaskTester,
    make_pool,
    objection,
)
from bugsieve.rooms.training.pool_test import PoolTest
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.sources import MEBIBYTE, read_regular


@dataclass(frozen=True)
class TestedModel:
    """A model of a stored training."""

    __test__ = False  # for pytest, which would take it for a test

    training: str
    """Its folder."""
    number: int
    digest: str
    most_failures: int | None = None
    """On so many test tasks it may fail and still be the best; None where that does not matter."""


@dataclass(frozen=True)
class FinalJob:
    """Models to be tested on one task: whether they solve it, or on its pool."""

    number: int
    record: str
    task: tuple[str, str]
    """Domain and problem."""
    unit_cost: bool
    options: FinalTestOptions
    models: tuple[TestedModel, ...]
    on_pool: bool = False


@dataclass(frozen=True)
class FinalProgress:
    """The number of models that have been tested on a task."""

    tested: int
    models: int


_MAX_BYTES = 64 * MEBIBYTE


def model_digest(content: bytes) -> str:
    """The name of a model in records of final tests."""
    return hashlib.sha256(content).hexdigest()


def task_digest(files: Sequence[str]) -> str:
    """The digest that tells test tasks apart."""
    digest = hashlib.sha256()
    for file in files:
        content = read_regular(file, kind="PDDL", max_bytes=_MAX_BYTES, is_typed=True)
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def untested(job: FinalJob, record: FinalRecord | None) -> list[TestedModel]:
    """The models whose tests are not in the record, each once."""
    known = () if record is None else record.tests if job.on_pool else record.solved
    if record is not None and record.dropped is not None:
        return []
    return list({m.digest: m for m in job.models if m.digest not in known}.values())


def checked_record(job: FinalJob) -> FinalRecord | None:
    """The record of the job; InputError if it is of another task or of other tests."""
    path = Path(job.record)
    record = read_record(path)
    for what, had, wanted in (
        ()
        if record is None
        else (
            ("the task", record.task, task_digest(job.task)),
            ("the options of tests", record.options, job.options.to_toml()),
        )
    ):
        if had != wanted:
            raise InputError(
                f"{path}: was made before {what} changed: name a new folder with -o, or delete "
                f"{path.parent.parent}"
            )
    return record


def run_final(job: FinalJob, tell: Callable[[FinalProgress], None]) -> int:
    """Test what is not tested yet, storing each test; returns how many claims were rejected."""
    record = checked_record(job) or FinalRecord(job.options.to_toml(), task_digest(job.task))
    path = Path(job.record)
    failures = _failures(path.parent)
    missing = [model for model in untested(job, record) if not _is_beaten(model, failures)]
    if missing:
        try:
            tester = _Tester(job)
        except InternalError:
            raise  # a fault of Bugsieve is not a property of the task
        except (BugsieveError, MemoryError) as error:
            reason = "the memory ran out" if isinstance(error, MemoryError) else str(error)
            write_record(path, replace(record, dropped=reason))
            return 0
    rejected = 0
    for done, model in enumerate(missing):
        tell(FinalProgress(done, len(missing)))
        test = tester.test(model)
        rejected += len(test.rejected)
        record = record.with_test(model.digest, test, on_pool=job.on_pool and test.is_solved)
        write_record(path, record)
    return rejected


class _Tester:
    """The task, and the trainings whose models are tested there."""

    def __init__(self, job: FinalJob) -> None:
        options = job.options
        task = load_task(*job.task, unit_cost=job.unit_cost)
        assert task.pddl is not None
        signature = signature_of(task.pddl)
        self._signatures: dict[str, Signature] = {}
        for model in job.models:
            if self._of(model.training).digest != signature.digest:
                raise UsageError("is of another domain than the tasks of training")
        why_not = objection(task, options.oracles)
        if why_not is not None:
            raise UsageError(why_not)
        oracles = options.oracles if job.on_pool else ()
        plan = ModelTestPlan(oracles, options.step_limit, options.work, options.limits)
        states = make_pool(task, options.fuzz, "final test") if job.on_pool else _none(task)
        self._tester = TaskTester(PooledTask(SavedTask.of(task), states), plan)

    def test(self, model: TestedModel) -> PoolTest:
        """Test one of the models."""
        with TrainingRecords(model.training) as records:
            weights = stored_weights(records, model.number, self._of(model.training))
        return self._tester.test(weights)

    def _of(self, training: str) -> Signature:
        if training not in self._signatures:
            with TrainingRecords(training) as records:
                self._signatures[training] = stored_signature(records)
        return self._signatures[training]


def _none(task: Task) -> StateArray:
    return task.initial_state.reshape(1, -1)[:0]


def _failures(folder: Path) -> Counter[str]:
    """On how many tasks of the domain each model has failed so far."""
    records = filter(None, map(read_record, sorted(folder.glob("*.json"))))
    return Counter(d for record in records for d, solved in record.solved.items() if not solved)


def _is_beaten(model: TestedModel, failures: Mapping[str, int]) -> bool:
    """Whether the model has failed too often already, on whichever tasks, to be the best one.

    Which runs this spares depends on the order of jobs; which model is best does not.
    """
    return model.most_failures is not None and failures[model.digest] > model.most_failures
