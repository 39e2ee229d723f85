"""What the commands that run safety campaigns show: progress while they run, then a summary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.wording import counted
from bugsieve.cli.campaign_display import bugs_line, run_displayed
from bugsieve.cli.campaign_report import (
    BUGS_FOUND,
    NOTHING_TESTED,
    OUR_FAULT,
    next_lines,
    rejected_lines,
)
from bugsieve.cli.state_wording import changes_text, telling_text
from bugsieve.cli.streams import show

if TYPE_CHECKING:
    from bugsieve.campaigns.safety.campaign import SafetyCampaign
    from bugsieve.campaigns.safety.summary import RunCounts, SafetySummary
    from bugsieve.results.safety.rows import SafetyBugRow, SafetyHeader

_BUGS_SHOWN = 5
_STATES_READ = 5


def run_and_report_safety(campaign: SafetyCampaign, *, as_json: bool) -> int:
    """Run the campaign with a progress display, print what came out; the exit code."""
    summary = run_displayed(campaign, campaign.options.stop)
    if as_json:
        found = FoundBugs.read(campaign.directory)
        show(safety_json(campaign.header, summary, found, folder=str(campaign.directory)))
    else:
        show(summary_text(campaign, summary))
    return safety_exit_code(summary)


def safety_exit_code(summary: SafetySummary) -> int:
    """1 for bugs, also those whose proof is not kept; 5 if nothing could be said; 3 if we err."""
    if summary.rejected:
        return OUR_FAULT
    if summary.bugs or summary.unproven:
        return BUGS_FOUND
    decided = any(counts.with_fault + counts.unavoidable for counts in summary.oracles.values())
    if summary.runs:
        return 0 if decided else NOTHING_TESTED
    return 0 if _telling(summary) else NOTHING_TESTED


def _telling(summary: SafetySummary) -> list[str]:
    """Outcomes of walks that say something: a run that was cut short does not.

    Nor does one that ends for want of an action if the policy fails to answer.
    """
    silent = ("step limit", "no action") if summary.troubles else ("step limit",)
    return [outcome for outcome in summary.outcomes if outcome not in silent]


def summary_text(campaign: SafetyCampaign, summary: SafetySummary) -> str:
    """What was tested and found, for people."""
    folder, header = campaign.directory, campaign.header
    lines = [
        f"model {header.name}, policy {header.policy}, seed {campaign.options.fuzz.seed}",
        f"results in {folder}",
        "",
        *safety_count_lines(summary),
    ]
    found = FoundBugs.read(folder)
    if found.rows:
        lines += ["", *found.lines(_BUGS_SHOWN)]
        if len(found.rows) > _BUGS_SHOWN:
            lines.append(f"… and {len(found.rows) - _BUGS_SHOWN} more in {folder}/bugs")
        lines += ["", *next_lines(folder, found.rows[0].id)]
        lines.append(f"repair:      bugsieve shield {folder} -o shield.json")
    lines += _sameness_lines(campaign, summary)
    return "\n".join([*lines, *rejected_lines(summary.rejected)])


def _sameness_lines(campaign: SafetyCampaign, summary: SafetySummary) -> list[str]:
    """A hint, where more walks like these would find nothing else."""
    from bugsieve.campaigns.safety.sameness import Sameness, sameness_of

    same = sameness_of(campaign, summary)
    if same is Sameness.NONE:
        return []
    found = "gave one run"
    if same is Sameness.ALIKE:
        steps = counted(summary.steps // summary.walks, "step")
        found = f"began in one state and ended alike after {steps}"
    advice = "start in more states (another start condition or problem)"
    if campaign.options.fuzz.choice != "uniform":
        advice += ", or try --choice uniform where actions have several outcomes"
    return ["", f"hint: {summary.walks} walks {found}; to see others, {advice}"]


def safety_count_lines(summary: SafetySummary) -> list[str]:
    """The counts of a safety campaign."""
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.items())
    lines = [
        f"{counted(summary.walks, 'walk')} in {summary.seconds:.1f} s"
        + (f" ({summary.reason})" if summary.reason else "")
        + f": {outcomes or 'none finished'}",
        runs_line(summary),
        bugs_line(summary.bugs_by_kind, is_all=not summary.unproven),
    ]
    if summary.unproven:
        places = {(row.walk, row.position) for row in summary.unproven}
        reason = summary.unproven[0].reason
        lines.append(f"{counted(len(places), 'fault')} not proven in full: {reason}")
    width = max(map(len, summary.oracles), default=0)
    for oracle, counts in summary.oracles.items():
        lines.append(f"  {oracle:{width}}  {oracle_text(oracle, counts, summary.runs)}")
    return lines + [f"the policy: {sentence}" for sentence in summary.trouble_sentences()]


def runs_line(summary: SafetySummary) -> str:
    """How many unsafe runs."""
    if not summary.runs:
        return "no unsafe runs found"
    return f"{counted(summary.runs, 'unsafe run')}, {summary.different_runs} different"


def oracle_text(oracle: str, counts: RunCounts, runs: int) -> str:
    """What an oracle says of the unsafe runs."""
    if not runs:
        return "nothing to judge"
    share = 100 * counts.with_fault / runs
    parts = [f"{counts.with_fault} of {counted(runs, 'unsafe run')} with a fault ({share:.0f} %)"]
    if counts.unavoidable:
        _, _, radius = oracle.partition(":")
        within = f" within {counted(int(radius), 'divergence')}" if radius else ""
        parts.append(f"{counts.unavoidable} could not be avoided{within}")
    if counts.inconclusive:
        parts.append(f"{counts.inconclusive} inconclusive")
    return ", ".join(parts)


@dataclass(frozen=True)
class FoundBugs:
    """The bugs of a safety campaign, those in most runs first."""

    rows: list[SafetyBugRow]
    runs: Mapping[str, int]
    """In how many unsafe runs each bug occurs, by its id."""
    actions: Sequence[str]
    """Names of the model's actions."""

    @classmethod
    def read(cls, folder: Path) -> FoundBugs:
        """Those of a campaign."""
        from bugsieve.results.safety.records import SafetyRecords
        from bugsieve.results.safety.rows import commonest_first

        with SafetyRecords(folder) as records:
            runs = records.bug_runs()
            return cls(commonest_first(records.bugs(), runs), runs, records.header.actions)

    def lines(self, most: int) -> list[str]:
        """The first bugs, each in two lines: where it is, and what the policy does there."""
        lines = []
        for row in self.rows[:most]:
            certificate = row.bug.certificate
            state = telling_text(certificate["variables"], row.bug.state, _ahead(certificate))
            lines.append(
                f"{row.id}  {row.bug.kind} in {counted(self.runs[row.id], 'run')}, at {state}"
            )
            lines.append(f"    {_decision(row, self.actions[row.safe_action])}")
        return lines

    def json(self) -> list[dict[str, Any]]:
        """The same for programs; certificates are in files of their own."""
        return [self._row_json(row) for row in self.rows]

    def _row_json(self, row: SafetyBugRow) -> dict[str, Any]:
        certificate = row.bug.certificate
        return {
            "id": row.id,
            "kind": row.bug.kind,
            "oracle": row.bug.oracle,
            "radius": row.bug.radius,
            "runs": self.runs[row.id],
            "state": dict(zip(certificate["variables"], row.bug.state, strict=True)),
            "action": certificate["action_name"],
            "safe_action": self.actions[row.safe_action],
            "steps": row.steps,
            "walk": row.walk,
            "position": row.position,
            "seconds": row.seconds,
        }


def _ahead(certificate: Mapping[str, Any]) -> list[list[Any]]:
    """Some of the states into which the policy gets, and into which it could get instead."""
    instead = [state for state, _, _ in certificate["safe"][:_STATES_READ]]
    return [*certificate["run"]["states"][:_STATES_READ], *instead]


def _decision(row: SafetyBugRow, safe: str) -> str:
    """What the policy does in the state of a bug, where that leads, and what would be safe."""
    certificate = row.bug.certificate
    danger = f"danger {counted(row.steps, 'step')} later"
    change = ""
    if row.bug.kind == "fault":
        outcome = certificate["outcome"]
        changes = changes_text(certificate["variables"], row.bug.state, outcome)
        change = f" ({changes}: {'lost' if certificate['unsafe'] else 'unsafe'})"
    return f"does {certificate['action_name']}{change}; {danger}; safe is {safe}"


def safety_json(
    header: SafetyHeader, summary: SafetySummary, found: FoundBugs, **first: str
) -> str:
    """The same as the summary for programs."""
    report = {
        **first,
        "model": header.name,
        "policy": header.policy,
        **asdict(summary),
        "found": found.json(),
    }
    return json.dumps(report, indent=2, allow_nan=False)
