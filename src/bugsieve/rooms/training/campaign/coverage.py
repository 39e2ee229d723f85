"""The number of test tasks that each model solves; for the peeking criterion, and tables.

Training must not use this: it is computed from a stored training, and never stored there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BugsieveError, InternalError, UsageError
from bugsieve.base.wording import counted
from bugsieve.rooms.formats.asnets.grounding import ground
from bugsieve.rooms.training.campaign.choices import stored_signature, stored_weights
from bugsieve.rooms.training.campaign.summary import options_in
from bugsieve.rooms.training.model_tests import ModelTestPlan, PooledTask, make_tester
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import TranslationLimits


def load_test_tasks(
    records: TrainingRecords,
    files: Sequence[str | os.PathLike[str]],
    *,
    limits: TranslationLimits | None = None,
) -> tuple[list[Task], list[tuple[str, str]]]:
    """The tasks of problem files of the training's domain, and those that are dropped, and why."""
    options, signature = options_in(records), stored_signature(records)
    tasks: list[Task] = []
    dropped: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        domain = Path(folder, "domain.pddl")
        domain.write_bytes(records.header.subject.domain)
        for file in files:
            try:
                task = load_task(domain, file, limits=limits, unit_cost=options.unit_cost)
                if ground(task).signature.digest != signature.digest:
                    raise UsageError("is of another domain")
                tasks.append(task)
            except InternalError:
                raise
            except BugsieveError as error:
                if not os.path.isfile(file):
                    raise  # mistyped, which is not a property of a task either
                dropped.append((os.fspath(file), str(error)))
    return tasks, dropped


def solved_by_models(
    records: TrainingRecords, tasks: Sequence[Task], *, workers: int = 1
) -> list[int]:
    """For each model how many of the tasks it solves from their initial states."""
    options, signature = options_in(records), stored_signature(records)
    # Without states to test, all that is left is the run from the initial state.
    pooled = [
        PooledTask(SavedTask.of(task), task.initial_state.reshape(1, -1)[:0]) for task in tasks
    ]
    tester = make_tester(pooled, ModelTestPlan((), options.step_limit, options.test_work), workers)
    count = records.case_count()
    try:
        solved = []
        for number in range(count):
            with doing(f"running model {number} of {counted(count, 'model')}"):
                tests = tester.test(stored_weights(records, number, signature))
            solved.append(sum(test.is_solved for test in tests))
        return solved
    finally:
        tester.close(at_once=True)
