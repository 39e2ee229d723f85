"""Policies of planning tasks that live in another process; base of `python:` and `cmd:`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bugsieve.policies.action_names import ActionNames
from bugsieve.policies.decisions import Decisions
from bugsieve.policies.distributions import Distributions
from bugsieve.policies.foreign.conversation import Conversation, ForeignMember, Target
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import FallibleBoundPolicy, PolicySettings
from bugsieve.policies.protocol import Question
from bugsieve.policies.task_view import TaskView
from bugsieve.tasks.grounded.task import StateArray, Task


class ForeignPolicy(ForeignMember[Target], FallibleBoundPolicy):
    """Asks a program about the facts of each state."""

    def __init__(self, task: Task, target: Target, *, limits: WorkerLimits | None = None) -> None:
        program = self.program(target, limits or WorkerLimits())
        super().__init__(task, program.spec)
        self._names = ActionNames(task)
        self.converse(program, TaskView.of(task))

    @classmethod
    def from_spec(
        cls, task: Task, argument: str | None, settings: PolicySettings
    ) -> ForeignPolicy[Target]:
        """The program that the argument names, under the limits of the settings."""
        return cls(task, cls.target(argument), limits=settings.limits)

    def decide(self, states: StateArray) -> Decisions:
        """One action per state; crashes, hangs and unknown actions as failures of their rows."""
        return self._decided(self._conversation, states)

    def decide_anew(self, states: StateArray, *, hash_seed: int | None = None) -> Decisions:
        """The decisions of a second process, under another hash seed if one is given."""
        return self._decided(self.second(hash_seed), states)

    @property
    def gives_weights(self) -> bool:
        """Return true if it has weighed several actions, so that the likeliest one counts."""
        return self._names.were_weighed

    def distributions(self, states: StateArray) -> Distributions:
        """The weights that are answered; all of it to one action where one is."""
        answers = self._asked(self._conversation, states)
        return Distributions.of(self._names.distribution(*answer) for answer in answers)

    def distributions_anew(
        self, states: StateArray, *, hash_seed: int | None = None
    ) -> Distributions:
        """The answers of a second process, under another hash seed if one is given."""
        answers = self._asked(self.second(hash_seed), states)
        return Distributions.of(self._names.distribution(*answer) for answer in answers)

    def _decided(self, conversation: Conversation, states: StateArray) -> Decisions:
        epsilon = self.tie_epsilon
        return Decisions.of(
            self._names.decision(answer, applicable, epsilon=epsilon)
            for answer, applicable in self._asked(conversation, states)
        )

    def _asked(
        self, conversation: Conversation, states: StateArray
    ) -> Iterator[tuple[Any, list[int]]]:
        """The answer for each state, with the operators that are applicable there."""
        states = self.task.checked_states(states)
        rows = self._names.applicable(states)
        answers = conversation.ask(map(self._question, states, rows))
        return zip(answers, rows, strict=True)

    def _question(self, state: StateArray, applicable: Sequence[int]) -> Question:
        static = self.task.static_facts
        facts = tuple(fact for fact in self.task.facts(state) if fact not in static)
        return Question(facts, self._names.of(applicable))
