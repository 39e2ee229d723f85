"""Turns the walks of a safety campaign into records: verdicts on unsafe runs, and proven bugs.

What is said of a run depends on the runs before it only through the oracles' memory. It begins
anew with every group of `shared_runs` different runs, and a resumed campaign makes it again from
the stored runs of the group. So the records depend on the options and the store alone.
"""

from __future__ import annotations

from bugsieve.campaigns.safety.options import SafetyOptions
from bugsieve.fuzzing.unsafe_runs import Walk
from bugsieve.oracles.safety.analysis import OracleAnalysis, RunAnalysis, RunAnalyst
from bugsieve.policies.models.policy import ModelPolicy
from bugsieve.policies.models.runs import UnsafeRun
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.results.safety.rows import (
    AloneRow,
    Finding,
    RejectedClaimRow,
    RunVerdictRow,
    SafetyBugRow,
    Sighting,
    UnprovenRow,
    UnsafeRunRow,
    run_digest,
)


class Findings:
    """Analyses unsafe runs, each different one once, in the order of the walks."""

    def __init__(
        self, policy: ModelPolicy, options: SafetyOptions, records: SafetyRecords
    ) -> None:
        self._options = options
        self._walks = records.digests()
        """The first walk that found a run, by the digest of the run."""
        self._judged = _judged_states(records)
        """States that were judged alone."""
        firsts = sorted(self._walks.values())
        group = firsts[len(firsts) // options.shared_runs * options.shared_runs :]
        self._to_recall = [(walk, records.run(walk)) for walk in group]
        """Runs of the present group that were analysed in an earlier session."""
        bugs = records.bug_walks().items()
        earlier = [bug for bug, walk in bugs if not group or walk < group[0]]
        self._analyst = RunAnalyst(
            policy.model,
            policy,
            options.oracles,
            limits=options.limits,
            proof_rows=options.proof_rows,
            proven=earlier,
        )

    @property
    def different_runs(self) -> int:
        """How many there are so far."""
        return len(self._walks)

    def of(self, walk: Walk) -> Finding | None:
        """What there is to know about the run of the next walk; None if it is not unsafe."""
        if walk.run is None:
            return None
        digest = run_digest(walk.run)
        same_as = self._walks.get(digest)
        row = UnsafeRunRow(walk.number, walk.run, digest, same_as)
        if same_as is not None:
            return Finding(row)
        self._remember()
        analysis = self._analyst.analyse(walk.run, walk=walk.number)
        alone = self._alone(walk.run)
        self._walks[digest] = walk.number
        return _finding(row, analysis, alone)

    def _remember(self) -> None:
        """Let the oracles know as much as they knew when the run before was analysed."""
        for walk, run in self._to_recall:
            self._analyst.analyse(run, walk=walk)
        self._to_recall = []
        if len(self._walks) % self._options.shared_runs == 0:
            self._analyst.forget()

    def _alone(self, run: UnsafeRun) -> tuple[AloneRow, ...]:
        """Verdicts on states of the run that nobody has judged alone, as far as any are wanted."""
        positions = []
        for position, state in enumerate(run.states[:-1]):
            key = state.tobytes()
            if len(self._judged) < self._options.alone and key not in self._judged:
                self._judged.add(key)
                positions.append(position)
        if not positions:
            return ()
        verdicts = self._analyst.judge_alone(run.states[positions])
        return tuple(
            AloneRow(position, v.spec, int(v.safety), v.limit, v.expansions, v.seconds)
            for position, row in zip(positions, verdicts, strict=True)
            for v in row
        )


def _judged_states(records: SafetyRecords) -> set[bytes]:
    first = records.header.oracles[0]
    return {records.run(walk).states[row.position].tobytes() for walk, row in records.alone(first)}


def _finding(row: UnsafeRunRow, analysis: RunAnalysis, alone: tuple[AloneRow, ...]) -> Finding:
    walk = row.walk
    bugs = []
    for bug in analysis.bugs:
        assert bug.found_in is not None
        bugs.append(SafetyBugRow(walk, bug.found_in.position, bug))
    sightings = [Sighting(bug.position, bug.id) for bug in bugs]
    sightings += [Sighting(known.position, known.id) for known in analysis.known]
    return Finding(
        row,
        tuple(map(_verdict, analysis.oracles)),
        alone,
        tuple(sorted(sightings, key=lambda sighting: sighting.position)),
        tuple(bugs),
        tuple(
            UnprovenRow(walk, claim.position, claim.oracle, claim.kind, claim.reason)
            for claim in analysis.unproven
        ),
        tuple(
            RejectedClaimRow(walk, claim.position, claim.oracle, claim.reason, claim.certificate)
            for claim in analysis.rejected
        ),
        analysis.proof_seconds,
    )


def _verdict(oracle: OracleAnalysis) -> RunVerdictRow:
    return RunVerdictRow(
        oracle.spec,
        oracle.safety,
        tuple(fault.position for fault in oracle.faults),
        oracle.open_faults,
        next((limit for limit in oracle.limits if limit is not None), None),
        oracle.expansions,
        oracle.seconds,
    )
