"""The main program of a worker process: judges parcels until its socket closes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bugsieve.base.files_and_processes.process_pool import serve_orders
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.judging.plan import close_policy
from bugsieve.pipeline.judging.workers import JudgedParcel, WorkerSetup, judged


def main(descriptor: int) -> None:
    """Serve the socket with this descriptor."""
    serve_orders(descriptor, _judging)


@contextmanager
def _judging(setup: WorkerSetup) -> Iterator[Callable[[Parcel], JudgedParcel]]:
    bench = setup.plan.bench(setup.task.load())
    try:
        oracles = setup.plan.oracles(bench, setup.oracles)
        escalating = setup.plan.escalating(bench)
        kept = {name: getattr(setup, name) for name in ("whole_runs", "carries", "repeats")}
        with Judge(bench, oracles, escalating, **kept) as judge:
            yield lambda parcel: judged(judge, parcel)
    finally:
        close_policy(bench.policy)
