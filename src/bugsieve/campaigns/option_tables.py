"""Options as tables of TOML: dataclasses to tables and back, with a sentence for each mistake.

A value of None that is not the default is written as "none", because TOML has no such value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any, TypeVar, get_args, get_origin

from bugsieve.base.arguments import field_types, require_text, takes_none, without_none
from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.toml import parse_toml, toml_text
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import default_of

Options = TypeVar("Options")

NONE = "none"
_WANTED = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


class TomlOptions:
    """Base of options that are kept as a TOML file."""

    def to_toml(self) -> str:
        """The options as a TOML file; what is None by default is left out."""
        return toml_text(table_of(self))

    @classmethod
    def from_toml(cls: type[Options], text: str, *, name: str) -> Options:
        """The inverse of `to_toml`; `name` is the file in errors."""
        require_text(text, "text")
        return options_of(cls, parse_toml(text, require_text(name, "name")), place=name)


def require_different(oracles: tuple[str, ...]) -> None:
    """UsageError if an oracle is named twice."""
    twice = next((spec for spec in oracles if oracles.count(spec) > 1), None)
    if twice is not None:
        raise UsageError(f"the oracle {twice!r} is named twice")


def table_of(options: Any, *, default: Any = None) -> dict[str, Any]:
    """The options as a table; `default` is what a missing entry stands for."""
    table: dict[str, Any] = {}
    for field in fields(options):
        value = getattr(options, field.name)
        usual = default_of(field) if default is None else getattr(default, field.name)
        if is_dataclass(value):
            table[field.name] = table_of(value, default=usual)
        elif value is not None or usual is not None:
            table[field.name] = NONE if value is None else value
    return table


def options_of(kind: type[Options], table: Mapping[str, Any], *, place: str) -> Options:
    """The options that a table describes; `place` names the file or table in errors."""
    missing = [
        field.name
        for field in fields(kind)  # type: ignore[arg-type]
        if default_of(field) is MISSING and field.name not in table
    ]
    if missing:
        raise InputError(f"{place}: lacks {missing[0]!r}")
    return kind(**_values(kind, table, place))


def _values(kind: type[Any], table: Mapping[str, Any], place: str) -> dict[str, Any]:
    known = {field.name: field for field in fields(kind)}
    hints = field_types(kind)
    values = {}
    for name, value in table.items():
        if name not in known:
            raise InputError(f"{place}: {no_such('option', name, known)}")
        values[name] = _value(hints[name], value, default_of(known[name]), f"{place}: {name}")
    return values


def _value(hint: Any, value: Any, default: Any, place: str) -> Any:
    if is_dataclass(hint):
        if not isinstance(value, Mapping):
            raise InputError(f"{place} must be a table, got {value!r}")
        return replace(default, **_values(type(default), value, place))
    if value == NONE and takes_none(hint):
        return None
    hint = without_none(hint)
    if get_origin(hint) is tuple:
        if not isinstance(value, (list, tuple)):
            raise InputError(f"{place} must be a list, got {value!r}")
        return tuple(_scalar(get_args(hint)[0], item, place) for item in value)
    return _scalar(hint, value, place)


def _scalar(kind: type, value: Any, place: str) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise InputError(f"{place} must be {_WANTED[kind]}, got {value!r}")
    return value
