"""A policy function's view of its model beside the state; light, since the worker imports it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from bugsieve.rooms.jani.model.model import JaniModel
    from bugsieve.rooms.jani.model.variables import ModelVariable


@dataclass(frozen=True)
class VariableView:
    """A variable: its type is "bool", "int" or "real"; bounds are None where there are none."""

    name: str
    type: str
    lower: int | float | None = None
    upper: int | float | None = None
    locations: tuple[str, ...] = ()
    """Names of the values, where the variable is the location of an automaton."""

    @staticmethod
    def of(variable: ModelVariable) -> VariableView:
        """The view of a variable of a loaded model."""
        kind = variable.type
        if kind.kind == "bool" or not kind.is_bounded:
            return VariableView(variable.name, kind.kind)
        return VariableView(
            variable.name, kind.kind, kind.lower, kind.upper, tuple(variable.locations)
        )

    def message(self) -> dict[str, Any]:
        """Its entry in a conversation's first line; what it lacks is left out."""
        fields = {"name": self.name, "type": self.type, "lower": self.lower, "upper": self.upper}
        message = {key: value for key, value in fields.items() if value is not None}
        return {**message, "locations": list(self.locations)} if self.locations else message


@dataclass(frozen=True)
class ModelView:
    """The name, variables and actions of a model, in its order."""

    name: str
    variables: tuple[VariableView, ...]
    actions: tuple[str, ...]

    subject: ClassVar[str] = "model"

    @staticmethod
    def of(model: JaniModel) -> ModelView:
        """The view of a loaded model."""
        seen = map(VariableView.of, model.seen_variables)
        return ModelView(model.name, tuple(seen), model.actions)

    @staticmethod
    def from_message(message: Mapping[str, Any]) -> ModelView:
        """The view in the `model` field of a conversation's first line."""
        variables = (
            VariableView(**{**entry, "locations": tuple(entry.get("locations", ()))})
            for entry in message["variables"]
        )
        return ModelView(message["name"], tuple(variables), tuple(message["actions"]))

    def message(self) -> dict[str, Any]:
        """The `model` field of a conversation's first line."""
        return {
            "name": self.name,
            "actions": list(self.actions),
            "variables": [variable.message() for variable in self.variables],
        }
