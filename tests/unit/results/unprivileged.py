"""Runs a block of a test without the rights of root, whom no permission stops."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_NOBODY = 65534


@contextlib.contextmanager
def unprivileged(*folders: Path) -> Iterator[None]:
    """Inside, root is nobody, for whom these folders can be reached; others stay who they are."""
    if os.geteuid() != 0:
        yield
        return
    opened = _open_the_way(folders)
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        for folder, mode in opened.items():
            folder.chmod(mode)


def _open_the_way(folders: tuple[Path, ...]) -> dict[Path, int]:
    """Let everybody pass through the parents; returns their permissions from before."""
    before = {}
    for folder in folders:
        for parent in folder.absolute().parents:
            mode = parent.stat().st_mode
            if mode & 0o011 != 0o011:
                before[parent] = mode & 0o7777
                parent.chmod(before[parent] | 0o011)
    return before
