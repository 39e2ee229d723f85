"""Safety of states by its definitions, for systems of a few states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

ORDINARY, GOAL, UNSAFE = 0, 1, 2
NAMES = ("ordinary", "goal", "unsafe")


@dataclass(frozen=True)
class System:
    """States are 0, 1, …; `transitions[s][a]` are the outcomes of action a; -1 is no action."""

    kinds: tuple[int, ...]
    transitions: tuple[dict[int, tuple[int, ...]], ...]
    policy: tuple[int, ...]

    @property
    def states(self) -> range:
        return range(len(self.kinds))

    def is_final(self, state: int) -> bool:
        return self.kinds[state] != ORDINARY or not self.transitions[state]

    def cost(self, state: int, action: int, radius: int | None) -> int:
        return int(radius is not None and action != self.policy[state])


def random_system(random: Random, *, most_states: int = 9) -> System:
    """Cycles, dead ends, goals, dangers, states without actions, policies without an answer."""
    size = random.randint(1, most_states)
    danger, goals, density = (random.choice(shares) for shares in ((0.1, 0.3), (0, 0.1), (0.5, 1)))
    kinds, transitions, policy = [], [], []
    branching = random.randint(1, 3)
    for _ in range(size):
        draw = random.random()
        kinds.append(UNSAFE if draw < danger else GOAL if draw < danger + goals else ORDINARY)
        actions = [a for a in range(random.randint(0, 3)) if random.random() < density]
        transitions.append(
            {
                a: tuple(random.sample(range(size), min(size, random.randint(1, branching))))
                for a in actions
            }
        )
        answers = actions if actions and random.random() < 0.9 else [-1, 0, 2]
        policy.append(random.choice(answers))
    return System(tuple(kinds), tuple(transitions), tuple(policy))


def safe_states(system: System, radius: int | None) -> set[int]:
    """The r-safe states: pairs with a budget, from which those without a good action are removed.

    What remains is the greatest set of pairs in which one can stay.
    """
    budgets = range((radius or 0) + 1)
    safe = {(s, b) for s in system.states for b in budgets if system.kinds[s] != UNSAFE}

    def can_stay(state: int, budget: int) -> bool:
        if system.is_final(state):
            return True
        return any(
            all((o, budget - system.cost(state, action, radius)) in safe for o in outcomes)
            for action, outcomes in system.transitions[state].items()
        )

    while lost := {pair for pair in safe if not can_stay(*pair)}:
        safe -= lost
    return {s for s in system.states if (s, radius or 0) in safe}


def values(system: System, radius: int | None) -> list[int]:
    """The least fix-point of the Bellman operator (Section 6.1), by iteration from 0."""
    worst = (radius or 0) + 1

    def updated(old: list[int], state: int) -> int:
        if system.kinds[state] == UNSAFE:
            return worst
        if system.is_final(state):
            return 0
        return min(
            worst,  # also where the policy has no action and everything differs from it
            *(
                system.cost(state, action, radius) + max(old[o] for o in outcomes)
                for action, outcomes in system.transitions[state].items()
            ),
        )

    old, new = [-1], [0] * len(system.kinds)
    while new != old:
        old, new = new, [updated(new, s) for s in system.states]
    return new


def safe_states_by_policies(system: System, radius: int | None) -> set[int]:
    """The r-safe states by Definitions 4 and 5: some policy is safe and near enough."""
    found: set[int] = set()
    for alternative in _policies(system):
        for state in set(system.states) - found:
            divergences = _most_divergences(system, alternative, state)
            if divergences is not None and (radius is None or divergences <= radius):
                found.add(state)
    return found


def _policies(system: System) -> Iterator[tuple[int, ...]]:
    return product(*(sorted(choices) or [-1] for choices in system.transitions))


def _most_divergences(system: System, alternative: tuple[int, ...], start: int) -> float | None:
    """Along any run of the alternative; None if one of them meets danger."""
    reached = _reached(system, alternative, start)
    if any(system.kinds[s] == UNSAFE for s in reached):
        return None
    most = dict.fromkeys(reached, 0)
    for _ in range((len(reached) + 1) ** 2):  # long enough for more divergences than states
        before = dict(most)
        for s in reached:
            if not system.is_final(s):
                ahead = max(before[o] for o in system.transitions[s][alternative[s]])
                most[s] = system.cost(s, alternative[s], 0) + ahead
    return float("inf") if most[start] > len(reached) else most[start]


def _reached(system: System, policy: tuple[int, ...], start: int) -> set[int]:
    reached, open_states = {start}, [start]
    while open_states:
        state = open_states.pop()
        if system.is_final(state):
            continue
        for outcome in system.transitions[state][policy[state]]:
            if outcome not in reached:
                reached.add(outcome)
                open_states.append(outcome)
    return reached
