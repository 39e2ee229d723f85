"""The tasks of a training: loading, dropping what cannot be used, and making pools."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import BugsieveError, InternalError, UsageError
from bugsieve.rooms.formats.asnets.grounding import ground
from bugsieve.rooms.training.campaign.options import TrainingOptions
from bugsieve.rooms.training.model_tests import make_pool, objection
from bugsieve.rooms.training.store.rows import TaskRow
from bugsieve.rooms.training.store.tables import TRAINING_TASK, VALIDATION_TASK
from bugsieve.tasks.grounded.loading import load_task
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.grounded.translator import TranslationLimits

_MOST_COMPARED = 1 << 24  # bytes of a file; loading refuses longer ones anyway


@dataclass(frozen=True, eq=False)
class NamedTask:
    """A task and the file it came from."""

    file: str
    task: Task


@dataclass(frozen=True, eq=False)
class TrainingTasks:
    """The tasks that a training is given, all of one domain."""

    name: str
    """Of the domain."""
    domain: bytes
    training: tuple[NamedTask, ...]
    validation: tuple[NamedTask, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()
    """Validation tasks that cannot be used, and why."""


def load_tasks(
    options: TrainingOptions, *, limits: TranslationLimits | None = None
) -> TrainingTasks:
    """Ground all tasks; a validation task for which that fails is dropped, as in papers/003.

    UsageError where a file is to be trained on and to validate with.
    """
    _require_different(options.training, options.validation)
    training = tuple(_loaded(options, file, limits) for file in options.training)
    validation, dropped = [], []
    for file in options.validation:
        try:
            validation.append(_checked(_loaded(options, file, limits), options))
        except InternalError:
            raise  # a fault of Bugsieve is not a property of the task
        except BugsieveError as error:
            if not os.path.isfile(file):
                raise  # mistyped, which is not a property of a task either
            dropped.append((file, str(error)))
    if options.validation and not validation:
        raise UsageError(
            f"none of the validation tasks can be used; {dropped[0][0]}: {dropped[0][1]}"
        )
    first = training[0].task
    if first.pddl is None or first.pddl_texts is None:
        raise UsageError(f"{training[0].file}: ASNets read PDDL, and this task comes from SAS")
    name, texts = ground(first).signature.domain, first.pddl_texts
    return TrainingTasks(name, texts.domain, training, tuple(validation), tuple(dropped))


def _require_different(training: Sequence[str], validation: Sequence[str]) -> None:
    """UsageError if a file, under any name, or a copy of it is among both.

    Of what cannot be read, loading will say why.
    """
    known: dict[object, str] = {}
    for file in training:
        known |= dict.fromkeys(_identities(file), file)
    for file in validation:
        same = next((known[key] for key in _identities(file) if key in known), None)
        if same is not None:
            also = "is" if same == file else f"is the same problem as {same}, which is"
            raise UsageError(
                f"{file}: {also} among the tasks to train on: validation tasks must be others, or "
                "the scores of models say nothing"
            )


def _identities(file: str) -> Iterator[object]:
    """The real place of the file, and its content."""
    yield os.path.realpath(file)
    with suppress(OSError):
        if os.path.isfile(file) and os.path.getsize(file) <= _MOST_COMPARED:
            yield sha256(Path(file).read_bytes()).digest()


def task_rows(tasks: TrainingTasks, options: TrainingOptions) -> list[TaskRow]:
    """The tasks as they are stored, each with its pool."""
    rows: list[TaskRow] = []
    for role, named, is_tested in _roles(tasks, options):
        saved = SavedTask.of(named.task)
        states = _pool(named, options, saved) if is_tested else _no_states(named.task)
        rows.append(TaskRow(len(rows), role, named.file, saved, states))
    return rows


def _roles(
    tasks: TrainingTasks, options: TrainingOptions
) -> Iterator[tuple[str, NamedTask, bool]]:
    for named in tasks.training:
        yield TRAINING_TASK, named, options.replay_bugs
    for named in tasks.validation:
        yield VALIDATION_TASK, named, True


def _pool(named: NamedTask, options: TrainingOptions, saved: SavedTask) -> StateArray:
    """The pool, which depends on the seed and the task alone, not on the other tasks."""
    with doing(f"making the pool of {named.file}"):
        return make_pool(named.task, options.fuzz, saved.sha256)


def _no_states(task: Task) -> StateArray:
    return task.initial_state.reshape(1, -1)[:0]


def _loaded(options: TrainingOptions, file: str, limits: TranslationLimits | None) -> NamedTask:
    with doing(f"grounding {file}"):
        task = load_task(options.domain, file, limits=limits, unit_cost=options.unit_cost)
    return NamedTask(file, task)


def _checked(named: NamedTask, options: TrainingOptions) -> NamedTask:
    """The task, if ASNets and oracles can be used on it; a BugsieveError says why not."""
    with doing(f"preparing {named.file}"):
        ground(named.task)
        why_not = objection(named.task, options.oracles)
    if why_not is not None:
        raise UsageError(why_not)
    return named
