"""Compiled JANI models answer as a slow evaluator of the JSON does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.model.loading import load_model
from bugsieve.rooms.jani.model.model import JaniModel
from tests.depth import examples
from tests.property.jani_models import ModelMaker
from tests.reference.jani import ModelFaultError, ReferenceModel, Values

STATES = 12

Successors = dict[str, list[list[float]]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jani")


def loaded(folder: Path, model: Any) -> JaniModel:
    path = folder / "model.jani"
    path.write_text(json.dumps(model, ensure_ascii=False), encoding="utf-8")
    return load_model(path)


def as_row(model: Any, values: Values) -> list[float]:
    """The state in the order of the compiled model: variables, then locations where several."""
    row = [float(value) for name, value in values.items() if not name.startswith("@")]
    for number, automaton in enumerate(model["automata"]):
        names = [location["name"] for location in automaton["locations"]]
        if len(names) > 1:
            row.append(float(names.index(values[f"@{number}"])))
    return row


def expected(twin: ReferenceModel, values: Values) -> Successors | None:
    """None where the model fails."""
    try:
        found = twin.successors(values)
    except ModelFaultError:
        return None
    return {
        action: sorted(as_row(twin.model, outcome) for outcome in outcomes)
        for action, outcomes in found.items()
    }


def successors(model: JaniModel, rows: list[list[float]]) -> list[Successors]:
    found = model.expand(np.array(rows).reshape(len(rows), model.num_variables))
    result = []
    for k in range(len(rows)):
        own: Successors = {}
        for a in range(found.action_offsets[k], found.action_offsets[k + 1]):
            begin, end = found.outcome_offsets[a : a + 2]
            outcomes = found.outcomes[begin:end].tolist()
            assert len({tuple(outcome) for outcome in outcomes}) == len(outcomes)
            own[model.actions[found.actions[a]]] = sorted(outcomes)
        assert list(own) == sorted(own, key=model.actions.index)
        result.append(own)
    return result


def one(model: JaniModel, row: list[float]) -> Successors | None:
    try:
        return successors(model, [row])[0]
    except ModelError:
        return None


def check_conditions(model: JaniModel, twin: ReferenceModel, values: Values) -> None:
    row = np.array([as_row(twin.model, values)])
    parts = twin.model["properties"][0]["expression"]
    questions = [
        (model.is_goal, parts["objective"]["goal"]["exp"]),
        (model.is_unsafe, parts["reach"]["exp"]),
    ]
    for ask, expression in questions:
        try:
            holds = twin.evaluate(expression, values)
        except ModelFaultError:
            with pytest.raises(ModelError):
                ask(row)
        else:
            assert ask(row).tolist() == [holds]


@settings(max_examples=examples(400))
@given(seed=st.integers(0, 2**32))
def test_models_agree_with_the_twin(folder: Path, seed: int) -> None:
    maker = ModelMaker(seed)
    description = maker.model()
    model, twin = loaded(folder, description), ReferenceModel(description)
    fine_rows, fine = [], []
    for _ in range(STATES):
        values = maker.state(description)
        row = as_row(description, values)
        wanted = expected(twin, values)
        assert one(model, row) == wanted, values
        check_conditions(model, twin, values)
        if wanted is not None:
            fine_rows.append(row)
            fine.append(wanted)
    assert successors(model, fine_rows) == fine
    actions, offsets = model.applicable(np.array(fine_rows).reshape(-1, model.num_variables))
    for k, wanted in enumerate(fine):
        names = [model.actions[a] for a in actions[offsets[k] : offsets[k + 1]]]
        assert sorted(names) == sorted(wanted)


def test_the_models_are_worth_looking_at() -> None:
    """Enough states have successors, several outcomes, and enough models fail somewhere."""
    moving = branching = failing = 0
    for seed in range(examples(150)):
        maker = ModelMaker(seed)
        twin = ReferenceModel(maker.model())
        for _ in range(STATES):
            found = expected(twin, maker.state(twin.model))
            failing += found is None
            moving += bool(found)
            branching += any(len(outcomes) > 1 for outcomes in (found or {}).values())
    assert moving > examples(600)
    assert branching > examples(200) and failing > examples(50)
