"""The base of policies that give every action a score and take the best."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from bugsieve.policies.models.policy import ActionArray, ModelPolicy
from bugsieve.policies.policy import argbest_within
from bugsieve.tasks.jani.model import JaniModel, Valuations


class ScoringPolicy(ModelPolicy):
    """The action of greatest score, the first in the model's order among equal ones.

    With `only_applicable`, actions that are not applicable do not compete; NO_ACTION is chosen
    where there is none. Without it, the choice may be an action that is not applicable.
    """

    def __init__(
        self,
        model: JaniModel,
        spec: str,
        *,
        only_applicable: bool = True,
        tie_epsilon: float = 0.0,
    ) -> None:
        super().__init__(model, spec)
        self.only_applicable = only_applicable
        self.tie_epsilon = tie_epsilon

    @abstractmethod
    def scores(self, states: Valuations) -> NDArray[np.float64]:
        """A row per state with a score for each action of the model."""

    def choose(self, states: Valuations) -> ActionArray:
        """The best action of each state."""
        scores = self.scores(states)
        actions, offsets = self._competing(states)
        rows = np.repeat(np.arange(len(states)), np.diff(offsets))
        return argbest_within(scores[rows, actions], actions, offsets, epsilon=self.tie_epsilon)

    def _competing(self, states: Valuations) -> tuple[ActionArray, NDArray[np.int64]]:
        if self.only_applicable:
            return self.model.applicable(states)
        width = len(self.model.actions)
        everywhere = np.tile(np.arange(width, dtype=np.int32), len(states))
        return everywhere, np.arange(len(states) + 1, dtype=np.int64) * width
