"""Reads the JSON files in which users list states of a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.wording import shown_value
from bugsieve.tasks.json_text import load_json

if TYPE_CHECKING:
    from bugsieve.rooms.jani.model.model import JaniModel, Valuations

MAX_BYTES = 512 << 20

FORMAT = """\
JSON: a list of states, or {"states": …} with such a list. A state is a list
of values in the order of the model's variables, as in [[0, 3, true]], or an object with the value
of each variable by name, as in [{"pos": 0, "speed": 3, "icy": true}]; the location of an automaton
is a number."""


def read_states(path: Path, model: JaniModel) -> Valuations:
    """The states of a file, one per row, in its order."""
    import numpy as np

    content = load_json(path, kind="states", max_bytes=MAX_BYTES)
    entries = content.get("states") if isinstance(content, dict) else content
    if not isinstance(entries, list) or not entries:
        raise InputError(f"the states file {path} must hold a list of states, at least one")
    return np.array([_state(path, number, entry, model) for number, entry in enumerate(entries)])


def _state(path: Path, number: int, entry: Any, model: JaniModel) -> Valuations:
    place = f"{path}, state {number} (counted from 0)"
    values = list(entry.values()) if isinstance(entry, dict) else entry
    if not isinstance(values, list):
        raise InputError(f"{place}: a state is a list of values, or an object of values by name")
    for value in values:
        if not isinstance(value, (bool, int, float)):
            shown = shown_value(value)
            raise InputError(f"{place}: {shown} is no value; values are numbers, true and false")
    try:
        return model.state(entry)
    except (UsageError, OverflowError) as error:
        raise InputError(f"{place}: {error}") from None
