"""Worker processes end with their campaign, however it ends, and what they meet is reported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from bugsieve.base.errors import BudgetError, UsageError
from bugsieve.base.files_and_processes import process_pool
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.bench import plan_of
from bugsieve.campaigns.events import Event, RoundDone
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.findings import Finding
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.judging.workers import LocalJudge, WorkerPool, WorkerSetup, parcel_size
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits
from tests.hostile.processes import children, is_running, needs_proc, wait_until_gone
from tests.unit.campaigns.contents import contents
from tests.unit.policies.generated import generated_task, write_task

# Both states are judged by searches that would take hours.
ENDLESS = """
import sys
from bugsieve import load_task
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import CostOptions
from bugsieve.tasks.search import Limits
domain, problem, folder = sys.argv[1:]
options = CostOptions(
    task=(domain, problem), policy="random", workers=2, limits=Limits(),
    oracles=("planner:astar-hmax",), from_states=None, mode="interleaved",
)
task = load_task(domain, problem)
try:
    states = task.all_successors(task.initial_state)[0][:2]
    Campaign.create(folder, options, task, states=states).run()
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return generated_task(tmp_path_factory.mktemp("task"), "blocksworld", seed=1, blocks=5)


def options(**changes: object) -> CostOptions:
    usual = CostOptions(
        task=(),
        policy="hill-climbing:hadd",
        oracles=("planner:gbfs-2000",),
        fuzz=FuzzOptions(pool_size=60, round_walks=8, bias="uniform"),
    )
    return replace(usual, **changes)  # type: ignore[arg-type]


def start_endless(tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A campaign whose two workers are searching, and the workers' ids."""
    files = write_task(tmp_path, "blocksworld", seed=1, blocks=25)
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *files, str(tmp_path / "campaign")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while [is_busy(pid) for pid in children(process.pid)] != [True, True]:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process, children(process.pid)


def is_busy(process: int) -> bool:
    """Whether a worker has its threads and has worked for more than a second."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        command = Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
    ticks = int(fields[11]) + int(fields[12])
    return b"worker_process" in command and ticks > os.sysconf("SC_CLK_TCK")


@needs_proc
def test_ctrl_c_ends_searching_workers_silently(tmp_path: Path) -> None:
    process, workers = start_endless(tmp_path)
    assert len(workers) == 2
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert (output, errors, process.returncode) == ("interrupted\n", "", 0)
    assert not any(is_running(pid) for pid in workers)


@needs_proc
def test_workers_do_not_outlive_a_killed_campaign(tmp_path: Path) -> None:
    process, workers = start_endless(tmp_path)
    process.kill()
    _, errors = process.communicate()  # returns when the last writer of the pipe is gone
    assert errors == ""
    wait_until_gone(workers)


# Closes a pool of workers while they start, ever a little later.
HASTY = """
import sys, time
from bugsieve.campaigns.cost.bench import plan_of
from bugsieve.campaigns.options import CostOptions
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.workers import WorkerPool, WorkerSetup
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.loading import load_task
options = CostOptions(task=(sys.argv[1],), policy="random")
task = load_task(sys.argv[1])
setup = WorkerSetup(SavedTask.of(task), plan_of(options), ("lookahead",))
parcel = Parcel.given(task.initial_state[None])
for delay in (0, 0.1, 0.2, 0.4):
    pool = WorkerPool(setup, 2)
    assert list(pool.judge(iter([parcel, parcel]), until=0.0)) == []
    time.sleep(delay)
    pool.close(at_once=False)
"""


def test_workers_that_are_not_needed_after_all_end_silently(tmp_path: Path, task: Task) -> None:
    (tmp_path / "task.sas").write_text(task.to_sas())
    command = [sys.executable, "-c", HASTY, str(tmp_path / "task.sas")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@needs_proc
def test_only_workers_that_get_work_are_started(task: Task) -> None:
    pool = pool_of(task, 4)
    given = options()
    workers = WorkerPool(WorkerSetup(SavedTask.of(task), plan_of(given), given.oracles), 64)
    before = set(children(os.getpid()))
    try:
        for states, started in ((1, 1), (3, 3), (2, 3)):
            parcels = [Parcel.of(pool, number, number + 1) for number in range(states)]
            judged = list(workers.judge(iter(parcels), until=None))
            assert [parcel for parcel, _ in judged] == parcels
            assert len(set(children(os.getpid())) - before) == started
    finally:
        workers.close(at_once=True)


def kill_a_worker(event: Event) -> None:
    """As the system does where the memory runs out."""
    if isinstance(event, RoundDone) and event.rounds in (2, 3):
        os.kill(children(os.getpid())[0], signal.SIGKILL)


@needs_proc
def test_a_worker_that_is_killed_is_started_again(tmp_path: Path, task: Task) -> None:
    folder, whole = tmp_path / "campaign", tmp_path / "whole"
    Campaign.create(folder, options(workers=2), subject=task).run(kill_a_worker)
    Campaign.create(whole, options(), subject=task).run()
    assert contents(folder) == contents(whole)


@needs_proc
def test_a_campaign_goes_on_after_workers_were_killed_too_often(
    tmp_path: Path, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, whole = tmp_path / "campaign", tmp_path / "whole"
    with monkeypatch.context() as patch:
        patch.setattr(process_pool, "MOST_DEATHS", 0)
        with pytest.raises(BudgetError, match="a worker process was killed, 1 times over"):
            Campaign.create(folder, options(workers=2), subject=task).run(kill_a_worker)
    Campaign.open(folder).run()
    Campaign.create(whole, options(), subject=task).run()
    assert contents(folder) == contents(whole)


@needs_proc
def test_work_that_costs_every_process_is_given_up(task: Task) -> None:
    given = options()
    workers = WorkerPool(WorkerSetup(SavedTask.of(task), plan_of(given), given.oracles), 1)
    known, killed = set(children(os.getpid())), 0
    is_over = threading.Event()

    def kill_all() -> None:
        nonlocal killed
        while not is_over.wait(0.002):
            for child in set(children(os.getpid())) - known:
                known.add(child)
                os.kill(child, signal.SIGKILL)
                killed += 1

    killer = threading.Thread(target=kill_all)
    killer.start()
    try:
        with pytest.raises(BudgetError, match="killed, 3 times over the same work"):
            list(workers.judge(iter([Parcel.given(task.initial_state[None])]), until=None))
    finally:
        is_over.set()
        killer.join()
        workers.close(at_once=True)
    assert killed == process_pool.MOST_DEATHS + 1


def pool_of(task: Task, size: int) -> Pool:
    """The initial state and those within a few steps of it."""
    pool = Pool(task)
    pool.add(task.initial_state)
    number = 0
    while len(pool) < size:
        for state in task.all_successors(pool.states([number]))[0]:
            pool.add(state, parent=number)
        number += 1
    return pool


def test_results_come_in_the_order_of_the_parcels(task: Task) -> None:
    pool = pool_of(task, 30)
    cuts = [0, 1, 4, 5, 6, 20, 21, 29, 30]
    parcels = [Parcel.of(pool, *cut) for cut in pairwise(cuts)]
    given = options()
    plan = plan_of(given)
    bench = plan.bench(task)
    local = LocalJudge(Judge(bench, plan.oracles(bench, given.oracles)))
    workers = WorkerPool(WorkerSetup(SavedTask.of(task), plan, given.oracles), 3)
    try:
        expected, found = (
            [
                list(map(timeless, part.findings))
                for _, part in judges.judge(iter(parcels), until=None)
            ]
            for judges in (local, workers)
        )
    finally:
        workers.close(at_once=True)
    assert found == expected
    assert [len(part) for part in found] == [len(parcel) for parcel in parcels]


def timeless(finding: Finding) -> str:
    """The finding as text, in which an unknown value equals itself."""
    verdicts = tuple(replace(row, seconds=0.0) for row in finding.verdicts)
    return repr(replace(finding, verdicts=verdicts))


def test_nothing_is_judged_after_the_deadline(task: Task) -> None:
    pool = pool_of(task, 8)
    given = options(oracles=("planner:astar-blind",), limits=Limits())
    setup = WorkerSetup(SavedTask.of(task), plan_of(given), given.oracles)
    workers = WorkerPool(setup, 2)
    try:
        parcels = iter([Parcel.of(pool, 0, 4), Parcel.of(pool, 4, 8)])
        assert list(workers.judge(parcels, until=time.monotonic() - 1)) == []
    finally:
        workers.close(at_once=True)


def test_what_goes_wrong_at_the_start_of_a_worker_is_passed_on(task: Task) -> None:
    plan = replace(plan_of(options()), policy="gredy")
    workers = WorkerPool(WorkerSetup(SavedTask.of(task), plan, ("lookahead",)), 2)
    pool = pool_of(task, 2)
    try:
        with pytest.raises(UsageError, match="there is no policy 'gredy'"):
            list(workers.judge(iter([Parcel.of(pool, 0, 1), Parcel.of(pool, 1, 2)]), until=None))
    finally:
        workers.close(at_once=True)


@pytest.mark.parametrize(
    ("left", "workers", "batch_size", "seconds", "size"),
    [
        (100, 1, 256, None, 8),  # nothing is known about the time yet
        (100, 1, 256, 0.001, 100),
        (1000, 1, 256, 0.0, 256),
        (1000, 1, 7, 0.0, 7),
        (100, 1, 256, 0.1, 2),
        (100, 1, 256, 5.0, 1),
        (100, 2, 256, 0.0, 12),  # eight more parcels for two workers
        (7, 2, 256, 0.0, 1),
        (1, 2, 256, 0.0, 1),
    ],
)
def test_parcels_are_small_enough(
    left: int, workers: int, batch_size: int, seconds: float | None, size: int
) -> None:
    assert parcel_size(left, workers, batch_size, seconds) == size
