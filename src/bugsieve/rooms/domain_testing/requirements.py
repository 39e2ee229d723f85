"""The requirement of a case as a rules file that is not shown: errors quote the case's texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bugsieve.base.files_and_processes.toml_places import KeyPath
from bugsieve.rooms.domain_testing.rule_judging import Requirement
from bugsieve.rooms.rules.file.source import PlacedText, Position, Source

_NAME = "requirement"
_CALLED = {"name": "atom", "is": "condition"}
_LONGEST = 60


@dataclass(frozen=True)
class _Place(Position):
    """A character of a text of the case, or the case itself; `file` says which."""

    def __str__(self) -> str:
        return self.file if self.column is None else f"{self.file}, column {self.column}"


@dataclass(frozen=True)
class _CaseText(PlacedText):
    """A text that stands in the case as well."""

    called: str = _NAME

    def position(self, offset: int = 0) -> Position:
        """The text itself and the column in it."""
        more = "…" if len(self.value) > _LONGEST else ""
        last = max(0, len(self.value) - 1)
        column = max(0, min(offset, last)) + 1
        return _Place(f"{self.called} {self.value[:_LONGEST]!r}{more}", 1, column)


@dataclass(frozen=True)
class _CaseSource(Source):
    """A rules file that was made of a case."""

    def position(self, character: int) -> Position:
        """The case itself: lines of the file that was made of it would not help."""
        return _Place(self.name, 1)

    def string(self, path: KeyPath, value: str) -> PlacedText:
        """The text of the case that stands at the path."""
        return _CaseText(self, value, 0, None, _CALLED.get(str(path[-1]), _NAME))


def source_of(requirement: Requirement) -> Source:
    """A rules file of one rule; its text is English if it says what something shall do."""
    lines = ["format = 1"]
    for name, condition in requirement.atoms.items():
        lines += ["[[atom]]", f"name = {_quoted(name)}", f"is = {_quoted(condition)}"]
    rule = {"id": _NAME, "kind": "desired", **_keys(requirement.rule)}
    lines += ["[[rule]]", *(f"{key} = {_quoted(value)}" for key, value in rule.items())]
    return _CaseSource(_NAME, "\n".join(lines) + "\n")


def _keys(rule: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(rule, str):
        return rule
    return {"english" if " shall " in rule else "ltl": rule}


def _quoted(value: str | int) -> str:
    """The value in TOML; texts in JSON are texts in TOML."""
    return str(value) if isinstance(value, int) else json.dumps(value)
