"""Greens of cost testing: a whole state space without a bug, with its certificate.

It is made when such a campaign ends, from the answers that were judged, and checked at once.
`answers` has what asks again need: every state with the policy's answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.base.current_activity import doing
from bugsieve.base.stopping import check_stop
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.store import CostStore
from bugsieve.campaigns.coverage import Coverage
from bugsieve.campaigns.greens import green_of, is_proven, keep_green
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.checkers.cost import CertificateError
from bugsieve.checkers.green import check_green
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.green import GreenAnswers, green_certificate
from bugsieve.policies.decisions import Decisions, Recorded
from bugsieve.policies.graph import PolicyGraph


def is_certified(records: CostRecords, coverage: Coverage) -> bool:
    """Return true if a certificate proves that there is no bug in all reachable states."""
    return coverage.is_whole and is_proven(records, check_of(records.header))


def check_of(header: CampaignHeader) -> Callable[[Any], None]:
    """What must hold of the certificate of this campaign."""
    return partial(_check, header)


def certify(records: CostRecords, bench: Bench) -> tuple[str, ...]:
    """Make and keep the certificate of a campaign without bugs; notes on what was in the way.

    All reachable states must be judged, and nothing be open.
    """
    header, reachable = records.header, records.header.reachable
    if (
        reachable is None
        or records.case_count() != reachable.states
        or records.green() is not None
    ):
        return ()
    exact = bench.exact_costs()
    with doing("certifying that there is no bug"):
        judged = _judged_bench(records, bench)
        green = green_certificate(judged, exact.states, exact.lost, exact.costs)
        if green is None:
            return ("no certificate: the policy has answered otherwise than when it was judged",)
        try:
            _check(header, green)
        except CertificateError as error:
            return (f"no certificate: the checker says that {error}",)
        reason = keep_green(CostStore, records.directory, header, green)
    return (f"no certificate: {reason}",) if reason else ()


def stored_green(directory: Path) -> Any | None:
    """The certificate of a campaign without bugs, checked anew; None if it has none."""
    with CostRecords(directory) as records:
        if records.bug_kinds():
            return None
        return green_of(records, check_of(records.header))


def answers(records: CostRecords) -> GreenAnswers | None:
    """Every reachable state with the policy's answer, of a campaign that has a certificate."""
    green = green_of(records, check_of(records.header))
    return None if green is None else GreenAnswers.of(records.task, green)


def _check(header: CampaignHeader, green: Any) -> None:
    """CertificateError unless the certificate is about this campaign, and proves what it says."""
    proven = check_green(header.subject.sas, green, poll=check_stop)
    reachable = header.reachable
    counts = None if reachable is None else (reachable.states, reachable.with_plan)
    if (proven.states, proven.with_plan) != counts or proven.objective != header.objective:
        raise CertificateError("the certificate belongs to another campaign")


def _judged_bench(records: CostRecords, bench: Bench) -> Bench:
    """A bench with the answers that were judged, where they are answers to single states."""
    if not isinstance(bench.source, PolicyGraph):
        return bench
    made, actions = bench.afresh(), records.first_actions()
    rows = np.flatnonzero(actions >= 0)
    states = records.pool().states[rows]
    made.take_over(Recorded(states, Decisions(actions[rows].astype(np.int32))))
    return made
