"""Settings of the command line beside an experiment's file: where data are, limits, a part."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol, TypeVar

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.base.names import no_such
from bugsieve.rooms.lab.experiments.checked_values import checked_text

DATA = "data"
"""The key of the folder in which the files are that an experiment names."""


@dataclass(frozen=True)
class Adjustments:
    """Changes to an experiment file for one call.

    - `data`: the folder of its files, in place of the one it names.
    - `limit`: seconds that a campaign may take, in place of `stop.max_time`.
    - `settings`: options of all campaigns, as in "fuzz.pool_size=20".
    - `only`: the domains, or instances as in "gripper/problem0?", to which it is cut down.
    """

    data: Path | None = None
    limit: float | None = None
    settings: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    def applied_to(self, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """The content of a file with these limits and options."""
        changes = [_setting(text) for text in self.settings]
        if self.limit is not None:
            changes.append({"stop": {"max_time": self.limit}})
        for change in changes:
            table = _merged(table, {"campaign": change})
        return table

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors raised inside name the options of the call: the file may not be to blame."""
        try:
            yield
        except (InputError, UsageError) as error:
            if not self.settings:
                raise
            given = " ".join(f"--set {text}" for text in self.settings)
            raise type(error)(f"{error} (with {given})") from None

    def data_folder(self, table: Mapping[str, Any], path: Path) -> Path | None:
        """The folder of the experiment's files; None if they are beside the experiment itself."""
        if DATA not in table:
            if self.data is not None:
                raise UsageError(
                    f"{path}: names no '{DATA}' folder, so that another one has no meaning"
                )
            return None
        named = path.parent / checked_text(table[DATA], f"{path}: {DATA}")
        folder = named if self.data is None else self.data
        if not folder.is_dir():
            raise InputError(
                f"{path}: {DATA}: there is no folder {folder}: say with --data where its files are"
            )
        return folder.absolute()


class _OnInstance(Protocol):
    @property
    def instance(self) -> Any:
        """An object with a domain and a name."""


Placed = TypeVar("Placed", bound=_OnInstance)


def chosen(cells: Sequence[Placed], only: Sequence[str]) -> list[Placed]:
    """Those whose domains or instances are wanted; UsageError if a pattern fits nothing."""
    names = [(cell.instance.domain, cell.instance.name) for cell in cells]
    for pattern in only:
        if not any(_fits(name, pattern) for name in names):
            known = dict.fromkeys(domain for domain, _ in names)
            raise UsageError(f"--only {pattern}: {no_such('domain or instance', pattern, known)}")
    return [
        cell
        for cell, name in zip(cells, names, strict=True)
        if not only or any(_fits(name, pattern) for pattern in only)
    ]


def _fits(name: tuple[str, str], pattern: str) -> bool:
    return fnmatchcase(name[0], pattern) or fnmatchcase("/".join(name), pattern)


def _setting(text: str) -> dict[str, Any]:
    """The table of "KEY=VALUE"; a value that TOML cannot read is a text."""
    key, sign, value = text.partition("=")
    for shown in (value, json.dumps(value.strip())) if sign else ():
        try:
            return parse_toml(f"{key} = {shown}", text)
        except InputError:
            continue
    raise UsageError(f"--set {text}: must be KEY=VALUE, as in fuzz.pool_size=20")


def _merged(table: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(table)
    for key, value in change.items():
        old = merged.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(old, value) if both else value  # type: ignore[arg-type]
    return merged
