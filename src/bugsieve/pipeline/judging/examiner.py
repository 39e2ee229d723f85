"""Examines states without a folder: parcels in, findings out, in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.findings import Finding, Lesson
from bugsieve.pipeline.judging.judge import Judge
from bugsieve.pipeline.judging.ledger import Ledger
from bugsieve.pipeline.oracles.oracle import Oracle


class Examiner(Closing):
    """All oracles together, with or without memory, in this process.

    `known` are lessons of earlier findings, of any policy on the same task.
    """

    def __init__(
        self, bench: Bench, oracles: Sequence[Oracle], known: Iterable[Lesson] = ()
    ) -> None:
        self._oracles = oracles
        self.ledger = Ledger(bench, oracles, known)
        plain = [oracle for oracle in oracles if not oracle.learns]
        self.judge = Judge(bench, plain, whole_runs=self.ledger.remembers)

    def examine(self, parcel: Parcel) -> list[Finding]:
        """One finding per state; what learning oracles know stays for the next parcel."""
        return [
            self.ledger.complete(parcel.case(row), finding)
            for row, finding in enumerate(self.judge.judge(parcel))
        ]

    def close(self) -> None:
        """Let go of what the oracles hold."""
        for oracle in self._oracles:
            oracle.close()
