"""The store of a campaign of cost testing: its pool, the policy's runs, and verdicts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bugsieve.campaigns.store.certificate_blobs import json_text
from bugsieve.campaigns.store.store import Row, Store
from bugsieve.campaigns.store.tables import COST, COST_TABLES
from bugsieve.pipeline.bugs.brief import brief
from bugsieve.pipeline.judging.findings import BugRow, Finding, VerdictRow
from bugsieve.pipeline.pool.pool import PoolEntry
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import StateArray


@dataclass(frozen=True, eq=False)
class PoolPart:
    """New entries of the pool, with their states, one row each."""

    entries: Sequence[PoolEntry]
    states: StateArray


class CostStore(Store):
    """Adds records to the store of a campaign of cost testing."""

    kind = COST
    tables = COST_TABLES

    @classmethod
    def subject_meta(cls, subject: SavedTask) -> Mapping[str, Any]:
        """What the table `meta` holds of the task."""
        return {
            "task name": subject.name,
            "task sas": subject.sas,
            "task sha256": subject.sha256,
            "task objects": json.dumps(subject.objects),
            "task static facts": json.dumps(subject.static_facts),
            "domain": subject.domain,
            "problem": subject.problem,
            **({"task unit cost": "1"} if subject.unit_cost else {}),
        }

    def insert_cases(self, cases: PoolPart, seconds: float) -> None:
        """Insert new pool entries."""
        self.many("pool", _pool_rows(cases, seconds), verb="INSERT")

    def insert_own(self, findings: Sequence[Finding]) -> None:
        """Insert runs and verdicts."""
        firsts = (finding for finding in findings if not finding.visit.effort)
        self.many("runs", map(_run_row, firsts))
        traces = {finding.run.trace for finding in findings if finding.run.trace}
        rows = ((trace_digest(text), text) for text in traces)
        self.many("traces", rows, verb="INSERT OR IGNORE")
        verdicts = ((item, row) for item in findings for row in item.verdicts)
        self.many("verdicts", (self._verdict_row(item, row) for item, row in verdicts))

    def bug_data(self, row: BugRow[Any]) -> dict[str, Any]:
        """The bug with its certificate, or with its runs alone."""
        data = super().bug_data(row)
        return brief(data) if row.is_brief else data

    def _verdict_row(self, finding: Finding, row: VerdictRow) -> Row:
        verdict = row.verdict
        plan = None if verdict.plan is None else action_bytes(verdict.plan)
        return (
            finding.visit.number,
            self.oracle(row.oracle),
            verdict.outcome.value,
            verdict.reason,
            verdict.gap,
            verdict.value,
            int(verdict.exact),
            plan,
            verdict.expanded,
            row.seconds,
        )


def action_bytes(actions: Sequence[int]) -> bytes:
    """Operator ids as they are stored: 32 bits each, little-endian."""
    return np.asarray(actions, dtype="<i4").tobytes()


def _pool_rows(part: PoolPart, seconds: float) -> Iterator[Row]:
    states = np.ascontiguousarray(part.states, dtype="<u2")
    for entry, state in zip(part.entries, states, strict=True):
        actions = action_bytes(entry.actions)
        yield entry.number, state.tobytes(), entry.parent, actions, entry.walk, seconds


def _run_row(finding: Finding) -> Row:
    run = finding.run
    whole = None if run.whole is None else json_text(run.whole)
    return (
        finding.visit.case,
        *(run.ending, run.steps, run.cost, run.value, run.detail, whole),
        trace_digest(run.trace) if run.trace else None,
        run.action,
    )


def trace_digest(text: str) -> bytes:
    """Under what a trace is stored: most crashes have one in common."""
    return hashlib.sha256(text.encode()).digest()[:16]
