"""The tables that `export` writes of tests of rules: a row per obligation and task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.table_files import Table
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.store.bug import steps_of
from bugsieve.rooms.rules.store.records import RulesRecords

_COLUMNS = (
    *("number", "task", "rule", "family", "aim", "literal", "formula", "verdict", "view"),
    *("reading", "reason", "steps", "expanded", "seconds"),
)


def rules_tables(records: RulesRecords) -> dict[str, Table]:
    """All tables."""
    files = {row.number: row.file for row in records.tasks()}
    answers = {row.number: row for row in records.answers()}
    table: Table = {name: [] for name in _COLUMNS}
    for row in records.obligations():
        item, found = row.obligation, answers.get(row.number)
        said: list[Any] = [None] * 7
        if found is not None:
            answer, trace = found.answer, found.answer.trace
            steps = None if trace is None else steps_of(trace)
            said = [answer.verdict, answer.view, answer.reading, answer.reason, steps]
            said += [answer.expanded, found.seconds]
        about = [row.number, files[row.task], item.rule, item.family, item.aim, item.literal]
        for name, value in zip(_COLUMNS, [*about, to_text(item.formula), *said], strict=True):
            table[name].append(value)
    return {"obligations": table}


def about(header: CampaignHeader) -> Mapping[str, str]:
    """The subject of these tables."""
    return {"domain": header.subject.name, "rules": header.subject.rules_file}
