"""Proofs of "none" by a set of facts that no operator leaves (h^max), and dead ends.

A situation is a rest of the formula with the letter that was read last. From given situations in
states whose facts are all in a set, a step finds the situations that may be met and the facts
that may be added. It errs on the side of too many only:

- an operator may be applied where its preconditions are in the set, with any values of the set
  for the other variables that agree with the letter of the situation;
- atoms whose variables it does not write keep their truth, the others get what their conditions,
  carried back through the operator, allow;
- it adds its effects, where their conditions are in the set too, if then some letter is left
  whose rest has hope.

A set to which a step adds nothing, and in which no situation may end, proves that there is no
trace. Operators that do the same to the atoms are one case, so that most work is done once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple, NoReturn, TypeAlias

from bugsieve.checkers.cost import CertificateError, Effect, Fact, Operator
from bugsieve.rooms.rules.checker.rules_conditions import Alphabet, Facts, PlainOperator, leaves
from bugsieve.rooms.rules.checker.rules_progression import Progression, Rest

MAX_SITUATIONS = 200_000

Situation: TypeAlias = tuple[Rest, int]


class Case(NamedTuple):
    """An operator, or one of its conditional effects, with what must hold for it."""

    operator: int
    needs: tuple[Fact, ...]


class Adding(NamedTuple):
    """An effect: the facts it needs and gives, as bits, and its case."""

    needs: int
    gives: int
    case: int


class Step(NamedTuple):
    """A step: the situations met, if a trace may end, and the facts added."""

    situations: set[Situation]
    may_end: bool
    added: int


class Relaxation:
    """Steps on sets of facts of one task under one formula."""

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
        self._cases: list[Case] = []
        self._case_of: dict[object, int] = {}
        self._doings: dict[object, int] = {}
        self._classes = self._values_that_differ()
        self._applied: dict[tuple[int, int], None] = {}
        """Of each kind of operators the facts it needs and its case."""
        self._addings: dict[Adding, None] = {}
        for number, plain in enumerate(_plain_operators(self.facts, poll)):
            poll()
            if plain is not None:
                self._add_operator(number, plain)

    def _values_that_differ(self) -> dict[int, list[int]]:
        """For each variable that has to do with atoms a number per value: those that no
        condition tells apart have the same."""
        sets: dict[int, set[int]] = {}
        for condition in self.alphabet.conditions:
            for leaf in leaves(condition):
                if leaf.sign == "in":
                    sets.setdefault(leaf.variable, set()).add(leaf.values)
        for operator in self.facts.task.operators:
            for effect in operator.effects:
                if effect.variable in self.alphabet.variables:
                    for fact in effect.conditions:
                        sets.setdefault(fact[0], set()).add(self.facts.bit(fact))
        return {variable: self._numbered(variable, found) for variable, found in sets.items()}

    def _numbered(self, variable: int, sets: set[int]) -> list[int]:
        ordered = sorted(sets)
        numbers: dict[tuple[bool, ...], int] = {}
        found = []
        for value in range(len(self.facts.task.atoms[variable])):
            bit = self.facts.bit((variable, value))
            key = tuple(bit & one != 0 for one in ordered)
            found.append(numbers.setdefault(key, len(numbers)))
        return found

    def _add_operator(self, number: int, plain: PlainOperator) -> None:
        operator = self.facts.task.operators[number]
        seen = tuple(self._seen(effect) for effect in operator.effects if self._is_seen(effect))
        # Numbered, so that many conditional effects do not each carry all of them.
        doing = self._doings.setdefault((seen, self.alphabet.did_key(number)), len(self._doings))
        case = self._case(number, doing, operator.preconditions)
        self._applied[plain.needs, case] = None
        for conditional, needs, gives in plain.effects:
            own = case if conditional is None else self._case(number, doing, conditional)
            self._addings[Adding(needs, gives, own)] = None

    def _case(self, number: int, doing: int, needs: tuple[Fact, ...]) -> int:
        classes = self._classes
        key = tuple(sorted({(v, classes[v][value]) for v, value in needs if v in classes})), doing
        found = self._case_of.get(key)
        if found is None:
            found = self._case_of[key] = len(self._cases)
            self._cases.append(Case(number, needs))
        return found

    def _is_seen(self, effect: Effect) -> bool:
        return effect.variable in self._classes

    def _seen(self, effect: Effect) -> tuple[tuple[Fact, ...], int, int]:
        value = self._classes[effect.variable][effect.value]
        return effect.conditions, effect.variable, value

    def step(self, facts: int, starts: Iterable[Situation]) -> Step:
        """The step from states of these facts, to which those of the starts belong."""
        moves = _Moves(self, facts)
        applied = dict.fromkeys(c for needs, c in self._applied if not needs & ~facts)
        situations = set(starts)
        hopeful: dict[int, set[int]] = {}
        waiting = list(situations)
        for rest, letter in waiting:
            self.poll()
            if self._may_end(rest, letter, facts):
                return Step(situations, True, 0)
            for after in set().union(*(moves.letters(case, letter) for case in applied)):
                left = self.progression.step(rest, after)
                if self.progression.is_hopeless(left):
                    continue
                hopeful.setdefault(letter, set()).add(after)
                if (left, after) not in situations:
                    situations.add((left, after))
                    waiting.append((left, after))
            if len(situations) > MAX_SITUATIONS:
                _fail("the formula has too many situations in this task")
        return Step(situations, False, self._added(facts, hopeful, moves))

    def followers(self, facts: int, letter: int) -> dict[int, set[int]]:
        """The letters that may follow each letter met from here on; errs towards too many.

        "Here" is a state of these facts, read with the first letter."""
        while True:
            moves = _Moves(self, facts)
            applied = dict.fromkeys(c for needs, c in self._applied if not needs & ~facts)
            found: dict[int, set[int]] = {}
            waiting = [letter]
            for read in waiting:
                self.poll()
                if read in found:
                    continue
                found[read] = set().union(*(moves.letters(case, read) for case in applied))
                waiting += sorted(found[read] - found.keys())
                if len(found) > MAX_SITUATIONS:
                    _fail("the formula has too many letters in this task")
            added = self._added(facts, found, moves)
            if not added:
                return found
            facts |= added

    def _may_end(self, rest: Rest, letter: int, facts: int) -> bool:
        if not self.progression.accepts(rest):
            return False
        box = self.facts.restricted(facts, self.goal)
        return box != 0 and self.alphabet.has_state(box, letter)

    def _added(self, facts: int, hopeful: dict[int, set[int]], moves: _Moves) -> int:
        added = 0
        happens: dict[int, bool] = {}
        for needs, gives, case in self._addings:
            if gives & (facts | added) or needs & ~facts:
                continue
            if case not in happens:
                happens[case] = any(
                    not moves.letters(case, letter).isdisjoint(after)
                    for letter, after in hopeful.items()
                )
            added |= gives if happens[case] else 0
        return added

    def is_dead_end(self, facts: int, start: Situation) -> bool:
        """Return true if the steps from the facts of a state never come to an end of a trace."""
        while True:
            step = self.step(facts, [start])
            if step.may_end:
                return False
            if not step.added:
                return True
            facts |= step.added

    def case(self, number: int) -> Case:
        """The case of a number."""
        return self._cases[number]


class _Moves:
    """The letters to which the cases may lead, while a set of facts stays the same."""

    def __init__(self, relaxation: Relaxation, facts: int) -> None:
        self._relaxation = relaxation
        self._facts = facts
        self._known: dict[tuple[int, int], frozenset[int]] = {}

    def letters(self, case: int, letter: int) -> frozenset[int]:
        """Those that may follow the letter."""
        found = self._known.get((case, letter))
        if found is None:
            self._relaxation.poll()
            operator, needs = self._relaxation.case(case)
            # Another operator of the case may have its preconditions in the set where this one
            # has not: what is needed counts as there, and to the atoms it makes no difference.
            facts = self._relaxation.facts
            box = facts.restricted(self._facts | facts.bits(needs), needs)
            outcomes = self._relaxation.alphabet.outcomes(box, letter, operator)
            found = self._known[case, letter] = frozenset(outcomes)
        return found


def _plain_operators(facts: Facts, poll: Callable[[], None]) -> list[PlainOperator | None]:
    """The operators of the task, None for those that are never applicable; made once for it."""
    if facts.operators is None:  # set when all are there: `poll` may raise before
        facts.operators = [_plain_operator(facts, one, poll) for one in facts.task.operators]
    return facts.operators


def _plain_operator(
    facts: Facts, operator: Operator, poll: Callable[[], None]
) -> PlainOperator | None:
    if not are_consistent(operator.preconditions):
        return None
    poll()
    effects: list[tuple[tuple[Fact, ...] | None, int, int]] = []
    for place, effect in enumerate(operator.effects):
        needs = (*operator.preconditions, *effect.conditions)
        poll()
        if are_consistent(needs) and not is_overwritten(operator, place, needs):
            gives = facts.bit((effect.variable, effect.value))
            effects.append((needs if effect.conditions else None, facts.bits(needs), gives))
    return PlainOperator(facts.bits(operator.preconditions), effects)


def are_consistent(facts: Iterable[Fact]) -> bool:
    """Return true if no variable has two values."""
    values: dict[int, int] = {}
    return all(values.setdefault(variable, value) == value for variable, value in facts)


def is_overwritten(operator: Operator, place: int, needs: Iterable[Fact]) -> bool:
    """Return true if a later effect on the variable fires wherever the needs are met."""
    known = set(needs)
    variable = operator.effects[place].variable
    return any(
        later.variable == variable and known.issuperset(later.conditions)
        for later in islice(operator.effects, place + 1, None)
    )


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
