"""A zoo of policies that are optimal but for one planted fault.

Each exhibit is a small task, explored exhaustively, with a table of optimal actions in which a
fault changes some entries. What is planted decides which states are bugs; `bugs` counts them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native, load_task
from bugsieve.base.seeds import Stream
from bugsieve.policies.graph import PolicyGraph
from bugsieve.rooms.zoo.domains import generate
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.tasks.search import exact_goal_distances

Mask = NDArray[np.bool_]
DEAD_END = _native.DEAD_END


class Habitat:
    """All reachable states of a small task with their goal distances and successors."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.states, distances = exact_goal_distances(task)
        self.distances = distances.astype(np.int64)
        self.registry = _native.StateRegistry(task.native)
        self.registry.insert(self.states)
        after, self.operators, self.offsets = task.all_successors(self.states)
        self.targets = self.registry.find(after)
        self.sources = np.repeat(np.arange(len(self.states)), np.diff(self.offsets))
        lasting = np.where(self.distances == DEAD_END, 10**9, self.distances)
        costs = task.operator_costs.astype(np.int64)[self.operators]
        self.detours = costs + lasting[self.targets] - lasting[self.sources]
        """How much worse than optimal each transition is."""
        self.alive: Mask = (self.distances != DEAD_END) & ~task.is_goal(self.states)

    def best_actions(self) -> ActionArray:
        """In each state the optimal operator of the lowest id; costs must be positive."""
        return self.pick(self.alive, np.where(self.detours == 0, 0, 1))

    def pick(self, where: Mask, ranks: NDArray[np.int64]) -> ActionArray:
        """In the given states the operator whose transition ranks lowest, elsewhere none."""
        chosen = np.full(len(self.states), NO_ACTION, dtype=np.int32)
        order = np.lexsort((self.operators, ranks, self.sources))
        states, first = np.unique(self.sources[order], return_index=True)
        chosen[states] = self.operators[order[first]]
        chosen[~where] = NO_ACTION
        return chosen

    def region(self, stream: Stream, *, least: float = 0.02, most: float = 0.3) -> Mask:
        """The live states with some fact that holds in a part of them, not too small or large."""
        candidates = [
            mask
            for variable, size in enumerate(self.task.domain_sizes.tolist())
            for value in range(size)
            for mask in [self.alive & (self.states[:, variable] == value)]
            if least <= mask.sum() / self.alive.sum() <= most
        ]
        return stream.choice(candidates)


class TablePolicy:
    """Looks its action up; states outside of the table get none."""

    def __init__(self, habitat: Habitat, actions: ActionArray, name: str) -> None:
        self.task = habitat.task
        self.spec = name
        self._registry = habitat.registry
        self._actions = np.append(actions, np.int32(NO_ACTION))

    def choose(self, states: StateArray) -> ActionArray:
        """The action in the table."""
        return self._actions[self._registry.find(np.ascontiguousarray(states))]


Fault = Callable[[Habitat, Stream], ActionArray]


def worst_in_region(habitat: Habitat, stream: Stream) -> ActionArray:
    """Takes the worst action wherever some fact holds."""
    return _changed(habitat, habitat.region(stream), habitat.pick(habitat.alive, -habitat.detours))


def wrong_for_one_action(habitat: Habitat, stream: Stream) -> ActionArray:
    """Takes another action wherever a certain one would be right."""
    best = habitat.best_actions()
    operators, counts = np.unique(best[habitat.alive], return_counts=True)
    victim = stream.choice(operators[counts >= counts.max() / 2].tolist())
    ranks = np.where(habitat.operators == victim, 10**9, habitat.detours)
    return _changed(habitat, best == victim, habitat.pick(habitat.alive, ranks))


def loops(habitat: Habitat, stream: Stream) -> ActionArray:
    """Goes back where it came from wherever some fact holds."""
    best = habitat.best_actions()
    taken = best[habitat.sources] == habitat.operators
    came_from = np.full(len(habitat.states), -1)
    came_from[habitat.targets[taken]] = habitat.sources[taken]
    back = habitat.targets == came_from[habitat.sources]
    possible = np.zeros(len(habitat.states), dtype=np.bool_)
    possible[habitat.sources[back]] = True
    ranks = np.where(back, 0, 1)
    region = habitat.region(stream, least=0.05, most=0.5)
    return _changed(habitat, region & possible, habitat.pick(habitat.alive, ranks))


def detours(habitat: Habitat, stream: Stream) -> ActionArray:
    """Takes an action that is a little worse than the best wherever some fact holds."""
    ranks = np.where(habitat.detours > 0, habitat.detours, 10**10)
    return _changed(habitat, habitat.region(stream), habitat.pick(habitat.alive, ranks))


def bad_ties(habitat: Habitat, stream: Stream) -> ActionArray:
    """Counts open goals only, and takes the last of equal actions."""
    facts = np.array(habitat.task.goal)
    open_goals = (habitat.states[:, facts[:, 0]] != facts[:, 1]).sum(axis=1)
    ranks = open_goals[habitat.targets] * 10**6 - habitat.operators
    return habitat.pick(habitat.alive, ranks)


def gives_up(habitat: Habitat, stream: Stream) -> ActionArray:
    """Takes no action wherever some fact holds."""
    nothing = np.full(len(habitat.states), NO_ACTION, dtype=np.int32)
    return _changed(habitat, habitat.region(stream), nothing)


def breaks_rules(habitat: Habitat, stream: Stream) -> ActionArray:
    """Takes an action that is not applicable wherever some fact holds."""
    number = habitat.task.num_operators
    first = np.zeros(len(habitat.states), dtype=np.int32)
    for operator in range(number):
        legal = np.zeros(len(habitat.states), dtype=np.bool_)
        legal[habitat.sources[habitat.operators == operator]] = True
        first[legal & (first == operator)] = operator + 1
    return _changed(habitat, habitat.region(stream), first)


def _changed(habitat: Habitat, where: Mask, actions: ActionArray) -> ActionArray:
    return np.where(where, actions, habitat.best_actions())


@dataclass(frozen=True)
class Exhibit:
    """A fault planted into the optimal policy of a generated task."""

    domain: str
    fault: Fault
    seed: int = 1

    @property
    def name(self) -> str:
        """What the exhibit is called in reports."""
        return f"{self.domain}-{self.fault.__name__}".replace("_", "-")

    def policy(self) -> TablePolicy:
        """The policy with its fault."""
        habitat = habitat_of(self.domain, self.seed)
        actions = self.fault(habitat, Stream(self.seed, "zoo", self.name))
        return TablePolicy(habitat, actions, f"zoo:{self.name}")


@cache
def habitat_of(domain: str, seed: int) -> Habitat:
    """The explored task of a domain's generator."""
    made = generate(domain, seed=seed)
    with TemporaryDirectory() as folder:
        files = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
        for file, text in zip(files, (made.domain, made.problem), strict=True):
            file.write_text(text)
        return Habitat(load_task(*files))


def bugs(habitat: Habitat, policy: TablePolicy) -> Mask:
    """Which reachable states are bugs of the policy: it fails or pays more than it had to."""
    runs = PolicyGraph(habitat.task, policy).table(habitat.states)
    solvable = habitat.distances != DEAD_END
    too_dear: Mask = runs.solved & (runs.costs > habitat.distances)
    wrong: Mask = solvable & (too_dear | ~runs.solved)
    return wrong


EXHIBITS = [
    Exhibit("blocksworld", worst_in_region),
    Exhibit("blocksworld", wrong_for_one_action),
    Exhibit("blocksworld", bad_ties),
    Exhibit("matching-blocksworld", worst_in_region),
    Exhibit("matching-blocksworld", gives_up),
    Exhibit("gripper", loops),
    Exhibit("gripper", detours),
    Exhibit("gripper", wrong_for_one_action),
    Exhibit("satellite", detours),
    Exhibit("satellite", gives_up),
    Exhibit("scanalyzer", worst_in_region),
    Exhibit("scanalyzer", detours),
    Exhibit("transport", loops),
    Exhibit("transport", worst_in_region),
    Exhibit("transport", breaks_rules),
    Exhibit("visitall", detours),
    Exhibit("visitall", bad_ties),
    Exhibit("floortile", worst_in_region),
    Exhibit("floortile", wrong_for_one_action),
    Exhibit("spanner", gives_up),
    Exhibit("storage", loops),
    Exhibit("storage", gives_up),
    Exhibit("ferry", wrong_for_one_action),
    Exhibit("ferry", breaks_rules),
    Exhibit("miconic", detours),
    Exhibit("miconic", bad_ties),
    Exhibit("childsnack", worst_in_region),
    Exhibit("childsnack", gives_up),
]
