"""Jobs on the nodes of a Ray cluster: Ray places them, and says when a node is gone."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bugsieve.base.errors import BudgetError, BugsieveError, InputError, InternalError
from bugsieve.rooms.cluster.builds import this_build
from bugsieve.rooms.cluster.node import Delivery, Node, Terms
from bugsieve.rooms.cluster.node_jobs import NodeJob, node_job_of
from bugsieve.rooms.cluster.packing import unpack
from bugsieve.rooms.lab.experiments.campaigns import is_finished
from bugsieve.rooms.lab.experiments.jobs import (
    AnyCrew,
    AnyJob,
    Job,
    JobDone,
    JobFailed,
    JobReport,
    JobStarted,
)

MOST_DEATHS = 3
_AHEAD = 2
"""Jobs that wait on the cluster, so that no node does while the driver puts results away."""
_SECONDS_BETWEEN_LOOKS = 1.0
_MOST_BYTES_HELD = 256 << 20
_MODULE_MISSING = "No module named"


class RayCrew(AnyCrew):
    """Runs jobs on the cluster that this process is connected to."""

    def __init__(self, *, most: int | None = None, files: Sequence[str] = ()) -> None:
        """`most` jobs at the same time, by default one for each CPU; all get the `files`."""
        import ray

        self._most = most
        self._files = files
        self._run = ray.remote(num_cpus=1, max_retries=0)(_run_on_node)
        self._terms = Terms(this_build(), os.environ.get("OMP_NUM_THREADS"))
        self._busy: dict[Any, NodeJob] = {}
        """By the reference to what will come back."""
        self._held: dict[str, tuple[int, Any]] = {}
        """Sizes of contents that nodes can get, and references to them, by digest."""
        self._deaths: Counter[int] = Counter()
        self._room = 0
        self._looked = float("-inf")

    def close(self) -> None:
        """End all jobs."""
        import ray

        for reference in self._busy:
            with contextlib.suppress(ray.exceptions.RayError, ConnectionError):
                ray.cancel(reference, force=True)
        self._busy.clear()
        self._held.clear()

    def run(self, jobs: Sequence[AnyJob]) -> Iterator[JobReport]:
        """Run all jobs, as many at a time as there are CPUs; tells what happens.

        One whose worker or node dies is made again, and has failed when that happened three times.
        """
        import ray

        waiting = deque(jobs)
        while waiting or self._busy:
            while waiting and len(self._busy) < self._slots():
                yield self._begin(waiting.popleft())
            if not self._busy:
                time.sleep(_SECONDS_BETWEEN_LOOKS)  # for the first node
                continue
            ready, _ = ray.wait([*self._busy], timeout=_SECONDS_BETWEEN_LOOKS)
            for reference in ready:
                node_job = self._busy.pop(reference)
                report = self._end(node_job, reference)
                if report is None:
                    waiting.appendleft(node_job.job)
                else:
                    yield report

    def _slots(self) -> int:
        """The number of jobs that may be under way: nodes come and go."""
        import ray

        now = time.monotonic()
        if now - self._looked > _SECONDS_BETWEEN_LOOKS:
            self._looked = now
            cpus = int(ray.cluster_resources().get("CPU", 0))
            self._room = cpus + _AHEAD if cpus else 0
        return self._room if self._most is None else min(self._room, self._most)

    def _begin(self, job: AnyJob) -> JobReport:
        try:
            node_job, contents = node_job_of(job, self._files)
        except BugsieveError as error:
            return JobFailed(job.number, str(error), error.exit_code)
        references = {digest: self._put(digest, data) for digest, data in contents.items()}
        self._busy[self._run.remote(node_job, self._terms, references)] = node_job
        return JobStarted(job.number)

    def _put(self, digest: str, content: bytes) -> Any:
        """A reference to a content, which nodes fetch when they need it."""
        import ray

        if digest not in self._held:
            if sum(size for size, _ in self._held.values()) > _MOST_BYTES_HELD:
                self._held.clear()  # jobs under way hold what they need
            self._held[digest] = len(content), ray.put(content)
        return self._held[digest][1]

    def _end(self, node_job: NodeJob, reference: Any) -> JobReport | None:
        """The result of a job; None if it is to be made again."""
        import ray

        number = node_job.job.number
        try:
            delivery: Delivery = ray.get(reference)
        except ray.exceptions.RayTaskError as error:  # an error that a node does not expect
            sentence = f"this is a fault in Bugsieve ({error.cause or error})"
            return JobFailed(number, sentence, InternalError.exit_code)
        except ray.exceptions.RayError as error:
            return self._died(number, _in_words(error))
        if delivery.report is None:
            return self._died(number, delivery.death)
        try:
            return _stored(node_job, delivery)
        except BugsieveError as error:
            return JobFailed(number, str(error), error.exit_code)

    def _died(self, number: int, how: str) -> JobFailed | None:
        self._deaths[number] += 1
        if self._deaths[number] < MOST_DEATHS:
            return None
        sentence = f"it was begun {MOST_DEATHS} times, and each time it died; at last {how}"
        return JobFailed(number, sentence, BudgetError.exit_code)


_NODE = Node()
"""In a process of Ray on a node, for all jobs that Ray gives to it."""


def _run_on_node(node_job: NodeJob, terms: Terms, references: dict[str, Any]) -> Delivery:
    """On the node, in a process of Ray."""
    import ray

    return _NODE.run(node_job, terms, lambda digest: ray.get(references[digest]))


def _stored(node_job: NodeJob, delivery: Delivery) -> JobReport:
    """Put away what came back, which must be what the report says."""
    report, job = delivery.report, node_job.job
    assert report is not None
    unpack(delivery.files, [Path(name) for name in node_job.brings])
    if isinstance(report, JobFailed):
        if _MODULE_MISSING in report.error:
            hint = (
                "what it needs beside its own file travels if 'files' in the experiment names it"
            )
            return JobFailed(job.number, f"{report.error} ({hint})", report.exit_code)
        return report
    if isinstance(job, Job) and not is_finished(Path(job.directory)):
        raise InputError("a node said that it is done, but what came back is not finished")
    return JobDone(job.number, report.summary, report.rejected)


def _in_words(error: Exception) -> str:
    """Ray's words about a death, in a line."""
    import ray

    if isinstance(error, ray.exceptions.OutOfMemoryError):
        return "its node ran out of memory, and Ray ended it"
    if isinstance(error, (ray.exceptions.NodeDiedError, ray.exceptions.LocalRayletDiedError)):
        return "its node was gone"
    if isinstance(error, ray.exceptions.WorkerCrashedError):
        return "its worker was gone"
    return f"Ray said: {' '.join(str(error).split())[:200]}"
