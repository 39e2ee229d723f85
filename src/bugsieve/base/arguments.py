"""Checks of what callers give: a wrong type gets a sentence that names the argument.

Public functions call these once, before the work; nothing here is for inner loops. `name` is the
argument as the caller writes it.
"""

from __future__ import annotations

import os
import types
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from bugsieve.base.errors import UsageError

Kind = TypeVar("Kind")

_LARGEST = 2**63 - 1
_LONGEST_SHOWN = 80


def wrong(name: str, wanted: str, value: object) -> UsageError:
    """The error `NAME must be WANTED, got VALUE`."""
    return UsageError(f"{name} must be {wanted}, got {_shown(value)}")


def require_kind(value: object, kind: type[Kind], name: str, wanted: str) -> Kind:
    """The value, which must be an instance of the class; `wanted` says so to people."""
    if not isinstance(value, kind):
        raise wrong(name, wanted, value)
    return value


def require_text(value: object, name: str) -> str:
    """The value, which must be a text."""
    return require_kind(value, str, name, "a text")


def require_flag(value: object, name: str) -> bool:
    """The value, which must be True or False: a word like "no" would count as true."""
    return require_kind(value, bool, name, "True or False")


def require_path(value: object, name: str) -> str:
    """The path as a text."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str):
        raise wrong(name, "a path, as a text or a pathlib.Path", value)
    return text


def require_folder(value: object, name: str) -> Path:
    """The folder, whose name must be one that can exist."""
    text = require_path(value, name)
    if "\0" in text:
        raise UsageError(f"{name} must be the name of a folder, but {text!r} holds a null byte")
    return Path(text)


def require_function(value: object, name: str, form: str) -> None:
    """UsageError unless the value can be called; `form` is how."""
    if not callable(value):
        raise wrong(name, f"a function {form}", value)


def texts(value: object, name: str) -> tuple[str, ...]:
    """The texts of a list; a single text or path is a list of one."""
    if isinstance(value, (str, os.PathLike)):
        value = (value,)
    if not isinstance(value, Iterable) or isinstance(value, (Mapping, bytes)):
        raise wrong(name, "a list of texts", value)
    try:
        items = [os.fspath(item) for item in value]
    except TypeError:  # items of another kind, or an array without axes
        raise wrong(name, "a list of texts", value) from None
    return tuple(require_text(item, f"each of {name}") for item in items)


def whole_number(value: object, name: str, *, least: int | None = None) -> int:
    """The number as the core takes it, with 64 bits; UsageError unless it is whole and allowed."""
    number = _index(value, name)
    if least is not None and number < least:
        raise UsageError(f"{name} must be at least {least}, got {number}")
    return max(-_LARGEST, min(number, _LARGEST))


def whole_number_or_none(value: object, name: str, *, least: int | None = None) -> int | None:
    """The same where None has a meaning."""
    return None if value is None else whole_number(value, name, least=least)


def check_fields(options: Any) -> None:
    """Check that every field holds what its annotation says; for `__post_init__` of a data class.

    Lists become tuples and the numbers of NumPy plain ones, as files of options need them.
    """
    for name, hint in field_types(options.__class__).items():
        value = getattr(options, name)
        plain = _field(hint, value, name)
        if plain is not value:
            object.__setattr__(options, name, plain)


def field_types(kind: Any) -> dict[str, Any]:
    """The types of a data class's fields, by their names."""
    return _field_types(kind)


@cache
def _field_types(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def takes_none(hint: Any) -> bool:
    """Return true if None is one of the values that the type allows."""
    return get_origin(hint) in (Union, types.UnionType)


def without_none(hint: Any) -> Any:
    """The type that a value has if it is not None."""
    if not takes_none(hint):
        return hint
    (kind,) = (kind for kind in get_args(hint) if kind is not types.NoneType)
    return kind


def _field(hint: Any, value: Any, name: str) -> Any:
    if value is None and takes_none(hint):
        return None
    hint = without_none(hint)
    if get_origin(hint) is tuple:
        return texts(value, name)
    if hint is int:
        return _index(value, name)
    if hint is float:
        return _real(value, name)
    if hint is bool:
        return require_flag(value, name)
    if hint is str:
        return require_text(value, name)
    return require_kind(value, hint, name, f"of type {hint.__name__}")


def _real(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (Real, float)):
        raise wrong(name, "a number", value)
    return value if isinstance(value, int) else float(value)


def _index(value: Any, name: str) -> int:
    """A whole number of any size; True is not one."""
    if isinstance(value, bool):
        raise wrong(name, "a whole number", value)
    try:
        return index(value)
    except TypeError:
        raise wrong(name, "a whole number", value) from None


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # the object is the caller's own, and so are its mistakes
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
