"""Policies of planning tasks that live in another process; base of `python:` and `cmd:`."""

from __future__ import annotations

from collections.abc import Sequence

from bugsieve.policies.action_names import ActionNames
from bugsieve.policies.conversation import Conversation, Program
from bugsieve.policies.decisions import Decisions
from bugsieve.policies.policy import FallibleBoundPolicy
from bugsieve.policies.protocol import Question
from bugsieve.policies.task_view import TaskView
from bugsieve.tasks.fdr.task import StateArray, Task


class ForeignPolicy(FallibleBoundPolicy):
    """Asks a program about the facts of each state."""

    def __init__(self, task: Task, program: Program) -> None:
        super().__init__(task, program.spec)
        self._names = ActionNames(task)
        self._conversation = Conversation(program, TaskView.of(task))
        self._conversation.start()

    def decide(self, states: StateArray) -> Decisions:
        """One action per state; crashes, hangs and unknown actions as failures of their rows."""
        states = self.task.checked_states(states)
        rows = self._names.applicable(states)
        answers = self._conversation.ask(map(self._question, states, rows))
        return Decisions.of(map(self._names.decision, answers, rows))

    def fingerprint(self) -> str:
        """A hash of the spec and of the files that it names."""
        return self._conversation.program.fingerprint

    def close(self) -> None:
        """Kill the process; a later question starts a new one."""
        self._conversation.close()

    def _question(self, state: StateArray, applicable: Sequence[int]) -> Question:
        facts = self.task.facts(state) - self.task.static_facts
        return Question(tuple(sorted(facts)), self._names.of(applicable))
