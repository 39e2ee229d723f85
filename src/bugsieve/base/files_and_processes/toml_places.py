"""Places of keys, and of characters of strings, in a TOML text, which `tomllib` does not tell.

What is wrong with a text is for `tomllib` to say; here it ends in a ValueError. But what would
take `tomllib` for ever is found here: it reads keys of many parts, and values in values, again and
again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys and places in arrays from the outside in: ("rule", 0, "ltl")."""

_BLANK = re.compile(r"[ \t]*")
_BLANK_LINES = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]*")  # dates may hold a blank
_PLAIN_BASIC = re.compile(r'[^"\\]+')
_PLAIN_LITERAL = re.compile(r"[^']+")
_LINE_CONTINUATION = re.compile(r"\\[ \t]*\r?\n[ \t\r\n]*")
_ESCAPES = dict(zip('btnfre"\\', '\b\t\n\f\r\x1b"\\', strict=True))
_CODE_DIGITS = {"x": 2, "u": 4, "U": 8}


MAX_PARTS = 20
"""Of a key with dots."""
MAX_NESTING = 100
"""Of arrays and inline tables."""


class TooDeepError(Exception):
    """A key has too many parts, or a value too many levels; `at` is the character."""

    def __init__(self, at: int, sentence: str) -> None:
        super().__init__(sentence)
        self.at = at


class Mark(NamedTuple):
    """The characters at which a key and its value begin; for a table under a heading, its key."""

    key: int
    value: int


class TomlString(NamedTuple):
    """A string as it is meant, the character of the text behind each of its own, and its end."""

    value: str
    places: Sequence[int]
    """One more than there are characters: the last is where the string closes."""
    end: int


def marks_of(text: str) -> dict[KeyPath, Mark]:
    """Every key of the text with its mark; elements of arrays have marks of their own."""
    try:
        return _Scanner(text).run()
    except (IndexError, KeyError) as error:
        raise ValueError("the text is no TOML") from error


def string_at(text: str, start: int) -> TomlString:
    """The string whose quotation marks open at `start`."""
    quote = text[start]
    if quote not in "\"'":
        raise ValueError("no string begins here")
    is_multiline = text.startswith(quote * 3, start)
    reader = _StringReader(text, quote, is_multiline=is_multiline)
    return reader.read(start + (3 if is_multiline else 1))


class _StringReader:
    def __init__(self, text: str, quote: str, *, is_multiline: bool) -> None:
        self.text = text
        self.quote = quote
        self.is_multiline = is_multiline
        self.plain = _PLAIN_BASIC if quote == '"' else _PLAIN_LITERAL
        self.pieces: list[str] = []
        self.places: list[int] = []

    def read(self, at: int) -> TomlString:
        if self.is_multiline and self.text.startswith("\n", at):
            at += 1  # a newline at the very beginning is not a part of the string
        while not self._closes(at):
            run = self.plain.match(self.text, at)
            if run:
                self._add(run.group(), range(at, run.end()))
                at = run.end()
            elif self.text[at] == "\\" and self.quote == '"':
                at = self._escape(at)
            else:  # a quotation mark inside a string of several lines
                self._add(self.text[at], (at,))
                at += 1
        self.places.append(at)
        end = at + (3 if self.is_multiline else 1)
        return TomlString("".join(self.pieces), self.places, end)

    def _closes(self, at: int) -> bool:
        if not self.is_multiline:
            return self.text[at] == self.quote
        # Of four or five marks in a row the last three close the string.
        return self.text.startswith(self.quote * 3, at) and not self.text.startswith(
            self.quote, at + 3
        )

    def _escape(self, at: int) -> int:
        continued = _LINE_CONTINUATION.match(self.text, at) if self.is_multiline else None
        if continued:
            return continued.end()
        letter = self.text[at + 1]
        if letter in _CODE_DIGITS:
            end = at + 2 + _CODE_DIGITS[letter]
            self._add(chr(int(self.text[at + 2 : end], 16)), (at,))
            return end
        self._add(_ESCAPES[letter], (at,))
        return at + 2

    def _add(self, piece: str, places: Sequence[int]) -> None:
        self.pieces.append(piece)
        self.places += places


@dataclass
class _Open:
    """An array or an inline table that is not closed yet."""

    path: KeyPath
    is_array: bool
    count: int = 0


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.marks: dict[KeyPath, Mark] = {}
        self.table: KeyPath = ()
        self.lengths: dict[KeyPath, int] = {}
        """The number of elements that each array of tables has so far."""

    def run(self) -> dict[KeyPath, Mark]:
        self._skip(_BLANK_LINES)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                self._heading()
            else:
                self._value(self._key(self.table))
            self._skip(_BLANK_LINES)
        return self.marks

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _heading(self) -> None:
        start = self.at
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        names = [name for name, _ in self._names()]
        self.at += brackets
        path: KeyPath = ()
        for position, name in enumerate(names, start=1):
            path = (*path, name)
            self.marks.setdefault(path, Mark(start, start))
            if brackets == 2 and position == len(names):
                self.lengths[path] = self.lengths.get(path, 0) + 1
            if path in self.lengths:
                path = (*path, self.lengths[path] - 1)
                self.marks.setdefault(path, Mark(start, start))
        self.table = path

    def _key(self, table: KeyPath) -> tuple[KeyPath, int]:
        """The path of the key that begins here, and where it begins; the value comes next."""
        start = self.at
        path = table
        for name, at in self._names():
            path = (*path, name)
            self.marks.setdefault(path, Mark(at, at))
        self.at += 1  # the sign of equality
        self._skip(_BLANK)
        return path, start

    def _names(self) -> list[tuple[str, int]]:
        """The parts of a dotted key, up to what follows it and blanks."""
        found: list[tuple[str, int]] = []
        while True:
            self._skip(_BLANK)
            start = self.at
            bare = _BARE_KEY.match(self.text, start)
            if bare:
                name, self.at = bare.group(), bare.end()
            else:
                name, _, self.at = string_at(self.text, start)
            found.append((name, start))
            if len(found) > MAX_PARTS:
                raise TooDeepError(start, f"a key has more than {MAX_PARTS} parts")
            self._skip(_BLANK)
            if not self.text.startswith(".", self.at):
                return found
            self.at += 1

    def _value(self, key: tuple[KeyPath, int]) -> None:
        """Skip the value of a key, noting what is inside; not by recursion, as it may be deep."""
        pending: list[_Open] = []
        self._begin(*key, pending)
        while pending:
            self._skip(_BLANK_LINES)
            inner = pending[-1]
            character = self.text[self.at]
            if character == ",":
                self.at += 1
                inner.count += 1
            elif character in "]}":
                self.at += 1
                pending.pop()
            elif inner.is_array:
                self._begin((*inner.path, inner.count), self.at, pending)
            else:
                self._begin(*self._key(inner.path), pending)

    def _begin(self, path: KeyPath, key: int, pending: list[_Open]) -> None:
        """Note where a value begins, and skip it, or open it if it holds others."""
        self.marks[path] = Mark(key, self.at)
        character = self.text[self.at]
        if character in "\"'":
            self.at = string_at(self.text, self.at).end
        elif character in "[{":
            pending.append(_Open(path, character == "["))
            if len(pending) > MAX_NESTING:
                raise TooDeepError(self.at, f"more than {MAX_NESTING} values inside each other")
            self.at += 1
        else:
            self._skip(_SCALAR)
