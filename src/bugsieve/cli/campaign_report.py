"""What the commands that run campaigns show: progress while they run, then a summary."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.wording import counted
from bugsieve.cli.campaign_display import bugs_line, run_displayed
from bugsieve.cli.streams import complain, show

if TYPE_CHECKING:
    from bugsieve.campaigns.campaign import Campaign
    from bugsieve.campaigns.summary import Summary
    from bugsieve.results.rows import BugRow, CampaignHeader

BUGS_FOUND = 1
NOTHING_TESTED = 5
OUR_FAULT = 3

_BUGS_SHOWN = 10


def run_and_report(campaign: Campaign, *, as_json: bool) -> int:
    """Run the campaign with a progress display, print what came out; the exit code."""
    summary = run_displayed(campaign, campaign.options.stop)
    if as_json:
        rows = _bug_rows(campaign)
        show(summary_json(campaign.header, summary, rows, folder=str(campaign.directory)))
    else:
        show(summary_text(campaign, summary))
    if summary.unanswered is not None:
        complain(nothing_tested(summary.unanswered))
    return exit_code(summary)


def exit_code(summary: Summary) -> int:
    """1 for bugs, proven or implied; 5 if no run said anything; 3 if a claim of ours is wrong."""
    if summary.rejected:
        return OUR_FAULT
    if summary.bugs or summary.implied:
        return BUGS_FOUND
    return 0 if summary.telling else NOTHING_TESTED


def nothing_tested(reason: str) -> str:
    """The sentence for a policy that gave no answer in any run."""
    return f"nothing could be tested, for the policy gave no answer: {reason}"


def summary_text(campaign: Campaign, summary: Summary) -> str:
    """What was tested and found, for people."""
    lines = [*heading_lines(campaign), "", *count_lines(summary)]
    rows = _bug_rows(campaign)
    if rows:
        lines += ["", *bug_lines(rows[:_BUGS_SHOWN])]
        if len(rows) > _BUGS_SHOWN:
            lines.append(f"  … and {len(rows) - _BUGS_SHOWN} more in {campaign.directory}/bugs")
        lines += ["", *next_lines(campaign.directory, rows[0].id)]
    return "\n".join([*lines, *rejected_lines(summary.rejected)])


def next_lines(folder: Path, bug: str) -> list[str]:
    """The commands that go on with a bug."""
    return [
        f"look closer: bugsieve explain {folder} {bug}",
        f"ask again:   bugsieve replay {folder} {bug}",
    ]


def rejected_lines(rejected: Sequence[object]) -> list[str]:
    """That claims of ours were wrong, if some were."""
    if not rejected:
        return []
    return ["", f"{counted(len(rejected), 'claim')} rejected by the checker: a fault in Bugsieve"]


def heading_lines(campaign: Campaign) -> list[str]:
    """The task, the policy and where the results are."""
    header = campaign.header
    return [
        f"task {header.task.name}, policy {header.policy}, objective {header.objective}, "
        f"seed {campaign.options.fuzz.seed}",
        f"results in {campaign.directory}",
    ]


def count_lines(summary: Summary) -> list[str]:
    """The counts of a campaign."""
    endings = ", ".join(f"{count} {ending}" for ending, count in summary.endings.items())
    lines = [
        f"{counted(summary.pool, 'test state')} from {counted(summary.walks, 'walk')}, "
        f"{summary.judged} judged in {summary.seconds:.1f} s"
        + (f" ({summary.reason})" if summary.reason else ""),
        f"runs of the policy: {endings or 'none'}",
        *(trouble.sentence(ending) for ending, trouble in summary.troubles.items()),
        bugs_line(summary.bugs_by_kind, is_all=not summary.implied),
    ]
    if summary.implied:
        more = " more" if summary.bugs else ""
        verb = "must be a bug" if summary.implied == 1 else "must be bugs"
        lines.append(f"{summary.implied}{more} {verb}, but no better run is known yet")
    width = max((len(oracle) for oracle in summary.outcomes), default=0)
    for oracle, outcomes in summary.outcomes.items():
        counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        lines.append(f"  {oracle:{width}}  {counts or 'nothing judged'}")
    return lines


def bug_lines(rows: list[BugRow]) -> list[str]:
    """A table of bugs, the worst first."""
    table = [
        (row.id, row.bug.kind, _values(row.bug.certificate), ", ".join(row.finders))
        for row in rows
    ]
    widths = [max(len(line[column]) for line in table) for column in range(3)]
    return [
        f"  {name:{widths[0]}}  {kind:{widths[1]}}  {values:{widths[2]}}  {finders}"
        for name, kind, values, finders in table
    ]


def _values(certificate: Mapping[str, Any]) -> str:
    from bugsieve.benches.objectives import objective_class

    kinds = objective_class(certificate["objective"]).kinds
    return kinds[certificate["kind"]].describe(certificate)


def _bug_rows(campaign: Campaign) -> list[BugRow]:
    """The bugs of a campaign: failures first, then by how much the policy loses."""
    from bugsieve.results.records import Records
    from bugsieve.results.rows import worst_first

    with Records(campaign.directory) as records:
        return worst_first(records.bugs())


def summary_json(
    header: CampaignHeader, summary: Summary, rows: list[BugRow], **first: str
) -> str:
    """The same for programs."""
    report = {
        **first,
        "task": header.task.name,
        "policy": header.policy,
        "objective": header.objective,
        **jsonable(asdict(summary)),
        "found": [_bug_json(row) for row in rows],
    }
    return json.dumps(report, indent=2, allow_nan=False)


def _bug_json(row: BugRow) -> dict[str, Any]:
    """A bug in a list of bugs; its certificate is in its own file."""
    certificate = row.bug.certificate
    return {
        "id": row.id,
        "kind": row.bug.kind,
        "gap": certificate["gap"],
        "policy_value": certificate["policy_value"],
        "value": certificate["value"],
        "oracles": list(row.finders),
        "seconds": row.seconds,
    }


def jsonable(value: Any) -> Any:
    """The value with infinities and NaN as null."""
    if isinstance(value, Mapping):
        return {key: jsonable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
