"""The counts of a campaign of cost testing, read from its store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bugsieve.campaigns.cost.green import is_certified
from bugsieve.campaigns.cost.measuring import cost_figures
from bugsieve.campaigns.cost.records import CostRecords, InitialRun
from bugsieve.campaigns.cost.whole import NO_PLAN
from bugsieve.campaigns.coverage import Coverage
from bugsieve.campaigns.policy_failures import (
    FEWEST_RUNS,
    MISTAKES,
    Trouble,
    is_one_reason,
    silence,
)
from bugsieve.campaigns.store.progress import Reachable
from bugsieve.campaigns.summary import Summary, changes_of
from bugsieve.pipeline.objectives import objective_class
from bugsieve.pipeline.pool.walk_counts import WalkCounts
from bugsieve.policies.decisions import Ending

UNJUDGED = "no oracle was asked: the pool is for campaigns that take it over"


@dataclass(frozen=True, kw_only=True)
class CostSummary(Summary):
    """What a campaign of cost testing has done so far; troubles are runs, by their ending."""

    pool: int
    judged: int
    rounds: int
    endings: Mapping[str, int]
    """Runs of the policy from the judged states, by how they ended."""
    outcomes: Mapping[str, Mapping[str, int]]
    """Verdicts by oracle and outcome."""
    implied: int
    """States that must be bugs by some oracle, but for which nobody has a better run."""
    skipped: Mapping[str, str]
    """Oracles that could not judge on this task, and why."""
    initial: InitialRun | None
    """What became of the initial state, if that is the first test state."""
    open_runs: Mapping[str, int]
    """Failing runs of which nobody knows whether they had to fail, by how they ended."""
    escalated: Mapping[str, int]
    """What came out of visits with more effort than the first."""
    revised: int
    """Bugs that became known when another state was judged."""
    carried: int
    """States that no oracle was asked about, since the policy runs from them into a known bug."""
    telling: int
    """Runs that determine a value; step limits, hangs and policies that never start do not."""
    decided: int = 0
    """Runs in which the policy was asked; from a goal it is not."""
    begun: int = 0
    """Runs that got past their first decision."""
    objective: str = "quantitative"
    """What the policy was tested for."""
    walked: WalkCounts | None = None
    """What became of the states that walks offered; None where older campaigns did not count."""
    one_reason: bool = False
    """Whether all troubles have one reason, apart from names and numbers in it."""
    tested_with_plan: int | None = None
    """Where all reachable states are tested: the test states from which a plan exists."""
    no_plan: str = ""
    """That no plan exists, from the initial state or from any test state."""

    @property
    def share(self) -> float | None:
        """How many of these are bugs: a share of states, not of walks, as measurements have it."""
        if self.coverage is None or not self.coverage.is_whole or not self.tested_with_plan:
            return None
        return self.bugs / self.tested_with_plan

    @property
    def certain(self) -> int:
        """States that must be bugs."""
        return self.implied

    @property
    def is_telling(self) -> bool:
        """Whether some run determines a value, and shows the policy act."""
        return self.telling > 0 and not self.is_idle

    @property
    def is_idle(self) -> bool:
        """Return true if the policy never acts, where runs that stop at once count as good."""
        stopped = self.endings.get(Ending.NO_ACTION.label, 0)
        is_forgiven = objective_class(self.objective).forgives_stopping
        return is_forgiven and not self.begun and 0 < self.decided == stopped

    @property
    def undecided(self) -> int:
        """Failing runs that nobody decided."""
        return sum(self.open_runs.values())

    @property
    def would_decide(self) -> str:
        """Longer runs or more time, where that is what ended them, or more search."""
        left = set(self.open_runs)
        means = [
            (objective_class(self.objective).longer_runs, {Ending.STEP_LIMIT.label}),
            ("more time for answers (--deadline)", {Ending.POLICY_HANG.label}),
        ]
        wanted = [advice for advice, endings in means if left & endings]
        if self.is_telling and left - {ending for _, endings in means for ending in endings}:
            wanted.append("more search (--escalate-to, --expansions) or another oracle (--oracle)")
        if wanted:
            return " and ".join(wanted)
        return "a policy that answers" if self.endings else "more test states"

    @property
    def tested(self) -> Mapping[str, int]:
        """Test states that were judged; of a measurement its tests."""
        return {"test state" if self.measured is None else "test": self.judged}

    @property
    def untested(self) -> str:
        """No plan exists, or no oracle was asked."""
        if self.no_plan:
            return f"{self.no_plan}: nothing was tested"
        return "" if self.outcomes else UNJUDGED

    @property
    def green(self) -> str:
        """From which states the policy does all that it could."""
        is_proven = self.coverage is not None and self.coverage.is_proven
        return self.coverage.green() if self.coverage is not None and is_proven else ""

    @property
    def is_whole_green(self) -> bool:
        """Whether all reachable states are judged, without a bug and with nothing left open."""
        is_whole = self.coverage is not None and self.coverage.is_whole
        return is_whole and self.outcome.is_fine

    @property
    def unanswered(self) -> str | None:
        """Why nothing could be tested, if the policy gave no answer in any run; else None."""
        if not self.telling and (silent := silence(self.judged, self.troubles)):
            return silent
        if self.is_idle and not self.bugs:
            return f"the policy never acts: it has no action in any of {self.decided} states"
        if self.mistake is None:
            return None
        ((ending, trouble),) = self.troubles.items()
        runs = self.decided + self._alike
        reason = Trouble(runs, trouble.reason) if self._alike else trouble
        return f"all {runs} runs ended at their first decision, {reason.sentence(ending)}"

    @property
    def mistake(self) -> Trouble | None:
        """Why all runs ended at their first decision, if all did so for the same reason."""
        is_known = self.decided + self._alike >= FEWEST_RUNS
        if self.begun or not is_known or len(self.troubles) != 1:
            return None
        ((ending, trouble),) = self.troubles.items()
        is_one = trouble.count == self.decided and self.one_reason
        return trouble if is_one and ending in MISTAKES else None

    @property
    def _alike(self) -> int:
        """The further states in which the policy fails likewise, where a limit left few runs."""
        return 0 if self.check is None else self.check.alike


def summarise(records: CostRecords) -> CostSummary:
    """The counts as they are now."""
    return _proven(records, _counted(records))


def _counted(records: CostRecords) -> CostSummary:
    progress = records.progress()
    by_kind = records.bugs_by_kind()
    decided, begun = records.decided_runs()
    failures, reachable = records.failures(), records.header.reachable
    return CostSummary(
        reason=progress.finished,
        seconds=progress.seconds,
        pool=records.case_count(),
        judged=records.judged(),
        walks=progress.walks,
        steps=progress.steps,
        rounds=progress.rounds,
        policy_calls=progress.policy_calls,
        endings={Ending(code).label: count for code, count in records.endings().items()},
        outcomes=records.outcomes(),
        bugs=sum(by_kind.values()),
        bugs_by_kind=by_kind,
        implied=records.implied(),
        rejected=tuple(records.rejected()),
        skipped={
            oracle.spec: oracle.objection
            for oracle in records.header.oracles
            if oracle.objection is not None
        },
        revised=records.revised(),
        carried=0 if records.is_sample else records.carried(),
        telling=records.telling(),
        initial=None if records.is_sample else records.initial_run(),
        open_runs={Ending(code).label: count for code, count in records.undecided().items()},
        escalated=records.escalated(),
        troubles={Ending(code).label: Trouble.of(reasons) for code, reasons in failures.items()},
        traces={
            Ending(code).label: trace for code in failures if (trace := records.first_trace(code))
        },
        walked=records.walked(),
        one_reason=is_one_reason(reason for reasons in failures.values() for reason in reasons),
        decided=decided,
        begun=begun,
        objective=records.header.objective,
        asked_again=progress.asked_again,
        unstable=changes_of(records),
        check=records.check(),
        measured=cost_figures(records) if records.is_sample else None,
        coverage=_coverage(records),
        tested_with_plan=None if reachable is None else reachable.tested_with_plan,
        no_plan="" if reachable is None else _lack_of_plans(reachable),
        cause_count=records.cause_count(),
    )


def _coverage(records: CostRecords) -> Coverage | None:
    """How much of what can be reached was tested, where that was counted."""
    reachable = records.header.reachable
    if reachable is None:
        return None
    return Coverage(
        reachable=reachable.states,
        is_counted=reachable.is_counted,
        with_plan=reachable.with_plan,
        is_whole=reachable.is_whole and records.judged() == records.case_count(),
        finding=objective_class(records.header.objective).proven,
    )


def _lack_of_plans(reachable: Reachable) -> str:
    if reachable.is_whole and not reachable.tested_with_plan:
        return "no test state has a plan"
    return NO_PLAN if reachable.is_counted and not reachable.with_plan else ""


def _proven(records: CostRecords, summary: CostSummary) -> CostSummary:
    """The summary with whether a certificate shows that there is no bug."""
    coverage = summary.coverage
    if coverage is None or not summary.is_whole_green or not is_certified(records, coverage):
        return summary
    return replace(summary, coverage=replace(coverage, is_proven=True))
