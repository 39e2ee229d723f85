"""Reads a JANI document and answers what the safety checker asks about states.

Standard library only, and no code shared with the engine (which reads the same documents in
`tasks.jani` and compiles them in the core): a mistake there cannot hide behind this one. States
are tuples of plain values: the variables of the model, then, automaton by automaton in the order
of the system, their local variables and, where there are several, the number of the location.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bugsieve.rooms.safety.checker.jani_document import ModelReader
from bugsieve.rooms.safety.checker.jani_program import Program, State
from bugsieve.rooms.safety.checker.jani_terms import ModelFaultError, RefusedModelError

__all__ = ["JaniInterpreter", "ModelFaultError", "RefusedModelError", "State"]

_MOST_REMEMBERED = 50_000  # of states, some kilobytes each


class JaniInterpreter:
    """A model of states, kinds and transitions; what it does not understand it refuses."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        try:
            reader = ModelReader(document)
            edges, conditions = reader.edges(), reader.conditions()
            program = Program(reader.source, reader.slots, reader.transients)
            self._actions, (self._is_unsafe, self._is_goal) = program.compiled(edges, conditions)
        except RefusedModelError:
            raise
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise RefusedModelError(f"a part of the model is misshapen ({error})") from None
        self.actions = reader.action_names
        self.variables = reader.variable_names
        self._slots = reader.slots
        self._ranges = [(slot.type, slot.low, slot.high) for slot in reader.slots]
        self._kinds: dict[State, str] = {}
        self._transitions: dict[State, dict[int, tuple[State, ...]]] = {}

    @property
    def types(self) -> list[type[Any]]:
        """The types of the values of a state."""
        return [kind for kind, _, _ in self._ranges]

    def check_state(self, state: Sequence[Any]) -> State:
        """The state, if it has a value of the right type for every variable, else ValueError."""
        if len(state) != len(self._slots):
            raise ValueError(f"a state has {len(self._slots)} values, not {len(state)}")
        for number, (value, (kind, low, high)) in enumerate(zip(state, self._ranges, strict=True)):
            if type(value) is not kind or not low <= value <= high:
                raise ValueError(f"{value!r} is no value of variable {number}")
        return tuple(state)

    def are_states(self, rows: Sequence[Sequence[Any]]) -> bool:
        """Return true if each row has a value of the right type for every variable.

        Column by column, since proofs may have hundreds of thousands of rows.
        """
        if set(map(len, rows)) - {len(self._ranges)}:
            return False
        columns = zip(*rows, strict=True)
        return all(
            set(map(type, column)) == {kind}
            and (kind is not float or all(map(math.isfinite, column)))
            and low <= min(column)
            and max(column) <= high
            for column, (kind, low, high) in zip(columns, self._ranges, strict=False)
        )

    def kind(self, state: State) -> str:
        """ "ordinary", "goal" or "unsafe"; a goal that is unsafe is unsafe."""
        found = self._kinds.get(state)
        if found is None:
            if len(self._kinds) >= _MOST_REMEMBERED:
                self._kinds.clear()
            if _evaluated(self._is_unsafe, state):
                found = "unsafe"
            else:
                found = "goal" if _evaluated(self._is_goal, state) else "ordinary"
            self._kinds[state] = found
        return found

    def transitions(self, state: State) -> Mapping[int, tuple[State, ...]]:
        """The outcomes of each applicable action, all different."""
        found = self._transitions.get(state)
        if found is None:
            if len(self._transitions) >= _MOST_REMEMBERED:
                self._transitions.clear()
            found = _evaluated(self._expanded, state)
            self._transitions[state] = found
        return found

    def _expanded(self, state: State) -> dict[int, tuple[State, ...]]:
        found = {}
        for action, expand in self._actions.items():
            outcomes = expand(state)
            if outcomes:
                found[action] = tuple(outcomes)
        return found

    def outcomes(self, state: State, action: int) -> tuple[State, ...]:
        """The outcomes of one action, all different; none where it is not applicable."""
        return tuple(_evaluated(self._actions[action], state))


def _evaluated(function: Callable[[State], Any], state: State) -> Any:
    try:
        return function(state)
    except (ArithmeticError, ValueError) as error:
        raise ModelFaultError(
            f"the model goes wrong in the state {list(state)}: {error}"
        ) from None
    except RecursionError:
        raise RefusedModelError("a formula that is too deep to evaluate") from None
