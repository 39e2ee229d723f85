"""Objectives of testing: a value for every run, and which of two values is better.

An objective is a value function V to minimise or to maximise. A state is a bug of the policy when
some other run from it has a better value than the policy's own; the distance between the two is
the gap. An objective declares itself what others need to know of it. So to add one takes a file
beside this one, a line in the table of this folder, and a rule in the checker.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UsageError
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.distributions import Weights
from bugsieve.policies.graph import source_of
from bugsieve.policies.policy import Policy
from bugsieve.policies.run_table import RunSource, RunTable
from bugsieve.tasks.grounded.arrays import ask_core, operator_column
from bugsieve.tasks.grounded.task import StateArray, Task

Values = NDArray[np.float64]
"""One value per state; NaN where the run does not determine it."""

FAILURES = (Ending.LOOP, Ending.NO_ACTION, Ending.ILLEGAL_ACTION, Ending.POLICY_CRASH)
"""Endings that show for certain that the run never reaches the goal.

A run that a step limit cut may still get there, and a hang may come from the machine. Nor does
a crash of a policy that never got ready or that our memory limit stopped show anything.
"""


FOR_PLANS = ("combined:bmo:100+aras-or-ehc",)
"""The oracles where every plan counts: those that find most bugs in the first minute, by
`python -m benchmarks.defaults`."""


FOR_PLANS_ALONE = ("aras-or-ehc",)
"""The same without the part that learns from other states."""


def certain_failures(runs: RunTable) -> NDArray[np.bool_]:
    """True for each run that never reaches the goal, for certain and by the policy's own doing."""
    failed: NDArray[np.bool_] = np.isin(runs.endings, FAILURES) & ~runs.excused
    return failed


@dataclass(frozen=True)
class BugKind:
    """A kind of bugs in words."""

    title: str
    """The heading of such bugs."""
    line: str = "{run[ending]} instead of a plan of {costing}"
    """The mistake in one of them; the fields are those of its certificate, `possible` and
    `costing`: `15` and `cost 15` of a plan that is proven optimal, else `at most 15`."""
    cut_line: str = ""
    """The same where the step limit cut the run, if that can prove such a bug."""

    def describe(self, certificate: Mapping[str, Any], *, is_optimal: bool) -> str:
        """The mistake in the bug of a certificate, in words; its plan may be proven optimal."""
        cost, is_cut = certificate["plan"]["cost"], _is_cut(certificate)
        costing = f"cost {cost}" if is_optimal else f"at most {cost}"
        words = {"possible": costing.removeprefix("cost "), "costing": costing}
        return (self.cut_line if is_cut else self.line).format_map({**certificate, **words})


def _is_cut(certificate: Mapping[str, Any]) -> bool:
    return bool(certificate["run"]["ending"] == Ending.STEP_LIMIT.label)


UNSOLVED = BugKind("Qualitative bugs: the policy fails where it need not")


class Alternatives:
    """The plans that an objective accepts as better runs, as the plans of a task to search in.

    That may be a task compiled for the objective. An objective may read more into a run than its
    states, with an automaton of rules for example. It adds a variable for the automaton and lets
    every operator move it: `start` puts it in its first state, `resume` in the one it has come to.
    `plan` takes the operators back to those of the tested task.
    """

    def __init__(self, task: Task) -> None:
        self.task = task

    def start(self, state: StateArray) -> StateArray | None:
        """The state to search from; None when no run from `state` can be accepted."""
        return state

    def resume(self, states: StateArray, actions: Sequence[int]) -> StateArray | None:
        """The same for a run that has come along these states by these actions."""
        return self.start(states[-1])

    def plan(self, found: tuple[int, ...]) -> tuple[int, ...]:
        """A plan of the searched task as operators of the tested task."""
        return found


class Objective(ABC):
    """A testing objective, bound to one task.

    `task` is what is tested, `alternatives().task` what is searched for better runs.
    """

    usage: ClassVar[str]
    """The form of its specs."""
    spec: str
    minimise: bool
    worst: float
    """The value of a run that achieves nothing."""
    costs_count: ClassVar[bool] = False
    """True if the value of a run that reaches the goal is its cost."""
    takes_any_plan: ClassVar[bool] = True
    """True if every plan is better than a run of the worst value, and not only `alternatives`."""
    kinds: ClassVar[Mapping[str, BugKind]]
    """The kinds of bugs, by the names that `kind` gives."""
    possible: ClassVar[str]
    """The chance that the policy has missed, as half a sentence that goes on with "before"."""
    usual_oracles: ClassVar[tuple[str, ...]] = ("lookahead", "planner:gbfs-20000")
    """The oracles where none are named."""
    oracles_alone: ClassVar[tuple[str, ...]] = ("lookahead", "planner:gbfs-20000")
    """The same where verdicts must not depend on other states."""
    reached: ClassVar[str] = "from the initial state the policy finds a plan of cost {cost}"
    """The sentence on a run from the initial state that reaches the goal."""
    proven: ClassVar[str] = "the policy is optimal"
    """The sentence on a policy that is proven to have no bug."""
    missed: ClassVar[str] = "the policy fails from the initial state"
    """The sentence on one that does not."""
    cut: ClassVar[str] = ""
    """The sentence on one that a limit has cut, where that does not count as a failure."""
    longer_runs: ClassVar[str] = "longer runs (--step-limit)"
    """The option that would tell more of runs that a limit has cut."""
    settled_ending: ClassVar[str] = "condition met"
    """The ending of a run that is cut where its value is settled for good."""
    takes_constraints: ClassVar[bool] = False
    """True if runs are held to the `:constraints` of a task."""
    forgives_stopping: ClassVar[bool] = False
    """True if a run that merely stops counts as good: a policy that never acts then shows nothing.
    """
    warnings: Sequence[str] = ()
    """Warnings for the user who typed the spec."""

    def __init__(self, task: Task) -> None:
        self.task = task

    @classmethod
    def in_words(cls, value: float) -> str:
        """The part of a value that a run's steps, ending and cost do not tell; may be empty."""
        return ""

    @classmethod
    def objection(cls, task: Task) -> str | None:
        """None, or why policies of this task cannot be tested for it."""
        return None

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """Raise UsageError where no task could make `name:argument` right."""
        if argument is not None:
            raise UsageError(f"the objective {cls.usage!r} takes no argument, got {argument!r}")

    @classmethod
    def check_stored(cls, argument: str | None) -> None:
        """Raise UsageError where no campaign of ours could have stored `name:argument`."""
        cls.check_argument(argument)

    @classmethod
    def shown(cls, spec: str) -> str:
        """A spec of it, short enough for a line."""
        return spec

    @classmethod
    def placed(cls, argument: str | None, folder: str) -> str | None:
        """The argument of a spec that a file in this folder holds, to be read from anywhere."""
        return argument

    @classmethod
    def for_fewer_objects(cls, argument: str | None, task: Task) -> str | None:
        """A stored argument for a problem that lacks objects of the one it was stored for."""
        return argument

    @classmethod
    def from_spec(cls, task: Task, argument: str | None) -> Objective:
        """The objective of the spec `name:argument`, which has been checked."""
        return cls(task)

    @property
    def best(self) -> float:
        """A value that no run beats."""
        return 0.0 if self.minimise else 1.0

    def better(self, one: float, other: float) -> bool:
        """Return true if `one` is strictly better than `other`."""
        return one < other if self.minimise else one > other

    def gap(self, one: float, other: float) -> float:
        """The distance of two values; equal infinities have none."""
        return 0.0 if one == other else abs(one - other)

    def is_final(self, value: float) -> bool:
        """Return true if the gap between the policy's value and this one cannot grow larger."""
        return value == self.best

    def is_bug(self, policy_value: float, other_value: float) -> bool:
        """Return true if a run of `other_value` shows that the policy could have done better."""
        return not math.isnan(policy_value) and self.better(other_value, policy_value)

    def run_source(self, policy: Policy, *, seed: int = 0) -> RunSource:
        """The source of a policy's runs; `seed` is the campaign's, for those that draw."""
        return source_of(self.task, policy)

    @abstractmethod
    def policy_values(self, runs: RunTable) -> Values:
        """The value of each run of the policy.

        `runs` has their endings and costs, and on demand their states and actions.
        """

    def at_best(self, value: float, ending: str, cost: int) -> float:
        """The value of a run for every continuation: its value, if that is known.

        Of a run that was cut there may be a value that it cannot beat any more; NaN if not.
        """
        return value

    @abstractmethod
    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        """The value of a run that follows a plan from the state to the goal."""

    def always_beaten(self, policy_value: float) -> bool:
        """Return true if every plan is better than a run of this value, if `takes_any_plan`."""
        return policy_value == self.worst

    @abstractmethod
    def kind(self, policy_value: float) -> str:
        """The kind, one of `kinds`, of a bug in which the policy's run has this value."""

    def settled_at(self, states: StateArray, actions: Sequence[int] = ()) -> int | None:
        """The steps after which a run's value is settled for good; None if its end decides."""
        return None

    def details(
        self, states: StateArray, actions: Sequence[int], ending: str, loop_start: int | None
    ) -> dict[str, Any]:
        """Further data for certificates on the policy's run, as JSON."""
        return {}

    def certificate_parts(self, runs: RunTable) -> dict[str, Any]:
        """Return what only the source of a run knows for certificates; `runs` has one row."""
        return {}

    def recorded_weights(
        self, certificate: Mapping[str, Any]
    ) -> tuple[StateArray, Sequence[Weights | Failure]] | None:
        """The states in which a certificate says which distribution the policy gave, and those.

        None where the certificate says which actions it chose.
        """
        return None

    def explained(self, certificate: Mapping[str, Any]) -> list[str]:
        """Lines on what is wrong with the run of a certificate, where its ending does not say."""
        return []

    def cause_parts(self, run: Mapping[str, Any], states: StateArray) -> tuple[str, ...] | None:
        """Return what else sets the cause of a bug apart; None where its run and culprit suffice.

        `states` are those along the run of the certificate. Such a cause is named by
        `settled_ending`, and by the steps of the cycle, or the last step, of the run.
        """
        return None

    def cost_bound(self, policy_value: float) -> int | None:
        """Plans this dear or dearer cannot be better; None when the cost does not matter."""
        return int(policy_value) if self.costs_count and math.isfinite(policy_value) else None

    def alternatives(self) -> Alternatives:
        """The better runs to search for, as plans of a task."""
        return Alternatives(self.task)


def path_states(task: Task, state: StateArray, plan: tuple[int, ...]) -> StateArray:
    """The states along a plan, one more than it has operators."""
    path = np.empty((len(plan) + 1, task.num_variables), dtype=np.uint16)
    path[0] = state
    operators = operator_column(plan, len(plan))  # checked once: there are many short calls
    for step in range(len(plan)):
        rows = slice(step, step + 1)
        path[step + 1] = ask_core(task.native.successors, path[rows], operators[rows])[0]
    return path


def plan_cost(task: Task, plan: tuple[int, ...]) -> int:
    """The cost of the operators of a plan together."""
    return int(task.operator_costs[list(plan)].sum(dtype=np.int64)) if plan else 0
