"""Removes what a page must not tell of a machine: absolute paths and connections of policies."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

_PART = r"[^\s/\\:;,'\"()<>|]+"
# At least two parts. Nothing may stand before it that would make it a part of something else, but
# for the letter of an option, as in -C/home.
_BEFORE = r"(?:(?<![\w./~-])|(?<=\s-\w)|(?<=^-\w))"
_PATH = re.compile(rf"{_BEFORE}~?(?:(?<!:)/)?(?:/{_PART})+/({_PART})/?")
_ADDRESS = re.compile(r"\bfile:/+(?=[^\s/])")
_WINDOWS = re.compile(rf"(?<!\w)[A-Za-z]:(?:[\\/]{_PART})*[\\/]({_PART})")
_HOME = re.compile(r"(?<![\w./-])~[\w.-]*/")


def without_paths(text: str) -> str:
    """The text with the last name of each absolute path in its place."""
    if "/" not in text and "\\" not in text:
        return text
    text = _WINDOWS.sub(r"\1", _ADDRESS.sub("/", text))
    return _HOME.sub("", _PATH.sub(r"\1", text))


class Veil:
    """Takes known names out of texts, with spaces or not, then all absolute paths."""

    def __init__(self, folders: Iterable[str] = (), places: Iterable[str] = ()) -> None:
        paths = {os.path.join(folder, "") for folder in folders if os.path.isabs(folder)}
        hosts = {place.rpartition(":")[0] or place for place in places}
        hidden = {**dict.fromkeys(paths, ""), **dict.fromkeys(hosts - {""}, "HOST")}
        self._hidden = sorted(hidden.items(), key=lambda item: (-len(item[0]), item))

    def __call__(self, text: str) -> str:
        """The text without them."""
        for name, instead in self._hidden:
            text = text.replace(name, instead)
        return without_paths(text)


def typed_folder(folder: Path) -> str:
    """A folder as it was typed; an absolute one by its way from here, or else by its name."""
    if not folder.is_absolute():
        return str(folder)
    try:
        return str(folder.relative_to(Path.cwd()))
    except ValueError:
        return folder.name or "."
