"""The part of a policy's graph that can be reached from a state, up to a number of states.

The likeliest states come first, so that what a limit leaves out has little weight. Which states
those are depends on the start and the limit alone, never on what else was explored.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bugsieve.base.stopping import check_stop
from bugsieve.rooms.stochastic.graph import ChanceGraph

_ROUND = 32
"""States that a part takes at once; a constant, as their order depends on it."""


@dataclass(frozen=True, eq=False)
class ReachablePart:
    """States that the policy was asked about, from the start on, and those it was not."""

    graph: ChanceGraph
    start: int
    asked: tuple[int, ...]
    """In the order in which they were reached; the start is the first."""
    unasked: frozenset[int]
    """Successors beyond the limit, goals not among them."""

    @cached_property
    def open(self) -> frozenset[int]:
        """States where it is unknown how a run goes on: unasked states, and excused failures."""
        excused = (state for state in self.asked if self.graph.choice(state).is_excused)
        return self.unasked.union(excused)

    @cached_property
    def traps(self) -> frozenset[int]:
        """Asked states from which the policy reaches neither the goal nor an open state."""
        return frozenset(self.asked) - self._before({*self.goals, *self.open})

    @cached_property
    def goals(self) -> frozenset[int]:
        """The goal states that are reached."""
        graph = self.graph
        successors = (s for state in self.asked for s in graph.choice(state).successors)
        return frozenset(state for state in successors if graph.is_goal(state))

    @property
    def is_sure(self) -> bool:
        """Return true if the policy reaches the goal with probability 1, for certain."""
        return not self.open and not self.traps

    def _before(self, ends: set[int]) -> set[int]:
        """The ends, and all states from which one of them is reached."""
        found, waiting = set(ends), list(ends)
        while waiting:
            for state, _ in self._predecessors.get(waiting.pop(), ()):
                if state not in found:
                    found.add(state)
                    waiting.append(state)
        return found

    @cached_property
    def _predecessors(self) -> dict[int, list[tuple[int, int]]]:
        """The states before each state, each with the place of the action between."""
        found: dict[int, list[tuple[int, int]]] = {}
        for state in self.asked:
            for place, after in enumerate(self.graph.choice(state).successors):
                found.setdefault(after, []).append((state, place))
        return found

    def toward(self, ends: Iterable[int]) -> dict[int, int]:
        """The place of the action that begins the likeliest way to one of the ends, by state.

        Of equally likely ways it is the one with fewest steps, and of those the action of lowest
        number: what a state is given depends on what can be reached from it, not on the part.
        """
        best = dict.fromkeys(ends, (-1.0, 0, -1))
        heap = [(chance, steps, state) for state, (chance, steps, _) in best.items()]
        heapq.heapify(heap)
        done: set[int] = set()
        while heap:
            chance, steps, state = heapq.heappop(heap)
            if state in done:
                continue
            done.add(state)
            for before, place in self._predecessors.get(state, ()):
                # Negated products of probabilities: the least is the likeliest.
                way = (chance * self.graph.choice(before).chances[place], steps + 1, place)
                if before not in done and (before not in best or way < best[before]):
                    best[before] = way
                    heapq.heappush(heap, (way[0], way[1], before))
        return {state: place for state, (_, steps, place) in best.items() if steps}


@dataclass
class _Growing:
    """A part as it is being made."""

    start: int
    limit: int
    asked: dict[int, None] = field(default_factory=dict)
    waiting: list[tuple[float, int, int]] = field(default_factory=list)
    fresh: list[tuple[float, int]] = field(default_factory=list)
    """The states of this round with the probabilities of their likeliest ways, negated."""
    pushed: int = 0

    def push(self, chance: float, state: int) -> None:
        """Remember a state that is not a goal."""
        heapq.heappush(self.waiting, (chance, self.pushed, state))
        self.pushed += 1

    def take(self) -> list[int]:
        """The states of the next round."""
        self.fresh = []
        while self.waiting and len(self.fresh) < _ROUND and len(self.asked) < self.limit:
            chance, _, state = heapq.heappop(self.waiting)
            if state not in self.asked:
                self.asked[state] = None
                self.fresh.append((chance, state))
        return [state for _, state in self.fresh]

    def expand(self, graph: ChanceGraph) -> None:
        """Push the successors of the states of this round."""
        for chance, state in self.fresh:
            choice = graph.choice(state)
            for probability, after in zip(choice.chances, choice.successors, strict=True):
                if after not in self.asked and not graph.is_goal(after):
                    self.push(chance * probability, after)

    def part(self, graph: ChanceGraph) -> ReachablePart:
        """The part as explored so far."""
        rest = frozenset(state for *_, state in self.waiting if state not in self.asked)
        return ReachablePart(graph, self.start, tuple(self.asked), rest)


def explore(graph: ChanceGraph, starts: Sequence[int], limit: int) -> list[ReachablePart]:
    """The part of each start, none of them a goal; all grow in lockstep, to ask in batches."""
    growing = [_Growing(start, limit) for start in starts]
    for part in growing:
        part.push(-1.0, part.start)
    live = growing
    while live:
        check_stop()
        wanted = [state for part in live for state in part.take()]
        graph.ask(wanted)
        for part in live:
            part.expand(graph)
        live = [part for part in live if part.fresh]
    return [part.part(graph) for part in growing]


def path_along(graph: ChanceGraph, start: int, toward: dict[int, int]) -> list[tuple[int, int]]:
    """The states from the start to where the way ends, each with the place of its action."""
    way, state = [], start
    while (place := toward.get(state)) is not None:
        way.append((state, place))
        state = graph.choice(state).successors[place]
    return way
