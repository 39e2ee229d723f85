"""What is safe, by the oracle: each domain has dangers, and ways round them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bugsieve.rooms.safety.oracles.decide import Safety
from bugsieve.rooms.zoo.model_domains import MODEL_DOMAINS, generate_model
from tests.unit.domains.jani.exploration import listed, made, verdicts, walk


def start_verdicts(name: str, seed: int = 0, **parameters: Any) -> list[Safety]:
    model = made(name, seed, starts=100, **parameters)
    return verdicts(model, listed(model))


def icy_positions(name: str, seed: int, **parameters: Any) -> list[int]:
    comment = generate_model(name, seed=seed, **parameters).document["system"]["comment"]
    return [int(place) for place in comment.partition("icy positions: ")[2].split(", ")]


@pytest.mark.parametrize("seed", range(8))
def test_without_parking_and_with_failing_brakes_no_start_of_a_line_is_safe(seed: int) -> None:
    """Packages lost on the way past the last ice must stay behind."""
    sizes: dict[str, Any] = {"length": 6, "packages": 3, "variant": "icy"}
    found = start_verdicts("one-way-line", seed, **sizes)
    if 3 in icy_positions("one-way-line", seed, **sizes):
        assert set(found) == {Safety.LOST}
    else:
        assert found.count(Safety.LOST) > 50


@pytest.mark.parametrize("seed", range(8))
def test_with_parking_starts_are_safe(seed: int) -> None:
    found = start_verdicts("one-way-line", seed, length=6, packages=3)
    assert set(found) == {Safety.SAFE}


def test_packages_can_be_delivered_without_mishaps() -> None:
    for name in ("one-way-line", "two-way-line"):
        found = start_verdicts(name, variant="deterministic", length=6, packages=3)
        assert set(found) == {Safety.SAFE}


def test_on_a_two_way_line_nobody_needs_to_park() -> None:
    assert set(start_verdicts("two-way-line", variant="icy", length=6)) == {Safety.SAFE}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("nd-blocksworld", {}),
        ("nd-blocksworld", {"variant": "time"}),
        ("beluga", {"racks": 1, "spare": 0}),
    ],
)
def test_not_all_starts_are_safe(name: str, parameters: dict[str, Any]) -> None:
    assert set(start_verdicts(name, **parameters)) == {Safety.SAFE, Safety.LOST}


SHORT: dict[str, dict[str, Any]] = {
    # Proofs that nothing helps any more branch at every step; a short run shows as much.
    "follow-car": {"episodes": 60},
    "inverted-pendulum": {"episodes": 60},
    "cartpole": {"episodes": 60},
    "bouncing-ball": {"episodes": 60},
}
VARIANTS = [
    *((name, SHORT.get(name, {})) for name in MODEL_DOMAINS),
    ("one-way-line", {"variant": "deterministic"}),
    ("two-way-line", {"variant": "icy"}),
    ("n-puzzle", {"variant": "cost"}),
    ("nd-blocksworld", {"variant": "time"}),
]


@pytest.mark.parametrize(("name", "parameters"), VARIANTS)
def test_random_policies_have_faults(name: str, parameters: dict[str, Any]) -> None:
    """Some start is safe, and from there a walk leaves the safe states and gets unsafe."""
    model = made(name, starts=20, **parameters)
    faults = 0
    for number, start in enumerate(listed(model)):
        states = walk(model, start, 400, seed=number)
        if not model.is_unsafe(states[-1:])[0]:
            continue
        found = np.array(verdicts(model, states))
        faults += int(((found[:-1] == Safety.SAFE) & (found[1:] == Safety.LOST)).sum())
    assert faults >= 3
