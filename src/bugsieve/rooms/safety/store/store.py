"""The store of a safety campaign: its walks, the unsafe runs among them, and verdicts on these."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.campaigns.store.certificate_blobs import json_text
from bugsieve.campaigns.store.progress import WalkRow
from bugsieve.campaigns.store.store import Row, Store
from bugsieve.campaigns.store.tables import SAFETY
from bugsieve.pipeline.judging.findings import BugRow, Finding
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.rooms.safety.store.proofs import ProofWriter
from bugsieve.rooms.safety.store.tables import SAFETY_TABLES
from bugsieve.rooms.safety.walks.run_examiner import UnsafeRunRow


@dataclass(frozen=True, eq=False)
class WalkPart:
    """New walks, and the runs of those that repeat an earlier one."""

    walks: Sequence[WalkRow]
    repeated: Sequence[UnsafeRunRow] = ()


class SafetyStore(Store):
    """Adds records to the store of a safety campaign."""

    kind = SAFETY
    tables = SAFETY_TABLES

    @classmethod
    def subject_meta(cls, subject: SavedModel) -> Mapping[str, Any]:
        """The entries of the table `meta` about the model."""
        return {
            "model name": subject.name,
            "model": subject.document,
            "actions": json_text(subject.actions),
        }

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        super().__init__(directory, connection)
        self._proofs = ProofWriter(connection)
        self._data: dict[str, dict[str, Any]] = {}
        """Of the bugs of one transaction, when the rows of their proofs are stored."""

    def insert_cases(self, cases: WalkPart, seconds: float) -> None:
        """Insert new walks."""
        self.many("walks", map(astuple, cases.walks), verb="INSERT")
        self.many("runs", map(_run_row, cases.repeated), verb="INSERT")

    def insert_own(self, findings: Sequence[Finding]) -> None:
        """Insert different runs, and what was said of them."""
        self.many("runs", (_run_row(finding.run) for finding in findings))
        self.many("verdicts", self._verdict_rows(findings))
        self.many("alone", self._alone_rows(findings))
        self._insert_proofs(findings)

    def bug_data(self, row: BugRow[Any]) -> dict[str, Any]:
        """A bug with numbers in place of the rows of its proof."""
        return self._data[row.id]

    def _insert_proofs(self, findings: Sequence[Finding]) -> None:
        self._data.clear()
        for finding in findings:
            for row in finding.bugs:
                self._data[row.id], rows = self._proofs.data(row.bug, finding.visit.number)
                self.many("proofs", rows, verb="INSERT")

    def _verdict_rows(self, findings: Sequence[Finding]) -> Iterator[Row]:
        for finding in findings:
            for row in finding.verdicts:
                yield (
                    *(finding.visit.number, self.oracle(row.oracle)),
                    np.ascontiguousarray(row.safety, dtype=np.int8).tobytes(),
                    *(json_text(row.faults), json_text(row.open_faults)),
                    *(row.reached, row.expanded, row.seconds),
                )

    def _alone_rows(self, findings: Sequence[Finding]) -> Iterator[Row]:
        for finding in findings:
            for row in finding.run.alone:
                oracle = self.oracle(row.oracle)
                yield (
                    *(finding.visit.case, row.position, oracle, row.safety, row.reached),
                    *(row.expanded, row.seconds),
                )


def _run_row(row: UnsafeRunRow) -> Row:
    known = (row.walk, row.digest, row.same_as, len(row.run))
    if row.same_as is not None:
        return *known, None, None, 0.0
    states = np.ascontiguousarray(row.run.states, dtype="<u8").tobytes()
    actions = np.ascontiguousarray(row.run.actions, dtype="<i4").tobytes()
    return *known, states, actions, row.proof_seconds
