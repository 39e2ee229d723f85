"""Policies that come from a file, and their arguments: `FILE,option=value,…`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.base.registry.spec_folder import located
from bugsieve.rooms.jani.policies.policy import ModelPolicy

_OPTION = re.compile(r"(.*\S)\s*,\s*([a-z]+)=(.*)", re.DOTALL)  # the last one


@dataclass(frozen=True)
class FileArgument:
    """A file and the options that follow it."""

    path: Path
    options: Mapping[str, str]


def split_file_argument(argument: str) -> tuple[str, list[tuple[str, str]]]:
    """The file and the options after it, the last one first; names of files may have commas."""
    name, options = argument, []
    while not os.path.exists(located(name)) and (match := _OPTION.fullmatch(name)):
        name, key, value = match.groups()
        options.append((key, value))
    return name, options


class FilePolicy(ModelPolicy):
    """Base of policies that come from a file with options behind its name."""

    family: ClassVar[str]
    options: ClassVar[Mapping[str, tuple[str, ...] | None]]
    """The values that each option may have, None for any."""

    @classmethod
    def parse(cls, argument: str | None) -> FileArgument:
        """The file and options of the argument; UsageError for options or values unknown."""
        if not argument:
            raise UsageError(
                f"'{cls.family}:' must be followed by a file, as in '{cls.family}:FILE'"
            )
        spec = f"'{cls.family}:{argument}'"
        name, found = split_file_argument(argument)
        for key, value in found:
            if key not in cls.options:
                raise UsageError(f"{spec}: {no_such('option', key, cls.options)}")
            allowed = cls.options[key]
            if allowed is not None and value not in allowed:
                known = " or ".join(allowed)
                raise UsageError(f"{spec}: {key!r} must be {known}, not {value!r}")
        if not os.path.exists(located(name)):
            raise UsageError(f"{spec}: there is no file {name!r}")
        return FileArgument(Path(located(name)), dict(found))

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """There is such a file or folder, and the options are known."""
        cls.parse(argument)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """The file."""
        return OutsideAccess(files=split_file_argument(argument or "")[:1])
