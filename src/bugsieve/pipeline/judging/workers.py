"""Judges that work through parcels: in this process, or several in processes of their own.

Both take parcels as they need them and give the findings in the order of the parcels.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from bugsieve.base.files_and_processes.process_pool import ProcessPool
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.findings import Finding
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.judging.plan import BenchPlan
from bugsieve.tasks.grounded.saved import SavedTask

_MODULE = "bugsieve.pipeline.judging.worker_process"


@dataclass(frozen=True)
class WorkerSetup:
    """The data from which a worker process becomes a judge."""

    task: SavedTask
    plan: BenchPlan
    oracles: tuple[str, ...]
    """The oracles without memory."""
    whole_runs: bool = False
    """True if answers hold whole runs, for oracles that learn from them."""
    carries: bool = False
    """True if bugs are carried back along runs, which spares oracles some states."""
    repeats: bool = False
    """True if states may come again."""


@dataclass(frozen=True)
class JudgedParcel:
    """The findings on a parcel, and what they took."""

    findings: list[Finding]
    policy_calls: int
    seconds: float
    asked_again: int = 0
    """Questions beside those calls, to see whether the policy stands by its answers."""


Answer = tuple[Parcel, JudgedParcel]


class Judges(Protocol):
    """The judges of a campaign."""

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
        """Close nothing: the judge is closed by its maker."""


def judged(judge: Judge, parcel: Parcel) -> JudgedParcel:
    """Judge one parcel and measure."""
    calls, again = judge.bench.decisions_taken, judge.asked_again
    start = time.perf_counter()
    findings = judge.judge(parcel)
    seconds = time.perf_counter() - start
    return JudgedParcel(
        findings, judge.bench.decisions_taken - calls, seconds, judge.asked_again - again
    )


class WorkerPool:
    """Judges in up to `count` processes; each gets the next parcel when it is done with one."""

    def __init__(self, setup: WorkerSetup, count: int) -> None:
        self.count = count
        self._pool: ProcessPool[Parcel, JudgedParcel] = ProcessPool(
            _MODULE, setup, count, "judging states"
        )

    def judge(self, parcels: Iterator[Parcel], *, until: float | None) -> Iterator[Answer]:
        """All parcels at the same time, as far as there are workers; results in order."""
        return self._pool.work(parcels, until=until)

    def close(self, *, at_once: bool) -> None:
        """End the processes; they get little time to clean up if there is no time."""
        self._pool.close(at_once=at_once)


def make_judges(judge: Judge, setup: WorkerSetup, count: int) -> Judges:
    """The judge itself, or several like it in processes of their own."""
    return LocalJudge(judge) if count == 1 else WorkerPool(setup, count)


def parcel_size(left: int, workers: int, batch_size: int, seconds_per_state: float | None) -> int:
    """The number of states to judge next: few enough to share evenly and to be done soon.

    The clock decides when results are stored, never what they are.
    """
    fair = left if workers == 1 else left // (4 * workers)
    quick = 8 if seconds_per_state is None else int(0.25 / max(seconds_per_state, 1e-9))
    return max(1, min(left, fair, quick, batch_size))
