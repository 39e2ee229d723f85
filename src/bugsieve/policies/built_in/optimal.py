"""`optimal`: A* with LM-cut from every state it is asked about; the yardstick of the others."""

from __future__ import annotations

from bugsieve._native import DEAD_END
from bugsieve.base.errors import UsageError
from bugsieve.policies.built_in.searching import SearchingPolicy
from bugsieve.policies.policy import PolicySettings
from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, SearchResult, astar

_SCALE = 1 << 12
_SMALLEST_SCALE = 1 << 8
_LARGEST_ESTIMATE = 1 << 29  # leaves room in 32 bits for states further from the goal


class OptimalPolicy(SearchingPolicy):
    """The first action of a cheapest plan; NO_ACTION where there is none.

    Each state is searched by itself, so that the choice between equally good actions does not
    depend on the order of the questions. `optimal:plans` gives that up for speed: it keeps every
    plan it has found and follows it without searching again. Costs are the same either way.

    Where some actions cost nothing, the plan is a shortest of the cheapest ones; otherwise the
    plans of two states could lead to each other for nothing, and the policy round in circles.
    """

    usage = "optimal or optimal:plans"
    examples = ("optimal",)  # kept plans depend on the order of the questions

    def __init__(
        self, task: Task, *, keeps_plans: bool = False, memory_mb: int | None = None
    ) -> None:
        super().__init__(task, "optimal:plans" if keeps_plans else "optimal", memory_mb)
        self.keeps_plans = keeps_plans
        self._searched_task = _with_priced_steps(task) if _has_free_actions(task) else task

    @property
    def is_ours(self) -> bool:
        """Return false where plans are kept: their decisions depend on the questions before."""
        return not self.keeps_plans

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is `plans`, if there is one."""
        if argument not in (None, "", "plans"):
            raise UsageError(f"'optimal:{argument}' is unknown: say 'optimal' or 'optimal:plans'")

    @classmethod
    def from_spec(
        cls, task: Task, argument: str | None, settings: PolicySettings
    ) -> OptimalPolicy:
        """`optimal`, or `optimal:plans` to keep plans."""
        cls.check_argument(argument)
        return cls(task, keeps_plans=argument == "plans", memory_mb=settings.limits.memory_mb)

    @classmethod
    def objection(cls, task: Task) -> str | None:
        """Free actions beside actions of enormous cost leave no room to count steps."""
        if _has_free_actions(task) and _scale(task) < _SMALLEST_SCALE:
            return "it has actions that cost nothing beside others that cost too much to add up"
        return None

    def search(self, state: StateArray, limits: Limits) -> SearchResult:
        """A cheapest plan, by A* with LM-cut."""
        return astar(self._searched_task, state, "lmcut", limits=limits)


def _has_free_actions(task: Task) -> bool:
    return bool((task.operator_costs == 0).any())


def _scale(task: Task) -> int:
    """The value of one unit of cost when a step has the price 1: more steps than any plan has."""
    # The priced costs must fit the integers of the core; the smaller the costs, the more steps fit
    # under one unit.
    estimate = int(task.heuristic("lmcut").evaluate(task.initial_state[None])[0])
    highest = int(task.operator_costs.max())
    largest = highest if estimate == DEAD_END else max(highest, estimate)
    return min(_SCALE, _LARGEST_ESTIMATE // max(1, largest))


def _with_priced_steps(task: Task) -> Task:
    """The task in which an action of cost c costs scale · c + 1: cheapest first, then shortest."""
    scale = _scale(task)
    lines = task.to_sas().split("\n")
    for number, line in enumerate(lines):
        # The line before the end of an operator is its cost.
        if line == "end_operator":
            lines[number - 1] = str(int(lines[number - 1]) * scale + 1)
    text = "\n".join(lines).encode()
    return Task(native_task(text, task.name), name=task.name)
