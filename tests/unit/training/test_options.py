"""Options: bad ones get a sentence, and they are JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.training.options import QOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hidden", (0,)),
        ("hidden", (5000,)),
        ("hidden", (2.5,)),
        ("steps", 0),
        ("steps", True),
        ("batch", 0),
        ("envs", 0),
        ("threads", 0),
        ("seed", 2**63),
        ("discount", 1.5),
        ("discount", float("nan")),
        ("learning_rate", 0.0),
        ("learning_rate", 2.0),
        ("epsilon_start", -0.1),
        ("goal_reward", float("inf")),
        ("goal_reward", "much"),
        ("progress_reward", -1.0),
        ("episode_limit", 0),
    ],
)
def test_bad_values_are_named(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"^{name} must be"):
        QOptions(**{name: value})


def test_options_that_do_not_fit() -> None:
    with pytest.raises(UsageError, match="epsilon_end must be at most epsilon_start"):
        QOptions(epsilon_start=0.1, epsilon_end=0.2)
    with pytest.raises(UsageError, match="batch must be at most buffer"):
        QOptions(batch=64, buffer=32)


def test_epsilon_goes_down_and_stays() -> None:
    options = QOptions(epsilon_start=0.9, epsilon_end=0.1, epsilon_decay=100)
    assert [options.epsilon(step) for step in (0, 50, 100, 1000)] == pytest.approx(
        [0.9, 0.5, 0.1, 0.1]
    )


def test_options_as_json() -> None:
    options = QOptions(hidden=(16,), seed=3)
    data = json.loads(json.dumps(options.to_json()))
    assert QOptions(**{**data, "hidden": tuple(data["hidden"])}) == options
