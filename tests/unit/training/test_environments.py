"""Environments: every step is one that the model allows, as often as it says."""

from __future__ import annotations

import numpy as np
import pytest

from bugsieve.base.errors import InputError, UsageError
from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.starts import StartSampler
from bugsieve.rooms.training.environments import (
    GOAL,
    UNSAFE,
    Environments,
    StartSupply,
    evaluate_runs,
    random_actions,
)
from tests.unit.tasks.jani.small import binary, condition
from tests.unit.training.path import ABYSS, END, LEAP, REST, WALK, document, path


def positions(model: JaniModel, *values: int) -> Valuations:
    return np.array([model.state([value, 0.5]) for value in values])


def outcomes(model: JaniModel, state: Valuations, action: int) -> set[tuple[float, ...]]:
    found = model.expand(state[None])
    place = found.actions.tolist().index(action)
    begin, end = found.outcome_offsets[place : place + 2]
    return {tuple(row) for row in found.outcomes[begin:end].tolist()}


def test_kinds_and_applicable_actions() -> None:
    model = path()
    kinds, flags = model.observe(positions(model, 0, 1, 3, END, ABYSS))
    assert kinds.tolist() == [0, 0, 0, GOAL, UNSAFE]
    names = [{model.actions[a] for a in np.flatnonzero(row)} for row in flags]
    assert names == [{WALK, LEAP}, {WALK}, {WALK, REST}, set(), set()]


def test_steps_are_those_of_the_expansion() -> None:
    model = path()
    random = np.random.default_rng(1)
    environments = Environments(
        model, StartSupply(model, StartSampler(model, 0)), 40, episode_limit=30, random=random
    )
    seen = set()
    for _ in range(50):
        actions = random_actions(environments.applicable, random)
        taken = environments.step(actions)
        for before, action, after in zip(
            taken.states, taken.actions, taken.successors, strict=True
        ):
            assert tuple(after.tolist()) in outcomes(model, before, int(action))
            seen.add((before[0], int(action), after[0]))
        kinds, flags = model.observe(taken.successors)
        assert (taken.kinds == kinds).all()
        assert (taken.applicable == flags).all()
        again = environments.states[taken.is_over]
        assert model.is_start(again).all()
        assert (environments.applicable == model.observe(environments.states)[1]).all()
    leap = model.actions.index(LEAP)
    assert {(0.0, leap, 3.0), (0.0, leap, -1.0)} <= seen


def test_outcomes_are_as_likely_as_the_model_says() -> None:
    model = path()
    states = np.repeat(positions(model, 0), 8, axis=0)
    actions = np.full(8, model.actions.index(LEAP), dtype=np.int32)
    draws = (np.arange(8) + 0.5) / 8
    after = model.step(states, actions, draws)
    assert after[:, 0].tolist() == [3.0] * 6 + [-1.0] * 2
    assert (after[:, 1] == 0.5).all()


@pytest.mark.parametrize("draws", [[-0.1], [1.0], [float("nan")], [0.1, 0.2]])
def test_wrong_draws_are_refused(draws: list[float]) -> None:
    model = path()
    with pytest.raises(UsageError, match="draw"):
        model.step(positions(model, 0), np.zeros(1, dtype=np.int32), np.array(draws))


def test_inapplicable_actions_are_refused() -> None:
    model = path()
    leap = np.array([model.actions.index(LEAP)], dtype=np.int32)
    with pytest.raises(UsageError, match=f"action {leap[0]} is not applicable in state 0"):
        model.step(positions(model, 1), leap, np.zeros(1))


def test_runs_are_cut() -> None:
    model = path()
    random = np.random.default_rng(1)
    supply = StartSupply(model, StartSampler(model, 0))
    environments = Environments(model, supply, 5, episode_limit=1, random=random)
    walk = np.full(5, model.actions.index(WALK), dtype=np.int32)
    taken = environments.step(walk)
    assert not taken.is_over.any()
    assert (environments.states[:, 0] <= 2).all()
    assert (taken.successors[:, 0] == taken.states[:, 0] + 1).all()


def test_starts_with_nothing_to_decide_are_left_out() -> None:
    start = condition(binary("≤", 5, "position"))
    model = load_document(document(start=start), name="path.jani")
    states = StartSupply(model, StartSampler(model, 0)).take(50)
    assert (states[:, 0] == 5).all()


def test_no_start_with_something_to_decide() -> None:
    start = condition(binary("=", END, "position"))
    model = load_document(document(start=start), name="path.jani")
    with pytest.raises(InputError, match="path: all of 5120 start states are goals"):
        StartSupply(model, StartSampler(model, 0)).take(1)


def test_random_actions_are_applicable_and_all_occur() -> None:
    flags = np.array([[True, False, True], [False, True, False]]).repeat(100, axis=0)
    actions = random_actions(flags, np.random.default_rng(0))
    assert flags[np.arange(200), actions].all()
    assert set(actions[:100].tolist()) == {0, 2}


def test_evaluation_counts_endings() -> None:
    model = path()
    starts = positions(model, 0, 2)
    walk, leap = model.actions.index(WALK), model.actions.index(LEAP)

    def walking(states: Valuations, flags: np.ndarray) -> np.ndarray:
        return np.full(len(states), walk, dtype=np.int32)

    def leaping(states: Valuations, flags: np.ndarray) -> np.ndarray:
        return np.where(flags[:, leap], leap, walk).astype(np.int32)

    random = np.random.default_rng(0)
    found = evaluate_runs(model, starts, walking, episode_limit=10, random=random)
    assert (found.goal_rate, found.unsafe_rate, found.mean_steps) == (1.0, 0.0, 5.0)
    cut = evaluate_runs(model, starts, walking, episode_limit=5, random=random)
    assert (cut.goal_rate, cut.unsafe_rate, cut.mean_steps) == (0.5, 0.0, 4.5)
    many = evaluate_runs(
        model, starts.repeat(500, axis=0), leaping, episode_limit=10, random=random
    )
    # One leap from 2 and two from 0, each of which goes wrong one time in four.
    assert many.goal_rate == pytest.approx((0.75 + 0.75**2) / 2, abs=0.05)
    assert many.goal_rate + many.unsafe_rate == 1
