"""Scenes of runs on models: the values of a state, and what the last step has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.base.wording import counted
from bugsieve.pictures.scene import VariableRow
from bugsieve.pictures.shapes import shortened
from bugsieve.rooms.jani.model.model import JaniModel, Valuations
from bugsieve.rooms.jani.model.state_wording import changes_text, value_text
from bugsieve.rooms.jani.model.types import Value
from bugsieve.rooms.jani.model.variables import ModelVariable
from bugsieve.rooms.jani.starts import StartSampler


@dataclass(frozen=True, eq=False)
class ModelScene:
    """One state of a run on a JANI model."""

    model: JaniModel
    states: NDArray[np.float64]
    """The whole run."""
    index: int
    """Which of its states is to be drawn."""
    is_unsafe: bool
    is_goal: bool
    beside: Sequence[NDArray[np.float64]] = ()
    """Runs that are shown with this one: what is drawn to scale has the same scale in all."""

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """The values of the state by name."""
        return self.model.values(self.states[self.index])

    @cached_property
    def before(self) -> Mapping[str, Value] | None:
        """Those of the state before; None in the first one."""
        return self.model.values(self.states[self.index - 1]) if self.index else None

    def course(self, name: str) -> NDArray[np.float64]:
        """The values of a variable over the whole run."""
        return self.courses(name)[0]

    def courses(self, name: str) -> list[NDArray[np.float64]]:
        """The same, and then over each run that is shown with this one."""
        column = [variable.name for variable in self.model.variables].index(name)
        return [states[:, column] for states in (self.states, *self.beside)]

    def changed(self, *names: str) -> bool:
        """Return true if the last step has changed one of these variables."""
        if self.before is None:
            return False
        return any(self.values[name] != self.before[name] for name in names)

    def rows(self) -> list[VariableRow]:
        """All variables, those with bounds as far as they are between them."""
        return [self._row(variable) for variable in self.model.variables]

    def sentences(self) -> Iterator[str]:
        """The values that have changed, and the end of the run if it is here."""
        if self.before is None:
            yield f"the start, with {counted(len(self.values), 'value')}"
        else:
            values = self.before.values(), self.values.values()
            yield changes_text([shortened(name) for name in self.values], *map(list, values))
        if self.is_unsafe:
            yield "this is unsafe"
        elif self.is_goal:
            yield "this is a goal"

    def _row(self, variable: ModelVariable) -> VariableRow:
        name, value = variable.name, self.values[variable.name]
        text = variable.locations[int(value)] if variable.locations else value_text(value)
        before = None if self.before is None else _share(variable, float(self.before[name]))
        role = "moved" if self.changed(name) else ""
        return VariableRow(name, text, _share(variable, float(value)), before, role)


def _share(variable: ModelVariable, value: float) -> float | None:
    """The place of the value between the bounds, from 0 to 1; None without any."""
    low, high = float(variable.type.lower), float(variable.type.upper)
    if variable.locations or not variable.type.is_bounded or low >= high:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low)))


class ModelScenes:
    """Makes scenes of runs on models."""

    subject_type = JaniModel

    def scenes(
        self, subject: JaniModel, states: ArrayLike, beside: Sequence[ArrayLike]
    ) -> list[ModelScene]:
        """The states of a run, with those that are shown beside it for a common scale."""
        rows, *others = (np.atleast_2d(np.asarray(s, dtype=np.float64)) for s in (states, *beside))
        flags = zip(subject.is_unsafe(rows).tolist(), subject.is_goal(rows).tolist(), strict=True)
        return [ModelScene(subject, rows, n, *both, others) for n, both in enumerate(flags)]

    def first_state(self, subject: JaniModel) -> Valuations:
        """A start state, the same one each time."""
        (state,) = StartSampler(subject, 0).sample([0])
        return np.asarray(state)

    def next_states(self, subject: JaniModel, state: Valuations) -> Valuations:
        """All outcomes of all actions."""
        return subject.expand(state).outcomes


MODEL_SCENES = ModelScenes()
