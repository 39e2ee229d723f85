"""The causes of a campaign's bugs for other programs."""

from __future__ import annotations

from typing import Any

from bugsieve.faults.causes.words import in_words
from bugsieve.results.records import CampaignRecords
from bugsieve.results.table_files import Table


def cause_table(records: CampaignRecords[Any]) -> Table:
    """One row per cause, those of most bugs first; `with` is the cause that it is shown with."""
    names = ("id", "bugs", "words", "ending", "steps", "details", "example", "with")
    table: Table = {name: [] for name in names}
    for group in records.causes():
        for one in group:
            cause = one.cause
            host = None if one is group else group.cause.id
            steps = [f"{schema} {flag}".strip() for schema, flag in cause.steps]
            cells = (cause.id, one.count, in_words(cause), cause.ending, steps)
            for name, cell in zip(
                names, (*cells, list(cause.details), one.example, host), strict=True
            ):
                table[name].append(cell)
    return table


def cause_rows(records: CampaignRecords[Any]) -> list[dict[str, Any]]:
    """The same row by row."""
    table = cause_table(records)
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
