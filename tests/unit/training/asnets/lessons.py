"""Small tasks to train on, and examples of what a teacher does there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bugsieve.rooms.formats.asnets.grounding import Grounding, ground
from bugsieve.rooms.training.asnets.data import Examples, TrainingData
from bugsieve.rooms.training.asnets.encoding import Encoder, LabelledBatch
from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import astar
from tests.unit.policies.asnets.tasks import walked
from tests.unit.policies.generated import generated_task

QUICK = AsnetOptions(hidden=4, steps=5, batch=8)


@cache
def gripper(balls: int, seed: int = 0) -> Task:
    """A generated task."""
    with TemporaryDirectory() as folder:
        return generated_task(Path(folder), "gripper", seed=seed, balls=balls)


@cache
def blocks(count: int, seed: int = 0) -> Task:
    """A generated task."""
    with TemporaryDirectory() as folder:
        return generated_task(Path(folder), "blocksworld", seed=seed, blocks=count)


@cache
def grounded(task: Task) -> Grounding:
    """The grounding, made once."""
    return ground(task)


def examples(task: Task, number: int = 0, count: int = 8) -> Examples:
    """States of a random walk, labelled by A*, goals left out."""
    states = np.unique(walked(task, count), axis=0)
    states = states[~task.is_goal(states)]
    plans = [astar(task, state).plan or () for state in states]
    return Examples(number, states, np.array([plan[0] for plan in plans], dtype=np.int32))


def any_labels(task: Task, states: StateArray, number: int = 0) -> Examples:
    """Each state with its first applicable operator that a network knows."""
    known = set(grounded(task).operators.tolist())
    kept, labels = [], []
    for row, state in enumerate(states):
        found = [op for op in task.applicable(state).operators.tolist() if op in known]
        if found:
            kept.append(row)
            labels.append(found[0])
    return Examples(number, states[kept], np.array(labels, dtype=np.int32))


def batch_of(parts: list[tuple[Task, StateArray]]) -> LabelledBatch:
    """States of several tasks as one mini-batch, task after task."""
    data = TrainingData()
    for number, (task, states) in enumerate(parts):
        data.add([any_labels(task, states, number)])
    encoder = Encoder([grounded(task) for task, _ in parts], data)
    return encoder.batch(np.arange(len(data)))
