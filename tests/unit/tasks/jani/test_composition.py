from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.model.findings import ModelError
from tests.unit.tasks.jani.small import (
    automaton,
    binary,
    bounded,
    edge,
    load,
    model,
    simple,
    successors,
    variable,
)

Json = Any

TWO = [variable("x", bounded(0, 5), 0), variable("y", bounded(0, 5), 0)]


def plus(name: str, number: int) -> Json:
    return {name: binary("+", name, number)}


def pair(*syncs: Json, first: Json = None, second: Json = None, **element: Json) -> Json:
    """An automaton A that counts x, and B that counts y up to 2, both by `go`."""
    a = automaton(first or edge(plus("x", 1)), name="A")
    b = automaton(second or edge(plus("y", 1), plus("y", 2), guard=binary("<", "y", 2)), name="B")
    made = model(a, b, variables=TWO)
    elements = [{"automaton": "A"}, {"automaton": "B", **element}]
    made["system"] = {"elements": elements, "syncs": list(syncs)}
    made["actions"] = [{"name": "go"}, {"name": "together"}]
    return made


def sync(*actions: str | None, result: str | None = "together") -> Json:
    made: Json = {"synchronise": list(actions)}
    return made if result is None else {**made, "result": result}


def test_automata_move_together(tmp_path: Path) -> None:
    loaded = load(tmp_path, pair(sync("go", "go")))
    assert loaded.actions == ("together",)
    assert successors(loaded, 0, 0) == {"together": [[1, 1], [1, 2]]}
    assert successors(loaded, 0, 2) == {}


def test_automata_move_alone(tmp_path: Path) -> None:
    loaded = load(tmp_path, pair(sync("go", None, result="go"), sync(None, "go")))
    assert successors(loaded, 0, 0) == {"go": [[1, 0]], "together": [[0, 1], [0, 2]]}


def test_vectors_with_one_result_are_one_action(tmp_path: Path) -> None:
    loaded = load(tmp_path, pair(sync("go", None), sync(None, "go"), sync("go", None)))
    assert successors(loaded, 0, 0) == {"together": [[1, 0], [0, 1], [0, 2]]}


def test_silent_moves(tmp_path: Path) -> None:
    alone = edge(plus("x", 3), action=None)
    loaded = load(tmp_path, pair(sync(None, "go"), sync(None, "go", result=None), first=alone))
    assert loaded.actions == ("together", "τ")
    assert successors(loaded, 1, 0) == {
        "together": [[1, 1], [1, 2]],
        "τ": [[4, 0], [1, 1], [1, 2]],
    }


def test_labels_outside_all_vectors_never_move(tmp_path: Path) -> None:
    loaded = load(tmp_path, pair())
    assert loaded.actions == () and successors(loaded, 0, 0) == {}


def test_input_enabled_automata_are_never_in_the_way(tmp_path: Path) -> None:
    loaded = load(tmp_path, pair(sync("go", "go"), **{"input-enable": ["go"]}))
    assert successors(loaded, 0, 0) == {"together": [[1, 1], [1, 2]]}
    assert successors(loaded, 0, 2) == {"together": [[1, 2]]}


def test_two_automata_must_not_assign_at_once(tmp_path: Path) -> None:
    loaded = load(tmp_path, pair(sync("go", "go"), second=edge({"x": 3})))
    with pytest.raises(
        ModelError, match=r"edges\[0\] and automata\[1\]\.edges\[0\] .* 'x' at once"
    ):
        successors(loaded, 0, 0)


def test_instances_have_variables_and_locations_of_their_own(tmp_path: Path) -> None:
    step = edge(plus("n", 1), source="l", target="m")
    made = model(automaton(step, locations=("l", "m")), variables=[])
    made["automata"][0]["variables"] = [variable("n", bounded(0, 3), 0)]
    made["system"] = {
        "elements": [{"automaton": "main"}, {"automaton": "main"}],
        "syncs": [sync("go", None, result="go"), sync(None, "go", result="go")],
    }
    loaded = load(tmp_path, made)
    assert [v.name for v in loaded.variables] == [
        "main#1.n", "main#1.location", "main#2.n", "main#2.location",
    ]  # fmt: skip
    assert successors(loaded, 0, 0, 1, 0) == {"go": [[1, 1, 1, 0], [0, 0, 2, 1]]}
    assert successors(loaded, 0, 1, 1, 1) == {}


def test_indices_order_assignments_across_automata(tmp_path: Path) -> None:
    first, second = edge({"x": binary("+", "y", 1)}), edge({"y": binary("+", "x", 1)})
    loaded = load(tmp_path, pair(sync("go", "go"), first=first, second=second))
    assert successors(loaded, 1, 3) == {"together": [[4, 2]]}
    second["destinations"][0]["assignments"][0]["index"] = 1
    loaded = load(tmp_path, pair(sync("go", "go"), first=first, second=second))
    assert successors(loaded, 1, 3) == {"together": [[4, 5]]}
    assert successors(loaded, 0, 0) == {"together": [[1, 2]]}


def test_one_automaton_needs_no_vectors(tmp_path: Path) -> None:
    made = simple(edge(plus("x", 1)))
    del made["system"]["syncs"]
    assert successors(load(tmp_path, made), 0) == {"go": [[1]]}


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (pair(**{"input-enable": ["no"]}), r"input-enable\[0\]: there is no action 'no'"),
        (pair(sync("go")), r"syncs\[0\]\.synchronise: has 1 entries, but the system has 2"),
        (pair(sync("go", "gone")), r"synchronise\[1\]: there is no action 'gone'"),
        (pair(sync(None, None)), r"synchronise: no automaton takes part"),
        (pair(first=edge({}, action="run")), r"action: there is no action 'run'"),
        (pair(first=edge({"z": 1})), r"ref: there is no variable 'z' to assign"),
        (pair(first=edge({}, target="m")), r"location: there is no location 'm'"),
        (pair(first=edge()), r"edges\[0\]: the edge has no destination"),
    ],
)
def test_mistakes(tmp_path: Path, made: Json, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(tmp_path, made)


def test_too_many_combinations_are_refused(tmp_path: Path) -> None:
    many = [automaton(*(edge({}) for _ in range(10)), name=f"A{k}") for k in range(8)]
    made = model(*many)
    made["system"]["syncs"] = [sync(*["go"] * 8, result="go")]
    with pytest.raises(InputError, match="system: the automata together have more than"):
        load(tmp_path, made)
