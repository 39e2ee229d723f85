"""The base of policies written by others: what they do wrong is remembered, not raised."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.names import suggest
from bugsieve.policies.asking import no_such_action
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.protocol import ModelQuestion, NamedWeights
from bugsieve.policies.worker import printable
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.policies.policy import NO_ACTION, ActionArray, ModelPolicy

_CONVERSIONS = {"bool": bool, "int": int, "real": float}


@dataclass(frozen=True, eq=False)
class ApplicableActions:
    """The actions of a batch of states: of state i from `offsets[i]` to `offsets[i + 1]`."""

    actions: ActionArray
    offsets: NDArray[np.int64]

    def includes(self, chosen: ActionArray) -> NDArray[np.bool_]:
        """Return true per state where the chosen action is one of the state's."""
        rows = np.repeat(np.arange(len(chosen)), np.diff(self.offsets))
        found = np.zeros(len(chosen), dtype=np.bool_)
        found[rows[self.actions == chosen[rows]]] = True
        return found


class FallibleModelPolicy(ModelPolicy):
    """A policy that can fail in one state without spoiling the batch.

    It has no action where it crashes, hangs or names no action of the model. An action that is
    not applicable is passed on, and remembered as well.
    """

    @abstractmethod
    def decide(self, states: Valuations, applicable: ApplicableActions) -> Decisions:
        """One action number per state, or the reason why there is none."""

    def choose(self, states: Valuations) -> ActionArray:
        """One action number per state, or NO_ACTION; failures are added to `troubles`."""
        applicable = ApplicableActions(*self.model.applicable(states))
        decisions = self.examined(self.decide(states, applicable), applicable)
        # The order of rows: the first failure must not depend on the way it was found.
        for _, failure in sorted(decisions.failures.items()):
            self.troubles.record(failure)
        return decisions.actions

    def decide_anew(self, states: Valuations, *, hash_seed: int | None = None) -> Decisions:
        """One action number per state or the reason why there is none, past every cache."""
        applicable = ApplicableActions(*self.model.applicable(states))
        return self.examined(self.decide(states, applicable), applicable)

    def examined(self, decisions: Decisions, applicable: ApplicableActions) -> Decisions:
        """The decisions with a failure for each action that is not applicable."""
        actions: ActionArray = decisions.actions.copy()
        failures = dict(decisions.failures)
        for row in np.flatnonzero((actions != NO_ACTION) & ~applicable.includes(actions)).tolist():
            action = int(actions[row])
            if not 0 <= action < len(self.model.actions):
                failures.setdefault(row, no_such_action(action))
                actions[row] = NO_ACTION
            else:
                detail = f'"{printable(self.model.actions[action])}" is not applicable'
                failures.setdefault(row, Failure(Ending.ILLEGAL_ACTION, detail))
        return Decisions(actions, failures)


class StateReader:
    """States of a model as functions and programs of others see them, and their answers."""

    def __init__(self, model: JaniModel) -> None:
        seen = model.seen_variables
        self._names = [variable.name for variable in seen]
        self._conversions = [_CONVERSIONS[variable.type.kind] for variable in seen]
        self._actions = model.actions
        self._numbers = {name: number for number, name in enumerate(model.actions)}

    def questions(
        self, states: Valuations, applicable: ApplicableActions
    ) -> Iterator[ModelQuestion]:
        """The values of each state by name, and the names of its applicable actions."""
        actions, offsets = applicable.actions.tolist(), applicable.offsets.tolist()
        for row, state in enumerate(states):
            values = {
                name: convert(value)
                for name, convert, value in zip(
                    self._names, self._conversions, state.tolist(), strict=False
                )
            }
            numbers = actions[offsets[row] : offsets[row + 1]]
            yield ModelQuestion(values, tuple(self._actions[number] for number in numbers))

    def decision(self, answer: str | NamedWeights | Failure | None) -> int | Failure:
        """The number of the action that is named."""
        if isinstance(answer, Mapping):
            sentence = "answered weights, but a policy of a model chooses one action"
            return Failure(Ending.POLICY_CRASH, sentence)
        if not isinstance(answer, str):
            return NO_ACTION if answer is None else answer
        number = self._numbers.get(answer)
        if number is not None:
            return number
        shown = printable(answer, limit=80)
        near = suggest(shown, self._actions)
        return Failure(Ending.ILLEGAL_ACTION, f'"{shown}" is no action of the model{near}')
