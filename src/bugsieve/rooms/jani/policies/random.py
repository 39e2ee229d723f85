"""`random`: picks an applicable action by a hash of the state's values and the seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve.policies.built_in.random import SeedArgument, mixed, picked, salt
from bugsieve.policies.policy import PolicySettings
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import ActionArray, ModelPolicy


class RandomModelPolicy(SeedArgument, ModelPolicy):
    """A random applicable action, always the same one for the same state and seed."""

    is_ours = True

    def __init__(self, model: JaniModel, *, seed: int = 0) -> None:
        super().__init__(model, f"random:{seed}")
        self.seed = seed
        self._salt = salt(seed)

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> RandomModelPolicy:
        """The policy of the spec's seed."""
        return cls(model, seed=cls.seed_of(argument, settings))

    def choose(self, states: Valuations) -> ActionArray:
        """The applicable action at position hash(state, seed) modulo their number."""
        actions, offsets = self.model.applicable(states)
        return picked(actions, offsets, self._hashes(states))

    def _hashes(self, states: Valuations) -> NDArray[np.uint64]:
        """A word per state that depends on every bit of its values."""
        bits = (np.ascontiguousarray(states, dtype=np.float64) + 0.0).view(np.uint64)
        words = np.full(len(states), self._salt, dtype=np.uint64)
        for column in bits.T:
            words = mixed(words ^ column)
        return words
