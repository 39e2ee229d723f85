"""Limits on what the reading of a stranger's file may take, for every kind of file.

The reader of a kind of files opens an allowance; all that it calls draws on that one, so that many
small things are refused as one large thing is. Memory is what arrays and lists of the result take,
work is steps of Python of about a microsecond.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bugsieve.base.errors import InputError

MEBIBYTE = 1 << 20
MEMORY = 256 * MEBIBYTE
"""Bytes that what is made of a file may take, beside some for each byte of it."""
WORK = 3_000_000
"""Steps, beside one for every other byte of the file."""
JSON_FACTOR = 24
"""Bytes that JSON becomes for each of its own, where it is a list of empty objects."""

_BYTES_PER_BYTE = 8


class _Allowance:
    def __init__(self, name: str) -> None:
        self.name = name
        self.memory = MEMORY
        self.work = WORK


_CURRENT: ContextVar[_Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def allowance(name: str) -> Iterator[None]:
    """Let what is read inside draw on one allowance; `name` is the file in errors.

    Inside another allowance, that one goes on to count: it is the file that names the others.
    """
    token = _CURRENT.set(_CURRENT.get() or _Allowance(name))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def allow_for(size: int) -> None:
    """Allow for what a file of so many bytes may become, each file once."""
    current = _CURRENT.get()
    if current is not None:
        current.memory += _BYTES_PER_BYTE * size
        current.work += size // 2


def take_memory(count: int) -> None:
    """Take bytes before they are asked for; InputError where they are more than is left."""
    current = _CURRENT.get()
    if current is None:
        return
    current.memory -= count
    if current.memory < 0:
        raise InputError(
            f"{current.name}: would take too much memory: what is made of it is more than "
            f"{MEMORY // MEBIBYTE} MiB and {_BYTES_PER_BYTE} times the file"
        )


def take_work(count: int = 1) -> None:
    """Take steps of work; InputError where they are more than are left."""
    current = _CURRENT.get()
    if current is None:
        return
    current.work -= count
    if current.work < 0:
        raise InputError(
            f"{current.name}: would take too long to read: it needs more than {WORK} steps and "
            "one for every other byte"
        )
