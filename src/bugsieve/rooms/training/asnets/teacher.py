"""The teacher: a planner that says which operator to take in states of the training tasks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.files_and_processes.process_pool import ProcessPool
from bugsieve.base.stopping import check_stop, seconds_left
from bugsieve.pipeline.oracles.planners import PlanSearch, greedy_within, planner_named
from bugsieve.rooms.training.asnets.data import Examples
from bugsieve.rooms.training.asnets.options import AsnetOptions
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits

DOWNWARD_SECONDS = 10.0
"""For each state, as in Section 2 of papers/003."""

_MODULE = "bugsieve.rooms.training.asnets.teacher_process"
_STATES = 16
"""States of one question. It is a constant, since a plan found in a question spares only states
that follow there: what is asked must not depend on the workers."""


class TeacherQuestion(NamedTuple):
    """States of a task to ask the teacher about, in order."""

    task: int
    states: StateArray


def questions_on(task: int, states: StateArray) -> list[TeacherQuestion]:
    """All these states in questions of a fixed length."""
    begins = range(0, len(states), _STATES)
    return [TeacherQuestion(task, states[begin : begin + _STATES]) for begin in begins]


@dataclass(frozen=True, eq=False)
class Taught:
    """The result of a question: the states of all plans with their operators, and the costs."""

    examples: Examples
    calls: int
    failed: StateArray
    """States from which the teacher found no plan."""


@dataclass(frozen=True)
class TeacherSetup:
    """The data that a process needs to become a teacher."""

    tasks: tuple[SavedTask, ...]
    teacher: str
    expansions: int


class Teacher:
    """Answers questions in this process."""

    def __init__(self, tasks: Sequence[Task], setup: TeacherSetup) -> None:
        self._tasks = tasks
        self._search, self._limits = _search(setup)

    def teach(self, question: TeacherQuestion) -> Taught:
        """Plans from the states; those on a plan of this question are not asked about."""
        task = self._tasks[question.task]
        found: dict[bytes, tuple[StateArray, int]] = {}
        failed, calls = [], 0
        for state in question.states:
            check_stop()
            if state.tobytes() in found:
                continue
            calls += 1
            plan = self._search(task, state, self._limits, None).plan
            if plan is None:
                failed.append(state)
            for passed, operator in _steps(task, state, plan or ()):
                found.setdefault(passed.tobytes(), (passed, operator))
        return Taught(_examples(task, question.task, found), calls, _rows(task, failed))


def _search(setup: TeacherSetup) -> tuple[PlanSearch, Limits]:
    if setup.teacher == "fast-downward":
        return planner_named("fd:astar(lmcut())").search, Limits(seconds=DOWNWARD_SECONDS)
    limits = Limits(expansions=setup.expansions)
    if setup.teacher == "greedy":
        return greedy_within(setup.expansions), limits
    return planner_named("astar-lmcut").search, limits


def _steps(task: Task, state: StateArray, plan: Sequence[int]) -> Iterator[tuple[StateArray, int]]:
    """Each state of the plan but the last, with the operator that follows."""
    for operator in plan:
        yield state, operator
        state = task.successors(state, [operator])[0]


def _examples(task: Task, number: int, found: dict[bytes, tuple[StateArray, int]]) -> Examples:
    labels = np.array([operator for _, operator in found.values()], dtype=np.int32)
    return Examples(number, _rows(task, [state for state, _ in found.values()]), labels)


def _rows(task: Task, states: Sequence[StateArray]) -> StateArray:
    return np.array(states, dtype=np.uint16).reshape(len(states), task.num_variables)


class Teachers(Closing):
    """A teacher in this process, or several in processes of their own, with the same answers."""

    def __init__(self, tasks: Sequence[Task], options: AsnetOptions, workers: int) -> None:
        saved = tuple(map(SavedTask.of, tasks)) if workers > 1 else ()
        setup = TeacherSetup(saved, options.teacher, options.teacher_expansions)
        self._local = Teacher(tasks, setup)  # a missing program is found out here
        self._pool: ProcessPool[TeacherQuestion, Taught] | None = None
        if workers > 1:
            self._pool = ProcessPool(_MODULE, setup, workers, "asking the teacher")

    def answers(self, questions: Sequence[TeacherQuestion]) -> list[Taught]:
        """The results of the questions, in their order."""
        if self._pool is None or len(questions) < 2:
            with doing("asking the teacher"):
                return [self._local.teach(question) for question in questions]
        left = seconds_left()
        until = None if left == float("inf") else time.monotonic() + left
        found = [taught for _, taught in self._pool.work(iter(questions), until=until)]
        check_stop()
        return found

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.close(at_once=True)
