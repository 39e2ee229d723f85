"""`random`: picks an applicable action by a hash of the state and the seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UsageError
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.policies.worker import printable
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task

_WORD = (1 << 64) - 1


class SeedArgument:
    """The argument of the specs of random policies: `random` or `random:SEED`."""

    usage = "random or random:SEED"
    examples = ("random", "random:7")

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a seed, if there is one."""
        cls.seed_of(argument, PolicySettings())

    @staticmethod
    def seed_of(argument: str | None, settings: PolicySettings) -> int:
        """`random` takes the seed of the settings, `random:7` the one it names."""
        if argument is None:
            return settings.seed
        shown = printable(argument, limit=40)
        try:
            seed = int(argument)
        except ValueError:  # also raised for thousands of digits
            raise UsageError(f"the seed in 'random:{shown}' is no whole number") from None
        if seed < 0:
            raise UsageError(f"the seed in 'random:{shown}' must be at least 0")
        return seed


class RandomPolicy(SeedArgument, BoundPolicy):
    """A random applicable action, always the same one for the same state and seed."""

    is_ours = True

    def __init__(self, task: Task, *, seed: int = 0) -> None:
        super().__init__(task, f"random:{seed}")
        self.seed = seed
        self._salt = salt(seed)

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> RandomPolicy:
        """The policy of the spec's seed."""
        return cls(task, seed=cls.seed_of(argument, settings))

    def choose(self, states: StateArray) -> ActionArray:
        """The applicable action at position hash(state, seed) modulo their number."""
        states = self.task.checked_states(states)
        operators, offsets = self.task.applicable(states)
        return picked(operators, offsets, mixed(self.task.hashes(states) ^ self._salt))


def picked(
    actions: ActionArray, offsets: NDArray[np.int64], words: NDArray[np.uint64]
) -> ActionArray:
    """The action at position `words[i]` modulo the segment's length, from each segment i.

    Segment i is `offsets[i]:offsets[i + 1]`; an empty one gives NO_ACTION.
    """
    counts = np.diff(offsets)
    chosen = np.full(len(counts), NO_ACTION, dtype=np.int32)
    filled = counts > 0
    position = words[filled] % counts[filled].astype(np.uint64)
    chosen[filled] = actions[offsets[:-1][filled] + position.astype(np.int64)]
    return chosen


def salt(seed: int) -> np.uint64:
    """A word that stands for the seed; near seeds have unlike words."""
    word: np.uint64 = mixed(np.array([seed & _WORD], dtype=np.uint64))[0]
    return word


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The splitmix64 step of each word: every input bit reaches every output bit."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = words ^ (words >> np.uint64(31))
    return result
