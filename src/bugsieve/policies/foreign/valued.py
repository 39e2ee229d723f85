"""`greedy:python:…` and `greedy:cmd:…`: the successor that a foreign function values least.

We make the successors, and ask a program in a worker process for the value of each state once, in
batches. A second process is asked again before a bug counts: a value that changes is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from bugsieve._native import StateRegistry
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.foreign.command import CommandMember
from bugsieve.policies.foreign.conversation import Conversation, ForeignMember, Target
from bugsieve.policies.foreign.python import FunctionMember
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.policy import FallibleBoundPolicy, PolicySettings, argbest_within
from bugsieve.policies.protocol import VALUES, BareQuestion
from bugsieve.policies.task_view import TaskView
from bugsieve.tasks.grounded.task import StateArray, Task

Value = float | Failure
Values = Callable[[StateArray], Sequence[Value]]


class ValuedPolicy(ForeignMember[Target], FallibleBoundPolicy):
    """The action whose successor has the lowest value; lowest id on ties."""

    def __init__(self, task: Task, target: Target, *, limits: WorkerLimits | None = None) -> None:
        program = self.program(target, limits or WorkerLimits())
        super().__init__(task, f"greedy:{program.spec}")
        self._registry = StateRegistry(task.native)
        self._known: list[Value] = []
        """By the number of a state in the registry."""
        self.converse(replace(program, spec=self.spec), TaskView.of(task), VALUES)

    @classmethod
    def from_spec(
        cls, task: Task, argument: str | None, settings: PolicySettings
    ) -> ValuedPolicy[Target]:
        """The program that the argument names, under the limits of the settings."""
        return cls(task, cls.target(argument), limits=settings.limits)

    def decide(self, states: StateArray) -> Decisions:
        """One action per state; where a successor has no value, that is the failure of its row."""
        return self._decided(states, self._values)

    def decide_anew(self, states: StateArray, *, hash_seed: int | None = None) -> Decisions:
        """The decisions of a second process; a value that has changed is a failure of its row."""
        conversation = self.second(hash_seed)

        def again(successors: StateArray) -> list[Value]:
            said = zip(
                self._values(successors), self._asked(conversation, successors), strict=True
            )
            return [self._checked(first, second) for first, second in said]

        return self._decided(states, again)

    def _decided(self, states: StateArray, values: Values) -> Decisions:
        batch = self.task.checked_states(states)
        successors, operators, offsets = self.task.all_successors(batch)
        said = values(successors)
        failures: dict[int, Failure] = {}
        for row, (begin, end) in enumerate(pairwise(offsets.tolist())):
            bad = next((n for n in range(begin, end) if isinstance(said[n], Failure)), None)
            if bad is not None:
                name = self.task.operator_names[int(operators[bad])]
                failures[row] = _after(name, said[bad])
        scores = [-math.inf if isinstance(value, Failure) else -value for value in said]
        actions = argbest_within(
            np.array(scores, dtype=np.float64), operators, offsets, epsilon=self.tie_epsilon
        )
        return Decisions(actions, failures)

    def _values(self, states: StateArray) -> list[Value]:
        """The program's value of each state; it is asked for each once."""
        before = len(self._known)
        ids = self._registry.insert(states)
        fresh = np.arange(before, len(self._registry))
        # Until it has a value, a state counts as unknown; an interrupt may leave some behind.
        self._known += self._asked(self._conversation, self._registry.states(fresh))
        return [self._known[number] for number in ids.tolist()]

    def _asked(self, conversation: Conversation, states: StateArray) -> Iterable[Value]:
        static = self.task.static_facts
        facts = (self.task.facts(state) for state in states)
        return conversation.ask(
            BareQuestion(tuple(fact for fact in row if fact not in static)) for row in facts
        )

    def _checked(self, first: Value, second: Value) -> Value:
        """The second value, or that it is another one than the first."""
        if isinstance(first, Failure) or isinstance(second, Failure):
            return second
        if first == second or abs(first - second) <= self.tie_epsilon:
            return first
        return Failure(Ending.POLICY_CRASH, f"its value was {first:g}, and is now {second:g}")


def _after(action: str, value: Value) -> Failure:
    assert isinstance(value, Failure)
    if value.excused:  # it was never asked, or had no memory: no state is to blame
        return value
    return replace(value, detail=f"{value.detail}, in the state after {action}")


class PythonValues(FunctionMember, ValuedPolicy[str]):
    """A Python function `f(facts)` or `f(facts, task)` that values states."""


class CommandValues(CommandMember, ValuedPolicy[Sequence[str]]):
    """A program that answers one JSON line of values for each JSON line of states."""
