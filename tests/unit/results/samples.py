"""A small campaign, written by hand: rounds of pool states on a line of places."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bugsieve.campaigns.cost.store import CostStore, PoolPart
from bugsieve.campaigns.store.progress import Addition, CampaignHeader, Progress, TimelineRow
from bugsieve.pipeline.bugs.bug import Bug, FoundBy
from bugsieve.pipeline.bugs.cause import Cause, LiftedStep
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, inconclusive, passed
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import (
    CostBugRow,
    Finding,
    OracleRow,
    RejectedRow,
    RunRow,
    VerdictRow,
)
from bugsieve.pipeline.pool.pool import PoolEntry
from bugsieve.policies.decisions import Ending
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task
from tests.unit.policies.line import line_task

ORACLES = ("lookahead", "perfect")
PLACES = 500
CAUSE = Cause("loop", (LiftedStep("right"),), traits=("goes right",))


def header(task: Task | None = None, *, policy: str = "greedy:hff") -> CampaignHeader:
    """Of a campaign with two oracles in use and one that objects."""
    grounded = SavedTask.of(task or line_task(PLACES))
    saved = replace(grounded, domain=b"(domain)", problem=b"(problem)")
    rows = (OracleRow("lookahead"), OracleRow("undo-qual", "no way back"), OracleRow("perfect"))
    options = f'policy = "{policy}"\n'
    return CampaignHeader(options, saved, policy, False, rows, objective="quantitative")


def created(directory: Path, *, policy: str = "greedy:hff") -> Path:
    """A new store whose pool holds the initial state."""
    directory.mkdir(exist_ok=True)
    root = np.zeros((1, 1), dtype=np.uint16)
    start = Addition(Progress(), PoolPart([PoolEntry(0, None)], root))
    CostStore.create(directory, header(policy=policy), start)
    return directory


def add(directory: Path, *additions: Addition) -> Path:
    with CostStore.open(directory) as store:
        for addition in additions:
            store.add(addition)
    return directory


def bug_row(number: int, state: int, *, finders: tuple[str, ...] = ORACLES) -> CostBugRow:
    """A bug that looks real to everybody but the checker."""
    name = hashlib.sha256(str(state).encode()).hexdigest()[:12]
    path = {"operators": [state], "actions": [f"(right p{state})"], "cost": 1}
    certificate = {
        "certificate": 1,
        "kind": "unsolved" if state % 2 else "costly",
        "task": {"name": "line", "sha256": ""},
        "objective": "quantitative",
        "policy": "greedy:hff",
        "state": [state],
        "facts": [],
        "run": {**path, "ending": "loop", "loop_start": None, "chosen": None, "detail": ""},
        "plan": path,
        "policy_value": 4,
        "value": 1,
        "gap": None if state % 2 else 3,
    }
    found_by = FoundBy(number, 1, (state,))
    bug = Bug(name, certificate, finders[0], "found", False, found_by)
    return CostBugRow(number, bug, finders, found=number, changed=number, cause=CAUSE)


def finding(number: int, state: int) -> Finding:
    """Every third state is a bug, every tenth claim is rejected."""
    bugs = (bug_row(number, state),) if state % 3 == 0 else ()
    proof = Verdict(Outcome.BUG, "better plan", (state, state), 2.0, math.inf, True)
    verdicts = (
        VerdictRow("lookahead", proof if bugs else inconclusive("too deep"), 0.25),
        VerdictRow("perfect", proof if bugs else passed("optimal"), 0.5),
    )
    rejected = (RejectedRow(number, "perfect", "nonsense", {"x": 1}),) if state % 10 == 1 else ()
    value = math.nan if state % 5 == 0 else math.inf if state % 5 == 1 else float(state)
    run = RunRow(int(Ending.LOOP), state, 2 * state, value)
    return Finding(Visit(number, number), run, verdicts, bugs, rejected=rejected)


def rounds(count: int, *, size: int = 8) -> Iterator[Addition]:
    """What `count` rounds add to a new store."""
    progress = Progress(visits=1)
    for number in range(count):
        first = 1 + number * size
        numbers = range(first, first + size)
        progress = replace(
            progress,
            rounds=number + 1,
            walks=64 * (number + 1),
            visits=first + size,
            seconds=number,
        )
        states = np.array([[value % PLACES] for value in numbers], dtype=np.uint16)
        entries = [PoolEntry(value, value - 1, (value, value + 1), number) for value in numbers]
        findings = [finding(value, value) for value in numbers]
        event = TimelineRow(float(number), "round", progress.walks, first + size, first + size, 0)
        yield Addition(progress, PoolPart(entries, states), findings, [event])
