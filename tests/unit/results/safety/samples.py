"""A small safety campaign, written by hand: walks on a line of places with danger at 0."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.campaigns.store.progress import (
    Addition,
    CampaignHeader,
    Progress,
    TimelineRow,
    WalkRow,
)
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import (
    Finding,
    OracleRow,
    RejectedRow,
    Sighting,
    UnprovenRow,
)
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.jani.policies.runs import UnsafeRun
from bugsieve.rooms.safety.bugs.bug import FoundInRun, SafetyBug
from bugsieve.rooms.safety.oracles.analysis import LoneVerdict, RunVerdict
from bugsieve.rooms.safety.store.store import SafetyStore, WalkPart
from bugsieve.rooms.safety.walks.run_examiner import SafetyBugRow, UnsafeRunRow, run_digest
from tests.unit.campaigns.safety.ledge import ledge

ORACLES = ("tarjan", "vi:1")
WALKS = 4
"""In each round; the first is safe, the last repeats the run of the one before."""


def header() -> CampaignHeader:
    model = SavedModel("ledge", json.dumps(ledge()), ("left", "right"))
    oracles = tuple(map(OracleRow, ORACLES))
    return CampaignHeader('policy = "random:0"\n', model, "random:0", False, oracles)


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


def visit(walk: int) -> Visit:
    """When the run of a walk is judged: the second and third of each round are different ones."""
    return Visit(2 * (walk // WALKS) + walk % WALKS - 1, walk)


def bug_row(walk: int, position: int) -> SafetyBugRow:
    """A bug that looks real to everybody but the checker."""
    name = hashlib.sha256(f"{walk} {position}".encode()).hexdigest()[:12]
    certificate: dict[str, Any] = {
        "certificate": 1,
        "kind": "fault",
        "model": {"name": "line", "sha256": ""},
        "policy": "random",
        "radius": None,
        "variables": ["x"],
        "state": [3],
        "action": 0,
        "action_name": "left",
        "outcome": [1],
        "run": {"states": [[3], [1], [0]], "actions": [0, 0], "action_names": ["left", "left"]},
        "safe": [[[4], 0, 0], [[3], 1, 0]],
        "unsafe": [[[1], 0, 1]],
        "answers": [],
    }
    bug = SafetyBug(name, certificate, "tarjan", FoundInRun(position, walk))
    found = visit(walk).number
    return SafetyBugRow(walk, bug, ("tarjan",), found, found, float(walk))


def finding(walk: int, steps: int) -> Finding:
    """A run that both oracles have judged, with a bug that is new."""
    run = unsafe_run(steps)
    safety = np.zeros(steps + 1, dtype=np.int8)
    safety[0] = 1
    unsure = safety.copy()
    unsure[0] = -1
    alone = (
        LoneVerdict(0, "tarjan", 1, None, 3, 0.125),
        LoneVerdict(0, "vi:1", -1, "time", 4, 2.0),
    )
    bug = bug_row(walk, 0)
    unproven = UnprovenRow(walk, "tarjan", "fault", "too many rows", 1)
    rejected = RejectedRow(walk, "tarjan", "nonsense", {"x": 1}, 1)
    return Finding(
        visit(walk),
        UnsafeRunRow(walk, run, run_digest(run), None, alone, 0.0625),
        (
            RunVerdict("tarjan", safety, (0,), (), None, 7, 0.5),
            RunVerdict("vi:1", unsure, (), (0,), "expansions", 9, 0.25),
        ),
        (bug,),
        sightings=(Sighting(0, bug.id),),
        unproven=(unproven,) if walk % 8 == 1 else (),
        rejected=(rejected,) if walk % 8 == 2 else (),
    )


def repeated(walk: int, row: UnsafeRunRow) -> UnsafeRunRow:
    """The same run once more."""
    return UnsafeRunRow(walk, row.run, row.digest, row.walk)


def rounds(count: int) -> Iterator[Addition]:
    """What `count` rounds add to a new store."""
    progress = Progress()
    for number in range(count):
        first = WALKS * number
        findings = [finding(first + 1, 2 * number + 2), finding(first + 2, 2 * number + 3)]
        again = repeated(first + 3, findings[-1].run)
        walks = [WalkRow(first, "dead end", 3, 0.5)]
        runs = [*(finding.run for finding in findings), again]
        walks += [WalkRow(row.walk, "unsafe", len(row.run), 0.5) for row in runs]
        progress = replace(
            progress,
            walks=first + WALKS,
            steps=progress.steps + sum(walk.steps for walk in walks),
            rounds=first + WALKS,
            visits=2 * (number + 1),
            seconds=float(number + 1),
            news_round=first + 3,
        )
        event = TimelineRow(
            progress.seconds, "round", progress.walks, 3 * (number + 1), 2 * (number + 1), 2
        )
        yield Addition(progress, WalkPart(walks, [again]), findings, [event])
