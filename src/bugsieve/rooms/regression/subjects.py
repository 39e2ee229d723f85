"""Tasks and models beside the bugs of a project, in files that are named by their content.

Whoever reads one knows that it is the one that was meant; anybody may have written it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.foreign_json import Row, fitting, parse_json
from bugsieve.campaigns.store.folder import readable_json
from bugsieve.rooms.jani.model.saved import SavedModel
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.sources import MEBIBYTE, read_input

TASKS_FOLDER = "tasks"

_MAX_BYTES = 256 * MEBIBYTE
_HASH = re.compile(r"[0-9a-f]{64}")
_TASK = {
    "name": str,
    "sas": str,
    "objects": [Row(str, str)],
    "static_facts": [str],
    "domain": (str, None),
    "problem": (str, None),
    "unit_cost": bool,
}
_MODEL = {"name": str, "document": dict, "actions": [str]}

Subject = SavedTask | SavedModel


@dataclass(frozen=True)
class SubjectFile:
    """The content of a file, and its name."""

    data: bytes

    @classmethod
    def of(cls, subject: Subject) -> SubjectFile:
        """What the file of a task or a model holds."""
        content = _task_json(subject) if isinstance(subject, SavedTask) else _model_json(subject)
        return cls(f"{readable_json(content)}\n".encode())

    @property
    def sha256(self) -> str:
        """What bugs call it."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def name(self) -> str:
        """Where it is, beside the bugs."""
        return f"{TASKS_FOLDER}/{self.sha256}.json"


def _task_json(task: SavedTask) -> dict[str, Any]:
    # Any bytes are Latin-1, and come back as they were; most files are plain ASCII.
    texts = {
        name: None if part is None else part.decode("latin-1")
        for name, part in (("domain", task.domain), ("problem", task.problem))
    }
    return {
        "name": task.name,
        "sas": task.sas,
        "objects": [list(pair) for pair in task.objects],
        "static_facts": list(task.static_facts),
        **texts,
        "unit_cost": task.unit_cost,
    }


def _model_json(model: SavedModel) -> dict[str, Any]:
    return {"name": model.name, "document": model.json(), "actions": list(model.actions)}


def read_subject(folder: Path, sha256: str, kind: type[Subject]) -> Subject:
    """The task or model of this hash beside the bugs in a folder; InputError for anything else."""
    path = folder / TASKS_FOLDER / f"{sha256}.json"
    if not _HASH.fullmatch(sha256):
        raise InputError(f"{folder}: {sha256[:80]!r} is no SHA-256, by which tasks are named")
    require_own_file(path, folder)
    data = read_input(path, kind="JSON", max_bytes=_MAX_BYTES)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise InputError(f"{path}: was changed, for its name is no longer the hash of its content")
    try:
        content = parse_json(data.decode())
        return _task(content) if kind is SavedTask else _model(content)
    except (ValueError, UnicodeEncodeError):
        raise InputError(f"{path}: is no task as Bugsieve writes it") from None


def require_own_file(path: Path, folder: Path) -> None:
    """InputError unless the path is a file in its folder, and no link leads to another one."""
    here = os.path.join(os.path.realpath(folder), os.path.relpath(path, folder))
    if os.path.realpath(path) != here:
        raise InputError(f"{path}: is a link, or in a folder that is one: put the file there")
    if os.path.lexists(path) and not path.is_file():
        raise InputError(f"{path}: is no file")


def _task(content: Any) -> SavedTask:
    fitting(content, _TASK)
    files = (content[name] for name in ("domain", "problem"))
    domain, problem = (None if text is None else text.encode("latin-1") for text in files)
    return SavedTask(
        content["name"],
        content["sas"],
        tuple((name, kind) for name, kind in content["objects"]),
        tuple(content["static_facts"]),
        domain,
        problem,
        content["unit_cost"],
    )


def _model(content: Any) -> SavedModel:
    fitting(content, _MODEL)
    document = json.dumps(content["document"], ensure_ascii=False)
    return SavedModel(content["name"], document, tuple(content["actions"]))
