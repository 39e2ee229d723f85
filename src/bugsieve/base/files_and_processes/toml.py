"""TOML files: read with the standard library, written by hand for the little we need."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.toml_places import TooDeepError, marks_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The content of a TOML text; `name` is the file in errors."""
    try:
        with suppress(ValueError):  # about which the reader of TOML says more
            marks_of(text)
    except TooDeepError as error:  # which would take the reader for ever
        before = text[: error.at].split("\n")
        place = f"at line {len(before)}, column {len(before[-1]) + 1}"
        raise InputError(f"{name}: {error} ({place})") from None
    try:
        content: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also of numbers with too many digits
        raise InputError(f"{name}: is no TOML: {error}") from None
    return content


def toml_text(table: Mapping[str, Any]) -> str:
    """Tables of text, numbers, truth values and lists of these as TOML; None is left out."""
    return "\n".join(_lines(table, "")).strip("\n") + "\n"


def _lines(table: Mapping[str, Any], prefix: str) -> list[str]:
    """The plain values first: all that follows a table's heading belongs to that table."""
    lines = []
    for key, value in table.items():
        if value is not None and not isinstance(value, Mapping):
            lines.append(f"{key} = {_value(value)}")
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{prefix}{key}]", *_lines(value, f"{prefix}{key}.")]
    return lines


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, int):
        return repr(value)
    if isinstance(value, float):
        return repr(float(value))  # the numbers of NumPy show their type
    raise TypeError(f"{value!r} has no place in a TOML file")
