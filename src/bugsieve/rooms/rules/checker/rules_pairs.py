"""Proofs of "none" by a set of pairs of facts that no operator leaves (h^2).

The certificate lists the pairs of facts that may be true together; the checker finds which facts
may be true in each situation (a rest of the formula and the letter read last). In every trace
each two facts of a state are a pair of the list, and each fact is one of its situation: that is
so in the first state, and every operator keeps it, which is checked operator by operator.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

from bugsieve.checkers.cost import CertificateError, Effect, Fact, Operator
from bugsieve.rooms.rules.checker.rules_conditions import Alphabet
from bugsieve.rooms.rules.checker.rules_progression import Progression
from bugsieve.rooms.rules.checker.rules_relaxed import (
    MAX_SITUATIONS,
    Situation,
    are_consistent,
    is_overwritten,
)

MAX_FACTS = 5_000
MAX_EFFECTS = 500


class _Fired(NamedTuple):
    """An effect where it fires: what it gives, and what cannot stay then."""

    needs: int
    """Conditions and preconditions, as bits."""
    together: int
    """The facts that may be true together with each of those."""
    gives: Fact
    overwrites: int
    """All values of the variables that surely are set then."""


class _Both(NamedTuple):
    """Two effects on two variables where both fire."""

    needs: int
    one: Fact
    other: Fact


class Pairs:
    """Checks one list of pairs of one task under one formula."""

    def __init__(
        self,
        alphabet: Alphabet,
        progression: Progression,
        goal: tuple[Fact, ...],
        poll: Callable[[], None],
    ) -> None:
        self.alphabet = alphabet
        self.facts = alphabet.facts
        self.progression = progression
        self.goal = goal
        self.poll = poll
        self.partners: list[int] = []
        """For each fact those of its pairs, as bits, and itself; 0: it cannot be true."""

    def check(self, pairs: Sequence[Sequence[int]]) -> None:
        """Return if the pairs prove that there is no trace, else CertificateError."""
        self._read(pairs)
        task = self.facts.task
        first = self.facts.state(task.initial)
        if any(first & ~self._partners_of(fact) for fact in enumerate(task.initial)):
            _fail("the pairs lack a pair of the initial state")
        letter = self.alphabet.letter(task.initial, None)
        rest = self.progression.step(self.progression.start, letter)
        if not self.progression.is_hopeless(rest):
            self._close((rest, letter), first)

    def _read(self, pairs: Sequence[Sequence[int]]) -> None:
        if self.facts.count > MAX_FACTS:
            _fail(f"pairs prove nothing in tasks of more than {MAX_FACTS} facts")
        self.partners = [0] * self.facts.count
        singles = 0
        for v, a, w, b in pairs:
            one, other = self.facts.first[v] + a, self.facts.first[w] + b
            if v == w and a != b:
                _fail(f"the pairs have two values of variable {v} at once")
            singles |= 1 << one if one == other else 0
            self.partners[one] |= 1 << other
            self.partners[other] |= 1 << one
        for fact, partners in enumerate(self.partners):
            if partners & ~singles or (partners and not singles >> fact & 1):
                _fail("the pairs have a fact that is not listed as one that is possible alone")

    def _partners_of(self, fact: Fact) -> int:
        return self.partners[self.facts.first[fact[0]] + fact[1]]

    def _close(self, start: Situation, first: int) -> None:
        """Finds the facts of all situations, and checks what operators do there."""
        operators = [
            move
            for number, operator in enumerate(self.facts.task.operators)
            if (move := self._move(number, operator)) is not None
        ]
        possible = {start: first}
        waiting, is_waiting = deque([start]), {start}
        while waiting:
            situation = waiting.popleft()
            is_waiting.remove(situation)
            box = possible[situation]
            if self._may_end(situation, box):
                _fail("the pairs do not exclude that a trace satisfies the formula")
            for move in operators:
                if move.needs & ~box:
                    continue
                self.poll()
                for after, facts in self._after(situation, box, move):
                    known = possible.get(after, 0)
                    if facts & ~known:
                        possible[after] = known | facts
                        if after not in is_waiting:
                            is_waiting.add(after)
                            waiting.append(after)
            if len(possible) > MAX_SITUATIONS:
                _fail("the formula has too many situations in this task")

    def _may_end(self, situation: Situation, box: int) -> bool:
        rest, letter = situation
        if not self.progression.accepts(rest):
            return False
        for fact in self.goal:
            box &= self._partners_of(fact)
        # A goal fact that was not there, or that is not a partner of another one, is missing now.
        if self.facts.bits(self.goal) & ~box or not are_consistent(self.goal):
            return False
        box = self.facts.restricted(box, self.goal)
        return box != 0 and self.alphabet.has_state(box, letter, self._narrow)

    def _agreeing(self, box: int, letter: int) -> int:
        box = self.alphabet.agreeing(box, letter) if box else 0
        return self._narrow(box) if box else 0

    def _narrow(self, box: int) -> int:
        """Without facts that are partners of no value that a variable of the atoms may have."""
        for variable in self.alphabet.variables:
            values = box & self.facts.of_variable[variable]
            allowed = 0
            while values:
                lowest = values & -values
                allowed |= self.partners[lowest.bit_length() - 1]
                values ^= lowest
            box &= allowed
            if not box & self.facts.of_variable[variable]:
                return 0
        return box

    # Operators.

    def _move(self, number: int, operator: Operator) -> _Move | None:
        needs = self.facts.bits(operator.preconditions)
        together = self._together(operator.preconditions)
        if not are_consistent(operator.preconditions) or needs & ~together:
            return None
        if len(operator.effects) > MAX_EFFECTS:
            _fail(f"operator {number} has more than {MAX_EFFECTS} effects, too many for pairs")
        places = range(len(operator.effects))
        effects = [fired for place in places if (fired := self._fired(operator, place))]
        both = [
            pair
            for place in places
            for other in range(place)
            if (pair := self._both(operator, other, place))
        ]
        stays = ~self._surely_set(operator, operator.preconditions)
        return _Move(number, needs, together, stays, effects, both)

    def _together(self, facts: Sequence[Fact]) -> int:
        together = self.facts.all
        for fact in facts:
            together &= self._partners_of(fact)
        return together

    def _fired(self, operator: Operator, place: int) -> _Fired | None:
        """The effect where it fires; None if it never does, or a later one takes its place."""
        effect = operator.effects[place]
        facts = (*operator.preconditions, *effect.conditions)
        if not self._happens(operator, (place,), facts):
            return None
        needs, together = self.facts.bits(facts), self._together(facts)
        gives = effect.variable, effect.value
        return _Fired(needs, together, gives, self._surely_set(operator, facts))

    def _both(self, operator: Operator, first: int, second: int) -> _Both | None:
        """The two effects where both fire; None as above, or if they set one variable."""
        one, other = operator.effects[first], operator.effects[second]
        if one.variable == other.variable:
            return None
        self.poll()
        facts = (*operator.preconditions, *one.conditions, *other.conditions)
        if not self._happens(operator, (first, second), facts):
            return None
        gives = (one.variable, one.value), (other.variable, other.value)
        return _Both(self.facts.bits(facts), *gives)

    def _happens(self, operator: Operator, places: Sequence[int], facts: Sequence[Fact]) -> bool:
        """Return true if the facts may hold at once, and leave the last word to these effects."""
        if not are_consistent(facts) or self.facts.bits(facts) & ~self._together(facts):
            return False
        return not any(is_overwritten(operator, place, facts) for place in places)

    def _surely_set(self, operator: Operator, facts: Sequence[Fact]) -> int:
        known = set(facts)
        sure: list[Effect] = [e for e in operator.effects if known.issuperset(e.conditions)]
        whole = 0
        for effect in sure:
            whole |= self.facts.of_variable[effect.variable]
        return whole

    def _after(self, situation: Situation, box: int, move: _Move) -> list[tuple[Situation, int]]:
        """The situations to which the operator may lead, with the facts possible there."""
        rest, letter = situation
        found = []
        outcomes = self.alphabet.outcomes(box & move.together, letter, move.number, self._narrow)
        for after, before in outcomes.items():
            left = self.progression.step(rest, after)
            if self.progression.is_hopeless(left):
                continue
            facts = (before & move.stays) | self._check_effects(move, before)
            facts = self._agreeing(facts, after)
            if facts:
                found.append(((left, after), facts))
        return found

    def _check_effects(self, move: _Move, before: int) -> int:
        """The facts that the operator may add to those before; all their pairs are listed."""
        added = 0
        for fired in move.effects:
            if fired.needs & ~before:
                continue
            fact = fired.gives
            partners = self._partners_of(fact)
            stays = before & fired.together & ~fired.overwrites
            if not partners or stays & ~self.facts.of_variable[fact[0]] & ~partners:
                _fail(f"operator {move.number} leads out of the listed pairs")
            added |= self.facts.bit(fact)
        for needs, one, other in move.both:
            if not needs & ~before and not self._partners_of(one) & self.facts.bit(other):
                _fail(f"operator {move.number} leads to two facts that are no listed pair")
        return added


class _Move(NamedTuple):
    """An operator that the pairs allow: what it needs, what may hold with that, what it does."""

    number: int
    needs: int
    together: int
    stays: int
    effects: list[_Fired]
    both: list[_Both]


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
