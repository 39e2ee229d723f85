"""The records of a campaign as CSV, JSON or Parquet, and its bugs as files."""

from __future__ import annotations

import os
from pathlib import Path

from bugsieve.base.errors import InputError
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.store.folder import write_bug
from bugsieve.campaigns.store.table_files import check_format, write_tables


def export(
    directory: str | os.PathLike[str], form: str, target: str | os.PathLike[str]
) -> list[Path]:
    """Write the records of a campaign; returns the files.

    "json" makes one file of the name `target`; "csv" and "parquet" make a folder of that name with
    one file per table. Files that are there already are replaced.
    """
    check_format(form)
    kind = kind_in(Path(directory))
    with kind.records(directory) as records:
        tables, about = kind.tables(records), kind.about(records.header)
    return write_tables(form, target, tables, dict(about))


def export_bugs(
    directory: str | os.PathLike[str], target: str | os.PathLike[str], *, every: bool = True
) -> list[Path]:
    """Write a file for each bug into the folder `target`, as the campaign's own folder has them.

    Files that are there already are replaced. Returns the files. Without `every`, bugs are left
    out whose certificates are not stored, but made again when they are asked for.
    """
    folder = Path(target)
    with kind_in(Path(directory)).records(directory) as records:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            rows = (row for row in records.each_bug() if every or not row.is_brief)
            return [write_bug(folder, row) for row in rows]
        except OSError as error:
            raise InputError(f"{folder}: cannot be written ({error.strerror})") from None
