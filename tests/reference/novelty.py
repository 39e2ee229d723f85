"""Naive novelty of states: every set of facts met so far in one Python set."""

from __future__ import annotations

from itertools import combinations

from tests.reference.sas import Fact, State


class Novelty:
    """Sets of up to `depth` facts that inserted states had."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.seen: set[tuple[Fact, ...]] = set()

    def novelty(self, state: State) -> int:
        """The size of the smallest set of facts not seen, depth + 1 if all were seen."""
        new = (len(facts) for facts in self._fact_sets(state) if facts not in self.seen)
        return min(new, default=self.depth + 1)

    def insert(self, state: State) -> int:
        """The novelty of the state, which is then added."""
        novelty = self.novelty(state)
        self.seen.update(self._fact_sets(state))
        return novelty

    def _fact_sets(self, state: State) -> list[tuple[Fact, ...]]:
        facts = list(enumerate(state))
        return [some for size in range(self.depth) for some in combinations(facts, size + 1)]
