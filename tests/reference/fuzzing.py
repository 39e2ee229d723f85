"""Algorithm 1 of papers/000 one walk, one step and one state at a time, with the same draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bugsieve.base.seeds import Stream
from tests.reference.novelty import Novelty
from tests.reference.relaxation import DEAD_END, hmax
from tests.reference.sas import SasTask, State
from tests.reference.successors import is_applicable, is_goal, successor, successors

Policy = Callable[[State], int]
"""The operator that is chosen; -1 for none. It need not be applicable."""

Bias = Callable[[list[State]], list[tuple[int, bool]]]
"""For the successors of one walk: the weight of each, and whether it is offered to the pool."""

_WORD = 2**64


@dataclass(frozen=True)
class Trace:
    """What a policy does from a state: one more state than actions."""

    states: tuple[State, ...]
    actions: tuple[int, ...]
    solved: bool


def run(task: SasTask, policy: Policy, start: State, *, step_limit: int) -> Trace:
    """Follow the policy until the goal, a repeated state, no legal action, or the limit."""
    states = [start]
    actions: list[int] = []
    while not is_goal(task, states[-1]) and states[-1] not in states[:-1]:
        action = -1 if len(actions) == step_limit else policy(states[-1])
        if not 0 <= action < len(task.operators) or not is_applicable(task, states[-1], action):
            return Trace(tuple(states), tuple(actions), False)
        actions.append(action)
        states.append(successor(task, states[-1], action))
    return Trace(tuple(states), tuple(actions), is_goal(task, states[-1]))


class Draws:
    """Draw n of walk w, from the seed, w and n alone."""

    def __init__(self, seed: int, name: str = "walks") -> None:
        keys = Stream(seed, name)
        self._walk_key, self._draw_key = keys.word(), keys.word()

    def word(self, walk: int, number: int) -> int:
        """64 bits."""
        stream = _mixed(walk * 0x9E3779B97F4A7C15 + self._walk_key)
        return _mixed(stream + number * 0xD1342543DE82EF95 + self._draw_key)

    def below(self, walk: int, number: int, bound: int) -> int:
        """A number from 0 to bound - 1; words beyond the last even share are drawn again."""
        while True:
            high, low = divmod(self.word(walk, number) * bound, _WORD)
            if low >= _WORD % bound:
                return high
            number += 2**32

    def choose(self, walk: int, number: int, weights: Sequence[int]) -> int | None:
        """A position with probability weight / sum; None if all weights are 0."""
        if not any(weights):
            return None
        mark = self.below(walk, number, sum(weights))
        position = 0
        while mark >= weights[position]:
            mark -= weights[position]
            position += 1
        return position


def _mixed(word: int) -> int:
    word %= _WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % _WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB % _WORD
    return word ^ word >> 31


@dataclass(frozen=True)
class Entry:
    """A state of the pool: `actions` lead to it from entry `parent`."""

    state: State
    parent: int | None
    actions: tuple[int, ...]
    walk: int | None


@dataclass
class Fuzzer:
    """The pool and what Algorithm 1 needs to go on."""

    task: SasTask
    bias: Bias
    pool_size: int  # N
    walk_length: int  # L
    novelty: int  # D, 0: no filter
    round_walks: int
    seed: int
    prune_dead_ends: bool
    insert_one: bool
    pool: list[Entry] = field(default_factory=list)
    walks_done: int = 0

    def __post_init__(self) -> None:
        self.draws = Draws(self.seed)
        self.seen = Novelty(self.novelty)
        self.dead_ends: dict[State, bool] = {}
        self.insert(Entry(self.task.initial, None, (), None))

    def round(self) -> None:
        """Walks that all start from the pool as it is now."""
        if len(self.pool) >= self.pool_size:
            return
        size = len(self.pool)
        walks = range(self.walks_done, self.walks_done + self.round_walks)
        offers = [offer for walk in walks for offer in self.walk(walk, size)]
        self.walks_done += self.round_walks
        for offer in offers:
            if len(self.pool) < self.pool_size:
                self.insert(offer)

    def walk(self, walk: int, size: int) -> list[Entry]:
        """Lines 3-12: the states that the walk offers to the pool, in order."""
        parent = self.draws.below(walk, 0, size)
        length = 1 + self.draws.below(walk, 1, self.walk_length)
        state = self.pool[parent].state
        actions: tuple[int, ...] = ()
        offers = []
        for step in range(length):
            live = [
                (operator, after)
                for operator, after in successors(self.task, state)
                if not self.prune_dead_ends or not self.is_dead_end(after)
            ]
            weighed = self.bias([after for _, after in live])
            for (operator, after), (_, offered) in zip(live, weighed, strict=True):
                if offered:
                    offers.append(Entry(after, parent, (*actions, operator), walk))
            chosen = self.draws.choose(walk, 2 + step, [weight for weight, _ in weighed])
            if chosen is None:
                break
            operator, state = live[chosen]
            actions = (*actions, operator)
        if self.insert_one and offers:
            offers = [offers[self.draws.below(walk, 2**63, len(offers))]]
        return [*offers, Entry(state, parent, actions, walk)] if actions else offers

    def is_dead_end(self, state: State) -> bool:
        """Whether h^max is infinite; remembered, because this is slow."""
        if state not in self.dead_ends:
            self.dead_ends[state] = hmax(self.task, state) == DEAD_END
        return self.dead_ends[state]

    def insert(self, entry: Entry) -> None:
        """Lines 13-17; the first state enters in any case."""
        if any(entry.state == other.state for other in self.pool):
            return
        if self.novelty and self.seen.insert(entry.state) > self.novelty:
            return
        self.pool.append(entry)
