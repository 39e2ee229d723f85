"""The records of a campaign as CSV, JSON or Parquet, for other programs."""

from __future__ import annotations

import os
from pathlib import Path

from bugsieve.campaigns.kind import kind_in
from bugsieve.results.table_files import check_format, write_tables


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
