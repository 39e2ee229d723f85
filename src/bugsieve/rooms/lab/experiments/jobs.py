"""Campaigns of an experiment, run by several processes, one campaign each at a time."""

from __future__ import annotations

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from bugsieve.base.errors import BudgetError, InternalError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.files_and_processes.processes import Child, ChildDiedError
from bugsieve.campaigns.events import RoundDone
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.summary import Summary
from bugsieve.rooms.lab.experiments.final_jobs import FinalJob, FinalProgress
from bugsieve.rooms.safety.campaign.options import SafetyOptions
from bugsieve.rooms.training.options import QOptions

if TYPE_CHECKING:
    from bugsieve.rooms.training.q_learning import Evaluated

JOB_MODULE = "bugsieve.rooms.lab.experiments.process"
"""The program of a process that does jobs."""
_CLEANUP_SECONDS = 0.1


@dataclass(frozen=True)
class Job:
    """A campaign to be run to its end: a new one, or one to go on with."""

    number: int
    directory: str
    options: CampaignOptions
    trust_policy: bool = False
    """True if the user agrees to all policies that existing campaigns name."""


@dataclass(frozen=True)
class TrainingJob:
    """A network to be trained."""

    number: int
    network: str
    model: SafetyOptions
    """Those of a campaign that tests it, for the model."""
    options: QOptions


AnyJob = Job | TrainingJob | FinalJob


@dataclass(frozen=True)
class Workplace:
    """The folder in which a process does the jobs that follow, if not where it was started."""

    folder: str
    root: str
    """The folder below which files are that specs name by absolute paths."""
    state: str
    """The folder of what the user has agreed to, in place of the usual one."""


@dataclass(frozen=True)
class JobStarted:
    """A process has taken the job."""

    number: int


@dataclass(frozen=True)
class JobProgress:
    """The progress of the campaign, the training or the final test of the job."""

    number: int
    state: RoundDone | Evaluated | FinalProgress


@dataclass(frozen=True)
class JobDone:
    """The campaign, the training or the final test of the job has come to its end."""

    number: int
    summary: Summary | None = None
    """Of the campaign."""
    rejected: int = 0
    """Claims of oracles that the checker did not believe."""


@dataclass(frozen=True)
class JobFailed:
    """The work of the job could not be brought to its end; what a campaign has stored is kept."""

    number: int
    error: str
    exit_code: int


JobReport = JobStarted | JobProgress | JobDone | JobFailed


class AnyCrew(Closing, ABC):
    """Those who do the jobs of an experiment, on this machine or elsewhere."""

    @abstractmethod
    def run(self, jobs: Sequence[AnyJob]) -> Iterator[JobReport]:
        """Run all jobs, some at the same time; tells what happens."""


class Crew(AnyCrew):
    """Processes that run jobs; all of them end with this one, and at the end of the block."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._idle: list[Child] = []
        self._busy: dict[int, tuple[Child, AnyJob]] = {}
        """By the descriptor of the child's socket."""

    def close(self) -> None:
        """End all processes, also those that are at work."""
        children = [*self._idle, *(child for child, _ in self._busy.values())]
        for child in children:
            child.dismiss()
        end = time.monotonic() + _CLEANUP_SECONDS
        for child in children:
            child.reap(end)

    def run(self, jobs: Sequence[AnyJob]) -> Iterator[JobReport]:
        """Run all jobs, as many at a time as there are processes; tells what happens."""
        waiting = list(reversed(jobs))
        while waiting or self._busy:
            while waiting and len(self._busy) < self._count:
                yield self._begin(waiting.pop())
            for connection in wait([child.connection for child, _ in self._busy.values()]):
                yield self._report(connection.fileno())  # type: ignore[union-attr]

    def _begin(self, job: AnyJob) -> JobReport:
        child = self._idle.pop() if self._idle else Child(JOB_MODULE)
        self._busy[child.connection.fileno()] = child, job
        try:
            child.send(job)
        except ChildDiedError as death:
            return self._failed(child, job, death)
        return JobStarted(job.number)

    def _report(self, descriptor: int) -> JobReport:
        child, job = self._busy[descriptor]
        try:
            report: JobReport = child.receive()
        except ChildDiedError as death:
            return self._failed(child, job, death)
        if not isinstance(report, JobProgress):
            del self._busy[descriptor]
            self._idle.append(child)
        return report

    def _failed(self, child: Child, job: AnyJob, death: ChildDiedError) -> JobFailed:
        """The process is gone; the next job gets a new one."""
        del self._busy[child.connection.fileno()]
        child.dismiss()
        if death.code == -signal.SIGKILL:
            sentence = "its process was killed, perhaps because the memory ran out"
            return JobFailed(job.number, sentence, BudgetError.exit_code)
        sentence = f"its process ended unexpectedly (exit code {death.code})"
        return JobFailed(job.number, sentence, InternalError.exit_code)
