"""Lifts a Python function of one state to the policy protocol, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bugsieve.base.errors import UsageError
from bugsieve.base.stopping import check_stop
from bugsieve.policies.action_names import ActionNames
from bugsieve.policies.asking import crash
from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.distributions import Distributions
from bugsieve.policies.foreign.worker_answers import WrongAnswerError, weights_of
from bugsieve.policies.policy import FallibleBoundPolicy
from bugsieve.policies.protocol import NamedWeights
from bugsieve.policies.task_view import StateFunction, TaskView, bind_view
from bugsieve.policies.worker import printable
from bugsieve.tasks.grounded.task import StateArray, Task


class FunctionPolicy(FallibleBoundPolicy):
    """Calls a function for each state; what it raises is a crash in that state."""

    subject_type = Task

    def __init__(self, task: Task, function: StateFunction) -> None:
        super().__init__(task, f"function:{getattr(function, '__name__', 'policy')}")
        self._decide = bound_function(function, TaskView.of(task))
        self._names = ActionNames(task)

    def decide(self, states: StateArray) -> Decisions:
        """One action per state, or the exception that the function raised there."""
        epsilon = self.tie_epsilon
        return Decisions.of(
            self._names.decision(answer, applicable, epsilon=epsilon)
            for answer, applicable in self._answers(states)
        )

    @property
    def gives_weights(self) -> bool:
        """Return true if it has weighed several actions, so that the likeliest one counts."""
        return self._names.were_weighed

    def distributions(self, states: StateArray) -> Distributions:
        """The weights that the function gives; all of it to one action where it names one."""
        answers = self._answers(states)
        return Distributions.of(self._names.distribution(*answer) for answer in answers)

    def _answers(
        self, states: StateArray
    ) -> Iterator[tuple[str | NamedWeights | Failure | None, list[int]]]:
        states = self.task.checked_states(states)
        for state, applicable in zip(states, self._names.applicable(states), strict=True):
            names = list(self._names.of(applicable))
            yield call(self._decide, self.task.facts(state), names), applicable


def bound_function(function: StateFunction, view: object) -> Callable[[Any, list[str]], Any]:
    """The function of a state and its actions; UsageError if it cannot be called so."""
    try:
        return bind_view(function, view)
    except TypeError as error:
        raise UsageError(f"the policy function {error}") from None


def call(
    decide: Callable[[Any, list[str]], Any], state: object, applicable: list[str]
) -> str | NamedWeights | Failure | None:
    """The answer of the user's function; a crash if it raises or answers something else."""
    check_stop()
    try:
        answer = decide(state, applicable)
        if answer is None or isinstance(answer, str):
            return answer
        if isinstance(answer, Mapping):
            return weights_of(answer)
        shown = printable(repr(answer))
    except WrongAnswerError as error:
        return Failure(Ending.POLICY_CRASH, printable(str(error)))
    except (Exception, SystemExit) as error:
        return crash(error)
    return Failure(Ending.POLICY_CRASH, f"returned {shown}, neither an action name nor None")
