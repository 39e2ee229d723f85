"""The main program of a process that runs campaigns of an experiment until its socket closes."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bugsieve.basis.errors import BudgetError, BugsieveError, InternalError
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.children import Inbox, serve
from bugsieve.campaigns.events import Event, RoundDone
from bugsieve.campaigns.experiment_jobs import Job, JobDone, JobFailed, JobProgress
from bugsieve.results.schema import STORE_FILE

_SECONDS_BETWEEN_REPORTS = 0.5


def main(descriptor: int) -> None:
    """Serve the socket with this descriptor."""
    serve(descriptor, _run_all)


def _run_all(connection: Connection[Any, Any], inbox: Inbox) -> None:
    while True:
        job: Job = inbox.get()
        connection.send(_run(job, connection.send))


def _run(job: Job, tell: Callable[[object], None]) -> JobDone | JobFailed:
    try:
        with _campaign(job) as campaign:
            return JobDone(job.number, campaign.run(_Teller(job, tell).take))
    except BugsieveError as error:
        return _failure(job, str(error), error.exit_code)
    except MemoryError:
        return _failure(job, "the memory ran out: use tighter limits", BudgetError.exit_code)
    except (BrokenPipeError, ConnectionResetError):
        raise  # nobody listens any more
    except Exception as error:  # the other campaigns must go on
        sentence = f"this is a fault in Bugsieve ({type(error).__name__}: {error})"
        return _failure(job, sentence, InternalError.exit_code)


def _campaign(job: Job) -> Campaign:
    if (Path(job.directory) / STORE_FILE).exists():
        return Campaign.open(job.directory)
    return Campaign.create(job.directory, job.options)


def _failure(job: Job, sentence: str, code: int) -> JobFailed:
    if os.environ.get("BUGSIEVE_TRACEBACK"):
        traceback.print_exc(file=sys.stderr)
    return JobFailed(job.number, sentence, code)


class _Teller:
    """Passes on how far the campaign is, now and then."""

    def __init__(self, job: Job, tell: Callable[[object], None]) -> None:
        self._job = job
        self._tell = tell
        self._next = 0.0

    def take(self, event: Event) -> None:
        """Listen to the campaign."""
        if isinstance(event, RoundDone) and time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_BETWEEN_REPORTS
            self._tell(JobProgress(self._job.number, event))
