"""Atoms of flight rules as conditions on the facts of a task: their truth, known or possible.

A box says which values each variable may have: a whole number with a bit for every fact. To find
the effect of an operator on the atoms, their conditions are carried back through it, to the state
before it. Then boxes are split until every atom is decided there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

from bugsieve.checkers.cost import CertificateError, Fact, Operator, State, Task

MAX_DEPTH = 100
MAX_CONDITION = 200_000
"""Parts of all conditions together."""
MAX_ATOMS = 200
MAX_FREE = 12
MAX_EFFECTS = 150
"""Of one operator on one variable."""
SPLITS = 300
"""Boxes looked at before all that is undecided counts as possible."""

Narrow: TypeAlias = "Callable[[int], int]"


class Condition(NamedTuple):
    """`true`, `false`, `in` (the value is in the set), `did`, `not did`, `and` or `or`."""

    sign: str
    variable: int = -1
    values: int = 0
    """The facts of the variable that make it true, as bits."""
    operators: frozenset[int] = frozenset()
    parts: tuple[Condition, ...] = ()


TRUE, FALSE = Condition("true"), Condition("false")
Truth: TypeAlias = bool | None


class PlainOperator(NamedTuple):
    """The needs and effects of an operator, as bits, for every formula."""

    needs: int
    effects: list[tuple[tuple[Fact, ...] | None, int, int]]
    """Those that may fire: what they need if they have conditions, else None; needs; gifts."""


class Facts:
    """The facts of a task as bits of whole numbers."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.first = []
        count = 0
        for atoms in task.atoms:
            self.first.append(count)
            count += len(atoms)
        self.count = count
        self.of_variable = [
            ((1 << len(atoms)) - 1) << first
            for first, atoms in zip(self.first, task.atoms, strict=True)
        ]
        self.all = (1 << count) - 1
        self.operators: list[PlainOperator | None] | None = None
        """Kept for `rules_relaxed`, which makes them once."""

    def bit(self, fact: Fact) -> int:
        """The fact alone."""
        return 1 << (self.first[fact[0]] + fact[1])

    def bits(self, facts: Sequence[Fact]) -> int:
        """The facts."""
        whole = 0
        for fact in facts:
            whole |= self.bit(fact)
        return whole

    def state(self, state: State) -> int:
        """The facts of a state."""
        return self.bits(list(enumerate(state)))

    def restricted(self, box: int, facts: Sequence[Fact]) -> int:
        """The box in which the facts hold; 0 if there is none."""
        for fact in facts:
            bit = self.bit(fact)
            if not box & bit:
                return 0
            box &= bit | ~self.of_variable[fact[0]]
        return box


class ConditionReader:
    """Reads conditions from the JSON of certificates."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._left = MAX_CONDITION

    def read(self, value: Any, name: str) -> Condition:
        """The condition of the atom of that name."""
        self._what = f"the condition of {name[:80]}"
        return self._read(value, True, 0)

    def _read(self, value: Any, is_positive: bool, depth: int) -> Condition:
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            _fail(f"{self._what} is too deep or too large")
        if type(value) is bool:
            return TRUE if value == is_positive else FALSE
        if type(value) is not list or not value or type(value[0]) is not str:
            _fail(f"{self._what} must be true, false or a list that begins with a word")
        sign, *rest = value
        if sign == "fact":
            return self._fact(rest, is_positive)
        if sign == "did":
            return self._did(rest, is_positive)
        if sign == "not" and len(rest) == 1:
            return self._read(rest[0], not is_positive, depth + 1)
        if sign not in ("and", "or"):
            _fail(f"{self._what} has {sign[:40]!r} with {len(rest)} parts, which means nothing")
        parts = [self._read(part, is_positive, depth + 1) for part in rest]
        return join("and" if (sign == "and") == is_positive else "or", parts, self._facts)

    def _fact(self, rest: list[Any], is_positive: bool) -> Condition:
        atoms = self._facts.task.atoms
        if len(rest) != 2 or not all(type(number) is int for number in rest):
            _fail(f"{self._what}: a fact is a variable and a value")
        variable, value = rest
        if not (0 <= variable < len(atoms) and 0 <= value < len(atoms[variable])):
            _fail(f"{self._what} has a fact that the task lacks")
        bit, whole = self._facts.bit((variable, value)), self._facts.of_variable[variable]
        return inside(variable, bit if is_positive else whole & ~bit, whole)

    def _did(self, rest: list[Any], is_positive: bool) -> Condition:
        count = len(self._facts.task.operators)
        if len(rest) != 1 or type(rest[0]) is not list:
            _fail(f"{self._what}: 'did' has one list of operators")
        self._left -= len(rest[0])
        if self._left < 0:
            _fail(f"{self._what} is too large")
        if not all(type(number) is int and 0 <= number < count for number in rest[0]):
            _fail(f"{self._what} names an operator that the task lacks")
        sign = "did" if is_positive else "not did"
        return Condition(sign, operators=frozenset(rest[0]))


def inside(variable: int, values: int, whole: int) -> Condition:
    """That the variable's value is one of those."""
    if values == whole:
        return TRUE
    return Condition("in", variable, values) if values else FALSE


def join(sign: str, parts: Sequence[Condition], facts: Facts) -> Condition:
    """The junction, in which parts on the same variable are one."""
    unit, zero = (TRUE, FALSE) if sign == "and" else (FALSE, TRUE)
    sets: dict[int, int] = {}
    others: list[Condition] = []
    for part in parts:
        for one in part.parts if part.sign == sign else (part,):
            if one.sign != "in":
                others.append(one)
            elif one.variable not in sets:
                sets[one.variable] = one.values
            elif sign == "and":
                sets[one.variable] &= one.values
            else:
                sets[one.variable] |= one.values
    made = [inside(v, values, facts.of_variable[v]) for v, values in sorted(sets.items())]
    kept = [part for part in dict.fromkeys((*made, *others)) if part != unit]
    if zero in kept:
        return zero
    if not kept:
        return unit
    return kept[0] if len(kept) == 1 else Condition(sign, parts=tuple(kept))


def leaves(condition: Condition) -> Iterator[Condition]:
    """The parts of the condition that are not junctions."""
    waiting = [condition]
    while waiting:
        part = waiting.pop()
        if part.parts:
            waiting += part.parts
        else:
            yield part


class Alphabet:
    """The atoms of a formula in a task: letters of states, and what operators make of them."""

    def __init__(self, facts: Facts, conditions: Mapping[str, Condition]) -> None:
        self.facts = facts
        self.names = sorted(conditions)
        if len(self.names) > MAX_ATOMS:
            _fail(f"there are more than {MAX_ATOMS} atoms")
        self.conditions = [conditions[name] for name in self.names]
        parts = [part for condition in self.conditions for part in leaves(condition)]
        self.variables = sorted({part.variable for part in parts if part.sign == "in"})
        self._did_sets = sorted({part.operators for part in parts if part.operators}, key=sorted)
        # After an operator that it did not ask for, a condition that asks for `did` is false.
        self._asks_did = [
            any(part.sign in ("did", "not did") for part in leaves(condition))
            for condition in self.conditions
        ]
        self._pure = [
            (condition, 1 << place)
            for place, condition in enumerate(self.conditions)
            if not self._asks_did[place]
        ]
        self._read_by = [
            {part.variable for part in leaves(condition) if part.sign == "in"}
            for condition in self.conditions
        ]
        self._letters: dict[tuple[tuple[int, ...], tuple[bool, ...] | None], int] = {}
        self._did_keys: dict[int, tuple[bool, ...]] = {}
        self._changes: dict[int, tuple[int, list[tuple[int, Condition]]]] = {}

    def did_key(self, operator: int) -> tuple[bool, ...]:
        """Operators with the same key are the same to all `did`."""
        found = self._did_keys.get(operator)
        if found is None:
            found = self._did_keys[operator] = tuple(operator in one for one in self._did_sets)
        return found

    def letter(self, state: State, operator: int | None) -> int:
        """The letter of a state into which the operator led; None for the first state."""
        key = None if operator is None else self.did_key(operator)
        memory = (tuple([state[v] for v in self.variables]), key)
        found = self._letters.get(memory)
        if found is None:
            box = self.facts.state(state)
            found = 0
            for place, condition in enumerate(self.conditions):
                after = self._without_did(condition, operator)
                if self.truth(after, box):
                    found |= 1 << place
            self._letters[memory] = found
        return found

    def word(self, letter: int) -> frozenset[str]:
        """The names of the atoms that are true."""
        return frozenset(name for i, name in enumerate(self.names) if letter >> i & 1)

    def _without_did(self, condition: Condition, operator: int | None) -> Condition:
        if condition.sign in ("did", "not did"):
            is_true = (operator in condition.operators) == (condition.sign == "did")
            return TRUE if is_true else FALSE
        if not condition.parts:
            return condition
        parts = [self._without_did(part, operator) for part in condition.parts]
        return join(condition.sign, parts, self.facts)

    def truth(self, condition: Condition, box: int) -> Truth:
        """The truth if all states of the box agree; else None."""
        sign = condition.sign
        if sign == "in":
            if not box & self.facts.of_variable[condition.variable] & ~condition.values:
                return True
            return None if box & condition.values else False
        if sign in ("true", "false"):
            return sign == "true"
        if sign not in ("and", "or"):
            return None
        unit = sign == "and"
        whole: Truth = unit
        for part in condition.parts:
            found = self.truth(part, box)
            if found is (not unit):
                return found
            if found is None:
                whole = None
        return whole

    # Requirements on a box.

    def agreeing(self, box: int, letter: int) -> int:
        """The box without some values that no state of this letter has; 0: there is no state."""
        for _ in range(2):
            for condition, bit in self._pure:
                box = self._forced(condition, letter & bit != 0, box)
                if not box:
                    return 0
        return box

    def _forced(self, condition: Condition, wanted: bool, box: int) -> int:
        sign = condition.sign
        if sign == "in":
            whole = self.facts.of_variable[condition.variable]
            values = condition.values if wanted else whole & ~condition.values
            return box & (values | ~whole) if box & values else 0
        if sign in ("true", "false"):
            return box if (sign == "true") == wanted else 0
        if (sign == "and") == wanted:
            for part in condition.parts:
                box = self._forced(part, wanted, box) if box else 0
            return box
        # One part must be as wanted. If a single one can, it is that one.
        able = []
        for part in condition.parts:
            found = self.truth(part, box)
            if found is wanted:
                return box
            if found is None:
                able.append(part)
                if len(able) > 1:
                    return box
        return self._forced(able[0], wanted, box) if able else 0

    def has_state(self, box: int, letter: int, narrow: Narrow = lambda box: box) -> bool:
        """Return true if a state of the box may have this letter; false only if none has."""
        waiting, left = [box], SPLITS
        while waiting and left:
            left -= 1
            current = self.agreeing(waiting.pop(), letter)
            current = narrow(current) if current else 0
            if not current:
                continue
            undecided = next(
                (one for one, _ in self._pure if self.truth(one, current) is None), None
            )
            if undecided is None:
                return True
            waiting += self._split(undecided, current)
        return bool(waiting)

    # Effects of operators.

    def changes(self, number: int) -> tuple[int, list[tuple[int, Condition]]]:
        """The bits of atoms that the operator leaves, and for the others, as bits, whether they
        hold after it, as conditions on the state before it."""
        found = self._changes.get(number)
        if found is None:
            operator = self.facts.task.operators[number]
            written = {effect.variable for effect in operator.effects}
            kept = 0
            changed = []
            for place, condition in enumerate(self.conditions):
                if self._asks_did[place] or not written.isdisjoint(self._read_by[place]):
                    after = self._without_did(condition, number)
                    changed.append((1 << place, self._before(after, operator)))
                else:
                    kept |= 1 << place
            found = self._changes[number] = kept, changed
        return found

    def _before(self, condition: Condition, operator: Operator) -> Condition:
        """The condition before the operator that makes the given one hold after it."""
        if condition.sign == "in":
            return self._value_before(condition, operator)
        if not condition.parts:
            return condition
        parts = [self._before(part, operator) for part in condition.parts]
        return join(condition.sign, parts, self.facts)

    def _value_before(self, condition: Condition, operator: Operator) -> Condition:
        before = condition
        if sum(effect.variable == condition.variable for effect in operator.effects) > MAX_EFFECTS:
            _fail(f"an operator has more than {MAX_EFFECTS} effects on a variable of an atom")
        # In order: of two effects that fire the later one wins.
        for conditions, variable, value in operator.effects:
            if variable != condition.variable:
                continue
            is_hit = self.facts.bit((variable, value)) & condition.values != 0
            fires = self._all_facts(conditions, True)
            silent = join("and", (self._all_facts(conditions, False), before), self.facts)
            before = join("or", (fires, silent), self.facts) if is_hit else silent
        return before

    def _all_facts(self, facts: Sequence[Fact], wanted: bool) -> Condition:
        parts = []
        for variable, value in facts:
            bit, whole = self.facts.bit((variable, value)), self.facts.of_variable[variable]
            parts.append(inside(variable, bit if wanted else whole & ~bit, whole))
        return join("and" if wanted else "or", parts, self.facts)

    def outcomes(
        self,
        box: int,
        letter: int,
        operator: int,
        narrow: Narrow = lambda box: box,
    ) -> dict[int, int]:
        """The letters that the operator may lead to from states of the box with this letter.

        Each comes with a box that holds all such states. The preconditions must be in the box
        already. `narrow` may take values from a box that no state with the rest can have.
        """
        kept, changed = self.changes(operator)
        first = narrow(self.agreeing(box, letter)) if box else 0
        found: dict[int, int] = {}
        waiting = [first] if first else []
        left = SPLITS
        while waiting:
            current = waiting.pop()
            after, undecided = letter & kept, None
            for bit, condition in changed:
                truth = self.truth(condition, current)
                if truth is None:
                    undecided = condition
                    break
                after |= bit if truth else 0
            if undecided is None:
                if self.has_state(current, letter, narrow):
                    found[after] = found.get(after, 0) | current
                continue
            left -= 1
            if left <= 0:
                return self._all_outcomes(first, letter & kept, changed)
            for part in self._split(undecided, current):
                smaller = self.agreeing(part, letter)
                smaller = narrow(smaller) if smaller else 0
                if smaller:
                    waiting.append(smaller)
        return found

    def _split(self, condition: Condition, box: int) -> tuple[int, int]:
        """Two parts of the box, in each of which a part of the condition is decided."""
        undecided = next(leaf for leaf in leaves(condition) if self.truth(leaf, box) is None)
        whole = self.facts.of_variable[undecided.variable]
        return box & ~undecided.values, box & (undecided.values | ~whole)

    def _all_outcomes(
        self, box: int, letter: int, changed: list[tuple[int, Condition]]
    ) -> dict[int, int]:
        letters = [letter]
        for bit, condition in changed:
            truth = self.truth(condition, box)
            if truth is None:
                letters += [one | bit for one in letters]
                if len(letters) > 1 << MAX_FREE:
                    _fail("an operator leaves too many atoms undecided at once")
            elif truth:
                letters = [one | bit for one in letters]
        return dict.fromkeys(letters, box)


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
