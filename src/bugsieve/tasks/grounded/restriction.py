"""The task in which a condition may never hold: its plans are the original's that avoid it.

Every operator is split by the ways in which the condition can be false, each of which becomes a
precondition; the goal is reached by an operator of its own, since the last state must avoid the
condition too. "One of these values" is one fact of an extra variable that operators keep up to
date. So the number of operators grows with the ways alone, not with the sizes of variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import numpy as np

from bugsieve.base.errors import UnsupportedError
from bugsieve.tasks.grounded.cases import Case, Cases, TooManyCasesError, is_single
from bugsieve.tasks.grounded.conditions import Atom, Condition
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
from bugsieve.tasks.pddl.conditions import Junction, run_program

MAX_CASES = 2_000
MAX_OPERATORS = 1_000_000

_FEW = 32  # only so many ways are compared with each other for each operator
_YES, _NO = 1, 0
_FINISH = -1  # stands for the operators that only say that the goal is reached


class Restriction:
    """A task without the states in which a condition holds, and the way back to the original."""

    def __init__(self, original: Task, condition: Condition) -> None:
        self.original = original
        self.condition = condition
        builder = _Builder(original, condition)
        self.task = Task(
            native_task(write_sas(builder.sas_task()), original.name),
            name=f"{original.name} without {condition.text}",
        )
        self._members = builder.members
        self._sources = np.array(builder.sources, dtype=np.int64)

    def state(self, state: StateArray) -> StateArray | None:
        """The state of the restricted task; None if the condition holds in it already."""
        row = self.original.checked_state(state)
        if self.condition.holds(row)[0]:
            return None
        return np.array(_extended(row.tolist(), self._members), dtype=np.uint16)

    def plan(self, found: Sequence[int]) -> tuple[int, ...]:
        """A plan of the restricted task as operators of the original."""
        sources = self._sources[list(found)].tolist()
        return tuple(source for source in sources if source != _FINISH)


def ways_to_fail(condition: Condition) -> list[Case]:
    """Cases, one of which holds exactly in the states in which the condition does not."""
    sizes = condition.task.domain_sizes.tolist()
    cases = Cases(sizes, (), MAX_CASES)  # no mutexes: tested states need not be reachable
    # `run_program` calls back once per step, in the order of the program, so the polarities can be
    # taken one by one.
    polarities = iter(_negated(condition))

    def atom(step: Atom) -> list[Case]:
        wanted = [{variable: 1 << value} for variable, value in step.facts]
        if next(polarities):
            excluded = [[_all_but(cases, variable, value)] for variable, value in step.facts]
            return reduce(cases.product, excluded)
        return cases.union(wanted)

    def junction(step: Junction, parts: Sequence[list[Case]]) -> list[Case]:
        negated = next(polarities)
        if step.word == "not":
            return parts[0]  # its operand was negated instead
        # De Morgan: under a negation the conjunction fails where one part does. Small parts are
        # multiplied first.
        if (step.word == "and") == negated:
            return cases.union(case for part in parts for case in part)
        return reduce(cases.product, sorted(parts, key=len))

    try:
        return run_program(condition.program, atom, junction)
    except TooManyCasesError:
        raise UnsupportedError(
            f"avoid:{condition.text}: the condition can be false in more than {MAX_CASES} ways, "
            "which is too many to search; state it with fewer alternatives"
        ) from None


def _all_but(cases: Cases, variable: int, value: int) -> Case:
    return {variable: cases.full[variable] & ~(1 << value)}


def _negated(condition: Condition) -> list[bool]:
    """True for each step under an odd number of negations, the outermost included.

    Read backwards, a postfix program names each junction before what it joins.
    """
    pending = [True]
    found = []
    for step in reversed(condition.program):
        negated = pending.pop()
        found.append(negated)
        # All operands of a junction share its polarity, so their order on the stack does not
        # matter.
        if isinstance(step, Junction):
            pending += [negated != (step.word == "not")] * step.count
    return found[::-1]


class _Builder:
    """Writes the restricted task; `sources` has the original of each of its operators."""

    def __init__(self, task: Task, condition: Condition) -> None:
        self.original = task
        self.condition = condition
        self.source = from_core(task.native)
        self.ways = ways_to_fail(condition)
        self.members = sorted(
            {item for way in self.ways for item in way.items() if not is_single(item[1])}
        )
        self.done = task.num_variables + len(self.members)
        self.sources: list[int] = []
        self._place = {item: task.num_variables + i for i, item in enumerate(self.members)}
        self._following: dict[int, list[tuple[int, int]]] = {}
        for (variable, mask), place in self._place.items():
            self._following.setdefault(variable, []).append((mask, place))

    def sas_task(self) -> SasTask:
        return SasTask(
            metric=1,  # the last operator costs nothing even where all others cost 1
            variables=[*self.source.variables, *self._extra_variables()],
            mutexes=[],
            initial=_extended(self.source.initial, self.members),
            goal=[(self.done, _YES)],
            operators=[*self._operators(), *self._finishes()],
        )

    def _extra_variables(self) -> Iterator[SasVariable]:
        for index in range(len(self.members) + 1):
            yield SasVariable(f"extra{index}", NOT_DERIVED, [f"no {index}", f"yes {index}"])

    def _operators(self) -> Iterator[SasOperator]:
        for index, operator in enumerate(self.source.operators):
            effects = [*self._effects(operator.effects)]
            # The condition is tested where a state is left, not where it is entered: preconditions
            # see the whole state, while an effect would have to foresee it.
            for way in self._open_ways(operator.precondition):
                self._note(index)
                precondition = {**operator.precondition, **way}
                yield SasOperator(operator.name, precondition, effects, operator.cost)

    def _finishes(self) -> Iterator[SasOperator]:
        goal = dict(self.source.goal)
        for way in self._open_ways(goal):
            self._note(_FINISH)
            yield SasOperator("finish", {**goal, **way}, [({}, self.done, _YES)], 0)

    def _note(self, source: int) -> None:
        self.sources.append(source)
        if len(self.sources) > MAX_OPERATORS:
            raise UnsupportedError(
                f"avoid:{self.condition.text}: {self.original.name} without it would have more "
                f"than {MAX_OPERATORS} operators; state the condition with fewer alternatives"
            )

    def _open_ways(self, precondition: dict[int, int]) -> list[dict[int, int]]:
        """Facts that the ways need beside the precondition, without ways that contradict it."""
        found: dict[frozenset[Fact], dict[int, int]] = {}
        for way in self.ways:
            if any(
                not mask >> precondition[v] & 1 for v, mask in way.items() if v in precondition
            ):
                continue
            rest = {v: mask for v, mask in way.items() if v not in precondition}
            # The precondition alone makes the condition false: no copy needs more.
            if not rest:
                return [{}]
            facts = dict(map(self._fact, rest.items()))
            found[frozenset(facts.items())] = facts
        # A way that asks for more than another is superfluous: the other copy is applicable
        # wherever its own is. To find these, all are compared with all; unfound, they do no harm.
        if len(found) > _FEW:
            return list(found.values())
        return [facts for key, facts in found.items() if not any(other < key for other in found)]

    def _fact(self, item: tuple[int, int]) -> Fact:
        variable, mask = item
        return (variable, mask.bit_length() - 1) if is_single(mask) else (self._place[item], _YES)

    def _effects(
        self, effects: Iterable[tuple[dict[int, int], int, int]]
    ) -> Iterator[tuple[dict[int, int], int, int]]:
        for conditions, variable, value in effects:
            yield conditions, variable, value
            # Whenever the variable changes, so may its membership in the sets of values that ways
            # ask for; under the same condition, so that both change together.
            for mask, place in self._following.get(variable, ()):
                yield conditions, place, _YES if mask >> value & 1 else _NO


def _extended(state: list[int], members: Iterable[tuple[int, int]]) -> list[int]:
    """The values of the extra variables behind those of the state."""
    inside = [_YES if mask >> state[variable] & 1 else _NO for variable, mask in members]
    return [*state, *inside, _NO]
