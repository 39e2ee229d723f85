"""The task within rules: its plans are the original's that keep all of them.

Each rule has one more variable, the state of its automaton, which operators move by conditional
effects: so automata of several rules are never multiplied. Steps into states from which a rule
cannot be kept any more are forbidden by preconditions, for which operators are copied, as long as
that gives few copies; beyond, such a step leads to a dead value, which search sees one step later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.engine.conditions import (
    NO_OPERATOR,
    Condition,
    dids_of,
    letter,
    renumbered,
    variables_of,
)
from bugsieve.rooms.rules.engine.regression import AtomCases, Look, Step, look_of
from bugsieve.rooms.rules.ltl.automaton import Automaton
from bugsieve.rooms.rules.monitoring.monitor import Monitor, RuleMonitor
from bugsieve.tasks.grounded.cases import Case, Cases, TooManyCasesError, is_single
from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.sas_text import (
    NOT_DERIVED,
    Fact,
    SasOperator,
    SasTask,
    SasVariable,
    from_core,
    write_sas,
)
from bugsieve.tasks.grounded.task import StateArray, Task

MAX_CASES = 2_000
MAX_COPIES = 24
"""Of one operator, for the sake of preconditions."""
MAX_SIZE = 4_000_000
"""Effects of all operators together."""

_FINISH = -1  # stands for the operator that only says that the goal is reached
_NO, _YES = 0, 1


class RuledTask:
    """A task whose plans keep rules, and the way back to the original."""

    def __init__(self, original: Task, monitor: Monitor) -> None:
        self.original = original
        tracks = [_Track(rule, monitor.atoms) for rule in monitor.rules]
        self._tracks = [track for track in tracks if not track.is_trivial]
        builder = _Builder(original, self._tracks)
        name = f"{original.name} within rules"
        self.task = Task(native_task(write_sas(builder.sas_task()), original.name), name=name)
        self._members = builder.members
        self._sources = builder.sources

    def start(self, state: StateArray) -> StateArray | None:
        """The state to search from; None if a rule cannot be kept from there."""
        return self.resume(np.atleast_2d(state), ())

    def resume(self, states: StateArray, actions: Sequence[int]) -> StateArray | None:
        """The same after a run along these states by these actions."""
        rows = [row.tolist() for row in states]
        values = [track.value_after(rows, actions) for track in self._tracks]
        if any(value is None for value in values):
            return None
        extended = [*rows[-1], *(value or 0 for value in values)]
        inside = [mask >> extended[variable] & 1 for variable, mask in self._members]
        return np.array([*extended, *inside, _NO], dtype=np.uint16)

    def plan(self, found: Sequence[int]) -> tuple[int, ...]:
        """A plan of this task as operators of the original."""
        sources = (self._sources[operator] for operator in found)
        return tuple(source for source in sources if source != _FINISH)


class _Track:
    """The automaton of a rule as a variable: its states that can still accept, and a dead one."""

    def __init__(self, rule: RuleMonitor, atoms: Mapping[str, Condition]) -> None:
        self.id = rule.rule.id
        self.automaton: Automaton = rule.kept
        self.atoms = {name: atoms[name] for name in self.automaton.atoms}
        rejecting = self.automaton.rejecting_sinks
        self.live = sorted(_reached(self.automaton) - rejecting)
        self._values = {state: value for value, state in enumerate(self.live)}
        self.dead = len(self.live)
        self.dids = sorted(
            {did for condition in self.atoms.values() for did in dids_of(condition)}
        )
        self.relevant = frozenset().union(*map(variables_of, self.atoms.values()))
        # Without X, a letter that is read again changes nothing; did-atoms are no property of the
        # state, so that each operator may change them.
        self.is_closed = self.automaton.is_stutter_closed and not self.dids

    @property
    def is_trivial(self) -> bool:
        """Return true if every trace keeps the rule."""
        return len(self.live) == len(_reached(self.automaton)) and self.accepts_all

    @property
    def accepts_all(self) -> bool:
        """Return true if a trace may end in every state that is not dead."""
        return self.automaton.accepting.issuperset(self.live)

    @property
    def accepting(self) -> int:
        """The values in which a trace may end, as a mask."""
        return sum(1 << self._values[s] for s in self.live if s in self.automaton.accepting)

    def value(self, state: int) -> int:
        """The value that stands for a state."""
        return self._values.get(state, self.dead)

    def value_after(self, states: Sequence[Sequence[int]], actions: Sequence[int]) -> int | None:
        """The value after a trace; None where the rule cannot be kept any more."""
        at = self.automaton.initial
        for state, operator in zip(states, (NO_OPERATOR, *actions), strict=True):
            at = self.automaton.step(at, letter(self.atoms, state, operator))
        return self._values.get(at)


def _reached(automaton: Automaton) -> set[int]:
    """The states after words of one letter or more."""
    found = set(automaton.successors[automaton.initial])
    pending = sorted(found)
    while pending:
        fresh = automaton.successors[pending.pop()] - found
        found |= fresh
        pending += sorted(fresh)
    return found


@dataclass(frozen=True)
class _Moves:
    """The effects of operators of one look on the automaton of a rule."""

    rule: int
    allowed: list[Case] | None
    """When the rule can still be kept afterwards; None for always."""
    steps: list[tuple[Case, int]]
    """When the variable of the rule changes, and to what."""
    short_steps: list[tuple[Case, int]]
    """The same where the dead value is out of reach: who does not depend on the value does not
    ask for it."""


@dataclass(frozen=True)
class _Copy:
    """An operator of the original under a further condition."""

    source: int
    needs: Case
    steps: list[tuple[Case, int, int]]
    """When which variable of a rule gets which value."""


class _RuleSteps:
    """The effects of each operator on one rule; operators that look alike share the answer."""

    def __init__(self, number: int, track: _Track, cases: Cases, first: int) -> None:
        self._number = number
        self._track = track
        self._cases = cases
        self._variable = first + number
        places = {did: len(cases.full) - len(track.dids) + k for k, did in enumerate(track.dids)}
        same = {v: v for v in track.relevant}
        conditions = {n: renumbered(c, same, places) for n, c in track.atoms.items()}
        self._atoms = AtomCases(conditions, cases)
        self._dids = [(places[did], frozenset(did)) for did in track.dids]
        self._known: dict[Look, _Moves | None] = {}

    def moves(self, index: int, operator: SasOperator) -> _Moves | None:
        """The effect of an operator on the rule; None if it has none."""
        track = self._track
        relevant = track.relevant
        if track.is_closed and not any(v in relevant for _, v, _ in operator.effects):
            return None
        dids = tuple((place, int(index in did)) for place, did in self._dids)
        look = look_of(operator, relevant, dids)
        if look not in self._known:
            check_stop()
            self._known[look] = self._made(Step(look, self._atoms, settled=track.is_closed))
        return self._known[look]

    def _made(self, step: Step) -> _Moves | None:
        track = self._track
        if track.is_closed and step.changes_nothing:
            return None
        sources: dict[tuple[frozenset[tuple[int, int]], int], list[int]] = {}
        for state in track.live:
            for way in step.ways(track.automaton, state):
                for case in way.cases:
                    key = frozenset(case.items()), track.value(way.target)
                    sources.setdefault(key, []).append(track.value(state))
        is_free = all(target != track.dead for _, target in sources)
        allowed = [
            case
            for (facts, target), values in sources.items()
            if target != track.dead
            for case in self._at(facts, values)
        ]
        steps: list[tuple[Case, int]] = []
        short_steps: list[tuple[Case, int]] = []
        for (facts, target), values in sources.items():
            own = [(case, target) for case in self._at(facts, values, leaving=target)]
            steps += own
            # Where all values lead to one, a state that has it already may get it again.
            is_same = len(values) == len(track.live)
            short_steps += [(dict(facts), target)] if own and is_same else own
        if not steps and is_free:
            return None
        found = None if is_free else self._cases.union(allowed)
        return _Moves(self._number, found, steps, short_steps)

    def _at(
        self, facts: Iterable[tuple[int, int]], values: Iterable[int], *, leaving: int = -1
    ) -> list[Case]:
        """The case at each of the values of the rule's variable, but at the one that stays."""
        return [{self._variable: 1 << v, **dict(facts)} for v in values if v != leaving]


class _Builder:
    """Writes the task; `sources` has the original of each of its operators."""

    def __init__(self, task: Task, tracks: Sequence[_Track]) -> None:
        self._name = task.name
        self._source = from_core(task.native)
        self._tracks = tracks
        self._first = task.num_variables
        self.members: list[tuple[int, int]] = []
        self.sources: list[int] = []
        self._sizes = [*task.domain_sizes.tolist(), *(len(t.live) + 1 for t in tracks)]

    def sas_task(self) -> SasTask:
        """All of it; copies first, since they say which members there are."""
        try:
            copies = self._copies()
        except TooManyCasesError:
            raise UnsupportedError(
                f"{self._name}: the atoms of the rules are true in more than {MAX_CASES} ways, "
                "which is too many to search; state them with fewer alternatives"
            ) from None
        finish = {**_masks(dict(self._source.goal)), **self._ends()}
        masks = [mask for copy in copies for mask in _masks_of(copy)]
        found = [*(item for mask in masks for item in mask.items()), *finish.items()]
        self.members = sorted({item for item in found if not is_single(item[1])})
        operators = [self._operator(copy) for copy in copies]
        self.sources = [*(copy.source for copy in copies), _FINISH]
        end = SasOperator("finish", self._facts(finish), [({}, self._done, _YES)], 0)
        return SasTask(
            metric=1,  # the last operator costs nothing even where all others cost 1
            variables=[*self._source.variables, *self._extra_variables()],
            mutexes=[],
            initial=[*self._source.initial, *(0 for _ in range(self._done + 1 - self._first))],
            goal=[(self._done, _YES)],
            operators=[*operators, end],
        )

    @property
    def _done(self) -> int:
        return len(self._sizes) + len(self.members)

    def _ends(self) -> Case:
        """The values of rules in which a plan may end."""
        return {
            self._first + number: track.accepting
            for number, track in enumerate(self._tracks)
            if not track.accepts_all or number in self._soft
        }

    @cached_property
    def _soft(self) -> set[int]:
        """Rules whose dead value can be reached."""
        return set()

    def _copies(self) -> list[_Copy]:
        steps = [
            _RuleSteps(number, track, self._cases(track), self._first)
            for number, track in enumerate(self._tracks)
        ]
        planned: list[tuple[int, Case, list[_Moves]]] = []
        for index, operator in enumerate(self._source.operators):
            moves = [move for step in steps if (move := step.moves(index, operator)) is not None]
            planned += [(index, needs, moves) for needs in self._needs(operator, moves)]
            self._check(len(planned))
        found: list[_Copy] = []
        size = 0
        for index, needs, moves in planned:
            copy = _Copy(index, needs, [*self._open_steps(needs, moves)])
            size += 1 + len(self._source.operators[index].effects) + len(copy.steps)
            self._check(size)
            found.append(copy)
        return found

    def _cases(self, track: _Track) -> Cases:
        """With a variable for each set of operators that the rule asks about."""
        return Cases([*self._sizes, *(2 for _ in track.dids)], (), MAX_CASES)

    def _needs(self, operator: SasOperator, moves: Iterable[_Moves]) -> list[Case]:
        """The copies of an operator: what must hold so that rules can still be kept."""
        cases = Cases(self._sizes, (), MAX_COPIES)
        found = [_masks(operator.precondition)]
        strict = [(move.allowed, move.rule) for move in moves if move.allowed is not None]
        for allowed, rule in sorted(strict, key=lambda item: (len(item[0]), item[1])):
            try:
                found = cases.product(found, allowed)
            except TooManyCasesError:
                self._soft.add(rule)
        return found

    def _open_steps(self, needs: Case, moves: Iterable[_Moves]) -> Iterator[tuple[Case, int, int]]:
        """The moves that are possible in a copy, without what it needs anyway."""
        for move in moves:
            steps = move.steps if move.rule in self._soft else move.short_steps
            for case, target in steps:
                rest = _beside(needs, case)
                if rest is not None:
                    yield rest, self._first + move.rule, target

    def _check(self, size: int) -> None:
        if size > MAX_SIZE:
            raise UnsupportedError(
                f"{self._name}: within the rules its operators would have more than {MAX_SIZE} "
                "effects, which is too many to search; test fewer rules at once"
            )

    @cached_property
    def _place(self) -> dict[tuple[int, int], int]:
        return {item: len(self._sizes) + number for number, item in enumerate(self.members)}

    @cached_property
    def _following(self) -> dict[int, list[tuple[int, int]]]:
        following: dict[int, list[tuple[int, int]]] = {}
        for (variable, mask), place in self._place.items():
            following.setdefault(variable, []).append((mask, place))
        return following

    def _operator(self, copy: _Copy) -> SasOperator:
        operator = self._source.operators[copy.source]
        own = [*operator.effects]
        own += [(self._facts(case), variable, value) for case, variable, value in copy.steps]
        needs = self._facts(copy.needs)
        return SasOperator(operator.name, needs, [*self._effects(own)], operator.cost)

    def _effects(
        self, effects: Iterable[tuple[dict[int, int], int, int]]
    ) -> Iterator[tuple[dict[int, int], int, int]]:
        for conditions, variable, value in effects:
            yield conditions, variable, value
            # Under the same condition, so that both change together.
            for mask, place in self._following.get(variable, ()):
                yield conditions, place, mask >> value & 1

    def _facts(self, case: Case) -> dict[int, int]:
        return dict(map(self._fact, case.items()))

    def _fact(self, item: tuple[int, int]) -> Fact:
        variable, mask = item
        if is_single(mask):
            return variable, mask.bit_length() - 1
        return self._place[item], _YES

    def _extra_variables(self) -> Iterator[SasVariable]:
        names = count()
        sizes = [*self._sizes[self._first :], *(2 for _ in self.members), 2]
        for size in sizes:
            name = f"rule{next(names)}"
            yield SasVariable(name, NOT_DERIVED, [f"{name} {value}" for value in range(size)])


def _masks(facts: Mapping[int, int]) -> Case:
    return {variable: 1 << value for variable, value in facts.items()}


def _masks_of(copy: _Copy) -> Iterator[Case]:
    yield copy.needs
    for case, _, _ in copy.steps:
        yield case


def _beside(needs: Case, case: Case) -> Case | None:
    """The needs of the case beside the given ones; None if they contradict."""
    rest: Case = {}
    for variable, mask in case.items():
        known = needs.get(variable)
        if known is None or known & ~mask:
            rest[variable] = mask
        if known is not None and not known & mask:
            return None
    return rest
