"""Arguments of policies that come from a file: `FILE,option=value,…`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such

_OPTION = re.compile(r"(.*\S)\s*,\s*([a-z]+)=(.*)", re.DOTALL)  # the last one


@dataclass(frozen=True)
class FileArgument:
    """A file and the options that follow it."""

    path: Path
    options: Mapping[str, str]


def split_file_argument(argument: str) -> tuple[str, list[tuple[str, str]]]:
    """The file and the options after it, the last one first; names of files may have commas."""
    name, options = argument, []
    while not os.path.exists(name) and (match := _OPTION.fullmatch(name)):
        name, key, value = match.groups()
        options.append((key, value))
    return name, options


def parse_file_argument(
    family: str, argument: str | None, options: Mapping[str, tuple[str, ...] | None]
) -> FileArgument:
    """The file and options of `family:argument`; UsageError for options or values unknown.

    The values that each option may have are given, None for any.
    """
    if not argument:
        raise UsageError(f"'{family}:' must be followed by a file, as in '{family}:FILE'")
    name, found = split_file_argument(argument)
    for key, value in found:
        if key not in options:
            raise UsageError(f"'{family}:{argument}': {no_such('option', key, options)}")
        allowed_values = options[key]
        if allowed_values is not None and value not in allowed_values:
            allowed = " or ".join(allowed_values)
            raise UsageError(f"'{family}:{argument}': {key!r} must be {allowed}, not {value!r}")
    if not os.path.exists(name):
        raise UsageError(f"'{family}:{argument}': there is no file {name!r}")
    return FileArgument(Path(name), dict(found))
