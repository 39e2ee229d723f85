"""`lazy`: one greedy best-first search per state, of whose plan only the first action is used."""

from __future__ import annotations

from bugsieve.policies.built_in.searching import SearchingPolicy
from bugsieve.policies.policy import PolicySettings
from bugsieve.tasks.grounded.heuristic_names import check_heuristic
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, SearchResult, greedy


class LazyPolicy(SearchingPolicy):
    """The first action of the plan that greedy best-first search finds, searched anew each time.

    The search defers evaluation and, with hff, uses preferred operators. Plans of neighbouring
    states need not agree, so the policy may loop.
    """

    usage = "lazy:HEURISTIC (default hff)"
    examples = ("lazy", "lazy:hadd")
    is_ours = True

    def __init__(
        self, task: Task, heuristic: str = "hff", *, memory_mb: int | None = None
    ) -> None:
        super().__init__(task, f"lazy:{heuristic}", memory_mb)
        self.heuristic = task.heuristic(heuristic).name

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a heuristic."""
        check_heuristic(argument or "hff")

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> LazyPolicy:
        """`lazy` is `lazy:hff`."""
        return cls(task, argument or "hff", memory_mb=settings.limits.memory_mb)

    def search(self, state: StateArray, limits: Limits) -> SearchResult:
        """Some plan, by greedy best-first search."""
        preferred = self.heuristic == "hff"
        return greedy(self.task, state, self.heuristic, preferred=preferred, limits=limits)
