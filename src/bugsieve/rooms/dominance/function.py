"""The typed front of native dominance functions, and their place on disk."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.current_activity import doing
from bugsieve.base.errors import UnsupportedError
from bugsieve.base.files_and_processes.derived_data import DerivedData, content_key
from bugsieve.rooms.dominance.options import DominanceOptions
from bugsieve.tasks.grounded.arrays import ask_core
from bugsieve.tasks.grounded.task import StateArray, Task, require_task

KIND = "dominance-2"
"""Of derived data; another one when functions of equal options would differ."""

_SECONDS_BYTES = 8
"""Before what is kept: how long it took to compute."""

MAX_REPLAYED_STEPS = 100_000

_CUTS = {
    1: "merging stopped at its limit on work",
    2: "merged factors would not fit the memory, so each variable is a factor of its own",
    4: "walks were cut at their limit on work",
    8: "the fix-point met its limit on work, so all factors fall back to walks",
}


class DominanceFunction:
    """D(s, t) <= h*(s) - h*(t) for every state s with a plan and every state t.

    If D(s, t) is finite, every plan for s yields one for t that is dearer by at most -D(s, t).
    """

    def __init__(self, task: Task, options: DominanceOptions, native: _native.Dominance) -> None:
        self.task = task
        self.options = options
        self.native = native

    @classmethod
    def compute(cls, task: Task, options: DominanceOptions | None = None) -> DominanceFunction:
        """Compute it afresh; UnsupportedError where the task has none."""
        options = options or DominanceOptions()
        limits = {
            name: -1 if value is None else value
            for name, value in (
                ("floor", options.floor),
                ("max_work", options.max_work),
                ("max_bytes", options.max_bytes),
            )
        }
        try:
            with _computing(task):
                native = _native.Dominance.compute(
                    task.native,
                    max_transitions=options.max_transitions if options.merging == "dfp" else 0,
                    max_states=options.max_states,
                    tau=options.tau,
                    **limits,
                )
        except _native.NoDominanceError as error:
            raise UnsupportedError(f"{task.name} has no dominance function: {error}") from None
        return cls(task, options, native)

    @classmethod
    def objection(cls, task: Task) -> str | None:
        """The reason why the task has no dominance function, or None."""
        return _native.Dominance.objection(require_task(task).native) or None

    @classmethod
    def of(cls, task: Task, options: DominanceOptions | None = None) -> DominanceFunction:
        """The function of a task, from disk if it was computed before."""
        options = options or DominanceOptions()
        made: list[DominanceFunction] = []

        def make() -> bytes:
            start = time.thread_time()
            made.append(cls.compute(task, options))
            seconds = np.float64(time.thread_time() - start)
            return b"".join((seconds.tobytes(), made[0].native.saved().tobytes()))

        with _computing(task):  # or waiting for another process that does
            content = DerivedData(KIND).get(_key(task, options), make)
        if made:
            return made[0]
        try:
            words = np.frombuffer(content, dtype=np.int32, offset=_SECONDS_BYTES)
            return cls(task, options, _native.Dominance.load(task.native, words))
        except ValueError:  # of another make: the seal was right, the content is not
            return cls.compute(task, options)

    @staticmethod
    def seconds_on_disk(task: Task, options: DominanceOptions | None = None) -> float:
        """The time of computing the function that is on disk; 0 if there is none."""
        content = DerivedData(KIND).load(_key(task, options or DominanceOptions()))
        if content is None or len(content) < _SECONDS_BYTES:
            return 0.0
        seconds = float(np.frombuffer(content, dtype=np.float64, count=1)[0])
        return seconds if math.isfinite(seconds) and seconds > 0 else 0.0

    def __repr__(self) -> str:
        return f"<DominanceFunction of {self.task.name!r}: {len(self.blocks)} factors>"

    @cached_property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """The variables of each factor; those that no plan needs are in none."""
        return tuple(map(tuple, self.native.blocks))

    @property
    def cut(self) -> str:
        """The limits that were met, in words; empty if none was."""
        return "; ".join(text for bit, text in _CUTS.items() if self.native.cut & bit)

    def between(self, sources: ArrayLike, targets: ArrayLike) -> NDArray[np.float64]:
        """D of each source against each target, -inf where there is no bound."""
        rows = self.task.checked_states(sources), self.task.checked_states(targets)
        return ask_core(self.native.between, *rows)

    def rowwise(self, sources: ArrayLike, targets: ArrayLike) -> NDArray[np.float64]:
        """D of each source against the target in the same row, -inf where there is no bound."""
        rows = self.task.checked_states(sources), self.task.checked_states(targets)
        return ask_core(self.native.rowwise, *rows)

    def places(self, states: ArrayLike) -> NDArray[np.int32]:
        """The state of each factor that each state is in; -1 where that has no bounds at all."""
        return ask_core(self.native.places, self.task.checked_states(states))

    def table(self, factor: int) -> NDArray[np.float64]:
        """The part of one factor in D, by its states; -inf where there is no bound."""
        return ask_core(self.native.table, factor)

    def states(self, factor: int) -> StateArray:
        """The states of one factor: a row each, with the values of its block's variables."""
        return ask_core(self.native.states, factor)

    def goal_distances(self, factor: int) -> NDArray[np.int32]:
        """The cost of the way to the goal in one factor alone, from each of its states."""
        return ask_core(self.native.goal_distances, factor)

    def replay(
        self,
        source: ArrayLike,
        plan: ArrayLike,
        target: ArrayLike,
        *,
        max_steps: int = MAX_REPLAYED_STEPS,
    ) -> tuple[int, ...] | None:
        """A plan for the target that answers the source's plan step by step.

        None if it would take more steps, or if there is no bound between states on the way.
        """
        steps = np.ascontiguousarray(plan, dtype=np.int32)
        states = self.task.checked_state(source), self.task.checked_state(target)
        return ask_core(self.native.replay, states[0], steps, states[1], max_steps)


def _key(task: Task, options: DominanceOptions) -> str:
    return content_key([require_task(task).sha256.encode(), options.key])


def _computing(task: Task) -> AbstractContextManager[None]:
    return doing(f"computing the dominance function of {require_task(task).name}")
