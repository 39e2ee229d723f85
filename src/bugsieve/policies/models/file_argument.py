"""Arguments of policies that come from a file: `FILE,option=value,…`."""

from __future__ import annotations

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


def parse_file_argument(
    family: str, argument: str | None, options: Mapping[str, tuple[str, ...] | None]
) -> FileArgument:
    """The file and options of `family:argument`; UsageError for options or values unknown.

    The values that each option may have are given, None for any.
    """
    if not argument:
        raise UsageError(f"'{family}:' must be followed by a file, as in '{family}:FILE'")
    name = argument
    chosen: dict[str, str] = {}
    while not Path(name).exists() and (match := _OPTION.fullmatch(name)):
        name, key, value = match.groups()
        if key not in options:
            raise UsageError(f"'{family}:{argument}': {no_such('option', key, options)}")
        allowed_values = options[key]
        if allowed_values is not None and value not in allowed_values:
            allowed = " or ".join(allowed_values)
            raise UsageError(f"'{family}:{argument}': {key!r} must be {allowed}, not {value!r}")
        chosen[key] = value
    if not Path(name).exists():
        raise UsageError(f"'{family}:{argument}': there is no file {name!r}")
    return FileArgument(Path(name), chosen)
