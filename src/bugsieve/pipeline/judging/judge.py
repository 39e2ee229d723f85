"""Judges states by oracles that have no memory: in any process, in any order.

Gives the policy's run from each state, every such oracle's verdict, and the bugs they prove.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import InternalError
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.certificate import KnownRun, run_part
from bugsieve.pipeline.judging.bugs_along_runs import Spared
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.findings import (
    Finding,
    RejectedRow,
    RunRow,
    UnstableRow,
    VerdictRow,
)
from bugsieve.pipeline.judging.proving import Prover, merged
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.run_table import RunTable

_MOST_KNOWN = 20_000
"""Findings to keep for states that come again; results do not depend on it."""


class Judge(Closing):
    """Judges parcels on one bench; what it says of a state does not depend on the others.

    With `repeats`, states may come again, and each is judged once, whichever walk led there.
    """

    def __init__(
        self,
        bench: Bench,
        oracles: Sequence[Oracle],
        escalating: Sequence[Oracle] = (),
        *,
        whole_runs: bool = False,
        carries: bool = False,
        repeats: bool = False,
    ) -> None:
        self.bench = bench
        self.oracles = oracles
        self._levels: list[Sequence[Oracle]] = [oracles, *([oracle] for oracle in escalating)]
        self._whole_runs = whole_runs
        self._prover = Prover(bench)
        self._spared = Spared(bench.objective) if carries else None
        self._known: dict[tuple[int, bytes], Finding] | None = {} if repeats else None
        """The findings on states by effort and state, where states come again."""

    def judge(self, parcel: Parcel) -> list[Finding]:
        """One finding per state, in order; with nothing but the run where oracles are spared."""
        if self._known is None:
            return self._examined(parcel)
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        keys = [(visit.effort, parcel.case(row).key) for row, visit in enumerate(parcel.visits)]
        firsts = {key: row for row, key in reversed([*enumerate(keys)]) if key not in self._known}
        rows = sorted(firsts.values())
        if rows:
            found = self._examined(parcel.rows(rows))
            self._known.update(zip((keys[row] for row in rows), found, strict=True))
        return [
            self._known[key].about(visit) for key, visit in zip(keys, parcel.visits, strict=True)
        ]

    def _examined(self, parcel: Parcel) -> list[Finding]:
        # A state that comes again may come by another walk: what is said must not depend on that.
        origins = parcel.origins if self._known is None else None
        with doing(f"running the policy from {parcel}"):
            suspects = self.bench.suspects(parcel.states, origins)
        if self._spared is None:
            return self._judged(parcel, suspects, range(len(parcel)))
        everything = [range(len(parcel))]
        findings: dict[int, Finding] = {}
        for rows in everything if parcel.effort else self._spared.waves(suspects):
            for row, finding in zip(rows, self._judged(parcel, suspects, rows), strict=True):
                findings[row] = finding
                if finding.bugs:
                    self._spared.note(suspects, row, finding.bugs[0].bug)
        return [
            findings.get(row) or Finding(visit, self._run_row(suspects, row))
            for row, visit in enumerate(parcel.visits)
        ]

    def _judged(self, parcel: Parcel, suspects: Suspects, rows: Sequence[int]) -> list[Finding]:
        """The findings of the oracles on some of the states."""
        asked = suspects if len(rows) == len(suspects) else suspects.rows(rows)
        columns = []
        for oracle in self._levels[parcel.effort]:
            with doing(f"judging {parcel} with {oracle.spec}"):
                columns.append(self._verdicts(oracle, asked))
        said = list(zip(*columns, strict=True)) if columns else [()] * len(rows)
        with doing(f"proving what is said of {parcel}"):
            return [
                self._finding(parcel, suspects, row, verdicts)
                for row, verdicts in zip(rows, said, strict=True)
            ]

    @property
    def asked_again(self) -> int:
        """The number of questions it took to check that the policy stands by its answers."""
        return self._prover.asker.calls

    def close(self) -> None:
        """Let go of what the oracles hold."""
        for oracle in self.oracles:
            oracle.close()

    def _verdicts(self, oracle: Oracle, suspects: Suspects) -> list[VerdictRow]:
        """The oracle's verdicts; it works on all of them together, so each took the mean time."""
        start = time.perf_counter()
        verdicts = oracle.judge(suspects)
        if len(verdicts) != len(suspects):
            raise InternalError(f"oracle {oracle.spec} left out some of the states")
        seconds = (time.perf_counter() - start) / len(suspects)
        return [VerdictRow(oracle.spec, verdict, seconds) for verdict in verdicts]

    def _finding(
        self, parcel: Parcel, suspects: Suspects, row: int, verdicts: tuple[VerdictRow, ...]
    ) -> Finding:
        visit, run = parcel.visits[row], self._run_row(suspects, row)
        known = None if run.whole is None else KnownRun(run.whole, run.value)
        bugs: list[Bug] = []
        rejected: list[RejectedRow] = []
        unstable: dict[int, UnstableRow] = {}
        for claim in verdicts:
            if claim.verdict.is_bug:
                case = parcel.case(row)
                proof = self._prover.prove(case, claim.verdict, claim.oracle, run=known)
                bugs += [proof] if isinstance(proof, Bug) else []
                rejected += [proof] if isinstance(proof, RejectedRow) else []
                unstable.update({proof.case: proof} if isinstance(proof, UnstableRow) else {})
        return Finding(
            visit,
            run,
            verdicts,
            merged(visit, bugs),
            rejected=tuple(rejected),
            unstable=tuple(unstable.values()),
        )

    def _run_row(self, suspects: Suspects, row: int) -> RunRow:
        runs = suspects.runs
        ending = int(runs.endings[row])
        failure = runs.failure(row)
        is_end = failure is not None and failure.ending == ending  # no limit came before it
        return RunRow(
            ending,
            int(runs.steps[row]),
            int(runs.costs[row]),
            float(suspects.values[row]),
            failure.detail if failure is not None and is_end else "",
            run_part(self.bench, runs.rows(np.array([row]))) if self._whole_runs else None,
            failure.trace if failure is not None and is_end else "",
            _first_action(runs, row),
        )


def _first_action(runs: RunTable, row: int) -> int | None:
    """The action that the policy takes first, where its runs come from its graph."""
    if not isinstance(runs.source, PolicyGraph) or not runs.steps[row]:
        return None
    return int(runs.source.actions_at(runs.ids[row : row + 1])[0])
