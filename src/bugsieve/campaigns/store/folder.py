"""The folder of a campaign: beside the store, files for people.

Everything but the store is derived from it and can be written again at any time.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from pathlib import Path
from typing import Any

from bugsieve.base.commands import quoted_command, typed_words
from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.campaigns.store.lock import LOCK_FILE
from bugsieve.campaigns.store.progress import CampaignHeader, TimelineRow
from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.campaigns.store.schema import STORE_FILE, companions, explained
from bugsieve.campaigns.store.store import PART_FILE
from bugsieve.pipeline.judging.findings import BugRow

README_FILE = "README.txt"
OPTIONS_FILE = "options.toml"
TIMELINE_FILE = "timeline.csv"
BUGS_FOLDER = "bugs"
BUGS_IN_FILES, BYTES_OF_FILES = 200, 1 << 20
"""The first bugs of a campaign are files, too, until these take so much; the others are in the
store alone."""

EXAMPLES_FOLDER = "smallest"
"""The smallest examples of bugs, each in a folder of its own."""

_BUG_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")

_FILES = {
    STORE_FILE: "everything that was found; all other files can be written again from it",
    OPTIONS_FILE: "what was asked for",
}
_OTHER_FILES = {
    TIMELINE_FILE: "walks, cases and bugs over the running time in seconds",
    LOCK_FILE: "keeps two processes from running the campaign at once",
}
_COMMANDS = {
    "status {}": "how far it is",
    "resume {}": "continue where it stopped",
    "explain {} BUG": "the decision to blame, and a better run",
    "replay {} BUG": "ask the policy again and check the certificate",
    "export {} --csv OUT": "the records for other programs",
    "export {} --every-bug OUT": f"a file for every bug; {BUGS_FOLDER}/ has the first of them",
}


@dataclass(frozen=True)
class Description:
    """What the folder of a campaign says about it."""

    about: str
    """What is tested, as in "the policy x on the task y"."""
    files: Mapping[str, bytes | None]
    """Further files to write, by name; None stands for no file."""
    explained: Mapping[str, str]
    """What these files and the proofs in `bugs/` are."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Further commands, with {} for the folder, and what they do."""


def check_free(directory: Path) -> None:
    """UsageError unless a new campaign may be put into the folder: it is missing or empty."""
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory}: is a file, name a new folder for the campaign")
    with explained(directory):
        names = set(os.listdir(directory)) if directory.exists() else set()
    if STORE_FILE in names:
        raise UsageError(
            f"{directory}: holds a campaign already: continue it with "
            f"{quoted_command('resume', directory)}, or name a new folder"
        )
    leftovers = {LOCK_FILE, PART_FILE, *(path.name for path in companions(Path(PART_FILE)))}
    if names - leftovers:
        raise UsageError(f"{directory}: is not empty: name a new folder for the campaign")


def restore(records: CampaignRecords[Any], description: Description) -> None:
    """Write all derived files that are missing or may be out of date."""
    write_descriptions(records.directory, records.header, description)
    # A kill between storing a better certificate and writing its file leaves the old one.
    write_bugs(
        records.directory, records.first_bugs(BUGS_IN_FILES), improved=records.improved_bugs()
    )
    write_timeline(records.directory, records.each_moment())


def write_descriptions(directory: Path, header: CampaignHeader, description: Description) -> None:
    """The files that say what the campaign is about, those that are missing."""
    files = {
        README_FILE: _readme(directory, description).encode(),
        OPTIONS_FILE: header.options.encode(),
        **description.files,
    }
    write_missing(directory, files)


def write_missing(directory: Path, files: Mapping[str, bytes | None]) -> None:
    """Those of the files that are not there yet; None stands for no file."""
    with explained(directory):
        for name, content in files.items():
            if content is not None and not (directory / name).exists():
                write_atomically(directory / name, content)


def write_bugs(
    directory: Path, bugs: Iterable[BugRow[Any]], improved: Iterable[BugRow[Any]] = ()
) -> bool:
    """One JSON file for each bug that has none yet, as far as the files stay small enough.

    Files of those that have improved are written anew. Returns true if there is room for more.
    """
    with explained(directory):
        folder = directory / BUGS_FOLDER
        make_folders(folder)
        size = sum(path.stat().st_size for path in folder.glob("*.json"))
        for row in improved:
            if _bug_file(folder, row).exists():
                write_bug(folder, row)
        for row in bugs:
            if size >= BYTES_OF_FILES or _bug_file(folder, row).exists():
                continue
            content = _bug_content(row)
            if size and size + len(content) > BYTES_OF_FILES:
                return False  # not to be made ready in vain for each bug that follows
            write_atomically(_bug_file(folder, row), content)
            size += len(content)
    return size < BYTES_OF_FILES


def has_all_bugs(directory: Path, bugs: int) -> bool:
    """Return true if each of so many bugs has a file."""
    return sum(1 for _ in (directory / BUGS_FOLDER).glob("*.json")) >= bugs


def write_bug(folder: Path, row: BugRow[Any]) -> Path:
    """Write the file of a bug, in place of an old one; returns its name."""
    path = _bug_file(folder, row)
    write_atomically(path, _bug_content(row))
    return path


def _bug_content(row: BugRow[Any]) -> bytes:
    return f"{readable_json(row.bug.to_json())}\n".encode()


def _bug_file(folder: Path, row: BugRow[Any]) -> Path:
    """The file of a bug."""
    return folder / f"{check_bug_id(row.id, folder.parent)}.json"


def check_bug_id(name: str, directory: Path) -> str:
    """The id of a bug, of which a file is to be named; it comes from the store of a folder, and
    may be anything but a way elsewhere."""
    if not _BUG_ID.fullmatch(name):
        place = directory / STORE_FILE
        raise InputError(f"{place}: is damaged (table bugs: {name!r} is no id of a bug)")
    return name


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


def write_timeline(directory: Path, rows: Iterable[TimelineRow]) -> None:
    """The whole timeline as CSV, in place of the old one."""
    content = io.BytesIO()
    text = io.TextIOWrapper(content, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in fields(TimelineRow)])
    for row in rows:
        writer.writerow([f"{row.seconds:.3f}", *_after_seconds(row)])
    text.flush()
    with explained(directory):
        write_atomically(directory / TIMELINE_FILE, content.getvalue())


_after_seconds = attrgetter(*(column.name for column in fields(TimelineRow)[1:]))


def _readme(directory: Path, description: Description) -> str:
    files = {**_FILES, **description.explained, **_OTHER_FILES}
    commands = {**_COMMANDS, **description.commands}
    shown = {
        f"bugsieve {name.format(typed_words(directory.name))}": does
        for name, does in commands.items()
    }
    return "\n".join(
        [
            f"This folder holds a campaign of Bugsieve: tests of {description.about}.",
            "",
            *_aligned(files),
            "",
            *_aligned(shown),
            "",
        ]
    )


def _aligned(rows: Mapping[str, str]) -> list[str]:
    width = max(map(len, rows))
    return [f"{name:{width}}  {text}" for name, text in rows.items()]
