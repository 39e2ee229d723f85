"""`plans:python:…` and `plans:cmd:…`: a program that returns a whole plan from a state.

What generalised planners are, as language models write them: `get_plan(objects, init, goal)`. The
plan is followed to its end, as its author means it, so what is done in a state depends on where
the run began: these policies bring a run source of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bugsieve.base.errors import UsageError
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.foreign.command import CommandMember
from bugsieve.policies.foreign.conversation import Conversation, ForeignMember, Target
from bugsieve.policies.foreign.plan_runs import PlanRuns
from bugsieve.policies.foreign.python import FunctionMember
from bugsieve.policies.limits import WorkerLimits
from bugsieve.policies.nested_specs import ForeignInside, Inner, inner_spec
from bugsieve.policies.policy import BoundPolicy, FallibleBoundPolicy, PolicySettings
from bugsieve.policies.protocol import PLANS, BareQuestion, Plan
from bugsieve.policies.run_table import RunSource
from bugsieve.policies.task_view import TaskView
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task


class Plans(ForeignInside):
    """A function get_plan(objects, init, goal), or a program, whose plans are followed."""

    usage = "plans:python:FILE.py:FUNCTION or plans:cmd:PROGRAM ARGUMENT…"
    examples = ("plans:python:bugsieve.policies.examples.stay:get_plan",)

    @classmethod
    def inner(cls, argument: str | None) -> Inner:
        """The function or program that makes plans; UsageError if the argument names none."""
        found = inner_spec(argument, {"python": PythonPlans, "cmd": CommandPlans})
        if found is None:
            raise UsageError(
                f"'plans:{argument or ''}' must name who makes plans, as in "
                "'plans:python:./planner.py:get_plan' or 'plans:cmd:./planner'"
            )
        return found

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a function or program."""
        inner = cls.inner(argument)
        inner.member.check_argument(inner.argument)

    @classmethod
    def objection(cls, task: Task) -> str | None:
        """None: there is a plan or none on every task."""
        return None

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> BoundPolicy:
        """The policy that follows the plans of the function or program."""
        inner = cls.inner(argument)
        made: BoundPolicy = inner.member.from_spec(task, inner.argument, settings)
        return made


class PlanPolicy(ForeignMember[Target], FallibleBoundPolicy):
    """Asks a program for a plan from a state, and follows it."""

    def __init__(self, task: Task, target: Target, *, limits: WorkerLimits | None = None) -> None:
        program = self.program(target, limits or WorkerLimits())
        super().__init__(task, f"plans:{program.spec}")
        self.converse(replace(program, spec=self.spec), TaskView.of(task), PLANS)

    @classmethod
    def from_spec(
        cls, task: Task, argument: str | None, settings: PolicySettings
    ) -> PlanPolicy[Target]:
        """The program that the argument names, under the limits of the settings."""
        return cls(task, cls.target(argument), limits=settings.limits)

    def run_source(self, task: Task) -> RunSource:
        """Runs that follow plans; each is asked for once."""
        return self._runs(self._conversation)

    def run_source_anew(self, task: Task, *, hash_seed: int | None = None) -> RunSource:
        """The same by a second process, under another hash seed if one is given."""
        return self._runs(self.second(hash_seed))

    def decide(self, states: StateArray) -> Decisions:
        """The first actions of the plans from these states."""
        table = self._runs(self._conversation).table(states, step_limit=1)
        firsts = ((actions.tolist() or [NO_ACTION])[0] for actions in table.actions())
        failures = ((row, table.source.failure(int(run))) for row, run in enumerate(table.ids))
        # A plan that goes wrong later on, or is at its end, has begun all the same.
        at_once = {
            row: failure
            for row, failure in failures
            if failure is not None
            and table.steps[row] == 0
            and failure.ending is not Ending.NO_ACTION
        }
        return Decisions(np.fromiter(firsts, dtype=np.int32, count=len(table)), at_once)

    def _runs(self, conversation: Conversation) -> PlanRuns:
        return PlanRuns(self.task, lambda states: self._plans(conversation, states))

    def _plans(
        self, conversation: Conversation, states: StateArray
    ) -> Iterator[Plan | Failure | None]:
        static = self.task.static_facts
        facts = (self.task.facts(state) for state in states)
        return conversation.ask(
            BareQuestion(tuple(fact for fact in row if fact not in static)) for row in facts
        )


class PythonPlans(FunctionMember, PlanPolicy[str]):
    """A Python function `get_plan(objects, init, goal)`."""


class CommandPlans(CommandMember, PlanPolicy[Sequence[str]]):
    """A program that answers one JSON line of plans for each JSON line of states."""
