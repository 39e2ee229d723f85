"""The main program of a worker process: judges parcels until its socket closes."""

from __future__ import annotations

import os
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

from bugsieve.basis.errors import BudgetError, BugsieveError, InternalError
from bugsieve.basis.processes import Inbox, serve
from bugsieve.judging.cases import Parcel
from bugsieve.judging.judge import Judge
from bugsieve.judging.plan import close_policy
from bugsieve.judging.workers import WorkerSetup, judged


def main(descriptor: int) -> None:
    """Serve the socket with this descriptor."""
    serve(descriptor, _serve)


def _serve(connection: Connection[Any, Any], inbox: Inbox) -> None:
    try:
        _judge_all(connection, inbox)
    except BugsieveError as error:
        _report(connection, error)
    except MemoryError:
        sentence = "the memory of a worker ran out: use fewer workers or tighter limits"
        _report(connection, BudgetError(sentence))
    except Exception as error:  # the last line of defence of this process
        _report(connection, InternalError(f"{type(error).__name__} in a worker: {error}"))


def _judge_all(connection: Connection[Any, Any], inbox: Inbox) -> None:
    setup: WorkerSetup = inbox.get()
    bench = setup.plan.bench(setup.task.load())
    try:
        oracles = setup.plan.oracles(bench, setup.oracles)
        escalating = setup.plan.escalating(bench)
        kept = {"whole_runs": setup.whole_runs, "carries": setup.carries}
        with Judge(bench, oracles, escalating, **kept) as judge:
            while True:
                parcel: Parcel = inbox.get()
                connection.send(judged(judge, parcel))
    finally:
        close_policy(bench.policy)


def _report(connection: Connection[Any, Any], error: BugsieveError) -> None:
    if os.environ.get("BUGSIEVE_TRACEBACK"):
        traceback.print_exc(file=sys.stderr)
    connection.send(error)
