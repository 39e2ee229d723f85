"""Our one-way line against the published ones beside the repository, where present."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.safety.oracles.decide import Safety
from tests.unit.domains.jani.exploration import made, successors, verdicts

FOLDER = Path(__file__).parents[5] / "shared" / "benchmarks" / "jani"
LENGTH = 10
CASES = [
    # These seeds put the ice where the published lines have theirs.
    ("one_way_line_15_10", 0, {"variant": "icy"}),
    ("mod_linetrack_icy_park", 1, {"variant": "park"}),
    ("one_way_line_15_10_det", 0, {"variant": "deterministic"}),
]


def published(folder: str) -> Any:
    path = FOLDER / folder / "verdicts.json"
    if not path.is_file():
        pytest.skip(f"the benchmarks are not beside the repository ({path})")
    return json.loads(path.read_text("utf-8"))


def ours(model: JaniModel, names: list[str], values: list[int]) -> tuple[float, ...]:
    """The state in our variables; one past the end has no other values in common."""
    theirs = dict(zip(names, values, strict=True))
    renamed = {f"packages_{k}": theirs[f"location_load_{k}"] for k in range(LENGTH)}
    renamed |= {
        "position": LENGTH if theirs["aux_vel"] < 0 else theirs["truck_0"],
        "speed": theirs["truck_vel_0"],
        "load": theirs["truck_load_0"],
    }
    if "parked_0" in theirs:
        renamed["parked"] = theirs["parked_0"]
    return tuple(model.state(renamed).tolist())


@pytest.mark.parametrize(("folder", "seed", "parameters"), CASES)
def test_same_successors_and_verdicts(folder: str, seed: int, parameters: dict[str, str]) -> None:
    data = published(folder)
    model = made("one-way-line", seed, length=LENGTH, packages=15, **parameters)
    names = data["variables"]
    kept = [item for item in data["states"] if not item["unsafe"]]
    assert len(kept) > 100
    states = np.array([ours(model, names, item["state"]) for item in kept])
    assert model.is_goal(states).tolist() == [item["goal"] for item in kept]
    for item, state in zip(kept, states, strict=True):
        theirs = {
            action.removesuffix("_truck_0"): {ours(model, names, values) for values in outcomes}
            for action, outcomes in item["successors"].items()
        }
        found = successors(model, state)
        here = model.values(state)
        if here["speed"] == 3:
            # They let a truck at top speed accelerate where that takes it past the end.
            beyond = theirs.pop("acc", set())
            assert all(values[0] == LENGTH for values in beyond)
        if parameters["variant"] == "deterministic" and here["load"] == 0 and "move" not in theirs:
            found.pop("move", None)  # without mishaps, their empty truck cannot keep its speed
        assert found == theirs
    late = [row for row, state in enumerate(states) if state[0] >= 4]  # others take seconds
    safe = [verdict is Safety.SAFE for verdict in verdicts(model, states[late])]
    assert safe == [kept[row]["safe"] for row in late]
    assert len(late) > 50
