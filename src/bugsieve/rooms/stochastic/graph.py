"""The distributions of a policy in every state it was ever asked about, each asked once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bugsieve._native import StateRegistry
from bugsieve.policies.asking import check_policy, legal_rows, weigh
from bugsieve.policies.call_counter import CallCounter
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.distributions import Weights, probabilities
from bugsieve.policies.policy import Policy
from bugsieve.policies.run_table import Ids
from bugsieve.tasks.grounded.task import StateArray, Task

BATCH = 1024


@dataclass(frozen=True)
class Choice:
    """The policy's possible actions in a state, and their targets."""

    weights: Weights = ()
    chances: tuple[float, ...] = ()
    """The probability of each action."""
    successors: tuple[int, ...] = ()
    """The state that each action leads to."""
    failure: Failure | None = None

    @property
    def ending(self) -> Ending | None:
        """The ending of a run here; None if it goes on."""
        if self.failure is not None:
            return self.failure.ending
        return None if self.weights else Ending.NO_ACTION

    @property
    def is_excused(self) -> bool:
        """Return true if the failure says nothing of the policy: a hang, or a crash by a limit."""
        failure = self.failure
        return failure is not None and (failure.excused or failure.ending is Ending.POLICY_HANG)

    @property
    def likeliest(self) -> int:
        """The place of the most probable action, of equal ones the first."""
        return max(range(len(self.chances)), key=self.chances.__getitem__)


class ChanceGraph:
    """States by id, with their choices."""

    def __init__(self, task: Task, policy: Policy) -> None:
        check_policy(policy, task)
        self.task = task
        self.policy = policy
        self.calls = CallCounter()
        self._registry = StateRegistry(task.native)
        self._goals: list[bool] = []
        self._choices: dict[int, Choice] = {}

    def register(self, states: StateArray) -> Ids:
        """The ids of states, which need not be new."""
        ids: Ids = np.asarray(self._registry.insert(states), dtype=np.int64)
        known, now = len(self._goals), len(self._registry)
        if now > known:
            fresh = self._registry.states(np.arange(known, now))
            self._goals += self.task.is_goal(fresh).tolist()
        return ids

    def states(self, ids: Ids) -> StateArray:
        """The states behind ids."""
        return self._registry.states(ids)

    def is_goal(self, state: int) -> bool:
        """Return true if the goal holds in the state of this id."""
        return self._goals[state]

    def choice(self, state: int) -> Choice:
        """The policy's choice in a state that it was asked about."""
        return self._choices[state]

    def answered(self, ids: Ids) -> tuple[StateArray, list[Weights | Failure]]:
        """Those of the states in which the policy was asked, with what it may do there."""
        asked = [state for state in ids.tolist() if state in self._choices]
        choices = (self._choices[state] for state in asked)
        answers = [
            choice.weights if choice.failure is None else choice.failure for choice in choices
        ]
        return self.states(np.array(asked, dtype=np.int64)), answers

    def ask(self, wanted: Iterable[int]) -> None:
        """Ask the policy about those states of which it was not asked yet."""
        ids = [state for state in dict.fromkeys(wanted) if state not in self._choices]
        for low in range(0, len(ids), BATCH):
            self._ask(ids[low : low + BATCH])

    def _ask(self, ids: Sequence[int]) -> None:
        self.calls.claim(len(ids))
        states = self.states(np.array(ids, dtype=np.int64))
        rows = legal_rows(self.task, states, weigh(self.policy, states))
        lengths = [0 if isinstance(row, Failure) else len(row) for row in rows]
        actions = [action for row in rows if not isinstance(row, Failure) for action, _ in row]
        after = self.task.successors(np.repeat(states, lengths, axis=0), actions)
        targets = iter(self.register(after).tolist() if actions else ())
        made = [
            Choice(failure=row)
            if isinstance(row, Failure)
            else Choice(row, tuple(probabilities(row)), tuple(next(targets) for _ in row))
            for row in rows
        ]
        # Last of all: an interrupt before this line has the states asked again.
        self._choices.update(zip(ids, made, strict=True))
        self.calls.add(len(ids))
