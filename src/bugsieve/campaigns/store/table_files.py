"""Tables as CSV, JSON or Parquet files, for other programs."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.base.files_and_processes.files import write_together
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.base.names import no_such
from bugsieve.base.wording import csv_cell

Table = dict[str, list[Any]]
"""Columns of equal length; unknown values are None, lists stay lists."""

LIST_SEPARATOR = ";"
"""Between the items of a list in CSV: in PDDL it begins a comment, so no name contains it."""


def check_format(form: str) -> None:
    """UsageError unless tables can be written in this form."""
    if form not in _WRITERS:
        raise UsageError(no_such("export format", form, _WRITERS))


def write_tables(
    form: str,
    target: str | os.PathLike[str],
    tables: dict[str, Table],
    about: dict[str, str],
) -> list[Path]:
    """Write the tables; returns the files.

    "json" makes one file of the name `target`; "csv" and "parquet" make a folder of that name with
    one file per table. Files that are there already are replaced.
    """
    path = Path(target)
    return _written(path, _WRITERS[form](path, tables, about))


def write_table(target: str | os.PathLike[str], table: Table) -> Path:
    """Write one table as JSON lines (`.jsonl`) or Parquet (`.parquet`), as the name says."""
    path = Path(target)
    check_table_file(path)
    content = _parquet(table, {}) if path.suffix == ".parquet" else _json_lines(table)
    return _written(path, {path: content})[0]


def check_table_file(path: Path) -> None:
    """UsageError unless a table can be written to a file of this name."""
    if path.suffix not in (".jsonl", ".parquet"):
        raise UsageError(f"{path}: the name must end in .jsonl (JSON lines) or .parquet")


def _written(path: Path, files: dict[Path, bytes]) -> list[Path]:
    try:
        for file in files:
            make_folders(file.parent)
        write_together(files)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    return list(files)


def _as_csv(path: Path, tables: dict[str, Table], about: dict[str, str]) -> dict[Path, bytes]:
    return {path / f"{name}.csv": _csv_text(table).encode() for name, table in tables.items()}


def _csv_text(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        writer.writerow([_csv_cell(value) for value in row])
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    return csv_cell(LIST_SEPARATOR.join(map(str, value)) if isinstance(value, list) else value)


def _as_json(path: Path, tables: dict[str, Table], about: dict[str, str]) -> dict[Path, bytes]:
    content: dict[str, Any] = dict(about)
    for name, table in tables.items():
        rows = zip(*table.values(), strict=True)
        content[name] = [
            {key: _json_value(value) for key, value in zip(table, row, strict=True)}
            for row in rows
        ]
    return {path: (json.dumps(content, allow_nan=False, indent=1) + "\n").encode()}


def _json_value(value: Any) -> Any:
    """JSON has no infinity; null already means unknown."""
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def _json_lines(table: Table) -> bytes:
    rows = zip(*table.values(), strict=True)
    lines = (json.dumps(dict(zip(table, row, strict=True)), allow_nan=False) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _as_parquet(path: Path, tables: dict[str, Table], about: dict[str, str]) -> dict[Path, bytes]:
    return {path / f"{name}.parquet": _parquet(table, about) for name, table in tables.items()}


def _parquet(table: Table, about: dict[str, str]) -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UnsupportedError(
            "Parquet files need the package pyarrow: pip install 'bugsieve[parquet]'"
        ) from None
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table(table).replace_schema_metadata(about), buffer)
    return buffer.getvalue()


_WRITERS: dict[str, Callable[[Path, dict[str, Table], dict[str, str]], dict[Path, bytes]]] = {
    "csv": _as_csv,
    "json": _as_json,
    "parquet": _as_parquet,
}
