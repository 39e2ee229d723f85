"""The main program of a process that works for an experiment until its socket closes."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bugsieve.base.errors import BudgetError, BugsieveError, InternalError
from bugsieve.base.files_and_processes.processes import Inbox, serve
from bugsieve.base.registry.spec_folder import rooted_at
from bugsieve.campaigns.events import RoundDone
from bugsieve.rooms.lab.experiments.campaigns import open_campaign
from bugsieve.rooms.lab.experiments.final_jobs import FinalJob, FinalProgress, run_final
from bugsieve.rooms.lab.experiments.jobs import (
    AnyJob,
    JobDone,
    JobFailed,
    JobProgress,
    TrainingJob,
    Workplace,
)
from bugsieve.rooms.safety.campaign.models import model_of

_SECONDS_BETWEEN_REPORTS = 0.5


def main(descriptor: int) -> None:
    """Serve the socket with this descriptor."""
    serve(descriptor, _run_all)


def _run_all(connection: Connection[Any, Any], inbox: Inbox) -> None:
    root = ""
    while True:
        job: AnyJob | Workplace = inbox.get()
        if isinstance(job, Workplace):
            os.chdir(job.folder)
            os.environ["XDG_STATE_HOME"] = job.state
            root = job.root
        else:
            with rooted_at(root):
                connection.send(_run(job, connection.send))


def _run(job: AnyJob, tell: Callable[[object], None]) -> JobDone | JobFailed:
    try:
        return _result(job, tell)
    except BugsieveError as error:
        return _failure(job, str(error), error.exit_code)
    except MemoryError:
        return _failure(job, "the memory ran out: use tighter limits", BudgetError.exit_code)
    except (BrokenPipeError, ConnectionResetError):
        raise  # the receiver is gone
    except Exception as error:  # the other campaigns must go on
        sentence = f"this is a fault in Bugsieve ({type(error).__name__}: {error})"
        return _failure(job, sentence, InternalError.exit_code)


def _result(job: AnyJob, tell: Callable[[object], None]) -> JobDone:
    if isinstance(job, FinalJob):
        teller = _Teller(job.number, tell, FinalProgress)
        return JobDone(job.number, rejected=run_final(job, teller.take))
    if not isinstance(job, TrainingJob):
        folder, trust = Path(job.directory), job.trust_policy
        with open_campaign(folder, job.options, trust_policy=trust) as campaign:
            summary = campaign.run(_Teller(job.number, tell, RoundDone).take)
        return JobDone(job.number, summary, len(summary.rejected))
    from bugsieve.rooms.lab.experiments.training import train_network
    from bugsieve.rooms.training.q_learning import Evaluated

    teller = _Teller(job.number, tell, Evaluated)
    train_network(Path(job.network), model_of(job.model), job.options, teller.take)
    return JobDone(job.number)


def _failure(job: AnyJob, sentence: str, code: int) -> JobFailed:
    if os.environ.get("BUGSIEVE_TRACEBACK"):
        traceback.print_exc(file=sys.stderr)
    return JobFailed(job.number, sentence, code)


class _Teller:
    """Passes on how far the work is, now and then."""

    def __init__(self, number: int, tell: Callable[[object], None], telling: type[Any]) -> None:
        self._number = number
        self._tell = tell
        self._telling = telling
        """The events that say how far it is."""
        self._next = 0.0

    def take(self, event: object) -> None:
        """Listen to a campaign or a training."""
        if isinstance(event, self._telling) and time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_BETWEEN_REPORTS
            self._tell(JobProgress(self._number, event))
