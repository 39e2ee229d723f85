"""The store of a safety campaign, for the one process that runs it.

Reading is the business of `records`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple
from pathlib import Path

import numpy as np

from bugsieve.results.safety.rows import Finding, SafetyAddition, SafetyHeader
from bugsieve.results.store_file import Row, StoreWriter, json_text
from bugsieve.results.tables import SAFETY


class SafetyStore(StoreWriter[SafetyAddition]):
    """Adds records to the store of a safety campaign."""

    kind = SAFETY

    @classmethod
    def create(cls, directory: Path, header: SafetyHeader, start: SafetyAddition) -> None:
        """Make the store with its first records; it appears under its name only when complete."""
        cls._make(directory, _meta(header), ((spec, None) for spec in header.oracles), start)

    def _insert(self, addition: SafetyAddition) -> None:
        findings = addition.findings
        self._many("walks", map(astuple, addition.walks))
        self._many("runs", (_run_row(finding) for finding in findings))
        self._many("verdicts", self._verdict_rows(findings))
        self._many("alone", self._alone_rows(findings))
        self._many("bugs", self._bug_rows(findings))
        self._many("sightings", _sighting_rows(findings))
        self._many("unproven", self._unproven_rows(findings))
        self._many("rejected", self._rejected_rows(findings))
        self._many("timeline", map(astuple, addition.events))
        self._many("progress", [(0, *astuple(addition.progress))], verb="REPLACE")

    def _verdict_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for row in finding.verdicts:
                yield (
                    *(finding.row.walk, self._oracles[row.oracle]),
                    np.ascontiguousarray(row.safety, dtype=np.int8).tobytes(),
                    *(json_text(row.faults), json_text(row.open_faults)),
                    *(row.reached, row.expanded, row.seconds),
                )

    def _alone_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for row in finding.alone:
                oracle = self._oracles[row.oracle]
                yield (
                    *(finding.row.walk, row.position, oracle, row.safety, row.reached),
                    *(row.expanded, row.seconds),
                )

    def _bug_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for row in finding.bugs:
                oracle = self._oracles[row.bug.oracle]
                yield (
                    *(row.id, row.bug.kind, oracle, row.walk, row.position),
                    *(json_text(row.bug.to_json()), row.seconds),
                )

    def _unproven_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for row in finding.unproven:
                yield row.walk, row.position, self._oracles[row.oracle], row.kind, row.reason

    def _rejected_rows(self, findings: Iterable[Finding]) -> Iterator[Row]:
        for finding in findings:
            for row in finding.rejected:
                certificate = None if row.certificate is None else json_text(row.certificate)
                yield row.walk, row.position, self._oracles[row.oracle], row.reason, certificate


def _meta(header: SafetyHeader) -> dict[str, str]:
    return {
        "options": header.options,
        "model name": header.name,
        "model": header.document,
        "actions": json_text(header.actions),
        "policy": header.policy,
        "policy is object": str(int(header.policy_is_object)),
        "policy fingerprint": header.policy_fingerprint,
    }


def _run_row(finding: Finding) -> Row:
    row = finding.row
    known = (row.walk, row.digest, row.same_as, len(row.run))
    if row.same_as is not None:
        return *known, None, None, 0.0
    states = np.ascontiguousarray(row.run.states, dtype="<u8").tobytes()
    actions = np.ascontiguousarray(row.run.actions, dtype="<i4").tobytes()
    return *known, states, actions, finding.proof_seconds


def _sighting_rows(findings: Iterable[Finding]) -> Iterator[Row]:
    for finding in findings:
        for sighting in finding.sightings:
            yield finding.row.walk, sighting.position, sighting.bug
