"""Tables for programs: CSV and JSON with unrounded numbers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from bugsieve.base.wording import csv_cell
from bugsieve.reports.table import Column, Missing, Table, Value


def csv_text(table: Table) -> str:
    """One line for each row; nothing for undefined, a dash for what does not apply."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([table.block, table.label, *(column.key for column in table.columns)])
    for row in table.rows:
        writer.writerow([csv_cell(row.block), csv_cell(row.label), *map(_csv_cell, row.cells)])
    return text.getvalue().rstrip("\n")


def _csv_cell(value: Value) -> str:
    if isinstance(value, Missing):
        return "–" if value is Missing.NOT_APPLICABLE else ""
    return f"{value:.6g}"


def json_text(table: Table) -> str:
    """An object with rows and notes; null for undefined, a text for what does not apply."""
    return json.dumps(_json_table(table), indent=2, ensure_ascii=False)


def json_texts(tables: Mapping[str, Table]) -> str:
    """An object with several tables by name."""
    content = {name: _json_table(table) for name, table in tables.items()}
    return json.dumps(content, indent=2, ensure_ascii=False)


def _json_table(table: Table) -> dict[str, Any]:
    rows = [
        {
            table.block: row.block,
            table.label: row.label,
            **{
                column.key: _json_value(value, column)
                for column, value in zip(table.columns, row.cells, strict=True)
            },
            **({"unsolved_instances": list(row.unsolved)} if row.unsolved else {}),
        }
        for row in table.rows
    ]
    return {"rows": rows, "notes": list(table.notes)}


def _json_value(value: Value, column: Column) -> Any:
    if isinstance(value, Missing):
        return value.value if value is Missing.NOT_APPLICABLE else None
    return value if column.decimals else round(value)
