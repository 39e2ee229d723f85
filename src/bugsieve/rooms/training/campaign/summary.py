"""The counts of a training, read from its store."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.campaigns.summary import Summary
from bugsieve.rooms.training.campaign.candidates import candidates_in
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.candidates import best, scores
from bugsieve.rooms.training.store.records import TrainingRecords
from bugsieve.rooms.training.store.tables import TRAINING_TASK


@dataclass(frozen=True, kw_only=True)
class BestModel:
    """The model with the greatest score so far, and what its tests said."""

    number: int
    epoch: int
    score: float
    solved: int
    """Validation tasks whose initial state it solves."""
    validation_tasks: int
    """The number of validation tasks."""
    states: int
    """Pool states that count, and of them:"""
    solved_states: int
    bug_states: int


@dataclass(frozen=True, kw_only=True)
class TrainingSummary(Summary):
    """The results of a training so far."""

    planned: int
    """Models that there are in the end, those with random weights included."""
    models: int
    training_tasks: int
    solved_training: int
    """The most training tasks that a model solves."""
    validation_tasks: int
    solved_validation: int
    """The most validation tasks that a model solves."""
    best: BestModel | None
    dropped: tuple[tuple[str, str], ...]
    """Validation tasks that are left out, and why."""
    teacher_calls: int
    teacher_failures: int
    tests: int
    """Of models on tasks whose initial state they solve; the others are not tested there."""
    cut_tests: int
    """Tests that the limit on work has cut."""
    rollout_seconds: float
    teacher_seconds: float
    learning_seconds: float
    test_seconds: float
    test_cpu_seconds: float
    """Of all processes that tested."""


def summarise(records: TrainingRecords) -> TrainingSummary:
    """The counts as they are now."""
    progress, rows = records.progress(), records.models()
    validation = records.validation_numbers()
    tests = [test for found in records.tests().values() for test in found.values()]
    candidates = candidates_in(records)
    return TrainingSummary(
        reason=progress.finished,
        seconds=progress.seconds,
        walks=0,
        steps=0,
        bugs=0,
        bugs_by_kind={},
        rejected=tuple(records.rejected()),
        troubles={},
        policy_calls=progress.policy_calls,
        planned=options_in(records).schedule.models,
        models=len(rows),
        training_tasks=len(records.task_files(TRAINING_TASK)),
        solved_training=max((row.solved or 0 for row in rows), default=0),
        validation_tasks=len(validation),
        solved_validation=max((c.solved_validation for c in candidates), default=0),
        best=best_model(records),
        dropped=records.header.subject.dropped,
        teacher_calls=sum(row.teacher_calls for row in rows),
        teacher_failures=sum(row.teacher_failures for row in rows),
        tests=sum(test.is_solved for test in tests),
        cut_tests=sum(test.is_cut for test in tests),
        rollout_seconds=sum(row.rollout_seconds for row in rows),
        teacher_seconds=sum(row.teacher_seconds for row in rows),
        learning_seconds=sum(row.learning_seconds for row in rows),
        test_seconds=sum(row.test_seconds for row in rows),
        test_cpu_seconds=sum(test.cpu_seconds for test in tests),
    )


def best_model(records: TrainingRecords) -> BestModel | None:
    """The model with the greatest score; None before the first one, and without tests."""
    candidates = candidates_in(records)
    if not candidates or not records.validation_numbers():
        return None
    number = best(candidates)
    chosen = candidates[number]
    return BestModel(
        number=number,
        epoch=records.models()[number].epoch,
        score=float(scores(candidates)[number]),
        solved=chosen.solved_validation,
        validation_tasks=len(records.validation_numbers()),
        states=chosen.states,
        solved_states=chosen.solved_states,
        bug_states=chosen.bug_states,
    )


def options_in(records: TrainingRecords) -> TrainingOptions:
    """The options of a stored training."""
    name = str(records.directory / "options.toml")
    return TrainingOptions.from_toml(records.header.options, name=name)
