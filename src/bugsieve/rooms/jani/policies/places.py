"""Specs inside files: paths that stay right when the folder of the file is moved.

`{here}` in such a spec stands for the folder of the file that holds it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

from bugsieve.base.registry.spec_folder import located, spec_folder
from bugsieve.rooms.jani.policies.file_argument import split_file_argument

HERE = "{here}"

_FILE_FAMILIES = ("mlp", "trees", "table")


def anchored_spec(spec: str, folder: Path) -> str:
    """The spec as a file in `folder` holds it: with `{here}` for paths inside, else absolute."""

    def anchor(place: str) -> str:
        return _anchored(located(place), folder)

    name, colon, argument = spec.partition(":")
    family = name.strip()
    if family == "cmd":
        return (
            f"cmd:{_with_words(argument, lambda word: anchor(word) if _is_path(word) else word)}"
        )
    place, rest = _split_place(family, argument.strip())
    return f"{family}{colon}{anchor(place) if place else ''}{rest}"


def anchored_folder(folder: Path) -> str:
    """The folder of the spec at hand as a file in `folder` holds it."""
    return _anchored(spec_folder(), folder)


def _anchored(place: str, folder: Path) -> str:
    path, inside = os.path.abspath(place), os.path.abspath(folder)
    if path == inside:
        return HERE
    if path.startswith(os.path.join(inside, "")):
        return f"{HERE}/{os.path.relpath(path, inside)}"
    return path


def resolved_folder(text: str, folder: Path) -> str:
    """The folder that a file of `folder` says its spec was typed in."""
    return os.path.abspath(located(text.replace(HERE, os.path.abspath(folder))))


def resolved_spec(spec: str, folder: Path) -> str:
    """The spec as it is meant in a file of `folder`."""
    here = os.path.abspath(folder)
    family, _, argument = spec.partition(":")
    if family.strip() != "cmd":
        return spec.replace(HERE, here)
    # Word by word: the folder may have spaces in its name.
    return f"cmd:{_with_words(argument, lambda word: word.replace(HERE, here))}"


def _with_words(command: str, change: Callable[[str], str]) -> str:
    try:
        return shlex.join([change(word) for word in shlex.split(command)])
    except ValueError:  # an open quote, which running the command reports
        return command


def _is_path(word: str) -> bool:
    return os.sep in word and os.path.exists(located(word))


def _split_place(family: str, argument: str) -> tuple[str, str]:
    """The file that an argument names, empty if it names none, and what follows it."""
    if family == "python":
        place, colon, name = argument.rpartition(":")
        return (place, colon + name) if place.endswith(".py") else ("", argument)
    if family not in _FILE_FAMILIES:
        return "", argument
    place, _ = split_file_argument(argument)
    return place, argument[len(place) :]
