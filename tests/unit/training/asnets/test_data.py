"""Examples: once each, in the order they came, and checked when they come from bytes."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.training.asnets.data import Examples, TrainingData
from tests.unit.policies.asnets.tasks import walked
from tests.unit.training.asnets.lessons import any_labels, examples, gripper

TASKS = (gripper(1), gripper(3))


def test_bytes_give_the_same_examples() -> None:
    before = examples(TASKS[1], 1)
    assert len(before) > 2
    after = Examples.from_bytes(before.to_bytes(), TASKS)
    assert after.task == 1
    assert np.array_equal(after.states, before.states)
    assert np.array_equal(after.labels, before.labels)
    assert after.to_bytes() == before.to_bytes()


def test_no_examples_are_examples_too() -> None:
    empty = Examples(0, examples(TASKS[0]).states[:0], np.zeros(0, np.int32))
    assert len(Examples.from_bytes(empty.to_bytes(), TASKS)) == 0


def test_damaged_bytes_are_refused() -> None:
    data = examples(TASKS[1], 1).to_bytes()
    wrong_task = data[:8] + struct.pack("<I", 2) + data[12:]
    other_task = data[:8] + struct.pack("<I", 0) + data[12:]
    illegal = data[:-4] + struct.pack("<i", 10**6)
    negative = data[:-4] + struct.pack("<i", -1)
    absurd = data[:20] + b"\xff\xff" + data[22:]
    long = data[:12] + struct.pack("<I", 2**32 - 1) + data[16:]
    for bad in (b"", data[:10], data[:-1], data + b"\0", wrong_task, other_task, illegal):
        with pytest.raises(InputError, match="^examples of a training"):
            Examples.from_bytes(bad, TASKS)
    for bad in (negative, absurd, long):
        with pytest.raises(InputError, match="^examples of a training"):
            Examples.from_bytes(bad, TASKS)


def test_each_state_of_a_task_is_held_once_with_its_first_label() -> None:
    task = TASKS[1]
    whole = any_labels(task, np.unique(walked(task, 30), axis=0))
    data = TrainingData()
    (first,) = data.add([Examples(1, whole.states[:4], whole.labels[:4])])
    assert len(first) == len(data) == 4
    other = Examples(1, whole.states, whole.labels + 1)
    (fresh,) = data.add([other, other])
    assert np.array_equal(fresh.states, whole.states[4:])
    assert len(data) == len(whole)
    assert np.concatenate([part.labels for part in data.examples]).tolist() == [
        *whole.labels[:4],
        *(whole.labels[4:] + 1),
    ]
    (of_another_task,) = data.add([whole])
    assert len(of_another_task) == len(whole)
    assert (1, whole.states[0]) in data
    assert (2, whole.states[0]) not in data


def test_draws_depend_on_the_generator_alone() -> None:
    data = TrainingData()
    data.add([examples(TASKS[1])])
    drawn = [data.sample(np.random.default_rng(7), 100).tolist() for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) == set(range(len(data)))
