"""Tables of a rules file, asked for what they must or may hold; errors name the place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.toml_places import KeyPath
from bugsieve.base.names import suggest
from bugsieve.base.wording import shown_value
from bugsieve.rooms.rules.file.source import PlacedText, Position, Source


@dataclass(frozen=True)
class TomlTable:
    """One table: the whole file, or what follows a heading."""

    source: Source
    path: KeyPath
    content: dict[str, Any]

    @property
    def position(self) -> Position:
        """The position where the table begins."""
        return self.source.position(self.source.mark(self.path).key)

    def key_position(self, key: str) -> Position:
        """The position of a key of the table, or of the table if the key is not there."""
        return self.source.position(self.source.mark((*self.path, key)).key)

    def error(self, key: str, sentence: str) -> InputError:
        """The error that says `sentence` about a key."""
        return InputError(f"{self.key_position(key)}: {sentence}")

    def check_keys(self, known: Sequence[str], what: str) -> None:
        """Raise for the first key that is not known."""
        for key in self.content:
            if key not in known:
                raise self.error(
                    key,
                    f"{what} has no key {key[:40]!r}{suggest(key[:40], known)}; there are "
                    f"{', '.join(known)}",
                )

    def text(self, key: str, what: str) -> PlacedText:
        """The string that the key must have."""
        found = self.optional_text(key)
        if found is None:
            raise self.error(key, f"{what} needs the key {key!r}")
        return found

    def optional_text(self, key: str) -> PlacedText | None:
        """The string of the key, or None if there is no such key."""
        if key not in self.content:
            return None
        value = self.content[key]
        if not isinstance(value, str):
            raise self.error(key, f"{key!r} must be a text, not {shown_value(value)}")
        return self.source.string((*self.path, key), value)

    def choice(self, key: str, choices: Sequence[str], what: str) -> str | None:
        """The string of the key, which must be one of the choices; None if there is no key."""
        text = self.optional_text(key)
        if text is None or text.value in choices:
            return None if text is None else text.value
        raise text.error(
            0,
            f"{what} cannot be {text.value[:40]!r}{suggest(text.value[:40], choices)}; "
            f"{key!r} is one of {', '.join(choices)}",
        )

    def tables(self, key: str) -> list[TomlTable]:
        """The tables under `[[key]]`; none if there is no such key."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(key, f"write '[[{key}]]' before each {key}, with two brackets")
        paths = [(*self.path, key, number) for number in range(len(value))]
        return [
            TomlTable(self.source, path, item) for path, item in zip(paths, value, strict=True)
        ]
