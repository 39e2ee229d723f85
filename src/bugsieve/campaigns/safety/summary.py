"""The counts of a safety campaign, read from its store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bugsieve.basis.wording import counted
from bugsieve.fuzzing.unsafe_runs import WalkOutcome
from bugsieve.oracles.safety.decide import Safety
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.results.safety.rows import RejectedClaimRow, RunVerdictRow, UnprovenRow

NO_ACTION = "no action"
"""Walks that ended because the policy had no applicable action."""


@dataclass(frozen=True)
class RunCounts:
    """What an oracle says of the unsafe runs; each run is one of these."""

    with_fault: int = 0
    """The policy left safety: one of its decisions is a fault."""
    unavoidable: int = 0
    """No policy could have avoided the danger, not even from the start (within the radius)."""
    inconclusive: int = 0
    """A limit came first."""
    seconds: float = 0.0
    expanded: int = 0


@dataclass(frozen=True)
class SafetySummary:
    """What a safety campaign has done so far, all sessions together."""

    reason: str | None
    """Why it has finished; None if there is more to do."""
    seconds: float
    fuzz_seconds: float
    proof_seconds: float
    walks: int
    steps: int
    outcomes: Mapping[str, int]
    """Walks by how they ended."""
    runs: int
    """Unsafe runs."""
    different_runs: int
    oracles: Mapping[str, RunCounts]
    bugs: int
    bugs_by_kind: Mapping[str, int]
    unproven: tuple[UnprovenRow, ...]
    """Claims whose proofs are too large to be kept."""
    rejected: tuple[RejectedClaimRow, ...]
    """Claims that the checker did not believe: each is a fault in Bugsieve."""
    troubles: Mapping[str, Any] = field(default_factory=dict)
    """What the policy did wrong: how often, and the first case, by its kind."""

    @property
    def unanswered(self) -> str | None:
        """Why no walk could be made, if the policy failed in all of them; else None."""
        if not self.troubles or not self.outcomes or set(self.outcomes) != {NO_ACTION}:
            return None
        return "; ".join(self.trouble_sentences())

    def trouble_sentences(self) -> list[str]:
        """One per kind: `policy crash in 3 answers, first: KeyError: 'x'`."""
        return [
            f"{kind} in {counted(trouble['answers'], 'answer')}, first: {trouble['first']}"
            for kind, trouble in self.troubles.items()
        ]


def summarise_safety(records: SafetyRecords) -> SafetySummary:
    """The counts as they are now."""
    progress, runs = records.progress(), records.runs()
    weights = Counter(runs.same_as.tolist())
    kinds = Counter(records.bug_kinds().values())
    return SafetySummary(
        reason=progress.finished,
        seconds=progress.seconds,
        fuzz_seconds=progress.fuzz_seconds,
        proof_seconds=records.proof_seconds(),
        walks=progress.walks,
        steps=progress.steps,
        outcomes=_outcomes(records.outcomes()),
        runs=len(runs),
        different_runs=len(weights),
        oracles={
            oracle: _counts(records.verdicts(oracle), weights) for oracle in records.header.oracles
        },
        bugs=kinds.total(),
        bugs_by_kind=dict(kinds),
        unproven=tuple(records.unproven()),
        rejected=tuple(records.rejected()),
        troubles=json.loads(progress.troubles),
    )


def _outcomes(counts: Mapping[tuple[str, bool], int]) -> dict[str, int]:
    """Danger first, then the others by name, as far as they occur."""
    named: Counter[str] = Counter()
    for (outcome, is_stopped), count in counts.items():
        named[NO_ACTION if is_stopped else outcome] += count
    unsafe = WalkOutcome.UNSAFE.value
    return {name: named[name] for name in sorted(named, key=lambda name: (name != unsafe, name))}


def _counts(verdicts: Mapping[int, RunVerdictRow], weights: Mapping[int, int]) -> RunCounts:
    counts: Counter[str] = Counter()
    for walk, row in verdicts.items():
        counts[run_class(row)] += weights[walk]
    return RunCounts(
        counts["with_fault"],
        counts["unavoidable"],
        counts["inconclusive"],
        sum(row.seconds for row in verdicts.values()),
        sum(row.expanded for row in verdicts.values()),
    )


def run_class(row: RunVerdictRow) -> str:
    """Which field of `RunCounts` counts a run."""
    if row.faults:
        return "with_fault"
    return "unavoidable" if np.all(row.safety == Safety.LOST) else "inconclusive"
