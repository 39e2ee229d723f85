"""Verdicts beside those of the model checker Storm, where it is installed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve import _native
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.safety.oracles.decide import SafetyDecider
from tests.depth import examples
from tests.reference.random_jani import BOOLEANS, INTEGERS, UPPER, random_document
from tests.reference.storm import StormAnswer, ask_storm, is_installed
from tests.system.shared_jani import BENCHMARKS

pytestmark = pytest.mark.skipif(not is_installed(), reason="stormpy is not installed")

RANDOM_MODELS = examples(30)


def check_verdicts(model: JaniModel, answer: StormAnswer) -> set[bool]:
    """Which verdicts there were; all of our algorithms must give them."""
    rows = model.pack(np.array(list(answer.safe)))
    truth = list(answer.safe.values())
    for algorithm in _native.SAFETY_ALGORITHMS:
        found = SafetyDecider(model.system.copy(), algorithm=algorithm).decide(rows)
        assert found.safety.astype(bool).tolist() == truth, algorithm
    return set(truth)


def test_random_models() -> None:
    documents = [random_document(Random(seed)) for seed in range(RANDOM_MODELS)]
    names = (*INTEGERS, *BOOLEANS)
    domains = [range(UPPER + 1)] * len(INTEGERS) + [(False, True)] * len(BOOLEANS)
    starts = [dict(zip(names, values, strict=True)) for values in product(*domains)]
    answers = ask_storm(documents, [starts] * len(documents))
    mixed = 0
    for document, answer in zip(documents, answers, strict=True):
        assert len(answer.safe) == len(starts)
        mixed += len(check_verdicts(load_document(document, name="random"), answer)) == 2
    assert mixed > RANDOM_MODELS / 3


def small_start(model: JaniModel) -> Mapping[str, Any]:
    """The first start state where they are listed; else four packages in all."""
    if model.start_states is not None:
        return model.values(model.start_states[0])
    initial = dict.fromkeys((variable.name for variable in model.variables), 0)
    return {**initial, "location_load_0": 2, "location_load_4": 1, "location_load_8": 1}


@pytest.mark.parametrize("folder", [
    "beluga_4_2", "mod_linetrack_icy_park", "one_way_line_15_10", "one_way_line_15_10_det",
])  # fmt: skip
def test_shared_models(folder: str) -> None:
    benchmark = next(each for each in BENCHMARKS if each.folder == folder)
    model = benchmark.load()
    (answer,) = ask_storm([model.document], [[small_start(model)]])
    assert len(answer.safe) > 1000
    check_verdicts(model, answer)
