"""A JANI model whose questions are answered for whole batches of states.

States are rows of float64, one column per variable; Booleans are 0 and 1, locations numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve import _native
from bugsieve.base.arguments import require_kind, wrong
from bugsieve.base.errors import UnsupportedError, UsageError
from bugsieve.base.names import suggest
from bugsieve.base.wording import printable, shown_value
from bugsieve.rooms.jani.model.arrays import Valuations as Valuations
from bugsieve.rooms.jani.model.arrays import WordArray as WordArray
from bugsieve.rooms.jani.model.arrays import action_column, draw_column, state_rows, word_rows
from bugsieve.rooms.jani.model.declarations import convert_value
from bugsieve.rooms.jani.model.encoding import Conditions
from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.findings import ModelError, describe_fault, shown_state
from bugsieve.rooms.jani.model.types import Type, Value
from bugsieve.rooms.jani.model.variables import ModelVariable

Answer = TypeVar("Answer")

MONITOR_VARIABLE = "[rule] "
"""Beginning of the names of variables that watch over rules: policies do not see them."""


@dataclass(frozen=True)
class Expansion:
    """All successors of a batch of states.

    State i has the actions `action_offsets[i]` to `action_offsets[i + 1]`, and action k of this
    flat list the outcomes `outcome_offsets[k]` to `outcome_offsets[k + 1]`, all different.
    """

    actions: NDArray[np.int32]
    action_offsets: NDArray[np.int64]
    outcomes: Valuations
    outcome_offsets: NDArray[np.int64]


@dataclass(frozen=True)
class Origins:
    """The origins of parts, for messages."""

    file: str
    edges: tuple[str, ...]
    """Path of each edge."""
    edge_actions: tuple[int, ...]
    all_variables: tuple[tuple[str, Type], ...]
    """Names and types, those of transient variables last."""


class JaniModel:
    """An immutable model with a start, a goal and an unsafety condition; safe to share.

    Methods that take states accept one state or a batch.
    """

    def __init__(
        self,
        system: _native.JaniSystem,
        variables: Sequence[ModelVariable],
        actions: Sequence[str],
        start_states: Valuations | None,
        expressions: tuple[Graph, Conditions],
        origins: Origins,
        document: Mapping[str, Any],
        constants: Mapping[str, Value],
    ) -> None:
        self.system = system
        self.variables = tuple(variables)
        self.actions = tuple(actions)
        self._origins = origins
        self._columns = {variable.name: k for k, variable in enumerate(self.variables)}
        self.graph, self.conditions = expressions
        self._listed = start_states
        self.document = document
        """The model with its property, from which `load_document` makes it again."""
        self.constants: Mapping[str, Value] = MappingProxyType(dict(constants))

    @property
    def name(self) -> str:
        """What the file calls the model."""
        return printable(str(self.document.get("name", ""))) or self._origins.file

    @property
    def num_variables(self) -> int:
        """Number of columns of a state."""
        return len(self.variables)

    @property
    def seen_variables(self) -> tuple[ModelVariable, ...]:
        """What policies see: the first variables, those aside that watch over rules."""
        return tuple(v for v in self.variables if not v.name.startswith(MONITOR_VARIABLE))

    @property
    def start_states(self) -> Valuations | None:
        """The start states where they are listed, None where there is only a condition."""
        return None if self._listed is None else self._listed.copy()

    def state(self, values: Sequence[Value] | Mapping[str, Value]) -> Valuations:
        """A state from values in the order of the variables, or by name."""
        if isinstance(values, np.ndarray):
            values = values.tolist()
        if isinstance(values, Mapping):
            values = self._in_order(values)
        if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
            raise wrong("values", "a list of values or a dictionary", values)
        if len(values) != self.num_variables:
            raise UsageError(
                f"a state has {self.num_variables} values, one per variable, not {len(values)}"
            )
        return np.array(
            [self._column(v, value) for v, value in zip(self.variables, values, strict=True)],
            dtype=np.float64,
        )

    def values(self, state: ArrayLike) -> dict[str, Value]:
        """The values of a state by name, each of its own type."""
        batch = self._batch(state)
        if len(batch) != 1:
            raise UsageError(f"one state was expected, not a batch of {len(batch)}")
        return self._by_name(batch[0])

    def pack(self, states: ArrayLike) -> WordArray:
        """The states as rows of words, which the core works on; equal states have equal words."""
        return self.system.pack(self._batch(states))

    def unpack(self, words: WordArray) -> Valuations:
        """The inverse of `pack`."""
        return self.system.unpack(word_rows(words, self.system.words))

    def is_goal(self, states: ArrayLike) -> NDArray[np.bool_]:
        """Whether each state satisfies the goal, unsafe or not."""
        return self._ask(self.system.is_goal, self._batch(states))

    def is_unsafe(self, states: ArrayLike) -> NDArray[np.bool_]:
        """Whether each state satisfies the unsafety condition."""
        return self._ask(self.system.is_unsafe, self._batch(states))

    def is_start(self, states: ArrayLike) -> NDArray[np.bool_]:
        """Whether each state satisfies the start condition, or is listed."""
        batch = self._batch(states)
        found = self._ask(self.system.is_start, batch)
        if self._listed is None or self.conditions.start != self.graph.false:
            return found
        # Adding 0.0 turns -0.0 into 0.0, so that equal values have equal bytes.
        listed = {(row + 0.0).tobytes() for row in self._listed}
        return np.array([(row + 0.0).tobytes() in listed for row in batch], dtype=np.bool_)

    def applicable(self, states: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Applicable actions, ascending within each state, and n + 1 offsets."""
        return self._ask(self.system.applicable, self._batch(states))

    def expand(self, states: ArrayLike) -> Expansion:
        """All outcomes of all applicable actions."""
        return Expansion(*self._ask(self.system.expand, self._batch(states)))

    def observe(self, states: ArrayLike) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Kinds (0 ordinary, 1 goal, 2 unsafe) and which actions are applicable, as flags.

        Where a run ends, at the goal or in danger, no action is.
        """
        kinds, flags = self._ask(self.system.observe, state_rows(states, self.num_variables))
        return kinds, flags.view(np.bool_)

    def step(self, states: ArrayLike, actions: ArrayLike, draws: ArrayLike) -> Valuations:
        """One outcome of an applicable action for each state, picked by a draw from [0, 1).

        Edges are equally likely, the destinations of an edge as the model says.
        """
        rows = state_rows(states, self.num_variables)
        chosen, drawn = action_column(actions, len(rows)), draw_column(draws, len(rows))
        return self._ask(self.system.step, rows, chosen, drawn)

    def distances(self, states: ArrayLike) -> NDArray[np.float64]:
        """How far each state is from danger (h_u): 0 where it is unsafe.

        UnsupportedError where the unsafety condition is not made of linear constraints.
        """
        self.require_distance()
        return self._ask(self.system.distances, self._batch(states))

    def require_distance(self) -> None:
        """UnsupportedError, which names the part that is not linear, where there is no h_u."""
        if self.conditions.distance is None:
            raise UnsupportedError(self.conditions.no_distance)

    def finding(self, fault: _native.JaniFaultError) -> ModelError:
        """A fault of the core as a sentence that names the edge and the state."""
        kind, edge, variable, value, state = fault.args
        about = None if variable < 0 else self._origins.all_variables[variable]
        values = self._by_name(state)
        sentence = (
            f"{self._origins.file}: {self._place(edge)} "
            f"{describe_fault(kind, about, value)} in the state "
            f"{shown_state(list(values), list(values.values()))}"
        )
        return ModelError(sentence, kind=kind, edge=None if edge < 0 else edge, state=values)

    def _by_name(self, state: Iterable[float]) -> dict[str, Value]:
        return {v.name: _typed(v.type, x) for v, x in zip(self.variables, state, strict=True)}

    def _place(self, edge: int) -> str:
        if edge < 0:
            return "a condition of the property"
        action = self.actions[self._origins.edge_actions[edge]]
        return f"{self._origins.edges[edge]} (action {action!r})"

    def _ask(self, question: Callable[..., Answer], *arrays: NDArray[Any]) -> Answer:
        try:
            return question(*arrays)
        except _native.JaniFaultError as fault:
            raise self.finding(fault) from None
        except ValueError as error:  # what the core says about wrong values
            raise UsageError(str(error)) from None

    def _batch(self, states: ArrayLike) -> Valuations:
        batch = state_rows(states, self.num_variables)
        lower = [variable.type.lower for variable in self.variables]
        upper = [variable.type.upper for variable in self.variables]
        whole = [variable.type.kind != "real" for variable in self.variables]
        wrong = ~((batch >= lower) & (batch <= upper)) | (whole & (batch != np.floor(batch)))
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            variable = self.variables[column]
            raise UsageError(
                f"state {row} gives {variable.name!r} the value {batch[row, column]}, "
                f"but it is {variable.type}"
            )
        return batch

    def _in_order(self, values: Mapping[str, Value]) -> list[Value]:
        for name in values:
            if name not in self._columns:
                near = suggest(name, self._columns)
                raise UsageError(f"there is no variable {name!r} in the model{near}")
        missing = [name for name in self._columns if name not in values]
        if missing:
            raise UsageError(f"the state has no value for {missing[0]!r}")
        return [values[name] for name in self._columns]

    @staticmethod
    def _column(variable: ModelVariable, value: Value) -> float:
        converted = convert_value(value, variable.type.kind)
        if converted is None or not variable.type.holds(converted):
            raise UsageError(
                f"{shown_value(value)} is no value of {variable.name!r}, which is {variable.type}"
            )
        return float(converted)


def require_model(model: object) -> JaniModel:
    """The model; UsageError for anything else, which is often a file name or a task."""
    return require_kind(model, JaniModel, "model", "a JaniModel, as bugsieve.load_model makes it")


def _typed(kind: Type, value: float) -> Value:
    if kind.kind == "real":
        return float(value)
    return bool(value) if kind.kind == "bool" else int(value)
