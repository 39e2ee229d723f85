"""The speed of judging, of the store, and of the first find, beside what is asked of them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bugsieve
from benchmarks.fuzzing import INSTANCES, POLICY, PUBLISHED_WAY, benchmark_task
from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import BUILD, BenchmarkTask
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.store import CostStore, PoolPart
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.progress import Addition, Progress
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import inconclusive
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import Finding, RunRow, VerdictRow
from bugsieve.pipeline.objectives.quantitative import Quantitative
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.pipeline.pool.fuzzer import Fuzzer
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.pool import PoolEntry
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.task import StateArray, Task

PUBLISHED_LOOKAHEAD = 1.2
"""CPU seconds of the published tool for 200 satellite states at depth 2."""
SQLITE_RECORDS = 17_000.0
"""Records per second that SQLite in WAL mode reached when the bar was set."""
SMALL_DOMAINS = ("blocksworld", "gripper", "satellite", "transport", "visitall", "ferry")

Wanted = Callable[[BenchmarkTask], bool]


def bench_lookahead(report: Report, repetitions: int, wanted: Wanted) -> None:
    """The lookahead oracle at depth 2 on a fuzzed pool of 200 satellite states."""
    benchmark = benchmark_task(*INSTANCES["satellite"])
    if not benchmark.problem.is_file() or not wanted(benchmark):
        return
    report.section("lookahead at depth 2, CPU seconds (peer: published tool, CPU seconds)")
    task = bugsieve.load_task(str(benchmark.sas_file()))
    states = pool_states(task)
    ours = min(lookahead_seconds(task, states) for _ in range(repetitions))
    peer = PUBLISHED_LOOKAHEAD
    shown = (f"{ours:.3f}", f"{peer:.2f}")
    report.add(Row(benchmark.name, *shown, ours / peer, Bar(0.5, at_least=False)))


def pool_states(task: Task) -> StateArray:
    """A pool of 200 states, made as the published tool makes it."""
    fuzzer = Fuzzer(_bench(task), PUBLISHED_WAY)
    while fuzzer.finished is None:
        fuzzer.round()
    return fuzzer.pool.states()


def lookahead_seconds(task: Task, states: StateArray) -> float:
    """CPU seconds for judging the states with a policy that has not been asked before."""
    start = time.process_time()
    bench = _bench(task)
    make_oracle("lookahead:2", bench).judge(bench.suspects(states))
    return time.process_time() - start


def _bench(task: Task) -> Bench:
    return Bench(task, bugsieve.make_policy(POLICY, task), Quantitative(task))


def bench_workers(report: Report, repetitions: int) -> None:
    """Judging a stored pool on one core and on two: how much of the second core is used."""
    report.section("judging on two cores, seconds (peer: on one core)", figure="efficient")
    files = _generated("blocksworld", blocks=9)
    task = bugsieve.load_task(*files)
    states = pool_states(task)
    pairs = [
        [judging_seconds(files, states, workers) for workers in (2, 1)] for _ in range(repetitions)
    ]
    two, one = (min(times) for times in zip(*pairs, strict=True))
    shown = (f"{two:.1f}", f"{one:.1f}")
    report.add(Row("blocksworld-9", *shown, one / (2 * two), Bar(0.9)))


def judging_seconds(files: tuple[str, str], states: StateArray, workers: int) -> float:
    """Seconds, start of the workers included, in which a pool is judged by optimal search."""
    options = CostOptions(
        task=files,
        policy=POLICY,
        oracles=("planner:astar-lmcut",),
        workers=workers,
        fuzz=FuzzOptions(pool_size=len(states)),
    )
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign.create(Path(folder, "c"), options, states=states)
        start = time.perf_counter()
        campaign.run()
        return time.perf_counter() - start


def bench_store(report: Report, repetitions: int) -> None:
    """Records acknowledged per second: each round is one transaction."""
    report.section(
        "store, records per second (peer: SQLite when the bar was set)", figure="1000/s"
    )
    task = bugsieve.load_task(*_generated("satellite"))
    states = pool_states(task)
    for walks in (8, 64, 256):
        ours = max(store_rate(task, states, walks) for _ in range(repetitions))
        shown = (f"{ours:.0f}", f"{SQLITE_RECORDS:.0f}")
        report.add(Row(f"rounds of {walks} states", *shown, ours / 1000, Bar(10.0)))


def store_rate(task: Task, states: StateArray, size: int) -> float:
    """Pool entries, runs and verdicts stored per second in rounds of `size` states."""
    options = CostOptions(task=(), policy="random", oracles=("lookahead",))
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder, "c")
        Campaign.create(directory, options, subject=task, states=states[:1]).close()
        with CostRecords(directory) as records:
            progress = records.progress()
        rounds = [_addition(states, number, size, progress) for number in range(40)]
        start = time.perf_counter()
        with CostStore.open(directory) as store:
            for addition in rounds:
                store.add(addition)
            spent = time.perf_counter() - start
    return 3 * size * len(rounds) / spent


def _addition(states: StateArray, number: int, size: int, progress: Progress) -> Addition:
    """A round of entries with a run and a verdict each; their states may repeat, ids do not."""
    first = 1 + number * size
    rows = [(first + i) % len(states) for i in range(size)]
    entries = [PoolEntry(first + i, 0, (1, 2, 3), first + i) for i in range(size)]
    verdict = VerdictRow("lookahead", inconclusive("no better run found"))
    run = RunRow(2, 30, 30, 30.0)
    visits = [Visit(entry.number, entry.number) for entry in entries]
    findings = [Finding(visit, run, (verdict,)) for visit in visits]
    return Addition(progress, PoolPart(entries, states[rows]), findings)


def bench_first_bug(report: Report, repetitions: int) -> None:
    """Seconds from the command to the first proven bug, with the default options."""
    report.section("first proven bug, seconds after the command", figure="seconds")
    for domain in SMALL_DOMAINS:
        seconds = min(first_bug_seconds(domain) for _ in range(repetitions))
        report.add(Row(domain, f"{seconds:.2f}", "", seconds, Bar(10.0, at_least=False)))


def first_bug_seconds(domain: str) -> float:
    """Wall time of a `bugsieve test` that stops at its first bug; infinite if there is none."""
    files = _generated(domain)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bugsieve", "test", *files, "--policy", POLICY]
        options = ["--max-bugs", "1", "--json", "-o", f"{folder}/c"]
        start = time.perf_counter()
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
        spent = time.perf_counter() - start
    return spent if json.loads(done.stdout)["bugs"] == 1 else float("inf")


def _generated(domain: str, **parameters: int) -> tuple[str, str]:
    """The files of a generated task."""
    folder = BUILD / "testing" / "-".join([domain, *map(str, parameters.values())])
    folder.mkdir(parents=True, exist_ok=True)
    made = generate(domain, seed=1, **parameters)
    files = folder / "domain.pddl", folder / "problem.pddl"
    for file, text in zip(files, (made.domain, made.problem), strict=True):
        file.write_text(text)
    return str(files[0]), str(files[1])
