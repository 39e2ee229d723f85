"""Algorithm 1 of papers/001, one walk and one state at a time, with the same numbered draws."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.reference.fuzzing import Draws

State = Any


class World(Protocol):
    """A model under a policy; states are hashable."""

    def is_unsafe(self, state: State) -> bool: ...

    def successors(self, state: State) -> list[State]:
        """Outcomes of what the policy does; none at the goal and where that is not applicable."""

    def stuck(self, state: State) -> str:
        """Why a run does not go on there: one of `FAILURES`, "dead end", or ""."""

    def distance(self, state: State) -> float: ...


FAILURES = ("illegal action", "no action")
"""How a policy can let a run end, the gravest first."""


@dataclass(frozen=True)
class Search:
    """How walks look for danger; a depth of None is without limit."""

    choice: str
    depth: int | None
    step_limit: int
    most_states: int = 10**9
    seed: int = 0


@dataclass
class Walk:
    """A walk on its way; `path` are the states so far."""

    number: int
    path: list[State]
    draws_used: int = 0
    ending: str = ""
    anchor: Hashable = None
    power: int = 1
    since_anchor: int = field(default=0)

    def has_looped(self, drew: bool) -> bool:
        """Brent's search for cycles, begun anew after every draw."""
        here = self.path[-1]
        if not drew and here == self.anchor:
            return True
        self.since_anchor += 1
        if drew or self.since_anchor == self.power:
            self.power = 1 if drew else 2 * self.power
            self.anchor, self.since_anchor = here, 0
        return False


def walk(world: World, start: State, number: int, search: Search) -> Walk:
    """The whole walk."""
    made = Walk(number, [start], anchor=start)
    draws = Draws(search.seed, "unsafe runs")
    while not made.ending:
        if world.is_unsafe(made.path[-1]):
            made.ending = "unsafe"
            break
        before = made.draws_used
        continuation = _find_continuation(world, made, search, draws)
        if continuation is None:
            made.ending = _exhausted_ending(world, made.path[-1])
        elif len(made.path) - 1 + len(continuation) > search.step_limit:
            made.ending = "step limit"
        else:
            made.path += continuation
            if not world.is_unsafe(made.path[-1]) and made.has_looped(made.draws_used > before):
                made.ending = "loop"
    return made


def _exhausted_ending(world: World, origin: State) -> str:
    """Of a walk from whose last state everything was seen that the policy can reach."""
    seen, todo = {origin}, [origin]
    while todo:
        new = set(world.successors(todo.pop())) - seen
        seen |= new
        todo += new
    met = {world.stuck(state) for state in seen}
    return next((word for word in FAILURES if word in met), world.stuck(origin) or "exhausted")


def _find_continuation(
    world: World, made: Walk, search: Search, draws: Draws
) -> list[State] | None:
    """The states after the present one, or None for "failed"."""
    origin = made.path[-1]
    if search.choice == "uniform":
        outcomes = world.successors(origin)
        return [outcomes[_below(made, draws, len(outcomes))]] if outcomes else None
    parents: dict[State, State] = {}
    layers: list[list[State]] = [[origin]]
    while True:
        layer: list[State] = []
        for state in layers[-1]:
            for outcome in world.successors(state):
                if outcome != origin and outcome not in parents:
                    parents[outcome] = state
                    layer.append(outcome)
        if not layer:
            return None
        layers.append(layer)
        unsafe = [state for state in layer if world.is_unsafe(state)]
        if unsafe:
            return _path(parents, origin, unsafe[0])
        least = min(world.distance(state) for state in layer)
        nearest = [state for state in layer if world.distance(state) == least]
        is_last = len(layers) - 1 == search.depth or len(parents) >= search.most_states
        if len(nearest) == 1 or is_last:
            break
    if search.choice == "greedy":
        return _path(parents, origin, nearest[_below(made, draws, len(nearest))])
    return _path(parents, origin, _by_weight(world, made, draws, list(parents)))


def _below(made: Walk, draws: Draws, bound: int) -> int:
    if bound == 1:
        return 0
    made.draws_used += 1
    return draws.below(made.number, made.draws_used - 1, bound)


def _by_weight(world: World, made: Walk, draws: Draws, states: list[State]) -> State:
    if len(states) == 1:
        return states[0]
    distances = [world.distance(state) for state in states]
    weights = [math.exp(min(distances) - distance) for distance in distances]
    made.draws_used += 1
    word = draws.word(made.number, made.draws_used - 1)
    mark = (word >> 11) * 2.0**-53 * sum(weights)
    total = 0.0
    for state, weight in zip(states, weights, strict=True):
        total += weight
        if mark < total:
            return state
    return states[-1]


def _path(parents: dict[State, State], origin: State, target: State) -> list[State]:
    path = [target]
    while parents[path[-1]] != origin:
        path.append(parents[path[-1]])
    return path[::-1]
