"""Words that campaigns of all kinds share."""

from __future__ import annotations

from collections.abc import Mapping

from bugsieve.basis.wording import counted


def bugs_line(counts: Mapping[str, int], *, is_all: bool) -> str:
    """How many bugs, by kind; `is_all` unless there are others that nobody could prove."""
    if not counts:
        return "no bugs found" if is_all else "no bugs proven"
    return f"{counted(sum(counts.values()), 'bug')}: {kinds_text(counts)}"


def kinds_text(counts: Mapping[str, int]) -> str:
    """How many bugs of each kind; of the kinds, only the fault is a noun."""
    return ", ".join(
        counted(count, kind) if kind == "fault" else f"{count} {kind}"
        for kind, count in counts.items()
    )
