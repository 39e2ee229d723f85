"""The work on a node: a process of our own runs a job there, in a folder of its own.

Ray only starts this. However it ends, the process and those that it has started end with it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bugsieve.base.errors import BugsieveError, InputError, UsageError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.base.files_and_processes.processes import Child, ChildDiedError
from bugsieve.campaigns.store.lock import FolderLock
from bugsieve.rooms.cluster.builds import Build, this_build
from bugsieve.rooms.cluster.node_jobs import NodeJob
from bugsieve.rooms.cluster.node_paths import Places
from bugsieve.rooms.cluster.packing import PackedFile, digest_of, pack
from bugsieve.rooms.lab.experiments.jobs import (
    JOB_MODULE,
    AnyJob,
    Job,
    JobDone,
    JobFailed,
    JobProgress,
    Workplace,
)

_PREFIX = "bugsieve-node-"
_LOCK_FILE = "node.lock"
_CLEANUP_SECONDS = 2.0
_YOUNG_SECONDS = 60.0
_THREADS = "OMP_NUM_THREADS"

Fetch = Callable[[str], bytes]
"""Gives a content by its SHA-256."""


@dataclass(frozen=True)
class Delivery:
    """The data that come back from a node."""

    report: JobDone | JobFailed | None
    """None if the process of the job has died."""
    files: tuple[PackedFile, ...] = ()
    death: str = ""
    """The way in which it has died."""


@dataclass(frozen=True)
class Terms:
    """The terms that a node must have in common with the driver."""

    build: Build
    threads: str | None
    """The setting of threads for libraries there, which Ray would change."""


class Node(Closing):
    """Runs jobs one after the other, by one process: much of a short job is its start."""

    def __init__(self) -> None:
        self._child: Child | None = None

    def close(self) -> None:
        """End the process, even if it is at work."""
        child, self._child = self._child, None
        if child is not None:
            child.dismiss()
            child.reap(time.monotonic() + _CLEANUP_SECONDS)

    def run(self, node_job: NodeJob, terms: Terms, fetch: Fetch) -> Delivery:
        """Run a job; what goes wrong is in what comes back."""
        with contextlib.suppress(ValueError):
            # Ray adds the driver's folder, but what is there on the driver is not here.
            sys.path.remove(node_job.here)
        try:
            difference = terms.build.difference(this_build())
            if difference:
                raise UsageError(f"the node {os.uname().nodename} {difference}")
            with _own_folder() as root:
                return self._run(node_job, terms, fetch, root)
        except BugsieveError as error:
            return Delivery(JobFailed(node_job.job.number, str(error), error.exit_code))
        except OSError as error:
            sentence = f"the node {os.uname().nodename} could not run it ({error})"
            return Delivery(JobFailed(node_job.job.number, sentence, InputError.exit_code))

    def _run(self, node_job: NodeJob, terms: Terms, fetch: Fetch, root: str) -> Delivery:
        names = (file.name for file in node_job.files)
        places = Places(root, {*names, *node_job.folders, *node_job.brings})
        _lay_out(node_job, places, fetch)
        made = [Path(places.path(name)) for name in node_job.brings]
        job = places.job(node_job.job)
        is_campaign = isinstance(job, Job)
        if is_campaign:
            places.settle(made[0])
        workplace = Workplace(places.path(node_job.here), root, f"{root}/state")
        report = self._work(job, workplace, terms)
        if isinstance(report, str):
            return Delivery(None, (), report)
        if is_campaign:
            places.unsettle(made[0])
        if isinstance(report, JobFailed):
            report = replace(report, error=places.back(report.error))
        return Delivery(report, pack(made))

    def _work(self, job: AnyJob, workplace: Workplace, terms: Terms) -> JobDone | JobFailed | str:
        """The last report of a process that does the job, or how it has died."""
        try:
            if self._child is None:
                self._child = Child(JOB_MODULE, environment=_environment(terms))
            self._child.send(workplace)
            self._child.send(job)
            report = self._child.receive()
            while isinstance(report, JobProgress):
                report = self._child.receive()
            assert isinstance(report, JobDone | JobFailed)
            return report
        except BaseException as error:
            self.close()
            if not isinstance(error, ChildDiedError):
                raise
            if error.code == -signal.SIGKILL:
                return "its process was killed, perhaps because the memory ran out"
            return f"its process ended unexpectedly (exit code {error.code})"


def _lay_out(node_job: NodeJob, places: Places, fetch: Fetch) -> None:
    """Write the files of a job below its folder."""
    for folder in (node_job.here, *node_job.folders):
        os.makedirs(places.path(os.path.join(node_job.here, folder)), exist_ok=True)
    for file in node_job.files:
        content = fetch(file.digest)
        if digest_of(content) != file.digest:
            raise InputError(f"{file.name}: was damaged on its way to a node")
        path = Path(places.path(file.name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o700 if file.is_program else 0o600)


def _environment(terms: Terms) -> dict[str, str]:
    """That of the node without what is Ray's, its token above all."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("RAY_") and k != _THREADS}
    return kept if terms.threads is None else {**kept, _THREADS: terms.threads}


@contextlib.contextmanager
def _own_folder() -> Iterator[str]:
    """A folder for one job; also removes those of jobs that were killed."""
    base = os.path.realpath(tempfile.gettempdir())
    for path in Path(base).glob(f"{_PREFIX}*"):
        with contextlib.suppress(BugsieveError, OSError):
            _remove_abandoned(path)
    root = tempfile.mkdtemp(prefix=_PREFIX, dir=base)
    lock = FolderLock(Path(root), _LOCK_FILE)
    try:
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)
        lock.close()


def _remove_abandoned(folder: Path) -> None:
    """Remove the folder unless its job runs, for then it is locked, or is just being made."""
    status = (folder / _LOCK_FILE).stat()
    if status.st_uid == os.geteuid() and time.time() - status.st_mtime > _YOUNG_SECONDS:
        lock = FolderLock(folder, _LOCK_FILE)
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()
