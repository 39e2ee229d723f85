"""Writes bugs of campaigns as regression tests of a project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.files import write_together
from bugsieve.base.wording import kind_in_words
from bugsieve.campaigns.campaign import read_campaign, summary_of
from bugsieve.campaigns.kind import kind_in
from bugsieve.campaigns.several.several import campaigns_in, place_of
from bugsieve.campaigns.store.folder import check_bug_id
from bugsieve.campaigns.store.schema import STORE_FILE
from bugsieve.explanation.causes.groups import BugInGroup, grouped
from bugsieve.explanation.causes.words import in_words
from bugsieve.rooms.regression.bug_file import SUFFIX, bug_text
from bugsieve.rooms.regression.subjects import TASKS_FOLDER, SubjectFile


@dataclass(frozen=True)
class Exported:
    """The files that were written."""

    written: tuple[Path, ...]
    kept: tuple[Path, ...]
    """Files of bugs that were there already: they may say that a bug is open."""


def export_regression(directory: Path, target: Path, *, every: bool = False) -> Exported:
    """Write a file for the smallest bug of each cause, or for every bug, and their tasks once.

    The folder is that of a campaign, or one of several. UsageError if there are no bugs in it.
    """
    folders = [directory] if (directory / STORE_FILE).exists() else campaigns_in(directory)
    members = [one for folder in folders or [directory] for one in _members(directory, folder)]
    if not members:
        raise UsageError(f"{directory}: has no bugs")
    wanted = [one.id for one in members]
    if not every:
        wanted = [one.example for group in grouped(members) for one in group]
    files: dict[Path, bytes] = {}
    for folder in folders:
        own = [bug for place, bug in (place_of(directory, n) for n in wanted) if place == folder]
        files |= {target / name: data for name, data in _files(folder, own)} if own else {}
    kept = [path for path in files if path.name.endswith(SUFFIX) and path.exists()]
    new = {path: data for path, data in files.items() if path not in kept}
    try:
        (target / TASKS_FOLDER).mkdir(parents=True, exist_ok=True)
        write_together(new)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from None
    written = (path for path in new if path.name.endswith(SUFFIX))
    return Exported(tuple(written), tuple(kept))


def _members(directory: Path, folder: Path) -> list[BugInGroup]:
    """The bugs of a campaign, each by its folder below the common one and its id."""
    kind = kind_in(folder)
    if kind.saved_bugs is None:
        how = "; 'bugsieve replay' tests its rules again" if kind.name == "rules" else ""
        raise UsageError(
            f"{folder}: is a campaign of {kind_in_words(kind.name)}: regression tests are made of "
            f"the bugs of cost and safety testing{how}"
        )
    if summary_of(folder).mistake is not None:
        return []
    with kind.records(folder) as records:
        found: list[BugInGroup] = records.members_of_causes()
    below = folder.relative_to(directory).as_posix()
    is_part = below != "."  # patterns name objects of one task
    return [
        one._replace(id=f"{below}/{one.id}", pattern=None if is_part else one.pattern)
        for one in found
    ]


def _files(folder: Path, bugs: list[str]) -> Iterator[tuple[str, bytes]]:
    """Names and contents: the task, then the bugs."""
    kind, header, options = read_campaign(folder)
    assert kind.saved_bugs is not None  # else none of its bugs is wanted
    subject = SubjectFile.of(header.subject, kind.saved_bugs)
    yield subject.name, subject.data
    with kind.records(folder) as records:
        rows: list[Any] = list(records.named(bugs))
    for row in rows:
        cause = in_words(row.cause)
        text = bug_text(kind.name, row.bug, cause, subject.sha256, options)
        yield f"{check_bug_id(row.id, folder)}{SUFFIX}", text.encode()
