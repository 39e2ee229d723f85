"""Folders of ours, which may come from a stranger: nothing in them is written through a link.

A folder is ours if it holds the store of a campaign, the index of an experiment or a list of
problems.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bugsieve.base.errors import InputError

STORE_FILE = "campaign.sqlite"
INDEX_FILE = "experiment.json"
PROBLEMS_FILE = "problems.json"


def campaign_around(path: str | os.PathLike[str]) -> Path | None:
    """The folder of a campaign in which a file lies, by its name or behind links."""
    for name in (os.path.abspath(path), os.path.realpath(path)):
        for folder in Path(name).parents:
            if os.path.lexists(folder / STORE_FILE):
                return folder
    return None


def is_inside(path: Path) -> bool:
    """Return true if the path lies inside a folder of ours, by its name."""
    return any(map(_is_ours, _folders(path)))


def refuse_links(path: Path, *, itself: bool = False) -> None:
    """InputError if a folder between a folder of ours and the path is a link, or the path is.

    The outermost folder of ours may be a link: that is how the user names it.
    """
    steps = [path] if itself else []
    between: list[Path] = []
    for folder in _folders(path):
        if _is_ours(folder):
            steps += between
            between = []
        between.append(folder)
    for step in steps:
        if step.is_symlink():
            raise InputError(
                f"{step}: is a link, but in a folder of Bugsieve nothing is written through "
                "links: remove it"
            )


def make_folders(path: Path) -> None:
    """Make a folder and those above it, unless a link of a stranger leads there."""
    refuse_links(path, itself=is_inside(path))
    path.mkdir(parents=True, exist_ok=True)


def _folders(path: Path) -> Iterator[Path]:
    yield from Path(os.path.abspath(path)).parents


def _is_ours(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in (STORE_FILE, INDEX_FILE, PROBLEMS_FILE))
