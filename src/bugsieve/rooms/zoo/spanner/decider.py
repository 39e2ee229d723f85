"""Spanner: are there spanners enough ahead of the man, in time for every nut?

Links lead one way, so the man passes through the strongly connected parts of the map in some
order, and all he can do about the nuts is to have picked up a usable spanner for each when he
comes to it. More spare spanners are never worse: along the ways through the map it is enough to
remember the largest number.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from bugsieve.pipeline.oracles.deciders.decider import Decider
from bugsieve.rooms.zoo.graphs import Graph, closure
from bugsieve.rooms.zoo.schemas import (
    Atoms,
    StripsAction,
    fluents,
    goal_atoms,
    recognised_actions,
)
from bugsieve.tasks.grounded.task import StateArray, Task

_SCHEMAS = (
    StripsAction(
        "walk",
        "here there man",
        needs=("at man here", "link here there"),
        adds=("at man there",),
        deletes=("at man here",),
    ),
    StripsAction(
        "pickup-spanner",
        "place spanner man",
        needs=("at man place", "at spanner place"),
        adds=("carrying man spanner",),
        deletes=("at spanner place",),
    ),
    StripsAction(
        "tighten-nut",
        "place spanner man nut",
        needs=(
            "at man place",
            "at nut place",
            "carrying man spanner",
            "usable spanner",
            "loose nut",
        ),
        adds=("tightened nut",),
        deletes=("loose nut", "usable spanner"),
    ),
)

Part = frozenset[str]
"""Places between which the man can go back and forth."""


class SpannerDecider(Decider):
    """Exact for one man on any map."""

    @classmethod
    def recognise(cls, task: Task) -> SpannerDecider | None:
        """The decider if the task is one of this domain with a single man."""
        actions = recognised_actions(task, _SCHEMAS)
        goal = goal_atoms(task, "tightened")
        if not actions or goal is None:
            return None
        decider = cls(task, [words[1] for words in goal])
        for schema, arguments in actions:
            if schema == "walk":
                decider.links.setdefault(arguments[0], set()).add(arguments[1])
                decider.men.add(arguments[2])
            elif schema == "pickup-spanner":
                decider.pickups.add((arguments[1], arguments[0]))
                decider.men.add(arguments[2])
            else:
                place, spanner, man, nut = arguments
                decider.nut_places.setdefault(nut, set()).add(place)
                decider.fitting.setdefault(nut, set()).add(spanner)
                decider.men.add(man)
        return decider if decider._is_covered() else None

    @cached_property
    def _always_carried(self) -> set[str]:
        """Spanners that nuts can be tightened with though nothing ever picks them up."""
        fitting = set().union(*self.fitting.values())
        return fitting - {spanner for _, spanner in Atoms(fluents(self._task)).pairs("carrying")}

    def __init__(self, task: Task, nuts: list[str]) -> None:
        self._task = task
        self._nuts = nuts
        self.links: Graph = {}
        self.pickups: set[tuple[str, str]] = set()
        self.nut_places: dict[str, set[str]] = {}
        self.fitting: dict[str, set[str]] = {}
        self.men: set[str] = set()

    def _is_covered(self) -> bool:
        """One man, nuts that stay where they are, and spanners that fit every nut."""
        fixed = all(len(places) == 1 for places in self.nut_places.values())
        alike = len({frozenset(spanners) for spanners in self.fitting.values()}) <= 1
        return len(self.men) == 1 and fixed and alike

    def solvable(self, state: StateArray) -> bool | None:
        """Return true if every nut of the goal can still be tightened."""
        atoms = Atoms(self._task.facts(state))
        (man,) = self.men
        at = dict(atoms.pairs("at"))  # every thing is in one place
        tight, loose = atoms.names("tightened"), atoms.names("loose")
        left = [nut for nut in self._nuts if nut not in tight]
        if not left:
            return True
        if man not in at:
            return None
        if any(nut not in loose or nut not in self.nut_places for nut in left):
            return False
        needs = Counter(place for nut in left for place in self.nut_places[nut])
        usable = atoms.names("usable") & self.fitting[left[0]]
        carried = (
            {spanner for _, spanner in atoms.pairs("carrying")} | self._always_carried
        ) & usable
        lying = Counter(
            at[spanner]
            for spanner in usable - carried
            if spanner in at and (spanner, at[spanner]) in self.pickups
        )
        return self._has_way(at[man], len(carried), lying, needs)

    def _has_way(self, start: str, spare: int, gains: Counter[str], needs: Counter[str]) -> bool:
        """Return true if a way through the parts passes all nuts with spanners enough at each."""
        reach = self._reachable(start)
        parts = {place: _part(place, reach) for place in reach[start]}
        # A part reaches more places than any part behind it, so this order is topological: all
        # ways into a part are known when it is its turn.
        order = sorted(set(parts.values()), key=lambda part: -len(reach[min(part)]))
        if not needs.keys() <= parts.keys():
            return False
        wanted = len({parts[place] for place in needs})
        spares: dict[tuple[Part, int], int] = {(parts[start], 0): spare}  # on arrival
        for part in order:
            # Within a part he can go back and forth: all its spanners first, then all its nuts.
            won = sum(gains[place] for place in part) - sum(needs[place] for place in part)
            is_nut_part = any(needs[place] for place in part)
            onward = {parts[to] for place in part for to in self.links.get(place, ())} - {part}
            for passed in range(wanted + 1):
                left = spares.get((part, passed), -1)
                # He cannot come back, so a part whose nuts he cannot serve now is the end of this
                # way.
                if left < 0 or left + won < 0:
                    continue
                done = passed + is_nut_part
                if done == wanted:
                    return True
                # More spare spanners are never worse, so per part and number of nut parts served
                # the largest number stands for all ways.
                for following in onward:
                    best = max(spares.get((following, done), -1), left + won)
                    spares[following, done] = best
        return False

    def _reachable(self, start: str) -> dict[str, Part]:
        """The places that can be reached from each place that can be reached from the start."""
        return {
            place: frozenset(closure(place, self.links)) for place in closure(start, self.links)
        }


def _part(place: str, reach: dict[str, Part]) -> Part:
    return frozenset(other for other in reach[place] if place in reach[other])
