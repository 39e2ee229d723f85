"""Turns what oracles claim of states into bugs: writes certificates and has them checked.

Every bug of cost testing, of every oracle and case, goes through here.
"""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.base.errors import InternalError, UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.checkers.cost import CertificateError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug, FoundBy, make_bug
from bugsieve.pipeline.bugs.certificate import KnownRun
from bugsieve.pipeline.bugs.checking import checker_of
from bugsieve.pipeline.bugs.verdict import Verdict
from bugsieve.pipeline.judging.cases import StateCase, Visit
from bugsieve.pipeline.judging.findings import CostBugRow, RejectedRow, UnstableRow
from bugsieve.pipeline.judging.stability import CostAsker


class Prover:
    """Proves bugs of one bench."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._checker = checker_of(bench.task.to_sas(), poll=check_stop)
        self.asker = CostAsker(bench)
        self._asked: tuple[int, UnstableRow | None] | None = None

    def prove(
        self,
        case: StateCase,
        verdict: Verdict,
        oracle: str,
        *,
        run: KnownRun | None = None,
        is_known: bool = False,
    ) -> Bug | RejectedRow | UnstableRow:
        """The bug that the verdict is, if it is one and the policy stands by its run.

        `run` is the policy's run, where it is known; `is_known` says that the case is a bug
        already, so that the policy has been asked again.
        """
        origin = case.origin
        found_by = FoundBy(case.number, case.walk, origin.from_initial if origin else None)
        try:
            bug = make_bug(
                self._bench, case.state, verdict, oracle=oracle, found_by=found_by, run=run
            )
        except (InternalError, UsageError) as error:  # no plan, or one that cannot be followed
            return RejectedRow(case.number, oracle, str(error))
        try:
            self._checker.check(bug.certificate)
        except CertificateError as error:
            return RejectedRow(case.number, oracle, str(error), bug.certificate)
        return bug if is_known else self._change(case.number, bug) or bug

    def _change(self, case: int, bug: Bug) -> UnstableRow | None:
        """The change in the policy's answers on the run; several oracles may claim one case."""
        if self._asked is None or self._asked[0] != case:
            self._asked = case, self.asker.check(case, bug)
        return self._asked[1]


def merged(visit: Visit, bugs: Sequence[Bug]) -> tuple[CostBugRow, ...]:
    """The bug with the largest gap; of equal ones the first oracle's. None of none."""
    if not bugs:
        return ()
    best = max(bugs, key=lambda bug: bug.gap)  # the first of equal ones
    finders = tuple(bug.oracle for bug in bugs)
    return (CostBugRow(visit.case, best, finders, visit.number, visit.number),)
