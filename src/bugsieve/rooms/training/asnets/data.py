"""The teacher's data: states of training tasks, each with the operator it takes there."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import InputError, UsageError
from bugsieve.tasks.grounded.task import StateArray, Task

_HEAD = struct.Struct("<8sIII")
_MAGIC = b"asnetex1"
_DAMAGED = "examples of a training: the data are damaged or of other tasks"


@dataclass(frozen=True, eq=False)
class Examples:
    """States of one task with the operators that the teacher takes in them."""

    task: int
    """Its place among the training tasks."""
    states: StateArray
    labels: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)

    def to_bytes(self) -> bytes:
        """A head and raw little-endian numbers."""
        head = _HEAD.pack(_MAGIC, self.task, *self.states.shape)
        return head + self.states.astype("<u2").tobytes() + self.labels.astype("<i4").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, tasks: Sequence[Task]) -> Examples:
        """The same examples; InputError unless they are applicable operators of such a task."""
        if len(data) < _HEAD.size or not data.startswith(_MAGIC):
            raise InputError(f"{_DAMAGED} (no head)")
        _, number, rows, variables = _HEAD.unpack_from(data)
        if number >= len(tasks) or variables != tasks[number].num_variables:
            raise InputError(f"{_DAMAGED} (task {number} with {variables} variables)")
        middle = _HEAD.size + 2 * rows * variables
        if len(data) != middle + 4 * rows:
            raise InputError(f"{_DAMAGED} ({len(data)} bytes for {rows} states)")
        states = np.frombuffer(data[_HEAD.size : middle], dtype="<u2").reshape(rows, variables)
        labels = np.frombuffer(data[middle:], dtype="<i4")
        found = cls(number, states.astype(np.uint16), labels.astype(np.int32))
        found.require_applicable(tasks[number])
        return found

    def require_applicable(self, task: Task) -> None:
        """InputError unless each label is applicable in its state."""
        try:
            applicable = task.is_applicable(self.states, self.labels)
        except UsageError as error:
            raise InputError(f"{_DAMAGED} ({error})") from None
        if not applicable.all():
            row = int(np.argmin(applicable))
            raise InputError(
                f"{_DAMAGED} (operator {self.labels[row]} is not applicable in state {row} of "
                f"{task.name})"
            )


class TrainingData:
    """All examples of a training, each state of a task once, in the order they came."""

    def __init__(self) -> None:
        self._known: set[tuple[int, bytes]] = set()
        self._examples: list[Examples] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __contains__(self, key: tuple[int, StateArray]) -> bool:
        task, state = key
        return (task, state.tobytes()) in self._known

    @property
    def examples(self) -> tuple[Examples, ...]:
        """The added examples, without those known before."""
        return tuple(self._examples)

    def add(self, examples: Sequence[Examples]) -> tuple[Examples, ...]:
        """Take what is new, of two labels for a state the first; gives what was taken."""
        taken = [fresh for part in examples if len(fresh := self._new(part))]
        self._examples += taken
        self._length += sum(map(len, taken))
        return tuple(taken)

    def _new(self, examples: Examples) -> Examples:
        rows = []
        for row, state in enumerate(examples.states):
            key = (examples.task, state.tobytes())
            if key not in self._known:
                self._known.add(key)
                rows.append(row)
        return Examples(examples.task, examples.states[rows], examples.labels[rows])

    def sample(self, rng: np.random.Generator, batch: int) -> NDArray[np.int64]:
        """So many numbers of examples, each drawn from all, counted in the order they came."""
        return rng.integers(0, self._length, batch)
