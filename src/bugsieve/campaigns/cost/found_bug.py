"""Cost bugs in Python, with what belongs to them at hand, so that they can be asked things."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from bugsieve.base.arguments import whole_number
from bugsieve.base.notebooks import line_html
from bugsieve.campaigns.cost.bench import judged_bench
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.found import fields_of
from bugsieve.explanation.blame import EXPANSIONS
from bugsieve.explanation.blame.blame import DEFAULT_LIMITS, Blame, blame
from bugsieve.explanation.blame.explanation import explained, explanation_text
from bugsieve.explanation.blame.strips import bug_strips
from bugsieve.explanation.causes.pattern import Pattern
from bugsieve.explanation.examples.shrinking import DEFAULT_CANDIDATES, Remake, ShrinkingBudget
from bugsieve.explanation.examples.smallest import SmallestExample, smallest_example
from bugsieve.pictures.strips import strips_image
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.bug import Bug
from bugsieve.pipeline.bugs.cause import Cause
from bugsieve.pipeline.bugs.replay import ReplayResult, replay
from bugsieve.pipeline.judging.plan import close_policy
from bugsieve.pipeline.objectives import (
    Objective,
    make_objective,
    objective_for_fewer_objects,
)
from bugsieve.policies.asking import check_policy
from bugsieve.policies.foreign.function import policy as policy_function
from bugsieve.policies.policy import Bindable, Policy
from bugsieve.policies.registry import brings_task, make_policy
from bugsieve.tasks.grounded.task import Task


@dataclass(frozen=True, eq=False, repr=False)
class FoundBug(Bug):
    """A proven bug, as `find_bugs` and `load_bugs` give it."""

    bench: Bench = field(kw_only=True)
    """Its task and objective; the policy is not there any more."""
    cause: Cause = field(kw_only=True)
    """What is wrong, whichever objects it happens to."""
    pattern: Pattern | None = field(kw_only=True, default=None)
    """The rule of the policy that explains it and others; None where none is known."""

    @cached_property
    def blame(self) -> Blame:
        """The decision of the policy that is to blame, and what it should have done."""
        return blame(self.bench, self.certificate)

    def explain(self, *, expansions: int = EXPANSIONS) -> str:
        """What `bugsieve explain` prints: both runs side by side, and who is to blame.

        `expansions` is what searches may spend; more make the answer surer.
        """
        if expansions == EXPANSIONS:
            return explanation_text(explained(self.bench, self, self.blame))
        limits = replace(DEFAULT_LIMITS, expansions=expansions)
        found = blame(self.bench, self.certificate, limits=limits)
        return explanation_text(explained(self.bench, self, found))

    def replay(self, policy: object) -> ReplayResult:
        """Whether another policy, or the same one after a change, has the bug as well.

        The policy is what `find_bugs` takes: a spec, a function, or an object for this task.
        """
        if isinstance(policy, str):
            with make_policy(policy, self.bench.task) as made:
                return self._replayed(made)
        return self._replayed(binding(policy)(self.bench.task))

    def minimise(self, policy: object, *, candidates: int = DEFAULT_CANDIDATES) -> SmallestExample:
        """The smallest example of the bug, as `bugsieve minimise` makes it.

        The policy is what `find_bugs` takes. It is made anew for up to so many problems with fewer
        objects; one that is an object for one task is not, and all objects are kept.
        """
        given = whole_number(candidates, "candidates", least=0)
        return smallest_example(
            self.bench, self, self._remake(policy), budget=ShrinkingBudget(given)
        )

    def _remake(self, policy: object) -> Remake | str:
        """What makes the policy for other tasks, or why nothing does."""
        if isinstance(policy, str):
            if brings_task(policy):
                return f"the policy {policy} knows the task that it brings and no other"
            make: Callable[[Task], Policy] = partial(make_policy, policy)
        elif is_bound(policy):
            check_policy(policy)
            return "the policy is a Python object, bound to its task"
        else:
            make = binding(policy)

        @contextmanager
        def remade(task: Task) -> Iterator[Bench]:
            objective = objective_for_fewer_objects(self.bench.objective.spec, task)
            made = make(task)
            try:
                yield self._bench(task, made, make_objective(objective, task))
            finally:
                close_policy(made)

        return remade

    def _repr_html_(self) -> str:
        """For notebooks: what is wrong, the policy's run, and below it the better one.

        The decision to blame is marked where `blame` was asked for it before: that may take long.
        """
        strips = bug_strips(self.bench.task, self.certificate, self.__dict__.get("blame"))
        return line_html(str(self)) + strips_image(strips, title=f"bug {self.id}")

    def _replayed(self, policy: Policy) -> ReplayResult:
        return replay(self._bench(self.bench.task, policy, self.bench.objective), self.certificate)

    def _bench(self, task: Task, policy: Policy, objective: Objective) -> Bench:
        old = self.bench
        return Bench(task, policy, objective, step_limit=old.step_limit, seed=old.seed)


def read_found_bugs(directory: Path) -> list[FoundBug]:
    """The bugs of a campaign, the worst first."""
    with CostRecords(directory) as records:
        rows, patterns = list(records.named(records.ranked())), records.patterns()
        bench = judged_bench(directory, records.header)
    return [
        FoundBug(**fields_of(row.bug), bench=bench, cause=row.cause, pattern=patterns.get(row.id))
        for row in rows
    ]


def is_bound(policy: object) -> bool:
    """Whether it is a policy object, which belongs to one task; functions and such become one."""
    is_function = inspect.isroutine(policy) or isinstance(policy, functools.partial)
    return not is_function and not isinstance(policy, Bindable)


def binding(policy: Any) -> Callable[[Task], Policy]:
    """What makes the policy of a task out of a function or an object."""
    if isinstance(policy, Bindable):
        return policy.bind
    if is_bound(policy):
        check_policy(policy)
        return lambda task: policy
    return policy_function(policy).bind
