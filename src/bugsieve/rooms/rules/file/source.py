"""The text of a rules file: its strings, each of which knows where its characters stand."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.base.files_and_processes.toml_places import (
    KeyPath,
    Mark,
    TomlString,
    marks_of,
    string_at,
)
from bugsieve.tasks.sources import MEBIBYTE, read_input

MAX_BYTES = MEBIBYTE

_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class Position:
    """A place in a file, counted from 1; prints as errors begin."""

    file: str
    line: int
    column: int | None = None

    def __str__(self) -> str:
        column = "" if self.column is None else f":{self.column}"
        return f"{self.file}:{self.line}{column}"


@dataclass(frozen=True)
class Source:
    """A TOML file that was read; `name` as the user wrote it."""

    name: str
    text: str

    @cached_property
    def content(self) -> dict[str, Any]:
        """The content of the file; an InputError if it is not TOML."""
        try:
            return parse_toml(self.text, self.name)
        except InputError as error:
            sentence = str(error).removeprefix(f"{self.name}: ")
            place = _TOML_PLACE.search(sentence)
            if place is None:
                raise
            where = (
                self._end if place[1] is None else Position(self.name, *map(int, place.groups()))
            )
            raise InputError(f"{where}: {sentence[: place.start()]}") from None

    @property
    def _end(self) -> Position:
        return self.position(len(self.text))

    def position(self, character: int) -> Position:
        """The line and the column of a character."""
        line = bisect_right(self._line_starts, character)
        return Position(self.name, line, character - self._line_starts[line - 1] + 1)

    def mark(self, path: KeyPath) -> Mark:
        """The mark of a key, or of what holds it if the key was not found."""
        while path and path not in self._marks:
            path = path[:-1]
        return self._marks.get(path, Mark(0, 0))

    def string(self, path: KeyPath, value: str) -> PlacedText:
        """The string at the path, whose value is known."""
        mark = self.mark(path)
        found = self._string(mark.value)
        places = found.places if found is not None and found.value == value else None
        return PlacedText(self, value, mark.key, places)

    def _string(self, start: int) -> TomlString | None:
        is_string = self.text[start : start + 1] in ('"', "'")
        return string_at(self.text, start) if is_string else None

    @cached_property
    def _marks(self) -> dict[KeyPath, Mark]:
        return marks_of(self.text)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


@dataclass(frozen=True)
class PlacedText:
    """A string of the file; offsets are those of its own characters."""

    source: Source
    value: str
    key: int
    """The position of its key in the file."""
    places: Sequence[int] | None = None
    """The positions of its characters; None if only its key is known."""

    def position(self, offset: int = 0) -> Position:
        """The position of a character in the file; that of the end for those beyond it."""
        if self.places is None:
            return Position(self.source.name, self.source.position(self.key).line)
        return self.source.position(self.places[max(0, min(offset, len(self.places) - 1))])

    def where(self, offset: int = 0) -> str:
        """The position as errors begin."""
        return str(self.position(offset))

    def error(self, offset: int, sentence: str) -> InputError:
        """The error that says `sentence` about a character."""
        return InputError(f"{self.where(offset)}: {sentence}")

    def unsupported(self, offset: int, sentence: str) -> UnsupportedError:
        """The error that a character begins what Bugsieve does not handle."""
        return UnsupportedError(f"{self.where(offset)}: {sentence}")


def read_source(path: str | os.PathLike[str]) -> Source:
    """The text of a file that should be a rules file."""
    name = os.fspath(path)
    data = read_input(path, kind="rules", max_bytes=MAX_BYTES)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise InputError(
            f"{name}:{line}: the byte {byte:#04x} is no UTF-8; a rules file is a TOML text"
        ) from None
    return Source(name, text.replace("\r\n", "\n"))
