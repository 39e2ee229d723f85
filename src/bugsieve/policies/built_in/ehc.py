"""`ehc`: breadth-first search to a state that looks better; only the first action of it is used.

What papers on testing policies call hill climbing; `planner:ehc` is the oracle that climbs on to
the goal.
"""

from __future__ import annotations

from bugsieve.policies.built_in.searching import SearchingPolicy
from bugsieve.policies.policy import PolicySettings
from bugsieve.tasks.grounded.heuristic_names import check_heuristic
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import Limits, SearchResult, improving_path


class EhcPolicy(SearchingPolicy):
    """The first action of a shortest way to a state of lower heuristic value, sought anew.

    A goal counts as lower. Of several shortest ways the one whose actions have the lowest ids
    decides. The policy loops where a way and the one from its first state disagree. NO_ACTION
    means that no such state can be reached.
    """

    usage = "ehc:HEURISTIC (default hff)"
    examples = ("ehc", "ehc:hadd")
    is_ours = True

    def __init__(
        self, task: Task, heuristic: str = "hff", *, memory_mb: int | None = None
    ) -> None:
        super().__init__(task, f"ehc:{heuristic}", memory_mb)
        self.heuristic = task.heuristic(heuristic).name

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument names a heuristic."""
        check_heuristic(argument or "hff")

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> EhcPolicy:
        """`ehc` is `ehc:hff`."""
        return cls(task, argument or "hff", memory_mb=settings.limits.memory_mb)

    def search(self, state: StateArray, limits: Limits) -> SearchResult:
        """The way to a better state, by breadth-first search."""
        return improving_path(self.task, state, self.heuristic, limits=limits)
