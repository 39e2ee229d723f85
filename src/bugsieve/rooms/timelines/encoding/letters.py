"""The truth of atoms in each step of the horizon, and a word that an automaton accepts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.rules.ltl.automaton import Automaton
from bugsieve.rooms.timelines.encoding.reservoirs import Reservoirs
from bugsieve.rooms.timelines.encoding.slots import Slot, Times
from bugsieve.rooms.timelines.encoding.variables import Constraints, Literal
from bugsieve.rooms.timelines.models.atoms import AtomCondition, LevelCondition, TokenCondition
from bugsieve.rooms.timelines.models.model import Model

MAX_TRANSITIONS = 200_000


class Letters:
    """Literals for atoms in steps."""

    def __init__(
        self,
        constraints: Constraints,
        model: Model,
        times: Times,
        slots: Sequence[Slot],
        reservoirs: Reservoirs,
    ) -> None:
        self.constraints = constraints
        self.model = model
        self.times = times
        self.slots = slots
        self.reservoirs = reservoirs

    def accept(self, automaton: Automaton, atoms: Mapping[str, AtomCondition]) -> None:
        """The word of the steps is one that the automaton accepts."""
        names = automaton.atoms
        steps = range(self.times.start, self.times.end)
        rows = [[self.truth(atoms[name], time) for name in names] for time in steps]
        letters = [
            sum((1 << place) * truth for place, truth in enumerate(row)) if row else 0
            for row in rows
        ]
        if not names:
            letters = [self.constraints.integer(0, 0) for _ in rows]
        self.constraints.cp.add_automaton(
            letters, automaton.initial, sorted(automaton.accepting), _transitions(automaton)
        )

    def truth(self, condition: AtomCondition, time: int) -> Literal:
        """A literal that is true if an atom holds in a step."""
        if isinstance(condition, LevelCondition):
            return self._level(condition, time)
        return self._token(condition, time)

    def _token(self, condition: TokenCondition, time: int) -> Literal:
        found = []
        for slot in self.slots:
            if slot.object.number in condition.objects and condition.predicate in slot.holds:
                matches = self._matches(slot, condition)
                start = self.constraints.at_most(("start", slot.number), slot.start, time)
                end = self.constraints.at_most(("end", slot.number), slot.end, time)
                found.append(self.constraints.all_of([matches, start, ~end]))
        return self.constraints.any_of(found)

    def _matches(self, slot: Slot, condition: TokenCondition) -> Literal:
        """A literal that is true if the token of a slot is one that the atom speaks of."""
        key = ("matches", slot.number, condition)
        if key not in self.constraints.known:
            view = slot.views[condition.predicate]
            tests = [slot.holds[condition.predicate]]
            for parameter, value in condition.arguments:
                name = ("parameter", slot.number, condition.predicate, parameter)
                tests.append(self.constraints.equal(name, view.parameters[parameter], value))
            self.constraints.known[key] = self.constraints.all_of(tests)
        return self.constraints.known[key]

    def _level(self, condition: LevelCondition, time: int) -> Literal:
        thing = self.model.objects[condition.object]
        level = self.reservoirs.level(thing, time)
        key = ("level", thing.number, time)
        bound = condition.bound
        floor, ceiling = math.floor(bound), math.ceil(bound)
        is_most = self._at_most(key, level, floor)
        is_less = self._at_most(key, level, ceiling - 1)
        return {
            "<=": is_most,
            ">": ~is_most,
            "<": is_less,
            ">=": ~is_less,
            "=": self.constraints.all_of([is_most, ~is_less]),
            "!=": ~self.constraints.all_of([is_most, ~is_less]),
        }[condition.comparison]

    def _at_most(self, key: tuple[str, int, int], level: object, bound: int) -> Literal:
        if isinstance(level, int):
            return self.constraints.constant(level <= bound)
        return self.constraints.at_most(key, level, bound)


def _transitions(automaton: Automaton) -> list[tuple[int, int, int]]:
    """State, letter, state; letters are sums of powers of two, rejecting sinks are left out."""
    lost = automaton.rejecting_sinks
    places = {name: place for place, name in enumerate(automaton.atoms)}
    size = len(automaton) << len(places)
    if size > MAX_TRANSITIONS:
        raise UnsupportedError(
            f"the rule's automaton has {len(automaton)} states over {len(places)} atoms, "
            "which is too much for timelines"
        )
    found = []
    for state in range(len(automaton)):
        for cube, target in automaton.paths(state):
            if state in lost or target in lost:
                continue
            fixed = sum(1 << places[name] for name, is_true in cube.items() if is_true)
            free = [1 << place for name, place in places.items() if name not in cube]
            for bits in product((0, 1), repeat=len(free)):
                letter = fixed + sum(bit * value for bit, value in zip(bits, free, strict=True))
                found.append((state, letter, target))
    return sorted(found)
