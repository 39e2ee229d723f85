"""The interpreter behind the safety checker does what the engine does, on random models."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest

from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.safety.checker.jani_interpreter import JaniInterpreter, RefusedModelError
from tests.depth import examples
from tests.property.jani_models import ModelMaker
from tests.property.test_jani import as_row
from tests.reference.jani_twins import assert_agreement

MODELS, STATES = 60, 10


@pytest.mark.parametrize("portion", range(5))
def test_random_models(portion: int) -> None:
    faults = 0
    for seed in range(portion * MODELS, portion * MODELS + examples(MODELS)):
        maker = ModelMaker(seed)
        document = maker.model()
        rows = [as_row(document, maker.state(document)) for _ in range(STATES)]
        faults += assert_agreement(load_document(document, name=f"random {seed}"), rows)
    assert 0 < faults < examples(MODELS * STATES)


WRONG: tuple[Any, ...] = (
    *(None, True, -1, 0.5, 10**30, "", "x", [], {}, [[]], {"op": "+"}, {"op": []}, ["x", 1]),
    *({"constant": "e"}, {"exp": "x"}, {"op": "call", "function": "f", "args": [1]}),
)


def damage(random: Random, document: Any) -> None:
    """Replace or remove a part somewhere in the document."""
    part = document
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = random.choice(keys)
        if not part[key] or not isinstance(part[key], (dict, list)) or random.random() < 0.1:
            break
        part = part[key]
    if random.random() < 0.3:
        del part[key]
    else:
        part[key] = copy.deepcopy(random.choice(WRONG))


def test_damaged_documents_are_refused_or_read() -> None:
    refused = 0
    for seed in range(examples(1500)):
        random = Random(seed)
        document = ModelMaker(seed % 30).model()
        damage(random, document)
        try:
            JaniInterpreter(document)
        except RefusedModelError:
            refused += 1
    assert examples(500) < refused < examples(1500)
