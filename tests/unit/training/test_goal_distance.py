"""The distance to the goal and the reward for progress."""

from __future__ import annotations

import numpy as np

from bugsieve.rooms.jani.model.loading import load_document
from bugsieve.rooms.training.environments import Transitions
from bugsieve.rooms.training.goal_distance import GoalDistance, Potential
from bugsieve.rooms.training.options import QOptions
from bugsieve.rooms.training.q_learning import rewards
from tests.unit.tasks.jani.small import binary
from tests.unit.training.path import document, path


def test_distance() -> None:
    model = path()
    states = np.array([model.state([position, 0.0]) for position in (0, 4, 6)])
    assert GoalDistance(model)(states).tolist() == [6, 2, 0]
    assert model.is_unsafe(states).tolist() == [False] * 3  # the model is as it was


def test_potential_is_in_units_of_the_starts() -> None:
    model = path()
    starts = np.array([model.state([position, 0.0]) for position in (0, 2)])
    potential = Potential(model, starts, 2.0)
    assert potential(np.array([model.state([1, 0.0])])).tolist() == [-2.0]
    assert not Potential(model, starts, 0.0)(starts).any()


def test_a_goal_without_distance_gives_no_reward_for_progress() -> None:
    goal = binary(">", binary("*", "position", "position"), 30)
    model = load_document(document(goal=goal), name="path.jani")
    starts = np.array([model.state([0, 0.0])])
    potential = Potential(model, starts, 1.0)
    assert not potential(starts).any()
    assert "not linear" in potential.reason


def test_rewards() -> None:
    taken = Transitions(
        states=np.array([[0.0], [1.0], [2.0]]),
        actions=np.zeros(3, dtype=np.int32),
        successors=np.array([[1.0], [2.0], [2.0]]),
        kinds=np.array([0, 1, 2], dtype=np.uint8),
        applicable=np.array([[True], [False], [False]]),
    )
    options = QOptions(goal_reward=5, unsafe_penalty=7, step_reward=-0.25, discount=0.5)
    found = rewards(taken, options, lambda states: states[:, 0])
    assert found.tolist() == [-0.25 + 0.5, 5 - 0.25 + 0, -7 - 0.25 - 1]
