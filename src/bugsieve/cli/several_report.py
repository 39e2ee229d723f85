"""What is shown of several campaigns together: of problems, of a folder, of an experiment."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.cli.campaign_report import jsonable, next_lines

if TYPE_CHECKING:
    from bugsieve.campaigns.several import JointSummary


def joint_cause_lines(directory: Path, summary: JointSummary, most: int) -> list[str]:
    """The causes of the bugs of all campaigns together, and what to do with the first example."""
    from bugsieve.campaigns.causes import cause_lines
    from bugsieve.campaigns.several_wording import AboutAll, members_of_all, place_of
    from bugsieve.faults.causes.groups import grouped

    groups = grouped(members_of_all(directory, summary))
    if not groups or not most:
        return []
    lines = ["", *cause_lines(groups, AboutAll(directory), most)]
    if (more := len(groups) - most) > 0:
        lines.append(f"  … and {more} more: bugsieve status {directory} --causes {len(groups)}")
    return [*lines, "", *next_lines(*place_of(directory, groups[0].example))]


def joint_json(directory: Path, summary: JointSummary) -> str:
    """The same for programs: the summary, and causes and bugs of each campaign by its folder."""
    from bugsieve.campaigns.kind import kind_in
    from bugsieve.results.causes import cause_rows

    causes: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for name in summary.parts:
        kind = kind_in(directory / name)
        with kind.records(directory / name) as records:
            causes[name] = cause_rows(records)
            found[name] = kind.wording.found(records).json()
    report = {"folder": str(directory), **jsonable(asdict(summary))}
    report |= {"causes": causes, "found": found}
    return json.dumps(report, indent=2, allow_nan=False)
