"""What is said of a campaign at any time, the most important fact first."""

from __future__ import annotations

from typing import Any

from bugsieve.campaigns.kind import Kind
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.wording import advice_lines, verdict_lines


def first_lines(kind: Kind[Any], summary: Summary) -> list[str]:
    """What a campaign has come to: the first line is the verdict.

    A training tests nothing, so it has none.
    """
    verdict = verdict_lines(summary) if kind.is_test else []
    advice = advice_lines(summary) if summary.reason else []
    return [*verdict, *kind.wording.first_lines(summary), *advice]


def status_lines(kind: Kind[Any], header: CampaignHeader, summary: Summary) -> list[str]:
    """The verdict, what was tested, and the counts."""
    first, counts = first_lines(kind, summary), kind.wording.count_lines(summary)
    without = [f"without {row.spec}: {row.objection}" for row in header.oracles if row.objection]
    return [*first, kind.wording.heading(header), *counts, *without]
