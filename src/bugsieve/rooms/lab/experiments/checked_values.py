"""Values of a TOML file that must have a certain form; `place` names file and key in errors."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.base.names import no_such


def checked_keys(value: Any, known: Collection[str], place: str) -> Mapping[str, Any]:
    """A table with known keys only."""
    if not isinstance(value, Mapping):
        raise InputError(f"{place} must be a table, got {value!r}")
    for key in value:
        if key not in known:
            raise InputError(f"{place}: {no_such('key', key, known)}")
    return value


def checked_text(value: Any, place: str) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{place} must be a text, got {value!r}")
    return value


def checked_texts(value: Any, place: str) -> list[str]:
    """A list of different texts, at least one."""
    if not isinstance(value, list) or not value:
        raise InputError(f"{place} must be a list of texts, at least one, got {value!r}")
    return _different([checked_text(item, place) for item in value], place)


def checked_integers(value: Any, place: str) -> list[int]:
    """A list of different whole numbers of 64 bits, at least one."""
    if not isinstance(value, list) or not value:
        raise InputError(f"{place} must be a list of whole numbers, at least one, got {value!r}")
    for item in value:
        if type(item) is not int or not -(2**63) <= item < 2**63:
            raise InputError(f"{place} must be whole numbers, got {item!r}")
    return _different(value, place)


@contextlib.contextmanager
def placed(place: str) -> Iterator[None]:
    """Errors raised inside name this place, unless they do so already."""
    try:
        yield
    except BugsieveError as error:
        if str(error).startswith(place):
            raise
        raise InputError(f"{place}: {error}") from None


def _different(values: list[Any], place: str) -> list[Any]:
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise InputError(f"{place}: {twice!r} is there twice")
    return values
