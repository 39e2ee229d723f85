"""A conversation with a program in another process: batches, blame and restart.

A failing batch is asked again state by state, and a state that fails alone is asked once more in a
fresh process. Only a state that fails as the first question of a fresh process is blamed. So the
outcome does not depend on the batch size or on earlier questions.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Generic, TypeVar

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import PolicyError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.wording import counted
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.fingerprints import Fingerprinted, files_fingerprint
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.protocol import (
    ACTIONS,
    Answer,
    MiscountError,
    ProtocolError,
    RefusalError,
    StateError,
    StateQuestion,
    View,
    WorkerQuestion,
    batch_line,
    check_ready,
    hello_line,
    max_reply_bytes,
    parse_answers,
)
from bugsieve.policies.traces import trace_text
from bugsieve.policies.worker import Worker, WorkerCrashError, WorkerHangError

Target = TypeVar("Target")

_START_ATTEMPTS = 2


@dataclass(frozen=True)
class Program:
    """The start of a foreign policy, and the limits on what it may use."""

    spec: str
    command: tuple[str, ...]
    limits: WorkerLimits
    environment: Mapping[str, str] | None = None
    files: tuple[str, ...] = ()
    """The files that decide its answers, as far as the spec tells."""
    folder: str | None = None
    """The folder where it is started; None for the current folder."""

    def spawn(self) -> Worker:
        """A new process of the program, not yet spoken to."""
        environment = os.environ if self.environment is None else self.environment
        seed = str(self.limits.hash_seed)
        return Worker(
            self.command,
            memory_mb=self.limits.memory_mb,
            environment={**environment, "PYTHONHASHSEED": seed},
            folder=self.folder,
        )


class _StartError(Exception):
    """The program failed before it could be asked anything."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class Conversation(Closing):
    """Asks a program in a worker process; restarts it when it crashes or hangs."""

    def __init__(self, program: Program, view: View, asked: WorkerQuestion = ACTIONS) -> None:
        self.program = program
        self.asked = asked
        self.note: str | None = None
        """The mistakes it makes in batches, though not in single states; for users to read."""
        self._hello = hello_line(view, asked)
        self._batch_size = min(program.limits.batch_size, asked.most_at_once)
        self._batches = 0
        self._worker: Worker | None = None
        self._worker_is_fresh = False
        self._unstartable: _StartError | None = None
        self._view = view
        self._is_second = False
        self._echo: Callable[[bytes], None] | None = None
        self.modules: Mapping[str, str] = {}
        """Modules that also decide its answers, as it said when it was first ready."""

    def another(self, hash_seed: int | None = None) -> Conversation:
        """A conversation with a process of its own, under another hash seed if one is given."""
        limits = self.program.limits
        seed = limits.hash_seed if hash_seed is None else hash_seed
        program = replace(self.program, limits=replace(limits, hash_seed=seed))
        other = Conversation(program, self._view, self.asked)
        other._is_second = True
        return other

    def listen(self, echo: Callable[[bytes], None]) -> None:
        """Pass on what the program writes to its standard error."""
        self._echo = echo
        if self._worker is not None:
            self._worker.listen(echo)

    def start(self) -> None:
        """Start the program ahead of the first question; PolicyError if it refuses to serve."""
        try:
            self._ready_worker()
        except _StartError:
            return  # reported for every state it is asked about

    def ask(self, questions: Iterable[StateQuestion]) -> Iterator[Any]:
        """The answer for each state, or a failure; questions are taken batch by batch."""
        waiting = iter(questions)
        while batch := list(islice(waiting, self._batch_size)):  # the size may shrink on the way
            for answer in self._answers(batch):
                if isinstance(answer, StateError):
                    limited = self.program.limits.memory_mb is not None
                    excused = answer.out_of_memory and limited
                    detail, trace = answer.detail, answer.trace
                    yield Failure(Ending.POLICY_CRASH, detail, excused, trace=trace)
                else:
                    yield answer

    def close(self) -> None:
        """Kill the process; a later question starts a new one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def _answers(self, questions: Sequence[StateQuestion]) -> list[Answer | Failure]:
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
            is_miscount = isinstance(error, MiscountError)
        except BaseException:  # Ctrl-C: the answer under way must not reach the next question
            self.close()
            raise
        if len(questions) > 1:
            return self._one_by_one(questions, failure, is_miscount=is_miscount)
        # An old process may suffer from what it was asked before; a fresh one has no such excuse.
        return [failure] if fresh else self._answers(questions)

    def _one_by_one(
        self, questions: Sequence[StateQuestion], batch: Failure, *, is_miscount: bool
    ) -> list[Answer | Failure]:
        answers = [answer for question in questions for answer in self._answers([question])]
        guilty = any(isinstance(answer, Failure) for answer in answers)
        if batch.ending is Ending.POLICY_HANG and not guilty:
            # Merely slow: smaller batches will make the deadline, and the answers stay the same.
            self._batch_size = max(1, len(questions) // 2)
        if is_miscount and not guilty:
            self._batch_size = 1
            self.note = f"it {batch.detail}; it is asked about single states from now on"
        return answers

    def _exchange(self, worker: Worker, questions: Sequence[StateQuestion]) -> list[Answer]:
        self._batches += 1
        with doing(f"asking {self.program.spec} about {counted(len(questions), 'state')}"):
            line = worker.exchange(
                batch_line(self._batches, questions),
                deadline=self.program.limits.deadline,
                max_reply=max_reply_bytes(len(questions), self.asked),
            )
        return parse_answers(line, number=self._batches, states=len(questions), asked=self.asked)

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
                # A crash at the start may be bad luck and is tried again; a hang has already cost
                # the long deadline. Either way it is remembered, so that not every state waits
                # anew.
                hung = isinstance(error, WorkerHangError)
                if hung or attempt + 1 == _START_ATTEMPTS:
                    self._unstartable = _StartError(_start_failure(error))
                    raise self._unstartable from None
            except BaseException:  # Ctrl-C among them: a later question needs another process
                self.close()
                raise
        assert self._worker is not None
        return self._worker

    def _greet(self) -> None:
        limits = self.program.limits
        self._worker = self.program.spawn()
        if self._echo is not None:
            self._worker.listen(self._echo)
        with doing(f"waiting until {self.program.spec} is ready"):
            line = self._worker.exchange(
                self._hello, deadline=limits.startup_deadline, max_reply=max_reply_bytes(0)
            )
        try:
            modules = check_ready(line)
        except RefusalError as refusal:
            if self._is_second:  # the first process took it: that is no more than another answer
                raise ProtocolError(f"refuses now: {refusal}") from None
            raise PolicyError(f"policy {self.program.spec} cannot be used: {refusal}") from None
        self.modules = self.modules or modules
        self._worker_is_fresh = True


class ForeignMember(Fingerprinted, Closing, ABC, Generic[Target]):
    """Base of policies that live in another process; a target is what their specs name."""

    _conversation: Conversation
    _others: dict[int | None, Conversation]
    """By their hash seeds; None for the policy's own seed in a second process."""

    def converse(self, program: Program, view: View, asked: WorkerQuestion = ACTIONS) -> None:
        """Start the program, which may refuse to serve."""
        self._others = {}
        self._conversation = Conversation(program, view, asked)
        self._conversation.start()

    def second(self, hash_seed: int | None = None) -> Conversation:
        """A second process that was told nothing of what the first was asked."""
        if hash_seed not in self._others:
            self._others[hash_seed] = self._conversation.another(hash_seed)
        return self._others[hash_seed]

    def listen(self, echo: Callable[[bytes], None]) -> None:
        """Pass on what the program writes to its standard error."""
        self._conversation.listen(echo)

    @staticmethod
    @abstractmethod
    def target(argument: str | None) -> Target:
        """The target that the argument of a spec names; UsageError where there is none."""

    @classmethod
    @abstractmethod
    def program(cls, target: Target, limits: WorkerLimits) -> Program:
        """The program that starts the target."""

    def fingerprint(self) -> str:
        """A hash of spec, hash seed, the files that it names and the modules it has loaded."""
        program, modules = self._conversation.program, self._conversation.modules
        seed = f"hash seed {program.limits.hash_seed}"
        loaded = (f"{name} {key}" for name, key in sorted(modules.items()))
        return files_fingerprint(program.spec, program.files, more=(seed, *loaded))

    @property
    def note(self) -> str | None:
        """The mistakes it makes in batches, if any."""
        return self._conversation.note

    def close(self) -> None:
        """Kill the processes; a later question starts a new one."""
        for conversation in (self._conversation, *self._others.values()):
            conversation.close()


def policy_notes(policy: object) -> tuple[str, ...]:
    """The notes on a policy for users, with its name first, although no run shows them."""
    note = policy.note if isinstance(policy, ForeignMember) else None
    return () if note is None else (f"the policy: {note}",)


def _failure(error: Exception) -> Failure:
    if isinstance(error, WorkerHangError):
        return Failure(Ending.POLICY_HANG, str(error))
    if not isinstance(error, WorkerCrashError):
        return Failure(Ending.POLICY_CRASH, str(error))
    trace = trace_text("", error.printed)
    return Failure(Ending.POLICY_CRASH, str(error), error.at_limit, trace=trace)


def _start_failure(error: Exception) -> Failure:
    """A failure that blames no decision: none was taken."""
    failure = _failure(error)
    return replace(failure, detail=f"at its start: {failure.detail}", excused=True)
