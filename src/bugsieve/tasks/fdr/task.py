"""The grounded planning task that everything else works on.

States are rows of uint16 arrays and operators are numbers; the batch is the normal case, and one
state is a batch of one. Names become Python strings only when somebody asks for them: large tasks
have more than 100 000 operators.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.basis.errors import UsageError
from bugsieve.basis.files import write_atomically
from bugsieve.basis.names import suggest
from bugsieve.tasks.fdr import atoms
from bugsieve.tasks.fdr.facts import FactTable

StateArray: TypeAlias = NDArray[np.uint16]
ActionArray: TypeAlias = NDArray[np.int32]

NO_ACTION = -1

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Variable(NamedTuple):
    """A variable and the PDDL atom of each value, None where a value stands for no atom."""

    name: str
    facts: tuple[str | None, ...]


class Applicable(NamedTuple):
    """Those of state i are `operators[offsets[i]:offsets[i + 1]]`, ascending."""

    operators: ActionArray
    offsets: NDArray[np.int64]


class Task:
    """An immutable grounded task. Methods that take states accept one state or a batch."""

    def __init__(
        self,
        native: _native.Task,
        *,
        name: str,
        objects: Mapping[str, str] | None = None,
        initial_atoms: frozenset[str] = frozenset(),
    ) -> None:
        self.native = native
        self.name = name
        self.objects: Mapping[str, str] = MappingProxyType(dict(objects or {}))
        self._initial_atoms = initial_atoms
        self._heuristics: dict[str, _native.Heuristic] = {}

    def __repr__(self) -> str:
        return (
            f"<Task {self.name!r}: {self.num_variables} variables, {self.num_operators} operators>"
        )

    @property
    def num_variables(self) -> int:
        """Length of a state."""
        return self.native.num_variables

    @property
    def num_operators(self) -> int:
        """Operators are numbered from 0."""
        return self.native.num_operators

    @property
    def uses_costs(self) -> bool:
        """Whether operators have costs of their own; otherwise each costs 1."""
        return self.native.uses_costs

    @cached_property
    def domain_sizes(self) -> NDArray[np.int64]:
        """How many values each variable has."""
        return _frozen(np.asarray(self.native.domain_sizes, dtype=np.int64))

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """All variables with the PDDL atoms of their values."""
        return tuple(
            Variable(name, tuple(map(atoms.from_sas_name, self.native.fact_names(index))))
            for index, name in enumerate(self.native.variable_names)
        )

    @cached_property
    def initial_state(self) -> StateArray:
        """The initial state, shape (variables,)."""
        return _frozen(np.array(self.native.initial_state, dtype=np.uint16))

    @cached_property
    def goal(self) -> tuple[tuple[int, int], ...]:
        """(variable, value) pairs, all of which must hold."""
        return tuple(self.native.goal)

    @cached_property
    def goal_facts(self) -> tuple[str, ...]:
        """The goal in PDDL: an atom, or the negation of what excludes the value."""
        return tuple(self._facts.literal(variable, value) for variable, value in self.goal)

    @cached_property
    def mutex_groups(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Groups of facts of which no reachable state has two."""
        return tuple(tuple(group) for group in self.native.mutex_groups)

    @cached_property
    def operator_names(self) -> tuple[str, ...]:
        """ "(pick-up a)" for each operator; operators with a compound condition share names."""
        return tuple(_plan_form(name) for name in self.native.operator_names)

    @cached_property
    def operator_costs(self) -> NDArray[np.int32]:
        """The cost of each operator."""
        return _frozen(np.array(self.native.operator_costs, dtype=np.int32))

    @cached_property
    def _operators_by_name(self) -> dict[str, tuple[int, ...]]:
        table: dict[str, tuple[int, ...]] = {}
        for index, name in enumerate(self.operator_names):
            table[name] = (*table.get(name, ()), index)
        return table

    def operator_ids(self, name: str) -> tuple[int, ...]:
        """All operators called `name`, ascending; KeyError if there is none.

        There are several when the action's condition is a disjunction: one for each case.
        """
        return self._operators_by_name[_plan_form(name)]

    def operator_id(self, name: str) -> int:
        """The first operator called `name` ("(pick-up a)" or "pick-up a", in any case)."""
        return self.operator_ids(name)[0]

    @cached_property
    def _facts(self) -> FactTable:
        return FactTable([variable.facts for variable in self.variables], self._initial_atoms)

    @property
    def static_facts(self) -> frozenset[str]:
        """Initial atoms that never change and are thus no facts of any variable."""
        return self._facts.static

    def facts(self, state: ArrayLike) -> frozenset[str]:
        """All PDDL atoms that are true in the state."""
        return self._facts.of_state(self.checked_state(state))

    def state(self, facts: Iterable[str]) -> StateArray:
        """The state in which exactly these atoms are true; static atoms may be left out."""
        values = self._facts.to_values(facts, self.objects)
        return np.array(values, dtype=np.uint16)

    def applicable(self, states: ArrayLike) -> Applicable:
        """The applicable operators of each state."""
        return Applicable(*_checked(self.native.applicable, self.checked_states(states)))

    def is_applicable(self, states: ArrayLike, operators: ArrayLike) -> NDArray[np.bool_]:
        """Whether each state's operator is applicable; unknown ids and NO_ACTION are not."""
        batch = self.checked_states(states)
        return _checked(self.native.is_applicable, batch, _operator_column(operators, len(batch)))

    def successors(self, states: ArrayLike, operators: ArrayLike) -> StateArray:
        """The successor of each state under its operator, always as a batch."""
        batch = self.checked_states(states)
        return _checked(self.native.successors, batch, _operator_column(operators, len(batch)))

    def all_successors(
        self, states: ArrayLike
    ) -> tuple[StateArray, ActionArray, NDArray[np.int64]]:
        """Every successor of every state, the operators that lead there, and n + 1 offsets."""
        return _checked(self.native.all_successors, self.checked_states(states))

    def is_goal(self, states: ArrayLike) -> NDArray[np.bool_]:
        """Whether each state satisfies the goal."""
        return _checked(self.native.is_goal, self.checked_states(states))

    def hashes(self, states: ArrayLike) -> NDArray[np.uint64]:
        """Content hashes of the states, the same on every machine."""
        return _checked(self.native.hashes, self.checked_states(states))

    def heuristic(self, name: str) -> _native.Heuristic:
        """The heuristic of that name for this task; made once."""
        if name not in self._heuristics:
            if name not in _native.HEURISTICS:
                known = ", ".join(_native.HEURISTICS)
                hint = suggest(name, _native.HEURISTICS)
                raise UsageError(f"there is no heuristic {name!r}{hint}, choose from {known}")
            self._heuristics[name] = _native.Heuristic(self.native, name)
        return self._heuristics[name]

    def to_sas(self, state: ArrayLike | None = None) -> str:
        """The task in the translator's format, with `state` as its initial state."""
        return self._sas(state).decode("utf-8")

    def write_sas(self, path: str | os.PathLike[str], state: ArrayLike | None = None) -> None:
        """Write `to_sas(state)` to a file."""
        write_atomically(Path(path), self._sas(state))

    def _sas(self, state: ArrayLike | None) -> bytes:
        return self.native.to_sas(
            self.initial_state if state is None else self.checked_state(state)
        )

    def checked_state(self, state: ArrayLike) -> StateArray:
        """One state as a row of uint16 whose values are in range, or a UsageError."""
        batch = self.checked_states(state)
        if len(batch) != 1:
            raise UsageError(f"one state was expected, not a batch of {len(batch)}")
        self._check_range(batch)
        row: StateArray = batch[0]
        return row

    def checked_states(self, states: ArrayLike) -> StateArray:
        """The states as whole rows of uint16; the native core checks the values of such arrays."""
        array = np.asarray(states)
        if array.ndim == 1:
            array = array[np.newaxis, :]
        if array.ndim != 2 or array.shape[1] != self.num_variables:
            raise UsageError(
                f"states of this task have {self.num_variables} values, "
                f"but the array has shape {np.shape(states)}"
            )
        if array.dtype != np.uint16:
            if array.dtype.kind not in "iu" and array.size:
                raise UsageError(f"states are whole numbers, but the array has type {array.dtype}")
            self._check_range(array)
        return np.ascontiguousarray(array, dtype=np.uint16)

    def _check_range(self, array: NDArray[Any]) -> None:
        wrong = (array < 0) | (array >= self.domain_sizes)
        if wrong.any():
            row, variable = np.argwhere(wrong)[0]
            raise UsageError(
                f"state {row} gives variable {variable} the value {array[row, variable]}, "
                f"but it has only {self.domain_sizes[variable]} values"
            )


def _checked(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Call the native core; what it says about wrong values is the caller's mistake."""
    try:
        return function(*args, **kwargs)
    except (ValueError, IndexError) as error:
        raise UsageError(str(error)) from None


def _operator_column(operators: ArrayLike, rows: int) -> ActionArray:
    """One operator per state; a single number counts for a single state."""
    column = np.atleast_1d(np.asarray(operators))
    if column.shape != (rows,) or column.dtype.kind not in "iu":
        raise UsageError(
            f"{rows} states need {rows} operator numbers, not an array of type {column.dtype} "
            f"and shape {column.shape}"
        )
    limits = np.iinfo(np.int32)
    if column.size and (column.max() > limits.max or column.min() < limits.min):
        raise UsageError("an operator number is too large for 32 bits")
    return np.ascontiguousarray(column, dtype=np.int32)


def _plan_form(name: str) -> str:
    return "(" + " ".join(name.lower().strip().removeprefix("(").removesuffix(")").split()) + ")"


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
