"""The models do what the descriptions of their domains say, on states of random walks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from bugsieve.rooms.zoo.model_domains import generate_model
from tests.unit.domains.jani import simulators
from tests.unit.domains.jani.exploration import listed, made, successors, walk
from tests.unit.domains.jani.simulators import Simulator


def icy_positions(seed: int, name: str, **parameters: Any) -> set[int]:
    """As the model's own comment lists them."""
    document = generate_model(name, seed=seed, **parameters).document
    listed_there = document["system"]["comment"].partition("icy positions: ")[2]
    return {int(place) for place in listed_there.replace("none", "").split(", ") if place}


def agree(
    name: str, simulator: Simulator, seed: int = 0, starts: int = 20, **parameters: Any
) -> None:
    model = made(name, seed, starts=starts, **parameters)
    compared = 0
    for number, start in enumerate(listed(model)):
        for state in walk(model, start, 30, seed=number):
            expected = simulator(model.values(state))
            found = successors(model, state)
            assert set(found) == set(expected)
            for action, outcomes in expected.items():
                rows = [[float(values[v.name]) for v in model.variables] for values in outcomes]
                same = np.array(sorted(set(map(tuple, rows))))
                np.testing.assert_allclose(np.array(sorted(found[action])), same, rtol=1e-12)
            compared += 1
    assert compared > 80


@pytest.mark.parametrize("variant", ["park", "icy", "deterministic"])
@pytest.mark.parametrize("name", ["one-way-line", "two-way-line"])
@pytest.mark.parametrize("loss", [True, False])
def test_lines(name: str, variant: str, loss: bool) -> None:
    sizes: dict[str, Any] = {"length": 7, "packages": 4, "capacity": 2, "max_speed": 3, "icy": 3}
    for seed in (1, 2):
        icy = icy_positions(seed, name, variant=variant, loss=loss, **sizes)
        assert len(icy) == (0 if variant == "deterministic" else 3)
        simulator = simulators.line(
            7,
            3,
            icy,
            two_way=name == "two-way-line",
            loss=loss and variant != "deterministic",
            capacity=2,
        )
        agree(name, simulator, seed, variant=variant, loss=loss, **sizes)


def test_ice_without_failures_is_no_ice() -> None:
    assert icy_positions(0, "one-way-line", failing=False) == set()
    agree(
        "one-way-line",
        simulators.line(10, 3, set(), two_way=False, loss=True, capacity=5),
        failing=False,
    )


@pytest.mark.parametrize("dt", [0.01, 0.3, 0.9])
def test_ball(dt: float) -> None:
    agree("bouncing-ball", simulators.ball(dt, 50), dt=dt, episodes=50)


@pytest.mark.parametrize("dt", [0.001, 0.02])
def test_cartpole(dt: float) -> None:
    agree("cartpole", simulators.cartpole(dt, 40), dt=dt, episodes=40)


def test_pendulum() -> None:
    agree("inverted-pendulum", simulators.pendulum(40), episodes=40)


def test_follow_car() -> None:
    agree("follow-car", simulators.follow_car(50), episodes=50)


@pytest.mark.parametrize("variant", ["cell", "cost"])
def test_puzzle(variant: str) -> None:
    agree("n-puzzle", simulators.puzzle(3, 3, 2), starts=8, variant=variant, limit=16)
    agree(
        "n-puzzle",
        simulators.puzzle(2, 4, 1),
        starts=8,
        rows=2,
        columns=4,
        max_cost=1,
        variant=variant,
    )


def test_blocks() -> None:
    agree("nd-blocksworld", simulators.blocks(4, 1, None), blocks=4, table=3)
    agree(
        "nd-blocksworld",
        simulators.blocks(4, 2, 30),
        blocks=4,
        variant="time",
        time=30,
        max_cost=2,
    )


def test_the_comment_on_ice_is_part_of_the_text() -> None:
    text = generate_model("one-way-line", seed=3).text
    assert "icy positions: " in json.loads(text)["system"]["comment"]
