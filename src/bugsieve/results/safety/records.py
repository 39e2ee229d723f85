"""Reads the records of a safety campaign: as columns for reports, as rows for people.

Readers need no lock: they see the campaign as it was when they opened it, also while it runs.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.bugs.safety.bug import safety_bug_from_json
from bugsieve.policies.models.runs import UnsafeRun
from bugsieve.results.safety.rows import (
    AloneRow,
    RejectedClaimRow,
    RunVerdictRow,
    SafetyBugRow,
    SafetyHeader,
    SafetyProgress,
    SafetyTimelineRow,
    Sighting,
    UnprovenRow,
)
from bugsieve.results.schema import STORE_FILE
from bugsieve.results.store_file import StoreReader, columns_of
from bugsieve.results.tables import SAFETY

Integers = NDArray[np.int64]

_BUGS = "SELECT walk, position, bug, seconds FROM bugs"


@dataclass(frozen=True, eq=False)
class WalkColumns:
    """The walks, in order."""

    numbers: Integers
    outcomes: tuple[str, ...]
    stopped: NDArray[np.bool_]
    """Where the policy had no applicable action."""
    steps: Integers
    seconds: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, eq=False)
class RunColumns:
    """The unsafe runs, in the order of the walks that found them."""

    walks: Integers
    same_as: Integers
    """The first walk that found the same run: the walk itself for those that are different."""
    steps: Integers

    def __len__(self) -> int:
        return len(self.walks)


class SafetyRecords(StoreReader):
    """The records of one safety campaign, as they were when it was opened."""

    wanted_kind = SAFETY

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        super().__init__(directory)
        specs = self._rows("SELECT spec FROM oracles ORDER BY number")
        self._specs = tuple(str(spec) for (spec,) in specs)
        self.header = SafetyHeader(
            self._meta["options"],
            self._meta["model name"],
            self._meta["model"],
            tuple(json.loads(self._meta["actions"])),
            self._meta["policy"],
            self._meta["policy is object"] == "1",
            self._specs,
            self._meta["policy fingerprint"],
        )

    def progress(self) -> SafetyProgress:
        """How far the campaign has come."""
        (row,) = self._rows("SELECT * FROM progress")
        return SafetyProgress(*row[1:])

    def walks(self) -> WalkColumns:
        """All walks."""
        rows = self._rows("SELECT * FROM walks ORDER BY number")
        numbers, outcomes, stopped, steps, seconds = columns_of(rows, 5)
        return WalkColumns(
            np.array(numbers, dtype=np.int64),
            tuple(outcomes),
            np.array(stopped, dtype=np.bool_),
            np.array(steps, dtype=np.int64),
            np.array(seconds, dtype=np.float64),
        )

    def outcomes(self) -> dict[tuple[str, bool], int]:
        """How many walks ended in each way that occurs, by outcome and `is_stopped`."""
        query = "SELECT outcome, stopped, COUNT(*) FROM walks GROUP BY 1, 2 ORDER BY 1, 2"
        return {(outcome, bool(stopped)): count for outcome, stopped, count in self._rows(query)}

    def walk_steps(self) -> tuple[int, int]:
        """The steps of the shortest and of the longest walk; 0 if there are no walks."""
        query = "SELECT IFNULL(MIN(steps), 0), IFNULL(MAX(steps), 0) FROM walks"
        ((least, most),) = self._rows(query)
        return least, most

    def runs(self) -> RunColumns:
        """All unsafe runs, without their states."""
        rows = self._rows("SELECT walk, IFNULL(same_as, walk), steps FROM runs ORDER BY walk")
        walks, same_as, steps = columns_of(rows, 3)
        return RunColumns(
            np.array(walks, dtype=np.int64),
            np.array(same_as, dtype=np.int64),
            np.array(steps, dtype=np.int64),
        )

    def run(self, walk: int) -> UnsafeRun:
        """The unsafe run that a walk found."""
        query = "SELECT states, actions FROM runs WHERE walk = ?"
        first = "SELECT IFNULL(same_as, walk) FROM runs WHERE walk = ?"
        ((same_as,),) = self._rows(first, walk)
        ((states, actions),) = self._rows(query, same_as)
        choices = np.frombuffer(actions, dtype="<i4").astype(np.int32)
        words = np.frombuffer(states, dtype="<u8").astype(np.uint64)
        return UnsafeRun(words.reshape(len(choices) + 1, -1), choices)

    def digests(self) -> dict[bytes, int]:
        """The digests of all different runs, with the first walk that found each."""
        return dict(self._rows("SELECT digest, walk FROM runs WHERE same_as IS NULL"))

    def verdicts(self, oracle: str) -> dict[int, RunVerdictRow]:
        """What the oracle of this spec said of each different run, by the walk that found it."""
        rows = self._rows(
            "SELECT walk, safety, faults, open_faults, reached, expanded, seconds FROM verdicts"
            " WHERE oracle = ? ORDER BY walk",
            self._specs.index(oracle),
        )
        return {
            walk: RunVerdictRow(
                oracle,
                np.frombuffer(safety, dtype=np.int8),
                tuple(json.loads(faults)),
                tuple(json.loads(open_faults)),
                *rest,
            )
            for walk, safety, faults, open_faults, *rest in rows
        }

    def alone(self, oracle: str) -> list[tuple[int, AloneRow]]:
        """What the oracle said of single states without any memory, with the walks."""
        rows = self._rows(
            "SELECT walk, position, safety, reached, expanded, seconds FROM alone"
            " WHERE oracle = ? ORDER BY walk, position",
            self._specs.index(oracle),
        )
        return [(walk, AloneRow(position, oracle, *rest)) for walk, position, *rest in rows]

    def bugs(self) -> list[SafetyBugRow]:
        """All bugs, in the order in which they were found."""
        return list(map(self._bug, self._rows(f"{_BUGS} ORDER BY rowid")))

    def bug(self, name: str) -> SafetyBugRow | None:
        """The bug of this id, or of the only one that begins so."""
        rows = self._rows(f"{_BUGS} WHERE substr(id, 1, ?) = ?", len(name), name)
        return self._bug(rows[0]) if len(rows) == 1 else None

    def bug_kinds(self) -> dict[str, str]:
        """The kinds of all bugs by their ids, in the order in which they were found."""
        return dict(self._rows("SELECT id, kind FROM bugs ORDER BY rowid"))

    def bug_times(self) -> list[tuple[str, float]]:
        """The kinds of all bugs and the running time when each was found."""
        return list(self._rows("SELECT kind, seconds FROM bugs ORDER BY rowid"))

    def bug_walks(self) -> dict[str, int]:
        """The walks that found all bugs, by the ids of the bugs."""
        return dict(self._rows("SELECT id, walk FROM bugs ORDER BY rowid"))

    def bug_runs(self) -> dict[str, int]:
        """In how many unsafe runs each bug occurs, by its id."""
        query = (
            "SELECT bug, COUNT(DISTINCT runs.walk) FROM sightings JOIN runs"
            " ON IFNULL(runs.same_as, runs.walk) = sightings.walk GROUP BY bug"
        )
        return dict(self._rows(query))

    def sightings(self) -> dict[int, tuple[Sighting, ...]]:
        """The bugs in each different run that has some, by the walk that found the run."""
        found: dict[int, tuple[Sighting, ...]] = {}
        query = "SELECT walk, position, bug FROM sightings ORDER BY walk, position"
        for walk, *sighting in self._rows(query):
            found[walk] = (*found.get(walk, ()), Sighting(*sighting))
        return found

    def unproven(self) -> list[UnprovenRow]:
        """Claims whose proofs are too large to be kept."""
        query = "SELECT walk, position, oracle, kind, reason FROM unproven ORDER BY rowid"
        return [
            UnprovenRow(walk, position, self._specs[oracle], kind, reason)
            for walk, position, oracle, kind, reason in self._rows(query)
        ]

    def proof_seconds(self) -> float:
        """How long writing and checking certificates took."""
        ((seconds,),) = self._rows("SELECT TOTAL(proof_seconds) FROM runs")
        return float(seconds)

    def rejected(self) -> list[RejectedClaimRow]:
        """Claims of oracles that the checker did not accept."""
        query = "SELECT walk, position, oracle, reason, certificate FROM rejected ORDER BY rowid"
        return [
            RejectedClaimRow(
                walk, position, self._specs[oracle], reason, json.loads(certificate or "null")
            )
            for walk, position, oracle, reason, certificate in self._rows(query)
        ]

    def timeline(self) -> list[SafetyTimelineRow]:
        """What happened when."""
        rows = self._rows("SELECT * FROM timeline ORDER BY rowid")
        return [SafetyTimelineRow(*row) for row in rows]

    def _bug(self, row: tuple[Any, ...]) -> SafetyBugRow:
        walk, position, bug, seconds = row
        source = str(self.directory / STORE_FILE)
        return SafetyBugRow(
            walk, position, safety_bug_from_json(json.loads(bug), source=source), seconds
        )
