"""Functions and objects of this process as policies of models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bugsieve
from bugsieve.base.errors import PolicyError, UsageError
from bugsieve.policies.decisions import Ending
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import Valuations
from bugsieve.rooms.jani.policies.lifted import as_model_policy
from bugsieve.rooms.jani.policies.model_view import ModelView
from tests.unit.policies.models.lift import document, floors, lift, names


def upwards(values: dict[str, Any], applicable: list[str]) -> str | None:
    if values["floor"] == 3:
        raise LookupError("lost")
    if values["floor"] == 4:
        return "jump"
    return "up" if "up" in applicable else None


@pytest.mark.parametrize("function", [upwards, bugsieve.policy(upwards)])
def test_functions_of_one_state(function: Any) -> None:
    model = lift()
    policy = as_model_policy(function, model)
    assert policy.spec == "function:upwards"
    chosen = policy.choose(floors(model, 0, 3, 4, 5)).tolist()
    assert names(model, chosen) == ["up", None, "jump", None]
    assert policy.troubles.first == {
        Ending.POLICY_CRASH: "LookupError: lost",
        Ending.ILLEGAL_ACTION: '"jump" is not applicable',
    }


def test_the_decorator_binds_to_models_and_a_third_argument_gets_the_view() -> None:
    seen: list[ModelView] = []

    @bugsieve.policy
    def knows(values: dict[str, Any], applicable: list[str], model: ModelView) -> str:
        seen.append(model)
        assert values == {"floor": 1, "open": False, "load": 0.0}
        return model.actions[0]

    model = lift()
    assert knows.bind(model).choose(floors(model, 1)).tolist() == [0]
    assert seen == [ModelView.of(model)]


def test_functions_may_change_what_they_are_given() -> None:
    def greedy(values: dict[str, Any], applicable: list[str]) -> str:
        values.clear()
        return applicable.pop()

    model = lift()
    policy = as_model_policy(greedy, model)
    assert (policy.choose(floors(model, 1, 2)) >= 0).all()
    assert not policy.troubles


class Batches:
    """Goes up, but cannot bear the third floor, and jumps from the fourth."""

    def choose(self, states: Valuations) -> Any:
        assert states.dtype == np.float64 and states.ndim == 2
        if (states[:, 0] == 3).any():
            raise ValueError("no third floor")
        return np.where(states[:, 0] == 4, 99, UP)


UP = lift().actions.index("up")


def test_objects_and_functions_of_batches() -> None:
    model = lift()
    for given, spec in [
        (Batches(), "object:Batches"),
        (Batches().choose, "object:choose"),
    ]:
        policy = as_model_policy(given, model)
        assert policy.spec == spec
        chosen = policy.choose(floors(model, 0, 1, 3, 4, 2))
        assert chosen.dtype == np.int32
        assert chosen.tolist() == [UP, UP, -1, -1, UP]
        assert policy.troubles.first == {
            Ending.POLICY_CRASH: "ValueError: no third floor",
            Ending.ILLEGAL_ACTION: "there is no action with id 99",
        }


def test_lists_will_do() -> None:
    model = lift()
    policy = as_model_policy(lambda states: [UP for _ in states], model)
    assert policy.choose(floors(model, 0, 1)).tolist() == [UP, UP]
    assert policy.choose(floors(model, 5)).tolist() == [UP]
    assert policy.troubles.sentences() == [
        'illegal action in 1 answer, first: "up" is not applicable'
    ]


def test_numbers_below_minus_one_are_no_actions() -> None:
    model = lift()
    policy = as_model_policy(lambda states: np.full(len(states), -2), model)
    assert policy.choose(floors(model, 0)).tolist() == [-1]
    assert policy.troubles.first == {Ending.ILLEGAL_ACTION: "there is no action with id -2"}


@pytest.mark.parametrize("answer", [[0.5], [0, 1], "up", [["a"]]])
def test_answers_of_another_shape(answer: Any) -> None:
    model = lift()
    with pytest.raises(PolicyError, match="must answer an integer array"):
        as_model_policy(lambda states: answer, model).choose(floors(model, 0))


def test_states_are_not_the_policys_to_change() -> None:
    def vandal(states: Valuations) -> Any:
        states[:] = 0
        return np.zeros(len(states), dtype=np.int64)

    model = lift()
    states = floors(model, 2)
    policy = as_model_policy(vandal, model)
    assert policy.choose(states).tolist() == [-1]
    assert states.tolist() == floors(model, 2).tolist()
    assert "read-only" in policy.troubles.first[Ending.POLICY_CRASH]


def test_specs_and_bound_policies() -> None:
    model = lift()
    policy = as_model_policy("random", model, seed=4)
    assert policy.spec == "random:4"
    assert as_model_policy(policy, model) is policy
    assert as_model_policy(policy, lift()) is policy  # the same model, loaded again
    other = load_document({**document(), "name": "stairs"}, name="stairs.jani")
    with pytest.raises(UsageError, match="bound to lift, not to stairs"):
        as_model_policy(policy, other)


@pytest.mark.parametrize("thing", [None, 5, Batches, object()])
def test_what_is_no_policy(thing: Any) -> None:
    with pytest.raises(UsageError, match="policy"):
        as_model_policy(thing, lift())
