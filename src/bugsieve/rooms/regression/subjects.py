"""Tasks and models beside the bugs of a project, in files that are named by their content.

A reader knows that a file is the one that was meant; its author may be a stranger.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.foreign_json import parse_json
from bugsieve.campaigns.saved_bugs import SavedBugs
from bugsieve.campaigns.store.folder import readable_json
from bugsieve.tasks.sources import MEBIBYTE, read_input

TASKS_FOLDER = "tasks"

_MAX_BYTES = 256 * MEBIBYTE
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class SubjectFile:
    """The content of a file, and its name."""

    data: bytes

    @classmethod
    def of(cls, subject: Any, saved_bugs: SavedBugs) -> SubjectFile:
        """Return the file of a task or a model."""
        return cls(f"{readable_json(saved_bugs.subject_json(subject))}\n".encode())

    @property
    def sha256(self) -> str:
        """The hash by which bugs name it."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def name(self) -> str:
        """The path of the file, beside the bugs."""
        return f"{TASKS_FOLDER}/{self.sha256}.json"


def read_subject(folder: Path, sha256: str, saved_bugs: SavedBugs) -> Any:
    """The task or model of this hash beside the bugs in a folder; InputError for anything else."""
    path = folder / TASKS_FOLDER / f"{sha256}.json"
    if not _HASH.fullmatch(sha256):
        raise InputError(f"{folder}: {sha256[:80]!r} is no SHA-256, by which tasks are named")
    require_own_file(path, folder)
    data = read_input(path, kind="JSON", max_bytes=_MAX_BYTES)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise InputError(f"{path}: was changed, for its name is no longer the hash of its content")
    try:
        return saved_bugs.saved_subject(parse_json(data.decode()))
    except (ValueError, UnicodeEncodeError):
        raise InputError(f"{path}: is no task as Bugsieve writes it") from None


def require_own_file(path: Path, folder: Path) -> None:
    """InputError unless the path is a file in its folder, and no link leads to another one."""
    here = os.path.join(os.path.realpath(folder), os.path.relpath(path, folder))
    if os.path.realpath(path) != here:
        raise InputError(f"{path}: is a link, or in a folder that is one: put the file there")
    if os.path.lexists(path) and not path.is_file():
        raise InputError(f"{path}: is no file")
