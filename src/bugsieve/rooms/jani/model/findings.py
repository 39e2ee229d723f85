"""Faults of a model in a state, such as dividing by zero: a finding about the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bugsieve.base.errors import SubjectError
from bugsieve.rooms.jani.model.types import Type, Value

_SENTENCES = {
    "division-by-zero": "divides by zero",
    "overflow": "computes an integer beyond 64 bits",
    "negative-exponent": "raises an integer to a negative power",
    "undefined": "computes something that has no finite value",
    "no-outcome": "has no destination with a positive probability",
}


class ModelError(SubjectError):
    """The model cannot be run in a state; the sentence names the edge and the state."""

    def __init__(self, sentence: str, *, kind: str, edge: int | None, state: Mapping[str, Value]):
        super().__init__(sentence)
        self.kind = kind
        self.edge = edge
        self.state = state


def describe_fault(kind: str, variable: tuple[str, Type] | None, value: float) -> str:
    """The fault of an edge or condition, as the end of a sentence."""
    if kind == "bad-probability":
        return f"has a destination of probability {value}"
    if variable is None:
        return _SENTENCES[kind]
    name, kind_of_value = variable
    if kind == "conflict":
        return f"lets two automata assign {name!r} at once"
    shown = int(value) if kind_of_value.kind == "int" and value == value // 1 else value
    return f"assigns {shown} to {name!r}, which is {_with_article(kind_of_value)}"


def _with_article(kind: Type) -> str:
    if kind.is_bounded:
        return f"a{'n' if kind.kind == 'int' else ''} {kind}"
    return f"an unbounded {kind.kind} (up to {kind.upper:.3g})"


def shown_state(names: Sequence[str], values: Sequence[Value]) -> str:
    """`x = 3, y = 0.5`."""
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))
