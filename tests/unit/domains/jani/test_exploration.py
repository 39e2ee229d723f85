"""No edge of any model leaves the bounds, and what must never change never does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from tests.unit.domains.jani.exploration import listed, made, reachable, walk
from tests.unit.domains.jani.sizes import FINITE, LARGE, REAL, Size


def columns(model: JaniModel, states: Valuations) -> dict[str, Any]:
    return {v.name: states[:, k] for k, v in enumerate(model.variables)}


def family(values: dict[str, Any], stem: str) -> Any:
    return np.array([column for name, column in values.items() if name.startswith(stem)])


def check(size: Size, model: JaniModel, states: Valuations) -> None:
    """What holds in every state that can be reached."""
    values = columns(model, states)
    for domain, test in CHECKS.items():
        if size.domain == domain:
            test(model, values)


def check_line(model: JaniModel, values: dict[str, Any]) -> None:
    total = family(values, "packages_").sum(axis=0) + values["load"]
    assert len(set(total.tolist())) == 1
    length = len(family(values, "packages_"))
    beyond = (values["position"] < 0) | (values["position"] >= length)
    states = np.array(list(values.values())).T
    assert (model.is_unsafe(states) == beyond).all()
    assert len(model.expand(states[beyond]).actions) == 0
    if "parked" in values:
        parked = values["parked"] == 1
        assert (values["position"][parked] == length - 1).all()
        assert (values["speed"][parked] == 0).all()


def check_puzzle(model: JaniModel, values: dict[str, Any]) -> None:
    places = np.vstack([family(values, "tile_"), values["empty"][None]])
    assert (np.sort(places, axis=0) == np.arange(1, len(places) + 1)[:, None]).all()


def check_blocks(model: JaniModel, values: dict[str, Any]) -> None:
    on, height = family(values, "on_")[:-1], family(values, "height_")
    number = len(on)
    assert (values["on_table"] == (on == 0).sum(axis=0)).all()
    for block in range(1, number + 1):
        assert ((on == block).sum(axis=0) <= 1).all()
    ground = np.vstack([np.full(on.shape[1], -1), height])
    below = np.take_along_axis(ground, on.astype(int), axis=0)
    assert (height == below + 1).all()


def check_beluga(model: JaniModel, values: dict[str, Any]) -> None:
    kept = [family(values, stem) for stem in ("aircraft_", "rack_", "trailer", "truck")]
    sent = values["line_1"] + values["line_2"]
    places = np.vstack(kept)
    jigs = len(kept[0])
    assert ((places > 0).sum(axis=0) + sent == jigs).all()
    for jig in range(1, jigs + 1):
        assert ((places == jig).sum(axis=0) <= 1).all()
    assert ((values["asking"] == 0) == (sent == jigs)).all()


CHECKS = {
    "one-way-line": check_line,
    "two-way-line": check_line,
    "n-puzzle": check_puzzle,
    "nd-blocksworld": check_blocks,
    "beluga": check_beluga,
}


def all_starts(model: JaniModel, drawn: Valuations) -> Valuations:
    """Every start state, found by trying all values that the drawn ones have."""
    candidates = product(*(sorted(set(column)) for column in drawn.T.tolist()))
    states = np.array(list(candidates))
    return states[model.is_start(states)]


@pytest.mark.parametrize("size", FINITE, ids=str)
def test_all_reachable_states(size: Size) -> None:
    drawn = listed(made(size.domain, starts=300, **size.parameters))
    model = made(size.domain, **size.parameters)
    assert model.is_start(drawn).all()
    starts = np.unique(drawn, axis=0)
    states = reachable(model, starts)
    check(size, model, states)
    assert model.is_unsafe(states).any()
    used = set(model.expand(states).actions.tolist())
    assert used == set(range(len(model.actions)))


def walks(size: Size) -> Iterator[Valuations]:
    model = made(size.domain, starts=4, **size.parameters)
    for number, start in enumerate(listed(model)):
        yield walk(model, start, 1001, seed=number)


@pytest.mark.parametrize("size", [*REAL, *LARGE], ids=str)
def test_walks(size: Size) -> None:
    model = made(size.domain, **size.parameters)
    for states in walks(size):
        assert model.is_start(states[:1])[0]
        check(size, model, states)


@pytest.mark.parametrize("size", REAL, ids=str)
def test_runs_end_as_goal_or_unsafe(size: Size) -> None:
    """The guards that keep values within their bounds stop no run from the start."""
    model = made(size.domain, **size.parameters)
    for states in walks(size):
        last = states[-1:]
        assert model.is_goal(last)[0] or model.is_unsafe(last)[0]


@pytest.mark.parametrize("size", REAL, ids=str)
def test_no_edge_leaves_the_bounds_from_any_state(size: Size) -> None:
    """Not even where no run goes: random states of the types, and all corners."""
    model = made(size.domain, **size.parameters)
    lower = np.array([float(v.type.lower) for v in model.variables])
    upper = np.array([float(v.type.upper) for v in model.variables])
    corners = np.array(list(product(*zip(lower, upper, strict=True))))
    draws = np.random.default_rng(5).random((2000, len(lower)))
    inside = lower + draws * (upper - lower)
    inside[:, 0] = np.floor(inside[:, 0])
    edges = np.array(list(product(*zip(lower * 0.9, upper * 0.9, strict=True))))
    edges[:, 0] = np.floor(edges[:, 0])
    for states in (corners, inside, edges):
        model.expand(states)


@pytest.mark.parametrize("action", [0, 1, 2])
def test_a_policy_that_never_changes_its_mind(action: int) -> None:
    """The hardest push in one direction stays within the bounds, too."""
    for size in REAL:
        model = made(size.domain, starts=5, **size.parameters)
        state = listed(model)[:1]
        for _ in range(1500):
            found = model.expand(state)
            if model.is_unsafe(state)[0] or not len(found.actions):
                break
            chosen = min(action, len(found.actions) - 1)
            state = found.outcomes[chosen : chosen + 1]
        assert model.is_unsafe(state)[0] or model.is_goal(state)[0]


@pytest.mark.parametrize(
    ("size", "number"),
    [
        (Size("nd-blocksworld", {"blocks": 3, "table": 2}), 12),  # 13 but for all on the table
        (Size("nd-blocksworld", {"blocks": 3, "variant": "time"}), 13),
        (Size("n-puzzle", {"rows": 2, "columns": 2, "cell": 4}), 9),  # 12, 3 of them unsafe
        (Size("n-puzzle", {"rows": 2, "columns": 3, "variant": "cost"}), 360),
        (Size("beluga", {"jigs": 3}), 12),  # orders, times two lines
        (Size("one-way-line", {"length": 5, "packages": 3}), 35),  # five places for three
        (Size("two-way-line", {"length": 4, "packages": 2, "capacity": 1, "icy": 1}), 9),
    ],
    ids=str,
)
def test_the_start_condition_describes_every_start(size: Size, number: int) -> None:
    drawn = listed(made(size.domain, starts=3000, **size.parameters))
    model = made(size.domain, **size.parameters)
    assert len(np.unique(drawn, axis=0)) == number
    assert model.is_start(drawn).all()
    assert len(all_starts(model, drawn)) == number


def test_unsolvable_puzzles_and_circles_of_blocks_are_no_starts() -> None:
    model = made("n-puzzle", rows=2, columns=2, variant="cost")
    solved = {"empty": 4, "tile_1": 1, "tile_2": 2, "tile_3": 3}
    costs = {"cost_1": 0, "cost_2": 0, "cost_3": 0}
    swapped = solved | {"tile_1": 2, "tile_2": 1}
    states = [model.state(values | costs) for values in (solved, swapped)]
    assert model.is_start(states).tolist() == [True, False]
    model = made("nd-blocksworld", blocks=2, table=1, failing=False)
    tower = {"on_1": 2, "on_2": 0, "height_1": 1, "height_2": 0, "on_table": 1}
    circle = tower | {"on_2": 1, "on_table": 0}
    states = [model.state(values) for values in (tower, circle)]
    assert model.is_start(states).tolist() == [True, False]
