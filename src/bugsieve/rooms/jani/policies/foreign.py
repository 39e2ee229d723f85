"""Policies of models that live in another process; base of `python:` and `cmd:`."""

from __future__ import annotations

import numpy as np

from bugsieve.policies.decisions import Decisions
from bugsieve.policies.foreign.conversation import Conversation, ForeignMember, Target
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import PolicySettings
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.fallible import (
    ApplicableActions,
    FallibleModelPolicy,
    StateReader,
)
from bugsieve.rooms.jani.policies.model_view import ModelView
from bugsieve.rooms.jani.policies.policy import ActionArray
from bugsieve.rooms.jani.policies.rows import row_keys

_MOST_REMEMBERED = 1 << 20


class ForeignModelPolicy(ForeignMember[Target], FallibleModelPolicy):
    """Asks a program about the values of each state, and remembers its answers.

    A state in which it hangs costs the deadline once, and a program that changes its mind does not
    disturb the analysis.
    """

    def __init__(
        self, model: JaniModel, target: Target, *, limits: WorkerLimits | None = None
    ) -> None:
        program = self.program(target, limits or WorkerLimits())
        super().__init__(model, program.spec)
        self._reader = StateReader(model)
        self._known: dict[bytes, int] = {}
        self.converse(program, ModelView.of(model))

    @classmethod
    def from_spec(
        cls, model: JaniModel, argument: str | None, settings: PolicySettings
    ) -> ForeignModelPolicy[Target]:
        """The program that the argument names, under the limits of the settings."""
        return cls(model, cls.target(argument), limits=settings.limits)

    def choose(self, states: Valuations) -> ActionArray:
        """One action number per state, or NO_ACTION; failures are added to `troubles`."""
        keys = row_keys(states)
        new = {key: row for row, key in enumerate(keys) if key not in self._known}
        if len(self._known) + len(new) > _MOST_REMEMBERED:
            self._known.clear()
            new = {key: row for row, key in enumerate(keys)}
        if new:
            answers = super().choose(states[list(new.values())])
            self._known.update(zip(new, answers.tolist(), strict=True))
        return np.array([self._known[key] for key in keys], dtype=np.int32)

    def decide(self, states: Valuations, applicable: ApplicableActions) -> Decisions:
        """One action per state; crashes, hangs and unknown actions as failures of their rows."""
        return self._asked(self._conversation, states, applicable)

    def decide_anew(self, states: Valuations, *, hash_seed: int | None = None) -> Decisions:
        """The decisions of a second process, under another hash seed if one is given."""
        applicable = ApplicableActions(*self.model.applicable(states))
        decisions = self._asked(self.second(hash_seed), states, applicable)
        return self.examined(decisions, applicable)

    def _asked(
        self, conversation: Conversation, states: Valuations, applicable: ApplicableActions
    ) -> Decisions:
        answers = conversation.ask(self._reader.questions(states, applicable))
        return Decisions.of(map(self._reader.decision, answers))

    def forget(self) -> None:
        """Drop all answers: the program is asked again about every state."""
        self._known.clear()
