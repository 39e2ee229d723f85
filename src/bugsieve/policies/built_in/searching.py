"""Base of the policies that search from every state they are asked about."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy

from bugsieve.policies.decisions import Decisions, Ending, Failure
from bugsieve.policies.limits import MAX_MEMORY_MB
from bugsieve.policies.policy import FallibleBoundPolicy
from bugsieve.tasks.grounded.task import NO_ACTION, StateArray, Task
from bugsieve.tasks.search import Limits, SearchResult


class SearchingPolicy(FallibleBoundPolicy):
    """Takes the first action of the way that one search per state finds, and remembers it.

    Unless plans are kept, a decision depends on the state alone, not on the searches before.
    NO_ACTION means that there is no way, or that the state is a goal; running out of memory is a
    crash of the policy.
    """

    keeps_plans = False
    """True if the rest of a plan decides for the states on it, too."""

    def __init__(self, task: Task, spec: str, memory_mb: int | None) -> None:
        super().__init__(task, spec)
        self.memory_mb = memory_mb
        self._limits = Limits(
            bytes=None if memory_mb is None else min(memory_mb, MAX_MEMORY_MB) << 20
        )
        self._known: dict[bytes, int | Failure] = {}

    @abstractmethod
    def search(self, state: StateArray, limits: Limits) -> SearchResult:
        """One search for a plan from the state, or for the part of one that decides."""

    def decide(self, states: StateArray) -> Decisions:
        """The first actions of the plans; a Failure where the search ran out of memory."""
        return Decisions.of(map(self._decision, self.task.checked_states(states)))

    def decide_anew(self, states: StateArray, *, hash_seed: int | None = None) -> Decisions:
        """The decisions with nothing remembered."""
        fresh = copy(self)
        fresh._known = {}
        return fresh.decide(states)

    def _decision(self, state: StateArray) -> int | Failure:
        key = state.tobytes()
        if key not in self._known:
            self._known[key] = self._searched(state)
        return self._known[key]

    def _searched(self, state: StateArray) -> int | Failure:
        result = self.search(state, self._limits)
        if result.status == "solved" and result.plan is not None:
            if self.keeps_plans:
                self._keep(state, result.plan)
            return result.plan[0] if result.plan else NO_ACTION
        if result.status in ("unsolvable", "gave-up"):
            return NO_ACTION
        return Failure(
            Ending.POLICY_CRASH,
            f"the search stopped at its {result.status} limit of {self.memory_mb} MB",
            excused=True,
        )

    def _keep(self, state: StateArray, plan: tuple[int, ...]) -> None:
        """Remember the whole plan, up to where it meets one found before: no circles arise."""
        for action in plan:
            key = state.tobytes()
            # Plans found before stay: from here on the older plan leads to the goal, and decisions
            # that were given are not taken back.
            if key in self._known:
                return
            self._known[key] = action
            state = self.task.successors(state, action)[0]
