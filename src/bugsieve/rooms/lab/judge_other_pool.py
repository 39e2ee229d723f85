"""Judges states that another campaign has judged, as if they were a campaign's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.wording import counted
from bugsieve.campaigns.campaign import AnyPath, check_unchanged
from bugsieve.campaigns.cost.bench import bench_of, plan_of, stored_options
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.kind import KINDS, require_trusted_oracles
from bugsieve.campaigns.store.tables import COST
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.verdict import Outcome
from bugsieve.pipeline.judging.cases import Parcel
from bugsieve.pipeline.judging.examiner import Examiner
from bugsieve.pipeline.judging.findings import CostBugRow, Finding
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.policies.decisions import Ending
from bugsieve.rooms.lab.comparing import Crossed
from bugsieve.tasks.grounded.task import StateArray

_BATCH = 256


def cross_judge(directory: AnyPath, records: CostRecords, states: StateArray) -> Crossed:
    """The verdicts of a campaign's policy, oracles and limits on states of another campaign.

    The policy and the oracles must be ones that the user has typed or agrees to, and the policy
    must be what it was. Failing runs that the oracles leave open get the effort that the campaign
    would spend on them.
    """
    folder, header = Path(directory), records.header
    options = stored_options(folder, header)
    require_trusted_oracles(KINDS[COST], options, folder)
    plan = plan_of(options)
    with bench_of(folder, header) as bench, doing(f"judging {counted(len(states), 'state')}"):
        check_unchanged(header, folder, bench.policy, command="test")
        bugs: dict[bytes, CostBugRow] = {}
        found = _judged(bench, plan.oracles(bench, header.used_oracles), states, bugs)
        is_open = np.array([_is_open(finding) for finding in found], dtype=bool)
        for oracle in plan.escalating(bench):
            left = [n for n in np.flatnonzero(is_open) if states[n].tobytes() not in bugs]
            again = _judged(bench, [oracle], states[left], bugs)
            is_open[:] = False
            is_open[[n for n, f in zip(left, again, strict=True) if _is_open(f)]] = True
        undecided = {states[n].tobytes() for n in np.flatnonzero(is_open)} - bugs.keys()
    return Crossed(len(states), bugs, frozenset(undecided))


def _judged(
    bench: Bench, oracles: Sequence[Oracle], states: StateArray, bugs: dict[bytes, CostBugRow]
) -> list[Finding]:
    """One finding for each state; their bugs are added, also those that became known later."""
    found: list[Finding] = []
    with Examiner(bench, oracles) as examiner:
        for start in range(0, len(states), _BATCH):
            found += examiner.examine(Parcel.given(states[start : start + _BATCH], start))
    for finding in found:
        bugs.update((states[row.case].tobytes(), row) for row in finding.bugs)
    return found


def _is_open(finding: Finding) -> bool:
    """Return true if the policy fails or is unstable, and no oracle has decided the state."""
    outcomes = {row.verdict.outcome for row in finding.verdicts}
    is_failure = finding.run.ending != Ending.SOLVED
    return bool(finding.unstable) or (is_failure and outcomes <= {Outcome.INCONCLUSIVE})
