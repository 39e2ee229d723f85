"""A sufficient check, on operators alone, that every operator can be undone, and what undoes it.

A state *covers* another when it has every value of it that some precondition or the goal asks for:
each plan of the other is then a plan of this one. An operator is undoable when from every state it
leads to there is a way to a state that covers the one before. It is invertible when at most one
operator is needed. The check looks at what is known after the operator: its preconditions, its
effects, and what mutex groups exclude. It distinguishes cases where an old value is not known. It
may fail to see that an operator can be undone; it never claims so wrongly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.stopping import check_stop
from bugsieve.tasks.grounded.exclusions import exclusions, fact_offsets
from bugsieve.tasks.grounded.task import StateArray, Task

Fact = tuple[int, int]
Partial = dict[int, int]

_MOST_FACTS = 8_000
_MOST_OPERATORS = 50_000
_MAX_LENGTH = 4
_MAX_NODES_PER_CASE = 2_000
_MAX_NODES = 400_000
_MAX_CASES = 64
_MAX_SPLITS = 2
_SPLIT_CANDIDATES = 3


@dataclass(frozen=True)
class Operator:
    """An operator as two partial assignments."""

    index: int
    before: Mapping[int, int]
    after: Mapping[int, int]


@dataclass(frozen=True)
class Undoing:
    """Sequences for each operator of which one always undoes it, or the operator that resists."""

    sequences: tuple[tuple[tuple[int, ...], ...], ...]
    needed: NDArray[np.bool_] = field(repr=False)
    """True for each fact `offsets[variable] + value` that is asked for."""
    offsets: NDArray[np.int64] = field(repr=False)
    obstacle: int | None = None
    """The first operator that could not be shown undoable."""

    @property
    def obstacle_to_inversion(self) -> int | None:
        """The first operator that a single operator does not always undo."""
        if self.obstacle is not None:
            return self.obstacle
        for operator, sequences in enumerate(self.sequences):
            if any(len(sequence) > 1 for sequence in sequences):
                return operator
        return None

    def covers(self, state: StateArray, other: StateArray) -> bool:
        """Return true if each plan from `other` is a plan from `state`."""
        differing = np.flatnonzero(state != other)
        return not self.needed[self.offsets[differing] + other[differing]].any()


_KNOWN: WeakKeyDictionary[Task, Undoing] = WeakKeyDictionary()


def undoing(task: Task) -> Undoing:
    """Check all operators of a task, once; UnsupportedError where the check does not apply."""
    if task not in _KNOWN:
        if task.native.has_conditional_effects:
            raise UnsupportedError("operators with conditional effects are not checked")
        if task.domain_sizes.sum() > _MOST_FACTS or task.num_operators > _MOST_OPERATORS:
            raise UnsupportedError(
                f"the task is too large for the check (more than {_MOST_FACTS} facts "
                f"or {_MOST_OPERATORS} operators)"
            )
        _KNOWN[task] = _Check(task).run()
    return _KNOWN[task]


def way_back(
    task: Task, undo: Undoing, start: StateArray, walk: Iterable[int]
) -> tuple[int, ...] | None:
    """Operators from the end of a walk to a state that covers its start; None if that fails."""
    states, operators = [start], list(walk)
    for operator in operators:
        states.append(_apply(task, states[-1], operator))
    back: list[int] = []
    current = states[-1]
    for operator, before in zip(reversed(operators), reversed(states[:-1]), strict=True):
        # `current` covers the state that the operator led to, instead of being it. That is enough:
        # preconditions ask for needed values only, so what was proven applicable there is
        # applicable here, and leads to a state that covers the one before. It is tried out all the
        # same.
        if undo.covers(current, before):
            continue
        step = _first_covering(task, undo, current, before, undo.sequences[operator])
        if step is None:
            return None
        sequence, current = step
        back.extend(sequence)
    return tuple(back)


def _first_covering(
    task: Task,
    undo: Undoing,
    state: StateArray,
    wanted: StateArray,
    sequences: Iterable[tuple[int, ...]],
) -> tuple[tuple[int, ...], StateArray] | None:
    for sequence in sequences:
        reached: StateArray | None = state
        for operator in sequence:
            reached = _apply_if_possible(task, reached, operator) if reached is not None else None
        if reached is not None and undo.covers(reached, wanted):
            return sequence, reached
    return None


def _apply(task: Task, state: StateArray, operator: int) -> StateArray:
    successor: StateArray = task.successors(
        state[np.newaxis], np.array([operator], dtype=np.int32)
    )[0]
    return successor


def _apply_if_possible(task: Task, state: StateArray, operator: int) -> StateArray | None:
    batch, choice = state[np.newaxis], np.array([operator], dtype=np.int32)
    return task.successors(batch, choice)[0] if task.is_applicable(batch, choice)[0] else None


@dataclass(frozen=True)
class _Case:
    """Facts known before the operator, and about the state it leads to."""

    old: Partial
    known: Partial


class _Check:
    """The check of one task, with the indexes it needs."""

    def __init__(self, task: Task) -> None:
        self.sizes = task.domain_sizes
        self.offsets = fact_offsets(task)
        self.operators = [_operator(task, index) for index in range(task.num_operators)]
        self.needed = np.zeros(int(self.sizes.sum()), dtype=np.bool_)
        self.achievers: dict[Fact, list[Operator]] = {}
        self.asking: dict[Fact, list[Operator]] = {}
        for operator in self.operators:
            for fact in operator.before.items():
                self.asking.setdefault(fact, []).append(operator)
                self.needed[self._number(fact)] = True
            for fact in operator.after.items():
                self.achievers.setdefault(fact, []).append(operator)
        for fact in task.goal:
            self.needed[self._number(fact)] = True
        self.asked_for: list[set[int]] = [set() for _ in self.sizes]
        for variable, value in [*self.asking, *task.goal]:
            self.asked_for[variable].add(value)
        self.always_applicable = [op for op in self.operators if not op.before]
        self.excluded = exclusions(task)
        self.nodes = 0

    def run(self) -> Undoing:
        """All operators, up to the first that resists."""
        sequences = []
        for operator in self.operators:
            found = self._undo(operator)
            # One operator that resists is enough: walks may use any.
            if found is None:
                return Undoing((), self.needed, self.offsets, operator.index)
            sequences.append(found)
        return Undoing(tuple(sequences), self.needed, self.offsets)

    def _undo(self, operator: Operator) -> tuple[tuple[int, ...], ...] | None:
        """Sequences of which one undoes the operator in each case, shortest first."""
        found: set[tuple[int, ...]] = set()
        if not self._is_possible(dict(operator.before)):
            return ()  # never applicable
        # Every state before the operator falls into one of the cases, and each case needs a
        # sequence. `way_back` knows the states and finds out by trying which one it is.
        stack = [(case, 0) for case in self._cases(operator)]
        if len(stack) > _MAX_CASES:
            return None
        while stack:
            check_stop()
            case, splits = stack.pop()
            sequence = self._restore(case)
            if sequence is not None:
                found.add(sequence)
                continue
            # Splitting never loses a state: the parts have all values that are possible.
            parts = self._split(case) if splits < _MAX_SPLITS else None
            if parts is None or self.nodes > _MAX_NODES:
                return None
            stack.extend((part, splits + 1) for part in parts)
        return tuple(sorted(found, key=lambda sequence: (len(sequence), sequence)))

    def _cases(self, operator: Operator) -> Iterator[_Case]:
        """One case for each combination of old values that are not known but asked for."""
        # A value that is overwritten and needed must be known to be restored, so all that it may
        # have been are told apart. Where nothing asks for another value than the new one, the old
        # one is not missed.
        olds = [self._closed(dict(operator.before))]
        for variable in operator.after:
            if not self._harmless(variable, operator.after[variable]):
                olds = [
                    {**old, variable: value}
                    for old in olds
                    for value in self._possible(old, variable)
                ]
        # One more than allowed tells the caller that there are too many.
        for old in olds[: _MAX_CASES + 1]:
            known = self._closed({**old, **operator.after})
            # Variables that the operator leaves alone had the same values before.
            kept = {v: value for v, value in known.items() if v not in operator.after}
            yield _Case({**old, **kept}, known)

    def _split(self, case: _Case) -> list[_Case] | None:
        """Distinguish the values of a variable whose value would help to restore what is missing.

        Of the few most promising variables the first is taken; what it cannot settle, the next
        split may.
        """
        for variable in self._helpful(case)[:_SPLIT_CANDIDATES]:
            # The variable is unknown in both states, so the operator did not set it: it has the
            # same value before and after.
            values = self._possible(case.known, variable)
            if values:
                return [
                    _Case({**case.old, variable: value}, {**case.known, variable: value})
                    for value in values
                ]
        return None

    def _helpful(self, case: _Case) -> list[int]:
        """Unknown variables that count when missing facts are restored, most frequent first.

        Restoring a fact may break another, which is then missing in its turn.
        """
        count: dict[int, int] = {}
        facts = self._missing(case.old, case.known)
        for fact in facts:  # grows while we go through it
            for operator in self.achievers.get(fact, ()):
                for variable in operator.before.keys() | operator.after.keys():
                    if variable not in case.known and self.asked_for[variable]:
                        count[variable] = count.get(variable, 0) + 1
                broken = self._missing(case.old, {**case.known, **operator.after})
                facts.extend(new for new in broken if new not in facts)
        return sorted(count, key=lambda variable: (-count[variable], variable))

    def _restore(self, case: _Case) -> tuple[int, ...] | None:
        """A shortest sequence after which every needed old value is back, within the bounds."""
        missing = self._missing(case.old, case.known)
        if not missing:
            return ()
        for operator in self.achievers.get(missing[0], ()):  # most often one step is enough
            if self._is_safe(operator, case.known, case.old) and not self._missing(
                case.old, {**case.known, **operator.after}
            ):
                return (operator.index,)
        # Breadth first over what is known, not over states: a sequence found holds for every state
        # of the case at once.
        seen = {_key(case.known)}
        queue: deque[tuple[Partial, tuple[int, ...]]] = deque([(case.known, ())])
        budget = _MAX_NODES_PER_CASE
        while queue and budget > 0 and self.nodes <= _MAX_NODES:
            check_stop()
            known, path = queue.popleft()
            for operator in self._related(known):
                if not self._is_safe(operator, known, case.old):
                    continue
                budget -= 1
                self.nodes += 1
                reached = {**known, **operator.after}
                key = _key(reached)
                if key in seen:
                    continue
                seen.add(key)
                if not self._missing(case.old, reached):
                    return (*path, operator.index)
                if len(path) + 1 < _MAX_LENGTH:
                    queue.append((reached, (*path, operator.index)))
        return None

    def _related(self, known: Partial) -> Iterator[Operator]:
        """Operators that ask for something known, or for nothing."""
        # An operator is safe only if all it asks for is known, so one known fact must lead to it.
        yield from self.always_applicable
        offered = set()
        for fact in known.items():
            for operator in self.asking.get(fact, ()):
                if operator.index not in offered:
                    offered.add(operator.index)
                    yield operator

    def _is_safe(self, operator: Operator, known: Partial, old: Partial) -> bool:
        """Return true if the operator is applicable and overwrites no value that is unknown."""
        # A variable outside `old` still has its old, unknown value. To overwrite it would lose it
        # for good, unless nothing asks for another value than the new one.
        return all(known.get(v) == d for v, d in operator.before.items()) and all(
            v in old or self._harmless(v, d) for v, d in operator.after.items()
        )

    def _harmless(self, variable: int, value: int) -> bool:
        """Return true if no other value of the variable is needed; to set this one is harmless."""
        return self.asked_for[variable] <= {value}

    def _missing(self, old: Partial, known: Partial) -> list[Fact]:
        # Variables outside `old` need no look: `_is_safe` lets no sequence touch them, save
        # harmlessly.
        return [
            (variable, value)
            for variable, value in old.items()
            if known.get(variable) != value and self.needed[self._number((variable, value))]
        ]

    def _possible(self, known: Partial, variable: int) -> list[int]:
        """The values a variable may have beside what is known."""
        if variable in known:
            return [known[variable]]
        first = int(self.offsets[variable])
        facts = slice(first, first + int(self.sizes[variable]))
        excluded = self.excluded[self._numbers(known), facts].any(axis=0)
        return [int(value) for value in np.flatnonzero(~excluded)]

    def _closed(self, known: Partial) -> Partial:
        """The same with the values added that mutex groups leave as the only ones."""
        excluded = self.excluded[self._numbers(known)].any(axis=0)
        left = np.add.reduceat(~excluded, self.offsets, dtype=np.int64)
        for variable in np.flatnonzero(left == 1).tolist():
            known.setdefault(variable, self._possible(known, variable)[0])
        return known

    def _is_possible(self, known: Partial) -> bool:
        facts = self._numbers(known)
        return not self.excluded[np.ix_(facts, facts)].any()

    def _numbers(self, known: Partial) -> list[int]:
        return [self._number(fact) for fact in known.items()]

    def _number(self, fact: Fact) -> int:
        return int(self.offsets[fact[0]]) + fact[1]


def _operator(task: Task, index: int) -> Operator:
    after = {variable: value for _, variable, value in task.native.effects(index)}
    return Operator(index, dict(task.native.preconditions(index)), after)


def _key(known: Partial) -> frozenset[Fact]:
    return frozenset(known.items())
