"""The stored rows of a training: tasks once, then one model after the other, with its test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bugsieve.rooms.training.pool_test import PoolTest
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import StateArray


@dataclass(frozen=True)
class TrainingSubject:
    """The subject of a training, beside its tasks."""

    name: str
    """Of the domain."""
    domain: bytes = field(repr=False)
    """Its PDDL."""
    dropped: tuple[tuple[str, str], ...] = ()
    """Validation tasks that are left out: their files, and why."""


@dataclass(frozen=True, eq=False)
class TaskRow:
    """A task of a training, with its pool; that is empty where no model is tested."""

    number: int
    role: str
    """`TRAINING` or `VALIDATION`."""
    file: str
    task: SavedTask
    states: StateArray


@dataclass(frozen=True)
class ModelRow:
    """A model in training, without its weights."""

    number: int
    parent: int | None
    """The model whose expansion gave it; None for random weights."""
    epoch: int
    """Expansions that led to it from random weights."""
    loss: float | None = None
    solved: int | None = None
    """Training tasks whose initial state it solves; None for random weights."""
    teacher_calls: int = 0
    teacher_failures: int = 0
    rollout_seconds: float = 0.0
    teacher_seconds: float = 0.0
    learning_seconds: float = 0.0
    test_seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class ExamplesRow:
    """Examples that entered the data when a model was trained."""

    source: str
    """`TEACHER`, or `BUGS` where the plans in certificates gave the labels."""
    content: bytes = field(repr=False)


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model with all that belongs to it; stored whole or not at all."""

    row: ModelRow
    content: bytes = field(repr=False)
    """The weights, and what the optimiser remembers."""
    tests: Sequence[tuple[int, PoolTest]]
    """By the numbers of tasks."""
    examples: Sequence[ExamplesRow] = ()
