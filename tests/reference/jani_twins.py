"""Compares the engine's model of a JANI document with the checker's interpreter, exactly."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.safety.checker.jani_interpreter import JaniInterpreter, ModelFaultError

Plain = tuple[Any, ...]

FAULT = "fault"
_CONVERSIONS = {"real": float, "int": int, "bool": bool}


def plain(model: JaniModel, row: Iterable[float]) -> Plain:
    """A row of numbers as the values that the interpreter takes."""
    return tuple(
        _CONVERSIONS[variable.type.kind](value)
        for variable, value in zip(model.variables, row, strict=True)
    )


def _bits(state: Plain) -> Plain:
    """Something that differs wherever states differ in a bit; there is only one zero."""
    return tuple(
        struct.pack("<d", value + 0.0) if isinstance(value, float) else (type(value), value)
        for value in state
    )


def _engine(model: JaniModel, row: Sequence[float]) -> Any:
    try:
        found = model.expand([row])
    except ModelError:
        return FAULT
    bounds = zip(found.outcome_offsets, found.outcome_offsets[1:], strict=False)
    return {
        int(action): sorted(_bits(plain(model, outcome)) for outcome in found.outcomes[a:b])
        for action, (a, b) in zip(found.actions, bounds, strict=True)
    }


def _interpreted(twin: JaniInterpreter, state: Plain) -> Any:
    try:
        found = twin.transitions(state)
    except ModelFaultError:
        return FAULT
    for outcomes in found.values():
        for outcome in outcomes:
            twin.check_state(outcome)
    return {action: sorted(map(_bits, outcomes)) for action, outcomes in found.items()}


def _engine_kind(model: JaniModel, row: Sequence[float]) -> str:
    try:
        if model.is_unsafe([row])[0]:
            return "unsafe"
        return "goal" if model.is_goal([row])[0] else "ordinary"
    except ModelError:
        return FAULT


def _interpreted_kind(twin: JaniInterpreter, state: Plain) -> str:
    try:
        return twin.kind(state)
    except ModelFaultError:
        return FAULT


def assert_agreement(
    model: JaniModel, rows: Sequence[Sequence[float]], twin: JaniInterpreter | None = None
) -> int:
    """Both say the same of all states; returns how many of them are faults of the model."""
    twin = JaniInterpreter(model.document) if twin is None else twin
    assert twin.actions == list(model.actions)
    assert twin.variables == [variable.name for variable in model.variables]
    faults = 0
    for row in rows:
        state = twin.check_state(plain(model, row))
        expected = _engine(model, row)
        assert _interpreted(twin, state) == expected, state
        assert _interpreted_kind(twin, state) == _engine_kind(model, row), state
        faults += expected == FAULT
    return faults


def reached(model: JaniModel, most: int = 500) -> list[list[float]]:
    """States that can be reached from the listed start states, up to a number."""
    starts = model.start_states
    assert starts is not None
    open_rows = starts.tolist()
    seen = {tuple(row) for row in open_rows}
    rows: list[list[float]] = []
    while open_rows and len(rows) < most:
        rows.append(open_rows.pop(0))
        try:
            outcomes = model.expand(np.array(rows[-1:])).outcomes.tolist()
        except ModelError:
            continue
        for outcome in outcomes:
            if tuple(outcome) not in seen:
                seen.add(tuple(outcome))
                open_rows.append(outcome)
    return rows
