from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.base.errors import UsageError
from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.model.model import JaniModel
from tests.unit.tasks.jani.small import (
    binary,
    bounded,
    counter,
    edge,
    load,
    safety,
    simple,
    successors,
    variable,
)

Json = Any


@pytest.fixture
def mixed(tmp_path: Path) -> JaniModel:
    """A real, a Boolean, a wide and a narrow integer, of which `go` changes one each."""
    variables = [
        variable("r", "real", 0.5),
        variable("b", "bool", False),
        variable("wide", "int", 0),
        variable("narrow", bounded(-3, 4), 0),
    ]
    step = edge({"r": 0.25}, {"b": True}, {"wide": -7}, {"narrow": -3})
    return load(tmp_path, simple(step, variables=variables))


def test_states_by_order_and_by_name(mixed: JaniModel) -> None:
    values = {"narrow": -3, "wide": 2**53, "b": True, "r": 1}
    state = mixed.state(values)
    assert state.tolist() == [1.0, 1.0, 2.0**53, -3.0]
    assert mixed.values(state) == {"r": 1.0, "b": True, "wide": 2**53, "narrow": -3}
    assert (mixed.state([1, True, 2**53, -3]) == state).all()


def test_packing_loses_nothing(mixed: JaniModel) -> None:
    rng = np.random.default_rng(1)
    states = np.column_stack(
        [
            rng.normal(size=200),
            rng.integers(0, 2, 200),
            rng.integers(-(2**53), 2**53, 200),
            rng.integers(-3, 5, 200),
        ]
    ).astype(np.float64)
    words = mixed.system.pack(states)
    assert words.shape == (200, mixed.system.words) == (200, 2)  # the integers share a word
    assert (mixed.system.unpack(words) == states).all()


def test_outcomes_change_what_they_assign(mixed: JaniModel) -> None:
    assert successors(mixed, 0.5, 0, 3, 1)["go"] == [
        [0.25, 0, 3, 1],
        [0.5, 1, 3, 1],
        [0.5, 0, -7, 1],
        [0.5, 0, 3, -3],
    ]


def test_equal_outcomes_are_one(tmp_path: Path) -> None:
    steps = [edge({"x": 1}, {"x": binary("+", "x", 1)}), edge({"x": 1}), edge({"x": 2})]
    loaded = load(tmp_path, simple(*steps))
    assert successors(loaded, 0) == {"go": [[1], [2]]}
    assert successors(loaded, 1) == {"go": [[1], [2]]}


def test_both_zeros_are_one_state(tmp_path: Path) -> None:
    product = binary("*", "r", -1)
    made = simple(edge({"r": product}, {"r": 0}), variables=[variable("r", "real", 0)])
    loaded = load(tmp_path, made)
    found = loaded.expand([[0.0], [-0.0]])
    assert found.outcome_offsets.tolist() == [0, 1, 2]
    assert not np.signbit(found.outcomes).any()
    assert (loaded.system.pack(np.array([[-0.0]])) == 0).all()


def test_batches(tmp_path: Path) -> None:
    loaded = load(tmp_path, counter())
    found = loaded.expand([[0], [4], [3]])
    assert found.actions.tolist() == [0, 0]
    assert found.action_offsets.tolist() == [0, 1, 1, 2]
    assert found.outcomes.tolist() == [[1], [2], [4], [5]]
    assert found.outcome_offsets.tolist() == [0, 2, 4]
    actions, offsets = loaded.applicable([[0], [4], [3]])
    assert actions.tolist() == [0, 0] and offsets.tolist() == [0, 1, 1, 2]
    empty = loaded.expand(np.empty((0, 1)))
    assert empty.action_offsets.tolist() == [0] and empty.outcomes.shape == (0, 1)


def test_strided_batches(tmp_path: Path) -> None:
    loaded = load(tmp_path, counter())
    states = np.zeros((6, 4))[::2, 1::4]
    states[:, 0] = [3, 5, 0]
    assert loaded.is_unsafe(states).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([[0.5]], "state 0 gives 'x' the value 0.5, but it is int from 0 to 5"),
        ([[1], [6]], "state 1 gives 'x' the value 6.0"),
        ([[float("nan")]], "state 0 gives 'x' the value nan"),
        ([[1, 2]], r"states must have shape \(n, 1\) or \(1,\), not \(1, 2\)"),
        ([1, 2], r"states must have shape \(n, 1\) or \(1,\), not \(2,\)"),
        (["one"], "states are numbers, but the array has type <U3"),
    ],
)
def test_wrong_batches(tmp_path: Path, states: Json, message: str) -> None:
    loaded = load(tmp_path, counter())
    for ask in (loaded.is_goal, loaded.is_unsafe, loaded.is_start, loaded.expand):
        with pytest.raises(UsageError, match=message):
            ask(states)


def test_a_name_is_one_line(tmp_path: Path) -> None:
    assert load(tmp_path, counter() | {"name": "a\x1b\n"}).name == r"a\x1b\n"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], "a state has 1 values, one per variable, not 2"),
        ({"y": 1}, "no variable 'y'"),
        ({}, "the state has no value for 'x'"),
        ([6], "6 is no value of 'x', which is int from 0 to 5"),
        ([True], "true is no value of 'x'"),
    ],
)
def test_wrong_values(tmp_path: Path, values: Json, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load(tmp_path, counter()).state(values)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (binary("+", "x", 1), "out-of-bounds", "assigns 6 to 'x', which is an int from 0 to 5"),
        (binary("%", 1, binary("-", "x", 5)), "division-by-zero", "divides by zero"),
        (binary("*", "x", 2**62), "overflow", "computes an integer beyond 64 bits"),
        (binary("pow", "x", -1), "negative-exponent", "to a negative power"),
        ({"op": "floor", "exp": binary("log", 0, "x")}, "undefined", "has no finite value"),
    ],
)
def test_findings(tmp_path: Path, value: Json, kind: str, message: str) -> None:
    loaded = load(tmp_path, simple(edge({}, action="a"), edge({"x": value})))
    with pytest.raises(
        ModelError,
        match=rf"automata\[0\]\.edges\[1\] \(action 'go'\) .*{message}.* in the state x = 5",
    ) as caught:
        loaded.expand([[1], [5]] if kind == "out-of-bounds" else [[5]])
    assert (caught.value.kind, caught.value.edge, caught.value.state) == (kind, 1, {"x": 5})
    assert caught.value.exit_code == 4


def test_findings_about_reals_probabilities_and_conditions(tmp_path: Path) -> None:
    variables = [variable("r", bounded(0, 1, "real"), 0)]
    made = simple(edge({"r": binary("+", "r", 0.5)}), variables=variables)
    with pytest.raises(ModelError, match="assigns 1.25 to 'r', which is a real from 0.0 to 1.0"):
        load(tmp_path, made).expand([[0.75]])
    made["automata"][0]["edges"][0]["destinations"][0]["probability"] = {
        "exp": binary("*", "r", 2)
    }
    loaded = load(tmp_path, made)
    assert successors(loaded, 0.5) == {"go": [[1.0]]}
    with pytest.raises(ModelError, match="has a destination of probability 1.5"):
        loaded.expand([[0.75]])
    with pytest.raises(ModelError, match="has no destination with a positive probability"):
        loaded.expand([[0]])
    made["properties"] = [safety(binary("<", binary("/", 1, "r"), 2))]
    with pytest.raises(
        ModelError, match="a condition of the property divides by zero in the state r"
    ):
        load(tmp_path, made).is_unsafe([[0]])


def test_probabilities_of_zero_are_no_outcomes(tmp_path: Path) -> None:
    step = edge({"x": 1}, {"x": 2}, {"x": 3})
    for destination, probability in zip(step["destinations"], [0, 0.0, 1], strict=True):
        destination["probability"] = {"exp": probability}
    assert successors(load(tmp_path, simple(step)), 0) == {"go": [[3]]}


def test_threads_share_a_model(tmp_path: Path) -> None:
    loaded = load(tmp_path, counter())
    states = np.array([[k % 6] for k in range(3000)], dtype=np.float64)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: loaded.expand(states).outcomes.tolist(), range(8)))
    assert all(answer == answers[0] for answer in answers)


def test_the_core_checks_its_tables() -> None:
    fine: dict[str, Any] = {
        "nodes": np.array([[0, 0, 0, 0]], dtype=np.int32),
        "constants": [1],
        "variables": np.array([[0, 1, 0, 3, 0]], dtype=np.uint64),
        "assignments": np.array([[0, 0, 0]], dtype=np.int32),
        "destinations": np.array([[-1, -1, 0, 1]], dtype=np.int32),
        "edges": np.array([[0, 0, 0, 1]], dtype=np.int32),
        "num_actions": 1,
        "goal": 0,
        "unsafe": 0,
        "start": 0,
    }
    system = _native.JaniSystem(**fine)
    assert system.expand(np.array([[3.0]]))[2].tolist() == [[1.0]]
    for name in ("nodes", "assignments", "destinations", "edges"):
        for column in range(1, fine[name].shape[1]):
            spoiled = fine[name].copy()
            spoiled[0, column] = 7
            if name == "nodes" and column > 1:
                continue  # operands that a constant does not have
            with pytest.raises(ValueError, match="model description"):
                _native.JaniSystem(**{**fine, name: spoiled})
    for name in ("goal", "unsafe", "start"):
        with pytest.raises(ValueError, match="model description"):
            _native.JaniSystem(**{**fine, name: 1})
    with pytest.raises(ValueError, match="wrong width"):
        _native.JaniSystem(**{**fine, "edges": np.zeros((1, 3), dtype=np.int32)})
    with pytest.raises(ValueError, match="which it cannot have"):
        system.pack(np.array([[4.0]]))
