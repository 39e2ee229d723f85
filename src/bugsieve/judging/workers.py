"""Judges that work through parcels: in this process, or several in processes of their own.

Both take parcels as they need them and give the findings in the order of the parcels.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from multiprocessing.connection import wait
from typing import Protocol

from bugsieve.basis.activity import doing
from bugsieve.basis.errors import BudgetError, InternalError
from bugsieve.basis.processes import Child, ChildDiedError
from bugsieve.basis.stopping import check_stop
from bugsieve.basis.wording import counted
from bugsieve.judging.cases import Parcel
from bugsieve.judging.findings import Finding
from bugsieve.judging.judge import Judge
from bugsieve.judging.plan import BenchPlan
from bugsieve.tasks.fdr.saved import SavedTask

_MODULE = "bugsieve.judging.worker_process"
_POLITE_SECONDS = 2.0
_CLEANUP_SECONDS = 0.15


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker process needs to become a judge."""

    task: SavedTask
    plan: BenchPlan
    oracles: tuple[str, ...]
    """Those without memory."""
    whole_runs: bool = False
    """Whether answers hold whole runs, for oracles that learn from them."""
    carries: bool = False
    """Whether bugs are carried back along runs, which spares oracles some states."""


@dataclass(frozen=True)
class Judged:
    """What was found out about a parcel, and what that took."""

    findings: list[Finding]
    policy_calls: int
    seconds: float
    asked_again: int = 0
    """Questions beside those calls, to see whether the policy stands by its answers."""


Answer = tuple[Parcel, Judged]


class Judges(Protocol):
    """Those who judge for a campaign."""

    count: int

    def judge(self, parcels: Iterator[Parcel], *, until: float | None) -> Iterator[Answer]:
        """The parcels with their findings, in order; none after `until` on the monotonic clock."""
        ...

    def close(self, *, at_once: bool) -> None:
        """Let go of everything; `at_once` if there may be work under way."""
        ...


class LocalJudge:
    """Judges in this process."""

    count = 1

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def judge(self, parcels: Iterator[Parcel], *, until: float | None) -> Iterator[Answer]:
        """One parcel after the other; one that was begun is finished."""
        for parcel in parcels:
            yield parcel, judged(self._judge, parcel)
            if until is not None and time.monotonic() >= until:
                return

    def close(self, *, at_once: bool) -> None:
        """Nothing is ours: whoever made the judge closes it."""


def judged(judge: Judge, parcel: Parcel) -> Judged:
    """Judge one parcel and measure."""
    calls, again = judge.bench.decisions_taken, judge.asked_again
    start = time.perf_counter()
    findings = judge.judge(parcel)
    seconds = time.perf_counter() - start
    return Judged(
        findings, judge.bench.decisions_taken - calls, seconds, judge.asked_again - again
    )


class WorkerPool:
    """Judges in up to `count` processes; each gets the next parcel when it is done with one."""

    def __init__(self, setup: WorkerSetup, count: int) -> None:
        self.count = count
        self._setup = setup
        self._workers: list[_Worker] = []
        """Those that have had work; they start when there is some."""

    def judge(self, parcels: Iterator[Parcel], *, until: float | None) -> Iterator[Answer]:
        """All parcels at the same time, as far as there are workers; results in order."""
        # Parcels are numbered as they are handed out. Answers come in any order and wait in
        # `done` until all before them are there: what follows must not depend on who was quick.
        # At most one answer per worker is unread and one parcel per worker under way, so a slow
        # parcel holds up the order, but never the other workers.
        tickets = enumerate(parcels)
        first = list(islice(tickets, self.count))
        self._start(len(first) - len(self._workers))
        for worker, order in zip_longest(self._workers, first):
            worker.give(order)
        done: dict[int, Answer] = {}
        following = 0
        while any(worker.order is not None for worker in self._workers):
            with doing(f"judging states with {counted(len(self._workers), 'worker')}"):
                ready = self._ready(until)
            if not ready:
                return
            for worker in ready:
                ticket, result = worker.take()
                worker.give(next(tickets, None))
                done[ticket] = result
            while following in done:
                yield done.pop(following)
                following += 1

    def close(self, *, at_once: bool) -> None:
        """End the processes; they get little time to clean up if there is no time."""
        for worker in self._workers:
            worker.child.dismiss()
        end = time.monotonic() + (_CLEANUP_SECONDS if at_once else _POLITE_SECONDS)
        for worker in self._workers:
            worker.child.reap(end)
        self._workers = []

    def _start(self, missing: int) -> None:
        """Start so many more, all at the same time: the setup is sent while others boot."""
        before = len(self._workers)
        try:
            for _ in range(missing):
                check_stop()
                self._workers.append(_Worker())
            for worker in self._workers[before:]:
                check_stop()
                worker.send(self._setup)
        except BaseException:  # none without a setup is left behind
            self.close(at_once=True)
            raise

    def _ready(self, until: float | None) -> list[_Worker]:
        """Workers with an answer; none of them when the time is up."""
        timeout = None if until is None else until - time.monotonic()
        if timeout is not None and timeout <= 0:
            return []
        busy = {
            worker.child.connection: worker for worker in self._workers if worker.order is not None
        }
        return [busy[connection] for connection in wait(list(busy), timeout)]  # type: ignore[index]


class _Worker:
    """One process, and the parcel it is working on, with its ticket."""

    def __init__(self) -> None:
        self.child = Child(_MODULE)
        self.order: tuple[int, Parcel] | None = None

    def send(self, message: object) -> None:
        """Hand over a message; raises what ended the process if it is gone."""
        try:
            self.child.send(message)
        except ChildDiedError:
            self._receive()  # its last words, or why there are none
            raise

    def give(self, order: tuple[int, Parcel] | None) -> None:
        """Hand over the next parcel, if there is one."""
        self.order = order
        if order is not None:
            self.send(order[1])

    def take(self) -> tuple[int, Answer]:
        """The ticket and the answer; raises the error that the worker met instead."""
        assert self.order is not None
        ticket, parcel = self.order
        return ticket, (parcel, self._receive())

    def _receive(self) -> Judged:
        try:
            answer: Judged | BaseException = self.child.receive()
        except ChildDiedError as death:
            raise _explained(death) from None
        if isinstance(answer, BaseException):
            raise answer
        return answer


def _explained(death: ChildDiedError) -> BudgetError | InternalError:
    """Why a process ended without an answer."""
    if death.code == -signal.SIGKILL:
        return BudgetError(
            "a worker process was killed, perhaps because the memory ran out: use fewer "
            "workers or tighter limits; what was stored is kept"
        )
    return InternalError(f"a worker process ended unexpectedly (exit code {death.code})")


def make_judges(judge: Judge, setup: WorkerSetup, count: int) -> Judges:
    """The judge itself, or several like it in processes of their own."""
    return LocalJudge(judge) if count == 1 else WorkerPool(setup, count)


def parcel_size(left: int, workers: int, batch_size: int, seconds_per_state: float | None) -> int:
    """How many states to judge next: few enough to share evenly and to be done soon.

    The clock decides when results are stored, never what they are.
    """
    fair = left if workers == 1 else left // (4 * workers)
    quick = 8 if seconds_per_state is None else int(0.25 / max(seconds_per_state, 1e-9))
    return max(1, min(left, fair, quick, batch_size))
