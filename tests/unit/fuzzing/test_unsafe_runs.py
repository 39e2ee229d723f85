"""The front of the walks into danger: options, models, policies that misbehave, interruption."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.rooms.jani.model.findings import ModelError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray, ModelPolicy
from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions
from bugsieve.rooms.safety.walks.unsafe_runs import UnsafeRunFuzzer
from bugsieve.rooms.safety.walks.walk_outcomes import WalkOutcome
from tests.reference.unsafe_runs import Search, walk
from tests.unit.tasks.jani.small import (
    binary,
    bounded,
    condition,
    counter,
    edge,
    safety,
    simple,
    variable,
)

Json = Any
Function = Callable[[Valuations], ActionArray]


class FunctionPolicy(ModelPolicy):
    def __init__(self, model: JaniModel, function: Function) -> None:
        super().__init__(model, "function")
        self._function = function

    def choose(self, states: Valuations) -> ActionArray:
        return self._function(states)


def always(action: int) -> Function:
    return lambda states: np.full(len(states), action, dtype=np.int32)


def fuzzer(
    loaded: JaniModel, function: Function, *, step_limit: int = 10_000, **options: Any
) -> UnsafeRunFuzzer:
    policy, fuzz = FunctionPolicy(loaded, function), SafetyFuzzOptions(**options)
    return UnsafeRunFuzzer(loaded, policy, fuzz, step_limit=step_limit)


def slippery(unsafe: Json, guard: Json = True, size: int = 30) -> JaniModel:
    """Steps of a robot on a grid, two of which may slip."""

    def moved(name: str, by: int) -> Json:
        limited = binary("max", 0, binary("min", size, binary("+", name, by)))
        return {name: limited}

    right = edge(moved("x", 1), moved("x", 2), moved("y", 1), action="right", guard=guard)
    up = edge(moved("y", 1), moved("y", -1), action="up")
    stay = edge({}, action="stay", guard=binary("=", "x", "y"))
    variables = [variable(name, bounded(0, size)) for name in "xy"]
    start = condition(binary("=", binary("+", "x", "y"), 6))
    goal = binary("=", "y", size)
    document = simple(right, up, stay, variables=variables, unsafe=unsafe, goal=goal, start=start)
    return load_document(document, name="slippery")


NEAR = binary("∧", binary("≥", "x", 12), binary("≤", "y", 8))


def mixed_choice(states: Valuations) -> ActionArray:
    """Right, stay or up, by the state."""
    x, y = states.T
    up = np.where((x * 7 + y * 3) % 4 == 0, 2, 0)
    return np.where((x == y) & (x % 5 == 0), 1, up).astype(np.int32)


class ModelWorld:
    """A JANI model under a policy, state by state."""

    def __init__(self, loaded: JaniModel, function: Function) -> None:
        self.loaded = loaded
        self.function = function

    def is_unsafe(self, state: tuple[float, ...]) -> bool:
        return bool(self.loaded.is_unsafe([state])[0])

    def stuck(self, state: tuple[float, ...]) -> str:
        if self.is_unsafe(state) or self.loaded.is_goal([state])[0] or self.successors(state):
            return ""
        if not len(self.loaded.expand([state]).actions):
            return "dead end"
        return "no action" if self.function(np.array([state]))[0] < 0 else "illegal action"

    def distance(self, state: tuple[float, ...]) -> float:
        return float(self.loaded.distances([state])[0])

    def successors(self, state: tuple[float, ...]) -> list[tuple[float, ...]]:
        if self.is_unsafe(state) or self.loaded.is_goal([state])[0]:
            return []
        found = self.loaded.expand([state])
        chosen = self.function(np.array([state]))[0]
        for k, action in enumerate(found.actions):
            if action == chosen:
                begin, end = found.outcome_offsets[k : k + 2]
                return [tuple(row) for row in found.outcomes[begin:end].tolist()]
        return []


@pytest.mark.parametrize(
    ("choice", "lookahead"),
    [("uniform", 1), ("greedy", 1), ("greedy", 3), ("greedy", None), ("sampling", None)],
)
def test_walks_through_a_model_are_those_of_the_twin(choice: str, lookahead: int | None) -> None:
    loaded = slippery(NEAR)
    world = ModelWorld(loaded, mixed_choice)
    found = fuzzer(loaded, mixed_choice, lookahead=lookahead, choice=choice, step_limit=60, seed=3)
    starts = StartSampler(loaded, 3).sample(range(40))
    endings = set()
    for start, made in zip(starts, found.run(range(40)), strict=True):
        twin = walk(world, tuple(start), made.number, Search(choice, lookahead, 60, seed=3))
        assert (made.outcome.value, made.steps) == (twin.ending, len(twin.path) - 1)
        endings.add(made.outcome)
        if made.run is not None:
            states = [tuple(row) for row in loaded.unpack(made.run.states).tolist()]
            assert states == twin.path
            chosen = mixed_choice(np.array(states[:-1]).reshape(-1, 2))
            assert made.run.actions.tolist() == chosen.tolist()
            assert all(b in world.successors(a) for a, b in pairwise(states))
    assert WalkOutcome.UNSAFE in endings


def test_looking_ahead_finds_more() -> None:
    loaded = slippery(NEAR)
    found = {
        lookahead: sum(
            w.run is not None
            for w in fuzzer(
                loaded, mixed_choice, lookahead=lookahead,
                choice="uniform" if lookahead == 1 else "greedy",
            ).run(range(200))
        )
        for lookahead in (1, None)
    }  # fmt: skip
    assert found[None] > found[1]


def test_results_do_not_depend_on_batches() -> None:
    loaded = slippery(NEAR)
    whole = fuzzer(loaded, mixed_choice, seed=9).run(range(60))
    numbers = list(range(60))
    Random(1).shuffle(numbers)
    other = fuzzer(loaded, mixed_choice, seed=9)
    parts = [w for k in range(0, 60, 7) for w in other.run(numbers[k : k + 7])]
    assert [w.number for w in parts] == numbers
    for made in parts:
        same = whole[made.number]
        assert (made.outcome, made.steps) == (same.outcome, same.steps)
        assert (made.run is None) == (same.run is None)
        if made.run is not None and same.run is not None:
            assert np.array_equal(made.run.states, same.run.states)
            assert np.array_equal(made.run.actions, same.run.actions)


def test_an_unsafe_start_is_a_run_of_length_zero() -> None:
    loaded = slippery(True)
    (made,) = fuzzer(loaded, always(0)).run([0])
    assert made.outcome is WalkOutcome.UNSAFE and made.steps == 0
    assert made.run is not None and len(made.run) == 0 and made.run.states.shape == (1, 1)


def test_walks_that_end_without_danger() -> None:
    never = binary("≥", "x", 99)
    stops = fuzzer(slippery(never, guard=False), always(0)).run([0, 1])
    assert [(w.outcome, w.run) for w in stops] == [(WalkOutcome.ILLEGAL_ACTION, None)] * 2
    refuses = fuzzer(slippery(never), always(-1)).run([0])[0]
    assert refuses.outcome is WalkOutcome.NO_ACTION
    unknown = fuzzer(slippery(never), always(77)).run([0])[0]
    assert unknown.outcome is WalkOutcome.ILLEGAL_ACTION
    goes_up = fuzzer(slippery(never), always(2), lookahead=1, choice="uniform", step_limit=20)
    assert goes_up.run([0])[0].outcome is WalkOutcome.STEP_LIMIT
    exhausts = fuzzer(slippery(never), always(2)).run([0])[0]
    assert exhausts.outcome is WalkOutcome.EXHAUSTED


def forked(guard: Json = True) -> JaniModel:
    """A fork leads to 1, 2 or 3, equally near to danger; an action each leads to the goal."""
    fork = edge(*({"x": place} for place in (1, 2, 3)), action="fork", guard=binary("=", "x", 0))
    ways = [
        edge({"x": place + 3}, action=name, guard=binary("∧", guard, binary("=", "x", place)))
        for place, name in enumerate(("one", "two", "way"), 1)
    ]
    variables = [variable(name, bounded(0, 6), 0) for name in "xy"]
    conditions = {"unsafe": binary("=", "y", 1), "goal": binary("≥", "x", 4)}
    document = simple(fork, *ways, variables=variables, **conditions)
    return load_document(document, name="forked")


def forking(*names: str) -> Function:
    """Takes the fork, then the action of the place; none where there is no name."""
    numbers = [forked().actions.index(name) if name else -1 for name in ("fork", *names)]
    return lambda states: np.array([numbers[int(x)] for x in states[:, 0]], dtype=np.int32)


def test_a_failure_in_an_exhausted_lookahead_is_the_ending_of_the_walk() -> None:
    """The walk itself stays at the fork, since all behind it was looked at."""
    endings = {
        ("one", "two", "way"): WalkOutcome.EXHAUSTED,
        ("one", "", "way"): WalkOutcome.NO_ACTION,
        ("one", "two", "one"): WalkOutcome.ILLEGAL_ACTION,
        ("", "one", "one"): WalkOutcome.ILLEGAL_ACTION,
    }
    for names, ending in endings.items():
        (made,) = fuzzer(forked(), forking(*names)).run([0])
        assert (made.outcome, made.steps) == (ending, 0), names


def test_a_dead_end_ends_the_walk_that_is_there_alone() -> None:
    closed, policy = forked(guard=False), forking("one", "two", "way")
    (seen,) = fuzzer(closed, policy).run([0])
    assert (seen.outcome, seen.steps) == (WalkOutcome.EXHAUSTED, 0)
    (met,) = fuzzer(closed, policy, lookahead=1).run([0])
    assert (met.outcome, met.steps) == (WalkOutcome.DEAD_END, 1)


def test_a_walk_that_goes_in_a_circle_is_noticed() -> None:
    turn = edge({"x": binary("%", binary("+", "x", 1), 5)})
    document = simple(turn, unsafe=binary("<", "x", 0))
    loaded = load_document(document, name="circle")
    (made,) = fuzzer(loaded, always(0)).run([0])
    assert made.outcome is WalkOutcome.LOOP and made.steps < 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"choice": "gredy"}, "did you mean 'greedy'.*there are uniform, greedy, sampling"),
        ({"choice": "uniform"}, "set the lookahead to 1"),
        ({"lookahead": 0}, "lookahead must be at least 1"),
        ({"round_walks": 0}, "round walks must be at least 1"),
        ({"walks": 1.5}, "walks must be a whole number"),
        ({"lookahead_states": 0}, "lookahead states must be at least 1"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SafetyFuzzOptions(**options)


def test_a_distance_is_needed_only_where_it_is_used() -> None:
    product = binary("≥", binary("*", "x", "y"), 20)
    with pytest.raises(UnsupportedError, match=r"\(x \* y\) is not linear"):
        fuzzer(slippery(product), mixed_choice)
    found = fuzzer(slippery(product), mixed_choice, lookahead=1, choice="uniform").run(range(20))
    assert len(found) == 20


def test_an_error_of_the_policy_passes_through() -> None:
    def fail(states: Valuations) -> ActionArray:
        if (states[:, 0] > 4).any():
            raise RuntimeError("no idea")
        return always(0)(states)

    found = fuzzer(slippery(NEAR), fail)
    for _ in range(2):  # what was learnt before the error does no harm
        with pytest.raises(RuntimeError, match="no idea"):
            found.run(range(10))


def test_an_error_of_the_model_names_the_edge() -> None:
    document = counter()
    document["variables"] = [variable("x", bounded(0, 3), 0)]
    document["properties"] = [safety(binary("=", "x", 99))]
    found = fuzzer(load_document(document, name="counter"), always(0))
    with pytest.raises(ModelError, match=r"automata\[0\].edges\[0\] .* assigns 4 to 'x'"):
        found.run([0])


def test_a_policy_must_not_ask_the_walks_that_ask_it() -> None:
    asked: list[UnsafeRunFuzzer] = []

    def nosy(states: Valuations) -> ActionArray:
        return always(asked[0].decisions)(states)

    asked.append(fuzzer(slippery(NEAR), nosy))
    with pytest.raises(ValueError, match="asked the walks"):
        asked[0].run([0])


def test_interruption() -> None:
    """A lookahead without an end in sight, in a native policy's hands."""
    loaded = slippery(binary("≥", "x", 10**6), size=10**6)
    found = fuzzer(loaded, always(2), lookahead=1, choice="uniform", step_limit=10**12)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        found.run(range(50))
    timer.join()
