"""Functions and programs in other processes as policies of models: what they see and answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from bugsieve.base.errors import PolicyError
from bugsieve.policies.decisions import Ending
from bugsieve.policies.limits import WorkerLimits
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.policies.command import CommandModelPolicy
from bugsieve.rooms.jani.policies.model_view import ModelView, VariableView
from bugsieve.rooms.jani.policies.python import PythonModelPolicy
from bugsieve.rooms.jani.policies.registry import make_model_policy
from tests.unit.policies.models.lift import floors, lift, names
from tests.unit.tasks.jani.small import automaton, edge, model, variable

PATIENT = WorkerLimits(deadline=100.0)

FUNCTIONS = """
import json

def up(values, applicable):
    return "up" if "up" in applicable else None

def spy(values, applicable, model):
    with open({log!r}, "a") as log:
        log.write(json.dumps([values, applicable, repr(model)]) + "\\n")
    return applicable[-1]

def odd(values, applicable):
    if values["floor"] == 1:
        return "upp"
    if values["floor"] == 2:
        return "jump"
    if values["floor"] == 3:
        raise KeyError("lost")
    return None if values["floor"] == 4 else 17
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "functions.py"
    path.write_text(FUNCTIONS.format(log=str(tmp_path / "log")))
    return path


def test_a_function_of_values_and_applicable_actions(module: Path) -> None:
    loaded = lift()
    with make_model_policy(f"python:{module}:up", loaded, limits=PATIENT) as policy:
        assert policy.spec == f"python:{module}:up"
        actions = policy.choose(floors(loaded, 0, 1, 5, 1))
        assert actions.dtype == np.int32
        assert names(loaded, actions.tolist()) == ["up", "up", None, "up"]
        assert not policy.troubles


def test_values_have_their_types_and_the_view_its_bounds(module: Path, tmp_path: Path) -> None:
    loaded = lift()
    with PythonModelPolicy(loaded, f"{module}:spy", limits=PATIENT) as policy:
        policy.choose(np.array([loaded.state([2, True, 1.5]), loaded.state([0, False, 0.1])]))
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    # Types count, too: True is not 1 when it is printed.
    assert str(lines[0][0]) == "{'floor': 2, 'open': True, 'load': 1.5}"
    assert str(lines[1][0]) == "{'floor': 0, 'open': False, 'load': 0.1}"
    assert [set(line[1]) for line in lines] == [{"up", "down"}, {"up", "jump"}]
    assert lines[0][2] == repr(ModelView.of(loaded))


def test_the_view_of_a_model() -> None:
    view = ModelView.of(lift())
    assert view.name == "lift" and set(view.actions) == {"up", "down", "jump"}
    assert view.variables == (
        VariableView("floor", "int", 0, 5),
        VariableView("open", "bool"),
        VariableView("load", "real", 0, 2),
    )
    assert ModelView.from_message(json.loads(json.dumps(view.message()))) == view


def test_the_view_of_locations_and_unbounded_variables() -> None:
    rooms = automaton(edge({}, source="hall", target="attic"), locations=("hall", "attic"))
    view = ModelView.of(
        load_document(model(rooms, variables=[variable("n", "int", 0)]), name="rooms.jani")
    )
    assert view.variables == (
        VariableView("n", "int"),
        VariableView("main.location", "int", 0, 1, ("hall", "attic")),
    )
    assert ModelView.from_message(json.loads(json.dumps(view.message()))) == view


def test_wrong_answers_are_no_action_and_remembered(module: Path) -> None:
    loaded = lift()
    with PythonModelPolicy(loaded, f"{module}:odd", limits=PATIENT) as policy:
        chosen = policy.choose(floors(loaded, 0, 1, 2, 3, 4, 5, 3, 3))
        # An action that is not applicable is passed on: the run ends there.
        expected = [None, None, "jump", None, None, None, None, None]
        assert names(loaded, chosen.tolist()) == expected
        assert policy.troubles.counts == {Ending.POLICY_CRASH: 3, Ending.ILLEGAL_ACTION: 2}
        assert policy.troubles.first == {
            Ending.POLICY_CRASH: "returned 17, neither an action name nor None",
            Ending.ILLEGAL_ACTION: "\"upp\" is no action of the model (did you mean 'up'?)",
        }
        assert policy.choose(floors(loaded, 3, 2)).tolist() == chosen[[3, 2]].tolist()
        assert policy.troubles.counts[Ending.POLICY_CRASH] == 3  # nobody was asked again
        assert policy.troubles.unanswered == 3
        assert policy.troubles.to_json()["illegal action"]["answers"] == 2
        assert [line.split(" in ")[0] for line in policy.troubles.sentences()] == [
            "policy crash",
            "illegal action",
        ]


def test_answers_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that changes its mind is asked once per state, until too many are known."""
    from bugsieve.rooms.jani.policies import foreign

    path = tmp_path / "fickle.py"
    path.write_text(
        "calls = []\n\ndef choose(values, applicable):\n    calls.append(values)\n"
        "    return applicable[len(calls) % len(applicable)]\n"
    )
    loaded = lift()
    with PythonModelPolicy(loaded, f"{path}:choose", limits=PATIENT) as policy:
        first = policy.choose(floors(loaded, 1, 1, 1, 1))
        assert len(set(first.tolist())) == 1
        assert policy.choose(floors(loaded, 1)).tolist() == first[:1].tolist()
        policy.forget()
        assert policy.choose(floors(loaded, 1)).tolist() != first[:1].tolist()
        monkeypatch.setattr(foreign, "_MOST_REMEMBERED", 2)
        others = policy.choose(floors(loaded, 1, 2, 3))
        assert policy.choose(floors(loaded, 2, 3, 1)).shape == others.shape


PROGRAM = """
import json, sys
hello = json.loads(sys.stdin.readline())
{greeting}
for line in sys.stdin:
    batch = json.loads(line)
    actions = [(state["applicable"] or [None])[0] for state in batch["states"]]
    print(json.dumps({{"id": batch["id"], "actions": actions}}), flush=True)
"""


def command(folder: Path, greeting: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(PROGRAM.format(greeting=greeting))
    return [sys.executable, str(path)]


def test_a_program(tmp_path: Path) -> None:
    loaded = lift()
    greeting = "print(json.dumps({'ready': hello['model']['name'] == 'lift'}), flush=True)"
    with CommandModelPolicy(loaded, command(tmp_path, greeting), limits=PATIENT) as policy:
        chosen = policy.choose(floors(loaded, 0, 1, 5))
        applicable, offsets = loaded.applicable(floors(loaded, 0, 1))
        assert chosen.tolist() == [*applicable[offsets[:-1]].tolist(), -1]
        assert not policy.troubles


def test_a_program_may_refuse_the_model(tmp_path: Path) -> None:
    refusal = "print(json.dumps({'error': 'only for trains'}), flush=True)"
    with pytest.raises(PolicyError, match="cannot be used: only for trains"):
        CommandModelPolicy(lift(), command(tmp_path, refusal), limits=PATIENT)


def test_functions_that_cannot_be_had() -> None:
    with pytest.raises(PolicyError, match="no_such_module cannot be imported"):
        PythonModelPolicy(lift(), "no_such_module:choose", limits=PATIENT)


def test_impossible_states_are_the_callers_mistake(module: Path) -> None:
    from bugsieve.base.errors import UsageError

    with (
        PythonModelPolicy(lift(), f"{module}:up", limits=PATIENT) as policy,
        pytest.raises(UsageError, match="gives 'floor' the value 9.0"),
    ):
        policy.choose(np.array([[9.0, 0.0, 0.0]]))
