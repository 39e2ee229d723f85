from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from tests.unit.tasks.jani.small import (
    automaton,
    binary,
    bounded,
    edge,
    load,
    model,
    safety,
    successors,
    variable,
)

Json = Any


def with_transients(*assignments: Json, values: Json = (), guard: Json = True) -> Json:
    """x, and the transient t (1 at first) and u (2 at first); location m has `values`."""
    there = edge({}, source="l", target="m", guard=guard)
    there["destinations"][0]["assignments"] = list(assignments)
    back = edge({}, action="back", source="m", target="l")
    variables = [
        variable("t", bounded(0, 9), 1, transient=True),
        variable("x", bounded(0, 9), 0),
        variable("u", "real", 2, transient=True),
    ]
    made = model(automaton(there, back, locations=("l", "m")), variables=variables)
    made["automata"][0]["locations"][1]["transient-values"] = list(values)
    return made


def assign(name: str, value: Json, index: int = 0) -> Json:
    return {"ref": name, "value": value, "index": index}


def test_transient_variables_are_no_part_of_states(tmp_path: Path) -> None:
    loaded = load(tmp_path, with_transients(assign("t", 7), assign("u", 0.5)))
    assert [v.name for v in loaded.variables] == ["x", "main.location"]
    assert successors(loaded, 3, 0) == {"go": [[3, 1]]}


def test_later_assignments_read_what_earlier_ones_wrote(tmp_path: Path) -> None:
    made = with_transients(assign("t", "x"), assign("x", binary("+", "t", 1), 1))
    loaded = load(tmp_path, made)
    for _ in range(2):  # nothing is left of the first time
        assert successors(loaded, 3, 0) == {"go": [[4, 1]]}
    made = with_transients(assign("t", "x"), assign("x", binary("+", "t", 1)))
    assert successors(load(tmp_path, made), 3, 0) == {"go": [[2, 1]]}


def test_locations_say_what_transient_variables_are_in_states(tmp_path: Path) -> None:
    made = with_transients(
        values=[
            {"ref": "t", "value": binary("+", "x", 1)},
            {"ref": "u", "value": binary("*", "t", 2)},
        ]
    )
    made["properties"] = [safety(binary("=", "t", 4), binary("=", "u", 8))]
    loaded = load(tmp_path, made)
    states = [[3, 0], [3, 1], [2, 1]]
    assert loaded.is_unsafe(states).tolist() == [False, True, False]
    assert loaded.is_goal(states).tolist() == [False, True, False]


def test_functions_see_what_their_callers_see(tmp_path: Path) -> None:
    call = {"op": "call", "function": "f", "args": []}
    made = with_transients(assign("t", 5), assign("x", call, 1), values=[{"ref": "t", "value": 8}])
    made["functions"] = [{"name": "f", "type": "int", "parameters": [], "body": "t"}]
    made["properties"] = [safety(binary("=", call, 8))]
    loaded = load(tmp_path, made)
    assert successors(loaded, 3, 0) == {"go": [[5, 1]]}
    assert loaded.is_unsafe([[3, 0], [3, 1]]).tolist() == [False, True]


def test_guards_see_first_values(tmp_path: Path) -> None:
    assert successors(load(tmp_path, with_transients(guard=binary("=", "t", 1))), 3, 0)
    assert not successors(load(tmp_path, with_transients(guard=binary("=", "u", 1))), 3, 0)


def test_mistakes(tmp_path: Path) -> None:
    circle = [{"ref": "t", "value": "t"}]
    with pytest.raises(InputError, match=r"variables\[0\]: transient variables are defined by"):
        load(tmp_path, with_transients(values=circle))
    with pytest.raises(InputError, match=r"transient-values\[0\]: there is no transient .*'x'"):
        load(tmp_path, with_transients(values=[{"ref": "x", "value": 1}]))
    twice = [assign("t", 1, 2), assign("t", 3, 2)]
    with pytest.raises(InputError, match=r"assignments\[1\]: 't' is assigned twice at once"):
        load(tmp_path, with_transients(*twice))
    with pytest.raises(InputError, match=r"index: the index must be a small integer"):
        load(tmp_path, with_transients(assign("t", 1, 2**40)))
