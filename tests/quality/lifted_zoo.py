"""A zoo of lifted faults: policies that are optimal but for mistakes without objects.

A fault says: where the best action is of a certain schema, and a condition on one of its objects
holds, take an action of another schema whose objects fulfil a condition of their own, or none at
all. A policy has one fault or two, and which of them is to blame for a bug is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bugsieve.policies.decisions import Ending
from bugsieve.policies.graph import PolicyGraph
from bugsieve.policies.run_table import RunTable
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray
from tests.quality.zoo import DEAD_END, Habitat, Mask, TablePolicy, habitat_of

OPEN, REACHED, WITHOUT, ANY = "open", "reached", "without", "any"
"""Of an object: a goal about it is open, all its goals are reached, it has none; whatever."""

ZOO = Path(__file__).with_suffix(".txt")
"""In each line a domain, one or two faults, and what they cause: loops, detours, dead ends and
stops in equal parts."""


EVERYTHING = 10**8
"""More than any detour costs."""


@dataclass(frozen=True)
class Pattern:
    """Actions of a schema, one of whose objects is in a certain relation to the goal."""

    schema: str
    place: int = 0
    goals: str = ANY

    def __str__(self) -> str:
        return self.schema if self.goals == ANY else f"{self.schema}[{self.place} {self.goals}]"


@dataclass(frozen=True)
class LiftedFault:
    """Where the best action would be one of `when`, the policy takes the first of `instead`."""

    when: Pattern
    instead: Pattern | None
    """None: it takes no action."""

    def __str__(self) -> str:
        return f"{self.when}->{self.instead or 'nothing'}"


@dataclass(frozen=True)
class LiftedExhibit:
    """An optimal policy with some faults; of two that apply in a state, the first counts."""

    domain: str
    faults: tuple[LiftedFault, ...]
    kinds: tuple[str, ...]
    """What becomes of most runs by each fault alone."""
    seed: int = 1

    @property
    def name(self) -> str:
        """What the exhibit is called in reports."""
        return f"{self.domain} {' + '.join(map(str, self.faults))}"

    @property
    def land(self) -> Land:
        """The task with all its states."""
        return land_of(self.domain, self.seed)


class Land:
    """A habitat with its transitions by schemas and objects."""

    def __init__(self, habitat: Habitat) -> None:
        self.habitat = habitat
        task = habitat.task
        self.best = habitat.best_actions()
        lost = habitat.distances == DEAD_END
        first = habitat.pick(lost, np.zeros(len(habitat.operators), dtype=np.int64))
        self.usual = np.where(lost, first, self.best)
        """What policies do: the best action, and in dead ends the first one."""
        names = [name.strip("()").split() for name in task.operator_names]
        self.schemas = np.array([words[0] for words in names])
        self.arities = np.array([len(words) - 1 for words in names])
        places = np.array(task.goal, dtype=np.int64)
        self._held: Mask = habitat.states[:, places[:, 0]] == places[:, 1]
        subjects = [fact.strip("()").split()[1:2] for fact in task.goal_facts]
        self._about = [
            [
                [n for n, subject in enumerate(subjects) if subject == [thing]]
                for thing in words[1:]
            ]
            for words in names
        ]

    @cache  # noqa: B019 - lands are few, and kept for good
    def fits(self, pattern: Pattern) -> Mask:
        """Which transitions are by an action of the pattern."""
        habitat = self.habitat
        found: Mask = self.schemas[habitat.operators] == pattern.schema
        if pattern.goals == ANY:
            return found
        for operator in np.unique(habitat.operators[found]).tolist():
            rows = np.flatnonzero(habitat.operators == operator)
            goals = self._about[operator][pattern.place : pattern.place + 1] or [[]]
            held = self._held[habitat.sources[rows]][:, goals[0]].all(axis=1)
            has_goals = np.full(len(rows), bool(goals[0]))
            found[rows] &= {OPEN: ~held, REACHED: held & has_goals, WITHOUT: ~has_goals}[
                pattern.goals
            ]
        return found

    def planted(self, fault: LiftedFault) -> tuple[Mask, ActionArray]:
        """The states in which the fault changes the best action, and into what."""
        habitat = self.habitat
        is_best = self.best[habitat.sources] == habitat.operators
        where = np.zeros(len(habitat.states), dtype=np.bool_)
        where[habitat.sources[is_best & self.fits(fault.when)]] = True
        if fault.instead is None:
            return where, np.full(len(habitat.states), NO_ACTION, dtype=np.int32)
        eligible = self.fits(fault.instead) & ~is_best
        can = np.zeros(len(habitat.states), dtype=np.bool_)
        can[habitat.sources[eligible]] = True
        return where & can, habitat.pick(where & can, np.where(eligible, 0, 1))


@cache
def land_of(domain: str, seed: int) -> Land:
    """The land of a generated task."""
    return Land(habitat_of(domain, seed))


class Specimen:
    """The policy of an exhibit, its runs from all states, and what is wrong with which."""

    def __init__(self, exhibit: LiftedExhibit) -> None:
        self.land = exhibit.land
        habitat = self.land.habitat
        actions = self.land.usual.copy()
        self.fault_at: NDArray[np.int8] = np.full(len(actions), -1, dtype=np.int8)
        """In each state the number of the fault that decides there; -1 for none."""
        for number, fault in enumerate(exhibit.faults):
            where, chosen = self.land.planted(fault)
            where &= self.fault_at < 0
            actions[where], self.fault_at[where] = chosen[where], number
        self.actions = actions
        self.policy = TablePolicy(habitat, actions, f"zoo:{exhibit.name}")
        self.graph = PolicyGraph(habitat.task, self.policy)
        self.runs: RunTable = self.graph.table(habitat.states)
        solvable = habitat.distances != DEAD_END
        dear = self.runs.solved & (self.runs.costs > habitat.distances)
        self.bugs: Mask = solvable & (dear | ~self.runs.solved)
        self.regrets = self._regrets()

    def _regrets(self) -> NDArray[np.int64]:
        """What each decision loses; taking no action loses everything."""
        habitat = self.land.habitat
        regrets = np.full(len(habitat.states), EVERYTHING)
        taken = self.actions[habitat.sources] == habitat.operators
        regrets[habitat.sources[taken]] = habitat.detours[taken]
        return regrets

    def kind(self, row: int) -> str:
        """How the run from a bug's state goes wrong."""
        if self.runs.solved[row]:
            return "detour"
        last = self._states(row)[-1]
        if self.land.habitat.distances[last] == DEAD_END:
            return "dead end"
        return "loop" if self.runs.endings[row] == Ending.LOOP else "stop"

    def guilty(self, row: int) -> int | None:
        """The fault behind a bug; None where two keep the run in its loop together.

        In a loop it is the one that loses on the cycle, in a detour the first that loses, and
        where the run fails otherwise, the first that loses everything.
        """
        path, kind = self._states(row), self.kind(row)
        if kind == "loop":
            path = path[self.runs.loop_start(row) :]
        least = EVERYTHING if kind in ("dead end", "stop") else 1
        found = [int(self.fault_at[s]) for s in path if self._loses(s, least)]
        return None if kind == "loop" and len(set(found)) > 1 else found[0]

    def _loses(self, state: int, least: int) -> bool:
        return bool(self.fault_at[state] >= 0 and self.regrets[state] >= least)

    def _states(self, row: int) -> list[int]:
        found = self.graph.states(self.runs.paths[row])
        ids: list[int] = self.land.habitat.registry.find(found).tolist()
        return ids

    def plan(self, row: int) -> tuple[int, ...]:
        """An optimal plan from a state."""
        habitat, plan, state = self.land.habitat, [], row
        while self.land.best[state] != NO_ACTION:
            low, high = habitat.offsets[state : state + 2]
            plan.append(int(self.land.best[state]))
            place = low + habitat.operators[low:high].tolist().index(plan[-1])
            state = int(habitat.targets[place])
        return tuple(plan)


_PATTERN = re.compile(r"([^\[]+)(?:\[(\d) (\w+)\])?")


def _pattern(text: str) -> Pattern | None:
    found = _PATTERN.fullmatch(text)
    assert found is not None
    schema, place, goals = found.groups()
    return None if schema == "nothing" else Pattern(schema, int(place or 0), goals or ANY)


def _fault(text: str) -> LiftedFault:
    when, instead = map(_pattern, text.split(" -> "))
    assert when is not None
    return LiftedFault(when, instead)


def _exhibit(line: str) -> LiftedExhibit:
    domain, rest = line.split(": ")
    faults, kinds = rest.split(" | ")
    return LiftedExhibit(domain, tuple(map(_fault, faults.split(" + "))), tuple(kinds.split(", ")))


LIFTED_EXHIBITS = [_exhibit(line) for line in ZOO.read_text().splitlines()]
