"""The grounded planning task that everything else works on.

States are rows of uint16 arrays and operators are numbers; the batch is the normal case, and one
state is a batch of one. Names become Python strings only when they are asked for: large tasks have
more than 100 000 operators.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.arguments import require_kind, require_path, require_text, texts
from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.tasks.grounded import atoms
from bugsieve.tasks.grounded.arrays import ActionArray as ActionArray
from bugsieve.tasks.grounded.arrays import StateArray as StateArray
from bugsieve.tasks.grounded.arrays import StateShape, ask_core, operator_column
from bugsieve.tasks.grounded.facts import FactTable
from bugsieve.tasks.grounded.heuristic import Heuristic
from bugsieve.tasks.grounded.heuristic_names import check_heuristic

if TYPE_CHECKING:
    from bugsieve.tasks.pddl.summary import PddlSummary, PddlTexts

NO_ACTION = -1


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
        pddl_texts: PddlTexts | None = None,
        unit_cost: bool = False,
    ) -> None:
        self.native = native
        self.name = name
        self.objects: Mapping[str, str] = MappingProxyType(dict(objects or {}))
        self.pddl_texts = pddl_texts
        """Domain and problem as they were read; None for tasks from SAS."""
        self.unit_cost = unit_cost
        """True if costs that the files have were left out: every operator costs 1."""
        self._initial_atoms = initial_atoms
        self._heuristics: dict[str, Heuristic] = {}

    def __repr__(self) -> str:
        return (
            f"<Task {self.name!r}: {self.num_variables} variables, {self.num_operators} operators>"
        )

    @property
    def title(self) -> str:
        """The name, and that costs do not count where that is so."""
        return titled(self.name, unit_cost=self.unit_cost)

    @cached_property
    def pddl(self) -> PddlSummary | None:
        """What the PDDL declares: types, predicates, action schemas; None for tasks from SAS."""
        from bugsieve.tasks.pddl.summary import summarise

        return None if self.pddl_texts is None else summarise(self.pddl_texts)

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
        """All operators called `name`, ascending; UsageError if there is none.

        There are several when the action's condition is a disjunction: one for each case.
        """
        found = self._operators_by_name.get(_plan_form(require_text(name, "name")))
        if found is None:
            raise UsageError(f"there is no operator {name!r}: the task's operator_names list all")
        return found

    def operator_id(self, name: str) -> int:
        """The first operator called `name` ("(pick-up a)" or "pick-up a", in any case)."""
        return self.operator_ids(name)[0]

    @cached_property
    def _facts(self) -> FactTable:
        atoms_of_values = [variable.facts for variable in self.variables]
        return FactTable(atoms_of_values, self._initial_atoms, mutex_groups=self.mutex_groups)

    @property
    def static_facts(self) -> frozenset[str]:
        """Initial atoms that never change and are thus no facts of any variable."""
        return self._facts.static

    def facts(self, state: ArrayLike) -> frozenset[str]:
        """All PDDL atoms that are true in the state; iterates in the task's order."""
        return self._facts.of_state(self.checked_state(state))

    def state(self, facts: Iterable[str]) -> StateArray:
        """The state in which exactly these atoms are true; static atoms may be left out.

        InputError if there is no such state, or if two of its facts exclude each other: no state
        reachable from the initial one has both. Arrays of values are not checked for that.
        """
        values = self._facts.to_values(texts(facts, "facts"), self.objects)
        return np.array(values, dtype=np.uint16)

    def places(self, atom: str) -> tuple[tuple[int, int], ...]:
        """The (variable, value) pairs that mean a PDDL atom; none if it is static and true.

        InputError with the nearest name for an atom that is never true.
        """
        return self._facts.places(atoms.normalised(require_text(atom, "atom")), self.objects)

    def truth(self, atom: str) -> bool | None:
        """What a PDDL atom is in every state; None where states differ."""
        return self._facts.truth(atoms.normalised(require_text(atom, "atom")))

    def applicable(self, states: ArrayLike) -> Applicable:
        """The applicable operators of each state."""
        return Applicable(*ask_core(self.native.applicable, self.checked_states(states)))

    def is_applicable(self, states: ArrayLike, operators: ArrayLike) -> NDArray[np.bool_]:
        """Whether each state's operator is applicable; unknown ids and NO_ACTION are not."""
        batch = self.checked_states(states)
        return ask_core(self.native.is_applicable, batch, operator_column(operators, len(batch)))

    def successors(self, states: ArrayLike, operators: ArrayLike) -> StateArray:
        """The successor of each state under its operator, always as a batch."""
        batch = self.checked_states(states)
        return ask_core(self.native.successors, batch, operator_column(operators, len(batch)))

    def all_successors(
        self, states: ArrayLike
    ) -> tuple[StateArray, ActionArray, NDArray[np.int64]]:
        """Every successor of every state, the operators that lead there, and n + 1 offsets."""
        return ask_core(self.native.all_successors, self.checked_states(states))

    def is_goal(self, states: ArrayLike) -> NDArray[np.bool_]:
        """Whether each state satisfies the goal."""
        return ask_core(self.native.is_goal, self.checked_states(states))

    def hashes(self, states: ArrayLike) -> NDArray[np.uint64]:
        """Content hashes of the states, the same on every machine."""
        return ask_core(self.native.hashes, self.checked_states(states))

    def heuristic(self, name: str) -> Heuristic:
        """The heuristic of that name for this task; made once."""
        if require_text(name, "name") not in self._heuristics:
            check_heuristic(name)
            self._heuristics[name] = Heuristic(self.native, name, self._shape)
        return self._heuristics[name]

    def to_sas(self, state: ArrayLike | None = None) -> str:
        """The task in the translator's format, with `state` as its initial state."""
        return self._sas(state).decode("utf-8")

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of `to_sas()`, by which certificates name the task."""
        return hashlib.sha256(self._sas(None)).hexdigest()

    def write_sas(self, path: str | os.PathLike[str], state: ArrayLike | None = None) -> None:
        """Write `to_sas(state)` to a file; InputError if it cannot be written."""
        data = self._sas(state)
        target = Path(require_path(path, "path"))
        if target.is_dir():
            raise InputError(f"cannot write the task to {target}: it is a folder, name a file")
        try:
            write_atomically(target, data)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"cannot write the task to {target}: {reason}") from None

    def _sas(self, state: ArrayLike | None) -> bytes:
        return self.native.to_sas(
            self.initial_state if state is None else self.checked_state(state)
        )

    def checked_state(self, state: ArrayLike) -> StateArray:
        """One state as a row of uint16 whose values are in range, or a UsageError."""
        return self._shape.one(state)

    def checked_states(self, states: ArrayLike) -> StateArray:
        """The states as whole rows of uint16; the native core checks the values of such arrays."""
        return self._shape.batch(states)

    @cached_property
    def _shape(self) -> StateShape:
        return StateShape(self.domain_sizes)


def titled(name: str, *, unit_cost: bool) -> str:
    """The title that users read of a task whose costs may have been left out."""
    return f"{name} with unit costs" if unit_cost else name


def require_task(task: object) -> Task:
    """The task; UsageError for anything else, which is often a file name or a model."""
    wanted = "a Task, as bugsieve.load_task makes it"
    return require_kind(task, Task, "task", wanted)


def _plan_form(name: str) -> str:
    return "(" + " ".join(name.lower().strip().removeprefix("(").removesuffix(")").split()) + ")"


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
