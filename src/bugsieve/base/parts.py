"""A part of a JSON document that knows its file and path, for errors that say where."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from typing import Any

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.base.names import suggest

_SHOWN_STEPS = 12
_SHOWN_TEXT = 60

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}


class Part:
    """A value in a JSON file; every question it cannot answer is an InputError with its path."""

    __slots__ = ("_parent", "_step", "data", "file")

    def __init__(
        self, data: Any, file: str, parent: Part | None = None, step: str | int = ""
    ) -> None:
        self.data = data
        self.file = file
        self._parent = parent
        self._step = step

    @property
    def path(self) -> str:
        """`automata[0].edges[3].guard`; the middle of a long path is left out."""
        steps: list[str] = []
        part: Part | None = self
        while part is not None and part._parent is not None:
            step = part._step
            steps.append(f"[{step}]" if isinstance(step, int) else f".{step}")
            part = part._parent
        steps.reverse()
        if len(steps) > 2 * _SHOWN_STEPS:
            steps[_SHOWN_STEPS:-_SHOWN_STEPS] = [" … "]
        return "".join(steps).removeprefix(".")

    def error(self, sentence: str) -> InputError:
        """An error about this part, to be raised."""
        return InputError(f"{self._where()}{sentence}")

    def unsupported(self, sentence: str) -> UnsupportedError:
        """The same for what is right but beyond us."""
        return UnsupportedError(f"{self._where()}{sentence}")

    def __getitem__(self, name: str) -> Part:
        """A member that must be there."""
        part = self.get(name)
        if part is None:
            raise self.error(f"has no {name!r}")
        return part

    def get(self, name: str) -> Part | None:
        """A member that may be absent."""
        if not isinstance(self.data, dict):
            raise self.error(f"must be an object, but is {self.kind}")
        if name not in self.data:
            return None
        return Part(self.data[name], self.file, self, name)

    def items(self) -> Iterator[Part]:
        """The members of a list."""
        if not isinstance(self.data, list):
            raise self.error(f"must be a list, but is {self.kind}")
        return (Part(item, self.file, self, k) for k, item in enumerate(self.data))

    def items_of(self, name: str) -> Iterator[Part]:
        """The members of a list that may be absent."""
        part = self.get(name)
        return iter(()) if part is None else part.items()

    def text(self) -> str:
        """The part as a text that is not empty; InputError if it is anything else."""
        if not isinstance(self.data, str) or not self.data:
            raise self.error(f"must be a name, but is {self.kind}")
        return self.data

    def flag(self) -> bool:
        """The part as a truth value; InputError if it is anything else."""
        if not isinstance(self.data, bool):
            raise self.error(f"must be true or false, but is {self.kind}")
        return self.data

    @property
    def kind(self) -> str:
        """The kind of this value, for sentences."""
        if self.data == "":
            return "empty"
        if isinstance(self.data, str):
            return repr(self.data[:_SHOWN_TEXT])
        kind = _KINDS.get(type(self.data))  # only numbers are written out
        return kind or ("null" if self.data is None else repr(self.data))

    def _where(self) -> str:
        path = self.path
        return f"{self.file}: {path}: " if path else f"{self.file}: "


def unique(part: Part, name: str, known: Container[str], kind: str) -> str:
    """The name, unless something has it already."""
    if name in known:
        raise part.error(f"there are two {kind} called {name!r}")
    return name


def by_name(parts: Iterable[Part], kind: str) -> dict[str, Part]:
    """The parts by their names, in order; InputError where two have one name."""
    named: dict[str, Part] = {}
    for part in parts:
        named[unique(part, part["name"].text(), named, kind)] = part
    return named


def existing(part: Part, name: str, known: Collection[str], kind: str, where: str = "") -> str:
    """The name, which must be one of the known; `where` says where it was looked for."""
    if name not in known:
        raise part.error(f"there is no {kind} {name!r}{where}{suggest(name, known)}")
    return name
