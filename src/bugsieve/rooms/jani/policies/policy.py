"""The base of policies for models: batches of states to actions, and their view for the core."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.base.files_and_processes.closing import Closing
from bugsieve.policies.decisions import Decisions
from bugsieve.policies.fingerprints import Fingerprinted
from bugsieve.rooms.jani.model.model import JaniModel, Valuations, WordArray
from bugsieve.rooms.jani.policies.model_policy_failures import Troubles
from bugsieve.tasks.grounded.task import NO_ACTION as NO_ACTION

ActionArray = NDArray[np.int32]

_MOST_KEPT = 1 << 16


class ModelPolicy(Fingerprinted, Closing, ABC):
    """A deterministic policy, bound to one model when it is created."""

    def __init__(self, model: JaniModel, spec: str) -> None:
        self.model = model
        self.spec = spec
        self._troubles = Troubles()
        self._given: list[tuple[WordArray, ActionArray]] = []
        self._room = _MOST_KEPT

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """Raise UsageError or PolicyError where no model could make `family:argument` right."""
        return

    @property
    def troubles(self) -> Troubles:
        """What it did wrong so far; policies that cannot crash or hang have none."""
        return self._troubles

    @abstractmethod
    def choose(self, states: Valuations) -> ActionArray:
        """One action number per state, applicable or not, or NO_ACTION.

        What is chosen in a state does not depend on the other states of the batch.
        """

    def view(self) -> _native.PolicyView:
        """The policy as the core asks it; members that the core can compute itself override it."""
        return _native.PythonPolicy(self._give, self.model.system.words)

    def given(self) -> tuple[Valuations, ActionArray]:
        """The states in which the core has asked, as many as are kept, with the answers."""
        none = np.empty((0, self.model.system.words), dtype=np.uint64)
        words = np.concatenate([none, *(asked for asked, _ in self._given)])
        actions = [np.empty(0, dtype=np.int32), *(chosen for _, chosen in self._given)]
        return self.model.unpack(words), np.concatenate(actions)

    def decide_anew(self, states: Valuations, *, hash_seed: int | None = None) -> Decisions:
        """One action number per state, or the reason why there is none, past every cache.

        Programs are asked in a second process; those that have a hash seed take another one.
        """
        self.forget()
        return Decisions(self.choose(states))

    def forget(self) -> None:
        """Drop remembered answers, so that the next question is asked anew."""
        return

    def close(self) -> None:
        """Let go of processes and files."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec} on {self.model.name}>"

    def _give(self, words: WordArray) -> ActionArray:
        """Answer the core; the first answers are kept to compare later ones with."""
        actions = self._choose_packed(words)
        if self._room > 0:
            self._room -= len(words)
            self._given.append((np.array(words), np.array(actions, dtype=np.int32)))
        return actions

    def _choose_packed(self, words: WordArray) -> ActionArray:
        return self.choose(self.model.unpack(words))
