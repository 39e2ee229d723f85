"""The equipment of a training: the trainer with its tasks, and testers of models."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.base.trust.trust import remember, require_trusted
from bugsieve.campaigns.kind import Beginning
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.schema import damaged
from bugsieve.pipeline.judging.findings import OracleRow
from bugsieve.pipeline.oracles.registry import ORACLES, check_oracle_spec
from bugsieve.rooms.training.asnets.trainer import Trainer
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.campaign.tasks import TrainingTasks, load_tasks, task_rows
from bugsieve.rooms.training.model_tests import ModelTestPlan, PooledTask, make_tester
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.rows import TaskRow, TrainingSubject
from bugsieve.rooms.training.store.tables import TRAINING_TASK
from bugsieve.rooms.training.torch_loading import require_torch
from bugsieve.tasks.grounded.task import Task

_FAST_DOWNWARD = "fast-downward"
_AS_ORACLE = "planner:fd:astar(lmcut())"
"""The teacher starts the same programs as this oracle: trust in one is trust in the other."""


class TrainingEquipment:
    """The trainer, and who tests its models."""

    def __init__(
        self, rows: Sequence[TaskRow], tasks: Sequence[Task], options: TrainingOptions
    ) -> None:
        self.tasks = tasks
        """Those that models are trained on."""
        self.tested = [row for row in rows if len(row.states)]
        """Tasks with pools."""
        plan = ModelTestPlan(
            options.oracles,
            options.step_limit,
            options.test_work,
            options.limits,
            with_plans=options.replay_bugs,
        )
        pooled = [PooledTask(row.task, row.states) for row in self.tested]
        self.tester = make_tester(pooled, plan, options.workers)
        self.trainer = Trainer(tasks, options.asnets, workers=options.workers)

    def close(self) -> None:
        """End all processes."""
        self.tester.close(at_once=True)
        self.trainer.close()


def check(options: TrainingOptions) -> None:
    """Refuse options that are wrong for all tasks."""
    require_torch()
    for spec in options.oracles:
        check_oracle_spec(spec)


def begin(
    options: TrainingOptions, tasks: TrainingTasks | None, policy: None, states: None
) -> Beginning:
    """A new training."""
    if policy is not None or states is not None:
        raise UsageError("a training takes neither a policy nor states")
    if options.asnets.teacher == _FAST_DOWNWARD:
        with typed_in(os.sep):
            remember(ORACLES, _AS_ORACLE)
    given = load_tasks(options) if tasks is None else tasks
    rows = task_rows(given, options)
    equipment = TrainingEquipment(rows, [named.task for named in given.training], options)
    header = CampaignHeader(
        options.to_toml(),
        TrainingSubject(given.name, given.domain, given.dropped),
        "",
        False,
        tuple(map(OracleRow, options.oracles)),
    )
    return Beginning(header, equipment, rows)


def equip(
    header: CampaignHeader, options: TrainingOptions, folder: Path, policy: None
) -> TrainingEquipment:
    """The equipment of a stored training."""
    if options.asnets.teacher == _FAST_DOWNWARD:
        with typed_in(os.sep):
            require_trusted(ORACLES, _AS_ORACLE, folder)
    with TrainingRecords(folder) as records:
        rows, training = stored_tasks(records)
    try:
        return TrainingEquipment(rows, training, options)
    except (InputError, UsageError) as error:
        raise damaged(folder, f"table tasks: {error}") from None


def stored_tasks(records: TrainingRecords) -> tuple[list[TaskRow], list[Task]]:
    """All tasks of a training, and those to train on; InputError if one cannot be read."""
    rows = [*records.training_tasks(), *records.validation_tasks()]
    try:
        tasks = [_checked(row) for row in rows]
    except (InputError, UsageError) as error:
        raise damaged(records.directory, f"table tasks: {error}") from None
    training = [t for t, row in zip(tasks, rows, strict=True) if row.role == TRAINING_TASK]
    return rows, training


def _checked(row: TaskRow) -> Task:
    """A stored task whose pool and PDDL are those of such a task."""
    task: Task = row.task.load()
    if len(row.states):
        task.is_goal(row.states)  # refuses values that variables do not have
    if task.pddl is None:
        raise InputError(f"row {row.number} has no PDDL")
    return task
