"""A small safety campaign, written by hand: walks on a line of places with danger at 0."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from bugsieve.results.safety.rows import (
    Addition,
    CampaignHeader,
    Finding,
    LoneVerdict,
    Progress,
    RejectedRow,
    RunVerdict,
    SafetyBugRow,
    Sighting,
    TimelineRow,
    UnprovenRow,
    UnsafeRunRow,
    WalkRow,
    run_digest,
)

from bugsieve.bugs.safety.bug import FoundInRun, SafetyBug
from bugsieve.policies.models.runs import UnsafeRun
from bugsieve.results.safety.store import SafetyStore
from tests.unit.campaigns.safety.ledge import ledge

ORACLES = ("tarjan", "vi:1")
WALKS = 4
"""In each round; the first is safe, the last repeats the run of the one before."""


def header() -> CampaignHeader:
    document = json.dumps(ledge())
    return CampaignHeader(
        'policy = "random"\n', "ledge", document, ("left", "right"), "random:0", False, ORACLES
    )


def created(directory: Path) -> Path:
    """A new store without any walks."""
    directory.mkdir(exist_ok=True)
    SafetyStore.create(directory, header(), Addition(Progress()))
    return directory


def add(directory: Path, *additions: Addition) -> Path:
    with SafetyStore.open(directory) as store:
        for addition in additions:
            store.add(addition)
    return directory


def unsafe_run(steps: int) -> UnsafeRun:
    """From place `steps` down to 0."""
    states = np.arange(steps, -1, -1, dtype=np.uint64).reshape(-1, 1)
    return UnsafeRun(states, np.zeros(steps, dtype=np.int32))


def bug_row(walk: int, position: int) -> SafetyBugRow:
    """A bug that looks real to everybody but the checker."""
    name = hashlib.sha256(f"{walk} {position}".encode()).hexdigest()[:12]
    certificate: dict[str, Any] = {
        "kind": "fault",
        "radius": None,
        "variables": ["x"],
        "state": [3],
        "action": 0,
        "action_name": "left",
        "outcome": [1],
        "run": {"states": [[3], [1], [0]], "actions": [0, 0], "action_names": ["left", "left"]},
        "safe": [[[4], 0, 0], [[3], 1, 0]],
        "unsafe": [[[1], 0, 1]],
    }
    bug = SafetyBug(name, certificate, "tarjan", FoundInRun(position, walk))
    return SafetyBugRow(walk, position, bug, seconds=float(walk))


def finding(walk: int, steps: int) -> Finding:
    """A run that both oracles have judged, with a bug that is new."""
    run = unsafe_run(steps)
    safety = np.zeros(steps + 1, dtype=np.int8)
    safety[0] = 1
    unsure = safety.copy()
    unsure[0] = -1
    bug = bug_row(walk, 0)
    return Finding(
        UnsafeRunRow(walk, run, run_digest(run)),
        (
            RunVerdict("tarjan", safety, (0,), (), None, 7, 0.5),
            RunVerdict("vi:1", unsure, (), (0,), "expansions", 9, 0.25),
        ),
        (LoneVerdict(0, "tarjan", 1, None, 3, 0.125), LoneVerdict(0, "vi:1", -1, "time", 4, 2.0)),
        (Sighting(0, bug.id),),
        (bug,),
        (UnprovenRow(walk, 1, "tarjan", "fault", "too many rows"),) if walk % 8 == 1 else (),
        (RejectedRow(walk, 1, "tarjan", "nonsense", {"x": 1}),) if walk % 8 == 2 else (),
        0.0625,
    )


def repeated(walk: int, first: Finding) -> Finding:
    """The same run once more."""
    row = first.row
    return Finding(UnsafeRunRow(walk, row.run, row.digest, row.walk))


def rounds(count: int) -> Iterator[Addition]:
    """What `count` rounds add to a new store."""
    progress = Progress()
    for number in range(count):
        first = WALKS * number
        findings = [finding(first + 1, 2 * number + 2), finding(first + 2, 2 * number + 3)]
        findings.append(repeated(first + 3, findings[-1]))
        walks = [WalkRow(first, "exhausted", True, 3, 0.5)]
        walks += [WalkRow(f.row.walk, "unsafe", False, len(f.row.run), 0.5) for f in findings]
        progress = replace(
            progress,
            walks=first + WALKS,
            steps=progress.steps + sum(walk.steps for walk in walks),
            seconds=float(number + 1),
            news_walk=first + 3,
        )
        event = TimelineRow(progress.seconds, "round", progress.walks, 3 * (number + 1), 2)
        yield Addition(progress, walks, findings, [event])
