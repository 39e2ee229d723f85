"""The product of a task and the automaton of a formula, as a task of its own.

One more variable, q, is the state of the automaton. Operators that change an atom are copied for
each step that the automaton may take with them, the guard of the step regressed through the
operator (notes on flight rules, "Deciding"); `accept` says that the trace may end here. Where the
automaton is closed under stuttering, operators that change no atom stay as they are, and the task
is first cut to what the atoms depend on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.engine.conditions import (
    Condition,
    dids_of,
    letter,
    renumbered,
    simplified,
    variables_of,
)
from bugsieve.rooms.rules.engine.parts import PlainTask, TaskPart, plain_task_of
from bugsieve.rooms.rules.engine.regression import AtomCases, Look, Step, Way, look_of
from bugsieve.rooms.rules.engine.relaxations import reached_facts
from bugsieve.rooms.rules.ltl.automaton import Automaton
from bugsieve.tasks.grounded.cases import Case, Cases, TooManyCasesError, is_single
from bugsieve.tasks.grounded.loading import native_task
from bugsieve.tasks.grounded.sas_text import (
    NOT_DERIVED,
    Fact,
    SasOperator,
    SasTask,
    SasVariable,
    write_sas,
)
from bugsieve.tasks.grounded.task import StateArray, Task

MAX_CASES = 2_000
MAX_OPERATORS = 1_000_000

ACCEPT = -1
"""Stands for the operators that only say that the trace may end."""

_NO, _YES = 0, 1


class ProductTooLargeError(UnsupportedError):
    """The product would be larger than the limits allow."""


@dataclass(frozen=True, eq=False)
class Product:
    """A task whose plans are the traces of another that an automaton accepts."""

    original: Task
    sas: SasTask
    variables: tuple[int, ...]
    """The variables of the original that the first ones of the product are."""
    members: tuple[tuple[int, int], ...]
    """Variables that say whether one of the first ones has a value of a mask."""
    states: tuple[int, ...]
    """The state of the automaton that each value of q is; -1 for a value that is never taken."""
    sources: tuple[int, ...]
    """The operator of the original that each operator is a copy of; ACCEPT for none."""
    targets: tuple[int | None, ...]
    """The state of the automaton that each operator leads into; None where it stays."""
    finals: frozenset[int]
    """States of the automaton in which a trace may end, in every state of the task."""
    is_dead: bool
    """True if the first state alone rules out that the automaton ever accepts."""

    @property
    def q(self) -> int:
        """The variable that is the state of the automaton."""
        return len(self.variables) + len(self.members)

    @property
    def done(self) -> int:
        """The variable that says that the trace has ended."""
        return self.q + 1

    @property
    def start(self) -> int:
        """The state of the automaton that has read the first state."""
        return self.states[self.sas.initial[self.q]]

    @cached_property
    def task(self) -> Task:
        """The product as a task to search in."""
        name = f"{self.original.name} with a rule"
        return Task(native_task(write_sas(self.sas), name), name=name)

    @cached_property
    def reached(self) -> frozenset[Fact]:
        """The facts that the relaxation reaches (h^max)."""
        return frozenset(reached_facts(self.sas))

    @property
    def initial_state(self) -> StateArray:
        """The state to search from."""
        return np.array(self.sas.initial, dtype=np.uint16)

    def to_sas(self) -> str:
        """The product in the translator's format."""
        return write_sas(self.sas).decode("utf-8")

    def trace(self, plan: Sequence[int]) -> tuple[int, ...]:
        """The operators of the original that a plan of the product stands for.

        The trace ends as soon as it may: copies out of final states are not all made.
        """
        found: list[int] = []
        state = self.start
        for operator in plan:
            if state in self.finals or self.sources[operator] == ACCEPT:
                break
            found.append(self.sources[operator])
            target = self.targets[operator]
            state = state if target is None else target
        return tuple(found)


def compile_product(
    task: Task,
    automaton: Automaton,
    atoms: Mapping[str, Condition],
    *,
    with_goal: bool = False,
    state: Sequence[int] | None = None,
    is_cut: bool = True,
) -> Product:
    """The product of the task, from a state of it on, with an automaton over the atoms.

    Its plans are the traces that the automaton accepts; with_goal, those that end in the goal.
    Unless `is_cut`, all variables of the task are kept, whether they matter or not.
    ProductTooLargeError where it would not be of a manageable size.
    """
    plain = plain_task_of(task)
    values = plain.sas.initial if state is None else list(state)
    used = {name: atoms[name] for name in automaton.atoms}
    try:
        return _Builder(task, plain, automaton, used, values, with_goal, is_cut).product()
    except TooManyCasesError:
        raise ProductTooLargeError(
            f"{task.name}: the atoms of the formula are true in more than {MAX_CASES} ways, "
            "which is too many to search; state them with fewer alternatives"
        ) from None


def static_values(plain: PlainTask, values: Sequence[int]) -> dict[int, int]:
    """The variables that no operator changes, and what they are."""
    return {v: values[v] for v, changing in enumerate(plain.changing) if not changing}


class _Builder:
    """Makes one product."""

    def __init__(
        self,
        task: Task,
        plain: PlainTask,
        automaton: Automaton,
        atoms: Mapping[str, Condition],
        values: Sequence[int],
        with_goal: bool,
        is_cut: bool,
    ) -> None:
        self._task = task
        self._automaton = automaton
        self._with_goal = with_goal
        self._start = automaton.step(automaton.initial, letter(atoms, values))
        known = static_values(plain, values)
        simple = {name: simplified(condition, known) for name, condition in atoms.items()}
        dids = sorted({did for condition in simple.values() for did in dids_of(condition)})
        # Without X, a letter that is read again changes nothing; did-atoms are no property of the
        # state, so that each operator may change them.
        self._is_closed = automaton.is_stutter_closed and not dids
        is_cut = is_cut and self._is_closed
        self._part = self._cone(plain, simple) if is_cut else plain.whole
        self._initial = [values[variable] for variable in self._part.variables]
        places = {did: len(self._part.variables) + i for i, did in enumerate(dids)}
        conditions = {n: renumbered(c, self._part.place, places) for n, c in simple.items()}
        cases = Cases([*self._part.sizes, *(2 for _ in dids)], (), MAX_CASES)
        self._atoms = AtomCases(conditions, cases)
        self._relevant = frozenset().union(*map(variables_of, conditions.values()))
        self._dids = [(places[did], frozenset(did)) for did in dids]
        self._members: dict[tuple[int, int], int] = {}
        self._count = 0

    def _cone(self, plain: PlainTask, conditions: Mapping[str, Condition]) -> TaskPart:
        variables = set().union(*map(variables_of, conditions.values()))
        goal = (variable for variable, _ in plain.sas.goal)
        return plain.cone(variables.union(goal) if self._with_goal else variables)

    def product(self) -> Product:
        """Copies first, since they say which members and states of the automaton there are."""
        steps = self._steps()
        ways = self._reachable_ways(steps)
        live = sorted({self._start, *(w.target for found in ways.values() for w in found)})
        copies = [self._copies(step, ways, live) for step in steps]
        states = [*live, *(-1 for _ in range(len(live), 2))]
        return self._assembled(steps, copies, states)

    def _steps(self) -> dict[Look, tuple[Step, list[int]]]:
        """The operators to be copied, by what atoms see of them."""
        steps: dict[Look, tuple[Step, list[int]]] = {}
        for number in self._synchronised():
            look = look_of(self._part.operators[number], self._relevant, self._did_facts(number))
            if look not in steps:
                check_stop()
                steps[look] = Step(look, self._atoms, settled=self._is_closed), []
            steps[look][1].append(number)
        if not self._is_closed:
            return steps
        return {look: item for look, item in steps.items() if not item[0].changes_nothing}

    def _synchronised(self) -> Sequence[int]:
        if not self._is_closed:
            return range(len(self._part.operators))
        return sorted({number for v in self._relevant for number in self._part.changing[v]})

    def _did_facts(self, number: int) -> tuple[Fact, ...]:
        if not self._dids:
            return ()
        source = self._part.sources[number]
        return tuple((place, _YES if source in did else _NO) for place, did in self._dids)

    def _reachable_ways(
        self, steps: Mapping[Look, tuple[Step, list[int]]]
    ) -> dict[tuple[Look, int], list[Way]]:
        """The ways of each step from each state that some of them lead to."""
        found: dict[tuple[Look, int], list[Way]] = {}
        rejecting = self._automaton.rejecting_sinks
        pending = [] if self._start in rejecting else [self._start]
        met = set(pending)
        while pending:
            state = pending.pop()
            if state in self._finals:
                continue
            for look, (step, numbers) in steps.items():
                check_stop()
                ways = [w for w in step.ways(self._automaton, state) if w.target not in rejecting]
                found[look, state] = ways
                self._note(sum(len(way.cases) for way in ways) * len(numbers))
                fresh = {way.target for way in ways} - met
                met |= fresh
                pending += sorted(fresh)
        return found

    @cached_property
    def _finals(self) -> frozenset[int]:
        """States in which a trace may end at once, with nothing to know of later states."""
        return frozenset() if self._with_goal else self._automaton.accepting

    def _note(self, copies: int) -> None:
        self._count += copies
        if self._count > MAX_OPERATORS:
            raise ProductTooLargeError(
                f"{self._task.name}: with an automaton of {len(self._automaton.edges)} states it "
                f"would have more than {MAX_OPERATORS} operators, which is too many to search"
            )

    def _copies(
        self, look: Look, ways: Mapping[tuple[Look, int], list[Way]], live: Sequence[int]
    ) -> list[tuple[int | None, int | None, Case]]:
        """The states before and after, and the case; None for any state, and for no change."""
        states = [state for state in live if (look, state) in ways]
        free = [_free_target(ways[look, state]) for state in states]
        if free == states:
            return [(None, None, {})]
        if len(set(free)) == 1 and free[0] is not None:
            return [(None, free[0], {})]
        return [
            (state, way.target, case)
            for state in states
            for way in ways[look, state]
            for case in way.cases
        ]

    def _assembled(
        self,
        steps: Mapping[Look, tuple[Step, list[int]]],
        copies: Sequence[Sequence[tuple[int | None, int | None, Case]]],
        states: Sequence[int],
    ) -> Product:
        by_operator = {
            number: found
            for (_, numbers), found in zip(steps.values(), copies, strict=True)
            for number in numbers
        }
        for found in copies:
            for _, _, case in found:
                self._add_members(case)
        q = len(self._part.variables) + len(self._members)
        value_of = {state: value for value, state in enumerate(states)}
        operators: list[SasOperator] = []
        sources: list[int] = []
        targets: list[int | None] = []
        plain: list[tuple[int | None, int | None, Case]] = [(None, None, {})]
        for number, operator in enumerate(self._part.operators):
            effects = [*self._effects(operator)]
            for state, target, case in by_operator.get(number, plain):
                needs = {**operator.precondition, **dict(map(self._fact, case.items()))}
                if state is not None:
                    needs[q] = value_of[state]
                step: list[tuple[dict[int, int], int, int]] = []
                if target is not None and target != state:
                    step.append(({}, q, value_of[target]))
                operators.append(
                    SasOperator(operator.name, needs, [*effects, *step], operator.cost)
                )
                sources.append(self._part.sources[number])
                targets.append(target)
        for accept in self._accepts(q, states):
            operators.append(accept)
            sources.append(ACCEPT)
            targets.append(None)
        inside = [_YES if mask >> self._initial[v] & 1 else _NO for v, mask in self._members]
        sas = SasTask(
            metric=1,  # accepting costs nothing even where all operators cost 1
            variables=[*self._part.described, *self._extra_variables(states)],
            mutexes=[],
            initial=[*self._initial, *inside, value_of[self._start], _NO],
            goal=[(q + 1, _YES)],
            operators=operators,
        )
        return Product(
            original=self._task,
            sas=sas,
            variables=self._part.variables,
            members=tuple(self._members),
            states=tuple(states),
            sources=tuple(sources),
            targets=tuple(targets),
            finals=self._finals,
            is_dead=self._start in self._automaton.rejecting_sinks,
        )

    def _add_members(self, case: Case) -> None:
        for item in case.items():
            if not is_single(item[1]) and item not in self._members:
                self._members[item] = len(self._part.variables) + len(self._members)

    @cached_property
    def _following(self) -> dict[int, list[tuple[int, int]]]:
        following: dict[int, list[tuple[int, int]]] = {}
        for (variable, mask), place in self._members.items():
            following.setdefault(variable, []).append((mask, place))
        return following

    def _fact(self, item: tuple[int, int]) -> Fact:
        variable, mask = item
        if is_single(mask):
            return variable, mask.bit_length() - 1
        return self._members[item], _YES

    def _effects(self, operator: SasOperator) -> Iterator[tuple[dict[int, int], int, int]]:
        if not self._following:
            yield from operator.effects
            return
        for conditions, variable, value in operator.effects:
            yield conditions, variable, value
            # Under the same condition, so that both change together.
            for mask, place in self._following.get(variable, ()):
                yield conditions, place, _YES if mask >> value & 1 else _NO

    def _accepts(self, q: int, states: Sequence[int]) -> Iterator[SasOperator]:
        goal = dict(self._part.goal or ()) if self._with_goal else {}
        for value, state in enumerate(states):
            if state in self._automaton.accepting:
                yield SasOperator(f"accept {state}", {**goal, q: value}, [({}, q + 1, _YES)], 0)

    def _extra_variables(self, states: Sequence[int]) -> Iterator[SasVariable]:
        for variable, mask in self._members:
            name = f"member-{variable}-{mask:x}"
            yield SasVariable(name, NOT_DERIVED, [f"no {name}", f"yes {name}"])
        yield SasVariable("q", NOT_DERIVED, [f"Atom q({value})" for value in range(len(states))])
        yield SasVariable("done", NOT_DERIVED, ["NegatedAtom done()", "Atom done()"])


def _free_target(ways: Sequence[Way]) -> int | None:
    """The target of the ways if it is the same in all states; else None."""
    if len(ways) == 1 and ways[0].cases == [{}]:
        return ways[0].target
    return None
