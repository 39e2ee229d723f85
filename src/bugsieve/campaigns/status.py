"""What is said of a campaign at any time, the most important fact first."""

from __future__ import annotations

from typing import Any

from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.wording import bugs_line, nothing_tested_lines, undecided_lines
from bugsieve.results.progress import CampaignHeader


def verdict_lines(kind: Kind[Any], summary: Summary) -> list[str]:
    """What a campaign has come to: the first line is the verdict."""
    lines = nothing_tested_lines(summary)
    lines += undecided_lines(summary) if summary.reason else []
    lines += kind.wording.first_lines(summary)
    return lines or [bugs_line(summary)]


def status_lines(kind: Kind[Any], header: CampaignHeader, summary: Summary) -> list[str]:
    """The verdict, what was tested, and the counts."""
    first = verdict_lines(kind, summary)
    counts = [line for line in kind.wording.count_lines(summary) if line not in first]
    without = [f"without {row.spec}: {row.objection}" for row in header.oracles if row.objection]
    return [*first, kind.wording.heading(header), *counts, *without]
