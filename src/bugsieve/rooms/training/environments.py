"""Many copies of a model that take their steps together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.model.model import JaniModel, Valuations

GOAL, UNSAFE = 1, 2
_BLOCK = 256
_MOST_VAIN_BLOCKS = 20

Flags = NDArray[np.bool_]
ActionArray = NDArray[np.int32]


class StartSource(Protocol):
    """Gives start states by their numbers."""

    def sample(self, numbers: NDArray[np.int64]) -> Valuations:
        """One state per number."""


class StartSupply:
    """Start states with something to decide in, one after the other."""

    def __init__(self, model: JaniModel, sampler: StartSource) -> None:
        self._model = model
        self._sampler = sampler
        self._next = 0
        self._states = np.empty((0, model.num_variables))

    def take(self, count: int) -> Valuations:
        """The next `count` states; InputError if there seem to be none."""
        vain = 0
        while len(self._states) < count:
            found = self._block()
            vain = 0 if len(found) else vain + 1
            if vain == _MOST_VAIN_BLOCKS:
                raise InputError(
                    f"{self._model.name}: all of {vain * _BLOCK} start states are goals, unsafe "
                    "or without an applicable action, so there is nothing to learn"
                )
            self._states = np.concatenate([self._states, found])
        taken, self._states = self._states[:count], self._states[count:]
        return taken

    def _block(self) -> Valuations:
        numbers = np.arange(self._next, self._next + _BLOCK, dtype=np.int64)
        self._next += _BLOCK
        states = self._sampler.sample(numbers)
        _, flags = self._model.observe(states)
        return states[flags.any(axis=1)]


@dataclass(frozen=True)
class Transitions:
    """The results of one step of all environments."""

    states: Valuations
    actions: ActionArray
    successors: Valuations
    kinds: NDArray[np.uint8]
    applicable: Flags
    """Of the successors; nothing where the run is over."""

    @property
    def is_over(self) -> Flags:
        """Return true per run that has come to its end: goal, danger, or nothing applicable."""
        return np.asarray(~self.applicable.any(axis=1))


class Environments:
    """Copies of a model in lockstep; one that is at its end starts again."""

    def __init__(
        self,
        model: JaniModel,
        starts: StartSupply,
        count: int,
        *,
        episode_limit: int,
        random: np.random.Generator,
    ) -> None:
        self._model = model
        self._starts = starts
        self._limit = episode_limit
        self._random = random
        self._ages = np.zeros(count, dtype=np.int64)
        self.states = starts.take(count)
        self.applicable: Flags = model.observe(self.states)[1]

    def step(self, actions: ActionArray) -> Transitions:
        """Take an applicable action in each environment."""
        before = self.states
        draws = self._random.random(len(before))
        after = self._model.step(before, actions, draws)
        kinds, flags = self._model.observe(after)
        taken = Transitions(before, actions, after, kinds, flags)
        self._ages += 1
        self.states, self.applicable = after, flags
        # A run that is cut by its age is not over: its last transition says that it goes on, and
        # the learner takes it so.
        self._restart(np.flatnonzero(taken.is_over | (self._ages >= self._limit)))
        return taken

    def _restart(self, which: NDArray[np.int64]) -> None:
        if not len(which):
            return
        fresh = self._starts.take(len(which))
        self.states, self.applicable = self.states.copy(), self.applicable.copy()
        self.states[which] = fresh
        self.applicable[which] = self._model.observe(fresh)[1]
        self._ages[which] = 0


def random_actions(applicable: Flags, random: np.random.Generator) -> ActionArray:
    """An applicable action for each row, all equally likely."""
    # The largest of independent uniform numbers is equally likely to be any of them; -1 never is.
    keys = np.where(applicable, random.random(applicable.shape), -1.0)
    return np.asarray(keys.argmax(axis=1), dtype=np.int32)


@dataclass(frozen=True)
class Evaluation:
    """The ends of runs: the shares that reach the goal and danger, and their mean length."""

    goal_rate: float
    unsafe_rate: float
    mean_steps: float

    def score(self, goal_reward: float, unsafe_penalty: float) -> float:
        """The average worth of a run, undiscounted."""
        return goal_reward * self.goal_rate - unsafe_penalty * self.unsafe_rate


def evaluate_runs(
    model: JaniModel,
    starts: Valuations,
    choose: Callable[[Valuations, Flags], ActionArray],
    *,
    episode_limit: int,
    random: np.random.Generator,
) -> Evaluation:
    """Run a policy from each state; `choose` gets states and their applicable actions."""
    states = starts.copy()
    kinds, flags = model.observe(states)
    lengths = np.zeros(len(states), dtype=np.int64)
    for _ in range(episode_limit):
        going = np.flatnonzero(flags.any(axis=1))
        if not len(going):
            break
        actions = choose(states[going], flags[going])
        draws = random.random(len(states))[going]  # a run's draws do not depend on the others
        states[going] = model.step(states[going], actions, draws)
        kinds[going], flags[going] = model.observe(states[going])
        lengths[going] += 1
    goal, unsafe = float((kinds == GOAL).mean()), float((kinds == UNSAFE).mean())
    return Evaluation(goal, unsafe, float(lengths.mean()))
