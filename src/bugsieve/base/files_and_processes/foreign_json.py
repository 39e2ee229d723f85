"""JSON that a stranger may have written where only ours should be, as in a store."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

_DEEPEST = 64
_MOST_BRACKETS = 200
_LARGEST = 2**63 - 1
_VALUES = (int, bool, float)
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str) -> Any:
    """The data in a JSON text; ValueError unless it is such as we write.

    It may be written again and shown. So it has no NaN, nothing that no text can hold, and no
    nesting that is too deep for recursive code.
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        _require_flat(data)
    if _HALF_CHARACTER.search(text):
        json.dumps(data, ensure_ascii=False).encode()
    return data


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _require_flat(data: Any) -> None:
    level = [data]
    for _ in range(_DEEPEST):
        lists = [part for part in level if isinstance(part, list)]
        lists += (list(part.values()) for part in level if isinstance(part, dict))
        level = [part for parts in lists for part in parts if isinstance(part, (list, dict))]
        if not level:
            return
    raise ValueError("JSON is nested too deeply")


class FixedList:
    """The shape of a list with a shape of its own in each place."""

    def __init__(self, *shapes: Any) -> None:
        self.shapes = shapes


def fitting(data: Any, shape: Any) -> Any:
    """The data, which must have this shape; ValueError otherwise.

    A shape is a type, `[shape]` for a list of any length, a `FixedList`, a tuple of
    alternatives, or None. It may also be an object with the shape of each key that must be
    there; "*" stands for all its keys.
    """
    if not _fits(data, shape):
        raise ValueError("JSON of another shape than ours")
    return data


def _fits(data: Any, shape: Any) -> bool:
    if isinstance(shape, tuple):
        return any(_fits(data, part) for part in shape)
    if isinstance(shape, list):
        return isinstance(data, list) and _all_fit(data, shape[0])
    if isinstance(shape, FixedList):
        is_row = isinstance(data, list) and len(data) == len(shape.shapes)
        return is_row and all(map(_fits, data, shape.shapes))
    if isinstance(shape, dict):
        return isinstance(data, dict) and _has_keys(data, shape)
    if shape is int:
        return type(data) is int and -_LARGEST <= data <= _LARGEST
    return data is None if shape is None else type(data) is shape


def _has_keys(data: dict[str, Any], shape: dict[str, Any]) -> bool:
    if "*" in shape:
        return all(_fits(part, shape["*"]) for part in data.values())
    return all(key in data and _fits(data[key], part) for key, part in shape.items())


def _all_fit(items: list[Any], shape: Any) -> bool:
    # Long lists, as of operators and values, are worth a short way.
    types = set(map(type, items))
    if types == {int} and shape in (int, _VALUES):
        return bool(min(items) >= -_LARGEST and max(items) <= _LARGEST)
    if types == {str} and shape is str:
        return True
    return all(_fits(item, shape) for item in items)
