"""The causes of a campaign's bugs for other programs."""

from __future__ import annotations

from typing import Any

from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.campaigns.store.table_files import Table


def cause_table(records: CampaignRecords[Any]) -> Table:
    """One row per line, those of most bugs first; `with` is the one that it is shown with.

    A line is a pattern with its conditions and all causes of its bugs, or else one cause.
    """
    names = (
        *("id", "bugs", "words", "ending", "steps", "details", "example", "with"),
        *("conditions", "causes"),
    )
    table: Table = {name: [] for name in names}
    for group in records.causes():
        for one in group:
            cause = one.cause
            host = None if one is group else group.id
            conditions = None if one.pattern is None else list(one.pattern.conditions)
            steps = [f"{schema} {flag}".strip() for schema, flag in cause.steps]
            cells = (
                *(one.id, one.count, one.words, cause.ending, steps, list(cause.details)),
                *(one.example, host, conditions, list(one.cause_ids)),
            )
            for name, cell in zip(names, cells, strict=True):
                table[name].append(cell)
    return table


def cause_rows(records: CampaignRecords[Any]) -> list[dict[str, Any]]:
    """The same row by row."""
    table = cause_table(records)
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
