"""How people are told about cost testing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bugsieve.base.wording import counted
from bugsieve.campaigns.cost.records import CostRecords, InitialRun
from bugsieve.campaigns.cost.summary import CostSummary
from bugsieve.campaigns.events import RoundDone
from bugsieve.campaigns.measured import UNIMPROVED, figure_lines, measured_lines
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.verdict import CampaignResult
from bugsieve.campaigns.wording import bug_lines, check_lines, kinds_text
from bugsieve.pipeline.judging.findings import CostBugRow
from bugsieve.pipeline.objectives import Objective, objective_class
from bugsieve.policies.decisions import Ending


@dataclass(frozen=True)
class FoundStates:
    """The bugs of a campaign: failures first, then by how much the policy loses."""

    records: CostRecords
    ids: list[str]
    """Their names."""

    def lines(self, most: int) -> list[str]:
        """A table of the first bugs."""
        table = [
            (row.id, row.bug.kind, row.bug.in_words, ", ".join(row.finders))
            for row in self.records.named(self.ids[:most])
        ]
        widths = [max(len(line[column]) for line in table) for column in range(3)]
        return [
            f"  {name:{widths[0]}}  {kind:{widths[1]}}  {values:{widths[2]}}  {finders}"
            for name, kind, values, finders in table
        ]

    def about(self, name: str) -> str:
        """What is wrong with the bug of this id."""
        return "".join(row.bug.in_words for row in self.records.named([name]))

    def json(self) -> list[dict[str, Any]]:
        """The same for programs, without the certificates."""
        lines = {member.id: member.line for member in self.records.members_of_causes()}
        rows = self.records.named(self.ids)
        return [{**_bug_json(row), "line": lines.get(row.id)} for row in rows]


class CostWording:
    """What commands print of campaigns of cost testing."""

    def heading(self, header: CampaignHeader) -> str:
        """The task, the policy and the objective."""
        task = header.subject.title
        objective = objective_class(header.objective).shown(header.objective)
        heading = f"task {task}, policy {header.tested}, objective {objective}"
        kept = CostOptions.from_toml(header.options, name="options").fuzz.test_states
        return heading if kept is None else f"{heading}, test states with {kept}"

    def first_lines(self, summary: CostSummary) -> list[str]:
        """What became of the initial state, with the coverage of larger tasks; of measurements
        the figures."""
        if summary.measured is not None:
            return measured_lines(summary, summary.measured)
        told = [_coverage(summary)] if _is_part(summary) else []
        if summary.initial is not None:
            told.append(initial_line(summary.initial, objective_class(summary.objective)))
        return ["; ".join(told)] if told else []

    def count_lines(self, summary: CostSummary) -> list[str]:
        """The counts of a campaign."""
        endings = ", ".join(f"{count} {ending}" for ending, count in summary.endings.items())
        walks = f" from {counted(summary.walks, 'walk')}" if summary.walks else ""
        made = f"{counted(summary.pool, 'test state')}{walks}"
        if summary.measured is not None:
            made = counted(summary.pool, "test")
        lines = [
            f"{made}, {summary.judged} judged in {summary.seconds:.1f} s"
            + (f" ({summary.reason})" if summary.reason else ""),
            f"runs of the policy: {endings or 'none'}",
            *(trouble.sentence(ending) for ending, trouble in summary.troubles.items()),
            *_bugs(summary),
        ]
        if summary.implied:
            more = " more" if summary.bugs else ""
            verb = "must be a bug" if summary.implied == 1 else "must be bugs"
            lines.append(f"{summary.implied}{more} {verb}, but no better run is known yet")
        if summary.undecided and summary.bugs:
            lines.append(f"{counted(summary.undecided, 'failing run')} undecided")
        if summary.share is not None:
            plans = counted(summary.tested_with_plan or 0, "test state")
            lines.append(f"{100 * summary.share:.1f} % of the {plans} with a plan are bugs")
        lines += check_lines(summary)
        width = max((len(oracle) for oracle in summary.outcomes), default=0)
        for oracle, outcomes in summary.outcomes.items():
            counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
            lines.append(f"  {oracle:{width}}  {counts or 'nothing judged'}")
        if summary.revised:
            bugs = counted(summary.revised, "bug")
            lines.append(f"  {bugs} became known when other states were judged")
        if summary.carried:
            states = counted(summary.carried, "state")
            lines.append(f"  {states} not put to oracles: runs from there lead into known bugs")
        lines += escalation_lines(summary)
        if summary.measured is not None:
            lines += figure_lines(summary, summary.measured, UNIMPROVED)
        return lines

    def found(self, records: CostRecords) -> FoundStates:
        """The bugs of a campaign, the worst first."""
        return FoundStates(records, records.ranked())

    def hints(self, records: CostRecords, summary: CostSummary) -> list[str]:
        """Nothing more."""
        return []

    def progress(self, state: RoundDone) -> list[str]:
        """Where a running campaign stands."""
        return [
            f"{state.noun} {state.cases} of {state.limit}",
            f"judged {state.judged}",
            kinds_text(state.bugs) or "no bugs",
            f"{state.per_second:.0f} states/s",
            counted(state.policy_calls, "policy call"),
        ]


def _is_part(summary: CostSummary) -> bool:
    """Whether the coverage is to be told: the verdict has it where no bug was found."""
    coverage, outcome = summary.coverage, summary.outcome
    is_part = coverage is not None and not coverage.is_whole and summary.judged > 0
    return is_part and outcome not in (CampaignResult.NONE_FOUND, CampaignResult.NOTHING)


def _coverage(summary: CostSummary) -> str:
    assert summary.coverage is not None
    return summary.coverage.of_tested(summary.judged)


def _bugs(summary: CostSummary) -> list[str]:
    """How many bugs; of tests that end in the same state, they are one."""
    repeats = "" if summary.measured is None else ", each in another state"
    return [f"{line}{repeats}" for line in bug_lines(summary)]


def initial_line(run: InitialRun, objective: type[Objective]) -> str:
    """What the policy does from the initial state, and what is known to be better."""
    if run.ending == Ending.SOLVED.label:
        known = {"pass": "no plan is better", "bug": run.better}
        rest = known.get(run.outcome, "no better plan is known")
        return f"{objective.reached.format(cost=run.cost)}: {rest}"
    if run.ending == Ending.STEP_LIMIT.label and run.outcome == "bug":
        return f"from the initial state the policy does worse than it need: {run.better}"
    if run.ending == Ending.STEP_LIMIT.label and run.outcome == "inconclusive" and objective.cut:
        return objective.cut
    known = {
        "pass": "no plan exists" if objective.takes_any_plan else "no run is better",
        "unstable": f"{run.ending}, but it changes its answers",
        "implied": "a plan must exist",
        "bug": run.better,
    }
    rest = known.get(run.outcome, f"{run.ending}, and no plan is known")
    return f"{objective.missed}: {rest}"


def escalation_lines(summary: CostSummary) -> list[str]:
    """What came out of visiting failing runs again that all oracles had left open."""
    if not summary.escalated:
        return []
    counts = ", ".join(f"{count} {outcome}" for outcome, count in summary.escalated.items())
    return [f"visited again with more expansions: {counts}"]


def _bug_json(row: CostBugRow) -> dict[str, Any]:
    certificate = row.bug.certificate
    return {
        "id": row.id,
        "kind": row.bug.kind,
        "gap": certificate["gap"],
        "policy_value": certificate["policy_value"],
        "value": certificate["value"],
        "oracles": list(row.finders),
        "seconds": row.seconds,
        "cause": row.cause.id,
    }
