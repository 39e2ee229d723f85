"""The folder of a campaign: beside the store, files for people.

Everything but the store is derived from it and can be written again at any time.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, Protocol

from bugsieve.basis.errors import UsageError
from bugsieve.basis.files import write_atomically
from bugsieve.results.lock import LOCK_FILE
from bugsieve.results.records import Records
from bugsieve.results.rows import CampaignHeader, TimelineRow
from bugsieve.results.schema import STORE_FILE, explained
from bugsieve.results.store_file import PART_FILE

README_FILE = "README.txt"
OPTIONS_FILE = "options.toml"
TASK_FILE = "task.sas"
DOMAIN_FILE = "domain.pddl"
PROBLEM_FILE = "problem.pddl"
TIMELINE_FILE = "timeline.csv"
BUGS_FOLDER = "bugs"

_README = """\
This folder holds a campaign of Bugsieve: tests of the policy
  {policy}
on the task {task}.

campaign.sqlite   everything that was found; all other files can be written again from it
options.toml      what was asked for
task.sas          the grounded task; certificates refer to it
{pddl}bugs/             one file for each bug, with its proof: the policy's run and a better one
timeline.csv      pool, verdicts and bugs over the running time in seconds
campaign.lock     keeps two processes from running the campaign at once

bugsieve status {folder}      how far it is
bugsieve resume {folder}      continue where it stopped
bugsieve replay {folder} BUG  ask the policy again and check the certificate
bugsieve export {folder} --csv OUT
"""


def check_free(directory: Path) -> None:
    """UsageError unless a new campaign may be put into the folder: it is missing or empty."""
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory}: is a file, name a new folder for the campaign")
    with explained(directory):
        names = set(os.listdir(directory)) if directory.exists() else set()
    if STORE_FILE in names:
        raise UsageError(
            f"{directory}: holds a campaign already: continue it with 'bugsieve resume "
            f"{directory}', or name a new folder"
        )
    leftovers = {LOCK_FILE, PART_FILE, f"{PART_FILE}-wal", f"{PART_FILE}-shm"}
    if names - leftovers:
        raise UsageError(f"{directory}: is not empty: name a new folder for the campaign")


def restore(directory: Path) -> None:
    """Write all derived files that are missing or may be out of date."""
    with Records(directory) as records:
        write_descriptions(directory, records.header)
        write_bugs(directory, records.bugs())
        write_timeline(directory, TimelineRow, records.timeline())


def write_descriptions(directory: Path, header: CampaignHeader) -> None:
    """The files that say what the campaign is about, those that are missing."""
    task = header.task
    files = {
        README_FILE: _readme(directory, header).encode(),
        OPTIONS_FILE: header.options.encode(),
        TASK_FILE: task.sas.encode(),
        DOMAIN_FILE: task.domain,
        PROBLEM_FILE: task.problem,
    }
    write_missing(directory, files)


def write_missing(directory: Path, files: Mapping[str, bytes | None]) -> None:
    """Those of the files that are not there yet; None stands for no file."""
    with explained(directory):
        for name, content in files.items():
            if content is not None and not (directory / name).exists():
                write_atomically(directory / name, content)


class Writable(Protocol):
    """A bug of any kind."""

    def to_json(self) -> dict[str, Any]:
        """The bug as JSON data."""
        ...


class StoredBug(Protocol):
    """The row of a bug of any kind."""

    @property
    def id(self) -> str:
        """The name of the bug."""
        ...

    @property
    def bug(self) -> Writable:
        """The bug itself."""
        ...


def write_bugs(directory: Path, bugs: Iterable[StoredBug]) -> None:
    """One JSON file for each bug that has none yet."""
    with explained(directory):
        folder = directory / BUGS_FOLDER
        folder.mkdir(exist_ok=True)
        for bug in bugs:
            path = folder / f"{bug.id}.json"
            if not path.exists():
                write_atomically(path, f"{readable_json(bug.bug.to_json())}\n".encode())


def readable_json(data: Any, indent: str = "") -> str:
    """JSON with a line for each entry of an object and each row of a table.

    Proofs are long tables: a line for each number would make them unreadable, and slow to write.
    """
    deeper = indent + "  "
    if isinstance(data, Mapping) and data:
        lines = [f"{_compact(key)}: {readable_json(data[key], deeper)}" for key in data]
        return f"{{\n{deeper}" + f",\n{deeper}".join(lines) + f"\n{indent}}}"
    if isinstance(data, (list, tuple)) and any(isinstance(row, (list, dict)) for row in data):
        rows = map(_compact, data)
        return f"[\n{deeper}" + f",\n{deeper}".join(rows) + f"\n{indent}]"
    return _compact(data)


_compact = json.JSONEncoder(allow_nan=False).encode


def write_timeline(directory: Path, kind: type[Any], rows: Iterable[Any]) -> None:
    """The whole timeline as CSV, in place of the old one; rows are of a dataclass, seconds first.

    The dataclass is one for each kind of campaigns.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(kind)])
    for row in rows:
        writer.writerow([f"{row.seconds:.3f}", *astuple(row)[1:]])
    with explained(directory):
        write_atomically(directory / TIMELINE_FILE, text.getvalue().encode())


def _readme(directory: Path, header: CampaignHeader) -> str:
    pddl = "domain.pddl, problem.pddl   the files it came from\n"
    return _README.format(
        policy=header.policy,
        task=header.task.name,
        folder=directory.name,
        pddl=pddl if header.task.domain is not None else "",
    )
