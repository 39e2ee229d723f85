"""Words that campaigns of all kinds share."""

from __future__ import annotations

from collections.abc import Mapping

from bugsieve.basis.wording import counted
from bugsieve.campaigns.summary import Outcome, Summary


def undecided_lines(summary: Summary) -> list[str]:
    """That something was left open, and what would decide it."""
    if summary.outcome is not Outcome.UNDECIDED:
        return []
    left = ""
    if summary.is_telling:
        left = f"{counted(summary.undecided, summary.open_noun)} that nobody could decide; "
    return [f"undecided: {left}it would take {summary.would_decide}"]


def bugs_line(summary: Summary) -> str:
    """How many bugs, by kind."""
    counts = summary.bugs_by_kind
    if counts:
        return f"{counted(sum(counts.values()), 'bug')}: {kinds_text(counts)}"
    is_open = summary.certain or (summary.undecided and summary.is_telling)
    return "no bugs proven" if is_open else "no bugs found"


def kinds_text(counts: Mapping[str, int]) -> str:
    """How many bugs of each kind; of the kinds, only the fault is a noun."""
    return ", ".join(
        counted(count, kind) if kind == "fault" else f"{count} {kind}"
        for kind, count in counts.items()
    )
