"""`files` in an experiment file: what policies need beside the files that they name.

An experiment file is data: it can name files below its folder only, as these may go to other
machines.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.rooms.lab.experiments.checked_values import checked_texts

FILES = "files"
MOST_FILES = 10_000


def files_beside(table: Mapping[str, Any], path: Path, base: Path) -> tuple[str, ...]:
    """The absolute names of the files that the patterns of a file stand for, each once."""
    if FILES not in table:
        return ()
    place = f"{path}: {FILES}"
    patterns = checked_texts(table[FILES], place)
    found = dict.fromkeys(name for item in patterns for name in _named(item, place, base))
    if len(found) > MOST_FILES:
        raise InputError(f"{place}: {len(found)} files, more than {MOST_FILES}")
    return tuple(found)


def _named(pattern: str, place: str, base: Path) -> Iterator[str]:
    if os.path.isabs(pattern) or ".." in Path(pattern).parts:
        raise InputError(f"{place}: {pattern!r} must be below the folder {base}")
    names = sorted(glob.glob(pattern, root_dir=base, recursive=True))
    files = [name for name in names if (base / name).is_file()]
    if not files:
        raise InputError(f"{place}: no file is named like {pattern!r} in {base}")
    root = os.path.realpath(base)
    for name in files:
        if os.path.commonpath([root, os.path.realpath(base / name)]) != root:
            raise InputError(f"{place}: {name} is a link to somewhere else than below {base}")
        yield os.path.abspath(base / name)
