"""Policies that live in another process: batches, blame and restart; base of `python:`, `cmd:`.

A failing batch is asked again state by state, and a state that fails alone is asked once more in
a fresh process. Only a state that fails as the first question of a fresh process is blamed, so the
outcome does not depend on the batch size or on what was asked before.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from bugsieve.basis.errors import PolicyError
from bugsieve.policies.action_names import ActionNames
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.policy import FallibleBoundPolicy
from bugsieve.policies.protocol import (
    Answer,
    ProtocolError,
    Question,
    RefusalError,
    StateError,
    batch_line,
    check_ready,
    hello_line,
    max_reply_bytes,
    parse_answers,
)
from bugsieve.policies.task_view import TaskView
from bugsieve.policies.worker import Worker, WorkerCrashError, WorkerHangError, WorkerLimits
from bugsieve.tasks.fdr.task import NO_ACTION, StateArray, Task

_START_ATTEMPTS = 2


class _StartError(Exception):
    """The program failed before it could be asked anything."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class ForeignPolicy(FallibleBoundPolicy):
    """Asks a program in a worker process; restarts it when it crashes or hangs."""

    def __init__(self, task: Task, spec: str, limits: WorkerLimits) -> None:
        super().__init__(task, spec)
        self.limits = limits
        self._hello = hello_line(TaskView.of(task))
        self._names = ActionNames(task)
        self._batch_size = limits.batch_size
        self._batches = 0
        self._worker: Worker | None = None
        self._worker_is_fresh = False
        self._unstartable: _StartError | None = None

    @abstractmethod
    def spawn(self) -> Worker:
        """A new process of the program, not yet spoken to."""

    def start(self) -> None:
        """Start the program ahead of the first question; PolicyError if it refuses the task."""
        try:
            self._ready_worker()
        except _StartError:
            return  # a finding about the policy, reported for every state it is asked about

    def decide(self, states: StateArray) -> Decisions:
        """One action per state; crashes, hangs and unknown actions as failures of their rows."""
        states = self.task.checked_states(states)
        operators, offsets = self.task.applicable(states)
        actions = np.full(len(states), NO_ACTION, dtype=np.int32)
        failures: dict[int, Failure] = {}
        start = 0
        while start < len(states):  # the batch size may shrink on the way
            stop = min(start + self._batch_size, len(states))
            applicable = [
                operators[offsets[row] : offsets[row + 1]].tolist() for row in range(start, stop)
            ]
            for row, decision in enumerate(self._ask(states[start:stop], applicable), start):
                if isinstance(decision, Failure):
                    failures[row] = decision
                else:
                    actions[row] = decision
            start = stop
        return Decisions(actions, failures)

    def _ask(
        self, states: StateArray, applicable: Sequence[Sequence[int]]
    ) -> Iterator[int | Failure]:
        questions = [self._question(s, ops) for s, ops in zip(states, applicable, strict=True)]
        for answer, operators in zip(self._answers(questions), applicable, strict=True):
            yield self._decision(answer, operators)

    def close(self) -> None:
        """Kill the process; a later question starts a new one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def _question(self, state: StateArray, applicable: Sequence[int]) -> Question:
        facts = self.task.facts(state) - self.task.static_facts
        return Question(tuple(sorted(facts)), self._names.of(applicable))

    def _answers(self, questions: Sequence[Question]) -> list[Answer | Failure]:
        try:
            worker = self._ready_worker()
        except _StartError as error:
            return [error.failure] * len(questions)
        fresh, self._worker_is_fresh = self._worker_is_fresh, False
        try:
            return list(self._exchange(worker, questions))
        except (WorkerCrashError, ProtocolError, WorkerHangError) as error:
            self.close()
            failure = _failure(error)
        except BaseException:  # Ctrl-C: the answer under way must not reach the next question
            self.close()
            raise
        if len(questions) > 1:
            return self._one_by_one(questions, failure)
        return [failure] if fresh else self._answers(questions)

    def _one_by_one(self, questions: Sequence[Question], batch: Failure) -> list[Answer | Failure]:
        answers = [answer for question in questions for answer in self._answers([question])]
        guilty = any(isinstance(answer, Failure) for answer in answers)
        if batch.ending is Ending.POLICY_HANG and not guilty:
            # Merely slow: smaller batches will make the deadline, and the answers stay the same.
            self._batch_size = max(1, len(questions) // 2)
        return answers

    def _exchange(self, worker: Worker, questions: Sequence[Question]) -> list[Answer]:
        self._batches += 1
        line = worker.exchange(
            batch_line(self._batches, questions),
            deadline=self.limits.deadline,
            max_reply=max_reply_bytes(len(questions)),
        )
        return parse_answers(line, number=self._batches, states=len(questions))

    def _ready_worker(self) -> Worker:
        if self._unstartable is not None:
            raise self._unstartable
        for attempt in range(_START_ATTEMPTS):
            if self._worker is not None:
                return self._worker
            try:
                self._greet()
            except (WorkerCrashError, ProtocolError, WorkerHangError) as error:
                self.close()
                hung = isinstance(error, WorkerHangError)
                if hung or attempt + 1 == _START_ATTEMPTS:
                    self._unstartable = _StartError(_failure(error, prefix="at its start: "))
                    raise self._unstartable from None
        assert self._worker is not None
        return self._worker

    def _greet(self) -> None:
        self._worker = self.spawn()
        line = self._worker.exchange(
            self._hello, deadline=self.limits.startup_deadline, max_reply=max_reply_bytes(0)
        )
        try:
            check_ready(line)
        except RefusalError as refusal:
            self.close()
            raise PolicyError(f"policy {self.spec} cannot be used: {refusal}") from None
        self._worker_is_fresh = True

    def _decision(self, answer: Answer | Failure, applicable: Sequence[int]) -> int | Failure:
        if answer is None:
            return NO_ACTION
        if isinstance(answer, Failure):
            return answer
        if isinstance(answer, StateError):
            return Failure(Ending.POLICY_CRASH, answer.detail)
        return self._names.resolve(answer, applicable)


def _failure(error: Exception, *, prefix: str = "") -> Failure:
    hung = isinstance(error, WorkerHangError)
    return Failure(Ending.POLICY_HANG if hung else Ending.POLICY_CRASH, prefix + str(error))
