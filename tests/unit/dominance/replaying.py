"""Replay of plans: what a dominance function promises of another state, as a plan for it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from bugsieve.tasks.grounded.task import Task
from tests.unit.dominance.factors import FactorState
from tests.unit.dominance.naive import NOOP, NaiveDominance, State, part, successor


def replay(
    task: Task, naive: NaiveDominance, source: State, plan: Sequence[int], target: State
) -> tuple[int, ...] | None:
    """A plan for the target that follows a plan of the source; None where an answer is missing."""
    follower = _Follower(task, naive, target)
    for place, operator in enumerate(plan):
        if source == follower.state:
            return (*follower.plan, *plan[place:])
        after = successor(task, source, operator)
        assert after is not None
        if not follower.answer(after):
            return None
        source = after
    done = source == follower.state or follower.walk_to_goals()
    return tuple(follower.plan) if done else None


class _Follower:
    """A state, and the operators that it has applied."""

    def __init__(self, task: Task, naive: NaiveDominance, state: State) -> None:
        self.task = task
        self.naive = naive
        self.state = state
        self.plan: list[int] = []
        self.last_stage = len(naive.stages) - 1

    def answer(self, after: State) -> bool:
        """Walk and apply the label that is worth most when the other has gone to `after`."""
        labels = self.naive.factors[0].functions
        value, label, places = max(self._offer(label, after) for label in labels)
        if value == -inf:
            return False
        for i, place in enumerate(places):
            self._walk(self.last_stage, i, place)
        if label != NOOP:
            self._apply(label)
        return True

    def _offer(self, label: int, after: State) -> tuple[float, int, tuple[FactorState, ...]]:
        """What an answer is worth, and where each factor should give it."""
        total = 0.0 if label == NOOP else -float(self.naive.labels[label].cost)
        places = []
        for i, factor in enumerate(self.naive.factors):
            here, there = part(self.state, factor), part(after, factor)
            walks = self.naive.walks[i].get(here, {})
            offers = [
                (self.naive.values[i].get((there, y), -inf) - walks[u], u)
                for u, y in factor.functions[label].items()
                if u in walks
            ]
            value, place = max(offers, default=(-inf, here))
            total += value
            places.append(place)
        return total, label, tuple(places)

    def walk_to_goals(self) -> bool:
        """Let every factor go to its nearest goal state, if there is one."""
        for i, factor in enumerate(self.naive.factors):
            walks = self.naive.walks[i].get(part(self.state, factor), {})
            goals = [(walks[goal], goal) for goal in factor.goals if goal in walks]
            if not goals:
                return False
            self._walk(self.last_stage, i, min(goals)[1])
        return True

    def _walk(self, stage: int, i: int, place: FactorState) -> None:
        """Let one factor go to a state; the others are afterwards as they were."""
        for label in self._path(stage, i, place):
            self._macro(stage, i, label)
        assert part(self.state, self.naive.factors[i]) == place

    def _path(self, stage: int, i: int, place: FactorState) -> list[int]:
        """The tau-labels of a cheapest walk, the shortest of such."""
        functions = self.naive.factors[i].functions
        costs = self.naive.stages[stage].costs[i]
        best: dict[FactorState, tuple[float, list[int]]] = {
            part(self.state, self.naive.factors[i]): (0, [])
        }
        changed = True
        while changed:
            changed = False
            for x, (so_far, path) in list(best.items()):
                for label, cost in costs.items():
                    y = functions[label].get(x)
                    if y is not None and so_far + cost < best.get(y, (inf, []))[0]:
                        best[y] = so_far + cost, [*path, label]
                        changed = True
        return best[place][1]

    def _macro(self, stage: int, i: int, label: int) -> None:
        """Apply a tau-label: the other factors go where it applies, and return after it.

        Walks of an earlier stage suffice for that, so the recursion ends.
        """
        factors = self.naive.factors
        others = [j for j in range(len(factors)) if j != i and not factors[j].is_identity(label)]
        homes = {j: part(self.state, factors[j]) for j in others}
        for j in others:
            self._walk(stage - 1, j, self._detour(stage - 1, j, label))
        self._apply(label)
        for j in others:
            self._walk(stage - 1, j, homes[j])

    def _detour(self, stage: int, j: int, label: int) -> FactorState:
        """Where the label applies, the way there and back from where it leads being cheapest."""
        walks = self.naive.stages[stage].walks[j]
        r = part(self.state, self.naive.factors[j])
        steps = self.naive.factors[j].functions[label].items()
        return min((walks[r].get(p, inf) + walks[q].get(r, inf), p) for p, q in steps)[1]

    def _apply(self, label: int) -> None:
        operator = self.naive.labels[label].operator
        after = successor(self.task, self.state, operator)
        assert after is not None
        self.state = after
        self.plan.append(operator)
