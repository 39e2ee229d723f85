from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.jani.model.properties import PropertyFiles
from tests.unit.tasks.jani.small import (
    automaton,
    binary,
    bounded,
    condition,
    counter,
    edge,
    load,
    model,
    safety,
    simple,
    variable,
    write,
)

Json = Any

OBJECTIVE = {"op": "objective", "goal": condition(binary("=", "x", 2)), "step-reward": 3}
UNSAFE = condition(binary("=", "x", 1))
STARTS = {
    "op": "states-values",
    "values": [{"variables": [{"var": "x", "value": k}]} for k in (4, 2)],
}


def bare() -> Json:
    return {key: value for key, value in counter().items() if key != "properties"}


def test_the_property_may_be_in_the_model(tmp_path: Path) -> None:
    loaded = load(tmp_path, counter())
    states = [[k] for k in range(6)]
    assert loaded.is_unsafe(states).tolist() == [k == 3 for k in range(6)]
    assert loaded.is_goal(states).tolist() == [k == 5 for k in range(6)]


@pytest.mark.parametrize("shape", ["list", "single", "bare"])
def test_the_property_may_be_in_another_file(tmp_path: Path, shape: str) -> None:
    single = safety(binary("=", "x", 1), binary("=", "x", 2), STARTS)
    document = {"list": {"properties": [single]}, "single": single, "bare": single["expression"]}
    path = write(tmp_path, document[shape], "property.jani")
    loaded = load_model(write(tmp_path, counter()), path)
    assert loaded.is_unsafe([[1], [3]]).tolist() == [True, False]
    assert loaded.is_goal([[2], [5]]).tolist() == [True, False]
    assert loaded.start_states is not None
    assert loaded.start_states.tolist() == [[4], [2]]
    assert loaded.is_start([[4], [3]]).tolist() == [True, False]


def test_parts_may_be_in_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    expression = {
        "op": "PA",
        "start": {"file": "parts/start.jani"},
        "objective": {"file": "parts/objective.jani"},
        "reach": {"file": "unsafe.jani"},
    }
    document = {"properties": [{"name": "p", "expression": expression}]}
    files = PropertyFiles(
        write(tmp_path, STARTS, "parts/start.jani"),
        write(tmp_path, OBJECTIVE, "parts/objective.jani"),
        write(tmp_path, UNSAFE, "unsafe.jani"),
    )
    for source in (files, write(tmp_path, document, "property.jani")):
        loaded = load_model(write(tmp_path, bare()), source)
        assert loaded.is_unsafe([[1]]).all() and loaded.is_goal([[2]]).all()
        assert loaded.is_start([[4]]).all()


def test_files_that_refer_to_nothing_or_themselves(tmp_path: Path) -> None:
    made = counter()
    made["properties"][0]["expression"]["reach"] = {"file": "missing.jani"}
    with pytest.raises(InputError, match=r"missing\.jani: there is no such file.*model\.jani ref"):
        load(tmp_path, made)
    made["properties"][0]["expression"]["reach"] = {"file": "circle.jani"}
    write(tmp_path, {"file": "circle.jani"}, "circle.jani")
    with pytest.raises(InputError, match=r"circle\.jani: files refer to each other in a circle"):
        load(tmp_path, made)


def test_one_of_several_is_chosen_by_name(tmp_path: Path) -> None:
    made = counter()
    made["properties"] += [
        {**safety(binary("=", "x", 0)), "name": "other"},
        {"name": "reach", "expression": {"op": "filter", "fun": "max"}},
    ]
    with pytest.raises(InputError, match=r"several properties \(other, safety\): choose one"):
        load(tmp_path, made)
    assert load(tmp_path, made, property_name="other").is_unsafe([[0], [3]]).tolist() == [
        True,
        False,
    ]
    with pytest.raises(InputError, match="does not hold the property 'third'"):
        load(tmp_path, made, property_name="third")


def test_a_model_without_property(tmp_path: Path) -> None:
    wanted = r"model\.jani: does not hold a property with start.* with --unsafe FILE"
    with pytest.raises(InputError, match=wanted):
        load(tmp_path, bare())
    with pytest.raises(InputError, match="is a property, not a model"):
        load(tmp_path, {"properties": []})


def test_start_conditions(tmp_path: Path) -> None:
    start = condition(binary("∧", binary("≤", 1, "x"), binary("<", "x", 3)))
    loaded = load(tmp_path, {**counter(), "properties": [safety(start=start)]})
    assert loaded.start_states is None
    assert loaded.is_start([[k] for k in range(6)]).tolist() == [k in (1, 2) for k in range(6)]


def two_places(start: Json) -> Json:
    step = edge({"x": 1}, source="l", target="m")
    return model(automaton(step, locations=("l", "m")), properties=[safety(start=start)])


def test_locations_of_start_conditions(tmp_path: Path) -> None:
    states = [[0, 0], [0, 1]]
    here = {**condition(True), "locations": [{"automaton": "main", "location": "m"}]}
    assert load(tmp_path, two_places(here)).is_start(states).tolist() == [False, True]
    assert load(tmp_path, two_places(condition(True))).is_start(states).tolist() == [True, False]
    listed = {
        "op": "states-values",
        "values": [{"variables": [{"var": "x", "value": 4}], "locations": here["locations"]}],
    }
    found = load(tmp_path, two_places(listed)).start_states
    assert found is not None and found.tolist() == [[4, 1]]


def test_initial_states_of_the_model(tmp_path: Path) -> None:
    loaded = load(tmp_path, two_places({"op": "initial"}))
    assert loaded.start_states is not None
    assert loaded.start_states.tolist() == [[0, 0]]
    several = two_places({"op": "initial"})
    several["automata"][0]["initial-locations"] = ["l", "m"]
    several["restrict-initial"] = {"exp": binary("=", "x", 0)}
    starts = load(tmp_path, several).start_states
    assert starts is not None and starts.tolist() == [[0, 0], [0, 1]]
    several["restrict-initial"] = {"exp": binary("=", "x", 1)}
    with pytest.raises(InputError, match="no initial state satisfies the restriction"):
        load(tmp_path, several)


def test_initial_states_that_are_only_restricted(tmp_path: Path) -> None:
    made = simple(variables=[variable("x", bounded(0, 5)), variable("y", "bool", True)])
    made["restrict-initial"] = {"exp": binary("<", "x", 2)}
    made["automata"][0]["restrict-initial"] = {"exp": binary("≠", "x", 0)}
    loaded = load(tmp_path, made)
    assert loaded.start_states is None
    states = np.array([[0, 1], [1, 1], [2, 1], [1, 0]])
    assert loaded.is_start(states).tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ([{"var": "y", "value": 1}], "there is no variable 'y' in the model"),
        ([{"var": "x", "value": 6}], "value: 6 is no value of 'x', which is int from 0 to 5"),
        ([{"var": "x", "value": 1.5}], "value: 1.5 is no value of 'x'"),
        ([{"var": "x", "value": True}], "value: true is no value of 'x'"),
        ([{"var": "x", "value": "x"}], "value: must be a constant"),
        ([{"var": "x"}], "has no 'value'"),
        ([], "the start state has no value for 'x'"),
    ],
)
def test_bad_start_values(tmp_path: Path, variables: Json, message: str) -> None:
    start = {"op": "states-values", "values": [{"variables": variables}]}
    made = simple(variables=[variable("x", bounded(0, 5))], start=start)
    with pytest.raises(InputError, match=rf"expression\.start\.values\[0\].*{message}"):
        load(tmp_path, made)


def test_whole_reals_are_integers_and_integers_reals(tmp_path: Path) -> None:
    listed = [{"var": "x", "value": 2.0}, {"var": "r", "value": 1}, {"var": "b", "value": False}]
    start = {"op": "states-values", "values": [{"variables": listed}]}
    variables = [variable("r", "real"), variable("x", "int"), variable("b", "bool")]
    made = simple(variables=variables, start=start)
    loaded = load(tmp_path, made)
    assert loaded.start_states is not None
    assert loaded.values(loaded.start_states[0]) == {"r": 1.0, "x": 2, "b": False}


def test_a_property_of_another_model(tmp_path: Path) -> None:
    path = write(tmp_path, {"properties": [safety(binary("=", "speed", 1))]}, "other.jani")
    with pytest.raises(InputError) as caught:
        load_model(write(tmp_path, counter()), path)
    assert "other.jani: properties[0].expression.reach.exp.left: there is no variable" in str(
        caught.value
    )
    assert json.loads(path.read_text())["properties"]


def test_conditions_must_be_conditions(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"reach\.exp: must be of type bool, but is of type int"):
        load(tmp_path, {**counter(), "properties": [safety("x")]})
    made = {**counter(), "properties": [safety()]}
    made["properties"][0]["expression"]["reach"] = {"op": "state-condition"}
    with pytest.raises(InputError, match="reach: the state condition has neither"):
        load(tmp_path, made)
