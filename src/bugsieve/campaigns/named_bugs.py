"""Bugs of a campaign by their ids, as people type them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bugsieve.base.commands import quoted_command
from bugsieve.base.errors import UsageError
from bugsieve.base.names import suggest
from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.pipeline.judging.findings import BugRow

_MATCHES_SHOWN = 5


def named_bugs(records: CampaignRecords[Any], names: Sequence[str]) -> list[BugRow[Any]]:
    """The bugs of these names, or all if none is named; UsageError if there are no bugs."""
    rows = [find_bug(records, name) for name in names] or records.bugs()
    if not rows:
        raise UsageError(f"{records.directory}: has no bugs")
    return rows


def find_bug(records: CampaignRecords[Any], name: str) -> BugRow[Any]:
    """The bug of this id, or of the only one that begins so; UsageError otherwise."""
    row: BugRow[Any] | None = records.bug(name)
    if row is not None:
        return row
    ids = list(records.bug_kinds())
    folder = records.directory
    if not ids:
        raise UsageError(f"{folder}: has no bugs")
    matching = [bug for bug in ids if bug.startswith(name)]
    if matching:
        rest = len(matching) - _MATCHES_SHOWN
        shown = ", ".join(matching[:_MATCHES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
        raise UsageError(f"{folder}: several bugs begin with {name!r}: {shown}")
    raise UsageError(
        f"{folder}: has no bug {name!r}{suggest(name, ids)}; "
        f"{quoted_command('status', folder)} lists them"
    )
