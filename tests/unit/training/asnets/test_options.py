"""Options: bad ones get a sentence, and they are JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.training.asnets.options import AsnetOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hidden", 0),
        ("hidden", 10**6),
        ("layers", 0),
        ("steps", 0),
        ("steps", 2.0),
        ("batch", True),
        ("learning_rate", 0),
        ("learning_rate", float("nan")),
        ("weight_decay", -1e-3),
        ("dropout", 1.0),
        ("dropout", "little"),
        ("rollout_limit", 0),
        ("teacher_expansions", 0),
    ],
)
def test_bad_values_are_named(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"^{name} must be"):
        AsnetOptions(**{name: value})


def test_names_are_suggested() -> None:
    with pytest.raises(UsageError, match="no teacher 'atsar'.*did you mean 'astar'"):
        AsnetOptions(teacher="atsar")
    with pytest.raises(UsageError, match="there is no loss 'hinge'; there are bce, ce"):
        AsnetOptions(loss="hinge")


def test_options_are_json() -> None:
    options = AsnetOptions(hidden=8, dropout=0.0, teacher="greedy")
    assert AsnetOptions(**json.loads(json.dumps(options.to_json()))) == options
