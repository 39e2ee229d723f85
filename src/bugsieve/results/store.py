"""The store of a campaign of cost testing, for the one process that runs it.

Reading is the business of `records`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np

from bugsieve.results.rows import (
    Addition,
    BugRow,
    CampaignHeader,
    Judgement,
    RejectedRow,
    VerdictRow,
)
from bugsieve.results.store_file import Row, StoreWriter, json_text
from bugsieve.results.tables import COST, FAILURES


class Store(StoreWriter[Addition]):
    """Adds records to the store of a campaign."""

    kind = COST

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        super().__init__(directory, connection)
        connection.execute(FAILURES)

    @classmethod
    def create(cls, directory: Path, header: CampaignHeader, start: Addition) -> None:
        """Make the store with its first records; it appears under its name only when complete."""
        cls._make(directory, _meta(header), map(astuple, header.oracles), start)

    def _insert(self, addition: Addition) -> None:
        judgements = addition.judgements
        self._many("pool", _pool_rows(addition))
        self._many("runs", map(_run_row, judgements))
        self._many(
            "failures", ((item.number, item.run.detail) for item in judgements if item.run.detail)
        )
        self._many("verdicts", self._verdict_rows(judgements))
        self._many("bugs", (self._bug_row(item.bug) for item in judgements if item.bug))
        rejected = (row for item in judgements for row in item.rejected)
        self._many("rejected", (self._rejected_row(row) for row in rejected))
        self._many("timeline", (astuple(event) for event in addition.events))
        self._many("progress", [(0, *astuple(addition.progress))], verb="REPLACE")

    def _verdict_rows(self, judgements: Sequence[Judgement]) -> Iterator[Row]:
        for judgement in judgements:
            for row in judgement.verdicts:
                yield self._verdict_row(judgement.number, row)

    def _verdict_row(self, number: int, row: VerdictRow) -> Row:
        verdict = row.verdict
        plan = None if verdict.plan is None else action_bytes(verdict.plan)
        return (
            number,
            self._oracles[row.oracle],
            verdict.outcome.value,
            verdict.reason,
            verdict.gap,
            verdict.value,
            int(verdict.exact),
            plan,
            row.seconds,
        )

    def _bug_row(self, row: BugRow) -> Row:
        bug = row.bug
        finders = json.dumps([self._oracles[spec] for spec in row.finders])
        oracle = self._oracles[bug.oracle]
        return (
            *(bug.id, row.number, bug.kind, bug.gap, oracle, finders),
            *(json_text(bug.to_json()), row.seconds),
        )

    def _rejected_row(self, row: RejectedRow) -> Row:
        oracle = self._oracles[row.oracle]
        certificate = None if row.certificate is None else json_text(row.certificate)
        return row.number, oracle, row.reason, certificate


def action_bytes(actions: Sequence[int]) -> bytes:
    """Operator ids as they are stored: 32 bits each, little-endian."""
    return np.asarray(actions, dtype="<i4").tobytes()


def _meta(header: CampaignHeader) -> dict[str, str | bytes | None]:
    task = header.task
    return {
        "options": header.options,
        "policy": header.policy,
        "policy is object": str(int(header.policy_is_object)),
        "objective": header.objective,
        "task name": task.name,
        "task sas": task.sas,
        "task sha256": task.sha256,
        "task objects": json.dumps(task.objects),
        "task static facts": json.dumps(task.static_facts),
        "domain": task.domain,
        "problem": task.problem,
    }


def _pool_rows(addition: Addition) -> Iterator[Row]:
    states = np.ascontiguousarray(addition.states, dtype="<u2")
    seconds = addition.progress.seconds
    for entry, state in zip(addition.entries, states, strict=True):
        actions = action_bytes(entry.actions)
        yield entry.number, state.tobytes(), entry.parent, actions, entry.walk, seconds


def _run_row(judgement: Judgement) -> Row:
    run = judgement.run
    return judgement.number, run.ending, run.steps, run.cost, run.value
