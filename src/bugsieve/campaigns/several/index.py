"""The index of an experiment's folder: what each campaign in it stands for."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.files import write_text
from bugsieve.base.files_and_processes.unlinked_folders import INDEX_FILE as INDEX_FILE
from bugsieve.base.wording import counted
from bugsieve.campaigns.store.schema import explained
from bugsieve.tasks.sources import MEBIBYTE, read_regular

VERSION = 1
_MAX_BYTES = 256 * MEBIBYTE
_NAMES_SHOWN = 5
_SHARD = re.compile(r"(\d{1,6}/\d{1,6})?", re.ASCII)


@dataclass(frozen=True)
class IndexEntry:
    """The labels of a campaign in the grid."""

    domain: str
    instance: str
    policy: str
    fuzzer: str
    oracles: str
    seed: int
    error: str | None = None
    """Why it failed when it was last tried."""
    shard: str = ""
    """The part of the experiment to which it belongs, as in 2/8; empty if there are no parts."""

    def __post_init__(self) -> None:
        if not _SHARD.fullmatch(self.shard):
            raise ValueError(f"{self.shard!r} is no shard")


@dataclass(frozen=True)
class Index:
    """All campaigns of an experiment, by their folders below it."""

    name: str
    entries: Mapping[str, IndexEntry]


def write_index(directory: Path, index: Index) -> None:
    """Replace the index of the folder."""
    content = {
        "experiment": VERSION,
        "name": index.name,
        "campaigns": {folder: asdict(entry) for folder, entry in index.entries.items()},
    }
    with explained(directory):
        write_text(directory / INDEX_FILE, json.dumps(content, indent=1) + "\n")


def read_index(directory: Path) -> Index | None:
    """The index of the folder; None if it has none, InputError if it is no index of ours."""
    path = directory / INDEX_FILE
    if not path.is_file():
        return None
    try:
        content = json.loads(read_regular(path, kind="JSON", max_bytes=_MAX_BYTES))
        if content["experiment"] > VERSION:
            raise InputError(f"{path}: was written by a newer Bugsieve; install that to read it")
        entries = {folder: _entry(entry) for folder, entry in content["campaigns"].items()}
        return Index(str(content["name"]), entries)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path}: is no index of an experiment, or a damaged one") from None


def _entry(content: Mapping[str, Any]) -> IndexEntry:
    """What was written of a campaign; an older Bugsieve knew of no shards."""
    names = [field.name for field in fields(IndexEntry)]
    return IndexEntry(
        **{name: content[name] for name in names if name != "shard" or name in content}
    )


def missing_lines(index: Index, undone: Container[str]) -> Iterator[str]:
    """How much of an experiment is not done, and what: by shards, if it was run by shards."""
    parts: dict[str, list[str]] = {}
    for folder, entry in index.entries.items():
        parts.setdefault(entry.shard, []).append(folder)
    for shard, folders in sorted(parts.items(), key=_by_number):
        missing = [folder for folder in folders if folder in undone]
        if missing:
            what = f"shard {shard}: " if shard else ""
            rest = len(missing) - _NAMES_SHOWN
            more = f" and {rest} more" if rest > 0 else ""
            of_all = f"{len(missing)} of {counted(len(folders), 'campaign')} not done"
            yield f"{what}{of_all}: {', '.join(missing[:_NAMES_SHOWN])}{more}"


def _by_number(part: tuple[str, object]) -> tuple[int, ...]:
    return tuple(map(int, reversed(part[0].split("/")))) if part[0] else ()
