"""Edges and conditions of a JANI model as Python functions, for the safety checker.

Part of the interpreter: standard library only, no code shared with the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bugsieve.rooms.safety.checker.jani_terms import FALSE, ModelFaultError, Source, Term, constant

State: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Slot:
    """A variable: its name in the source, its kind and bounds; a transient one has a value."""

    name: str
    kind: str
    low: Any
    high: Any
    initial: Any = None

    @property
    def type(self) -> type[Any]:
        """The type of its values."""
        return {"bool": bool, "int": int, "real": float}[self.kind]


@dataclass(frozen=True)
class Assignment:
    """Those of lower index come first, those of one index happen at once."""

    index: int
    slot: Slot
    value: Term


@dataclass(frozen=True)
class Destination:
    """One outcome; without a probability it is certainly possible."""

    probability: Term | None = None
    assignments: tuple[Assignment, ...] = ()
    locations: tuple[tuple[str, int], ...] = ()  # slot names and numbers
    has_conflict: bool = False


@dataclass(frozen=True)
class Edge:
    """An edge of one automaton, or of several that move together."""

    guard: Term
    destinations: tuple[Destination, ...]


class Program:
    """The functions of one model."""

    def __init__(self, source: Source, slots: Sequence[Slot], transients: Sequence[Slot]) -> None:
        self._source = source
        self._slots = slots
        self._transients = {slot.name: slot for slot in transients}
        self._names = [slot.name for slot in slots]

    def compiled(
        self, edges: Mapping[int, Sequence[Edge]], conditions: Sequence[Term]
    ) -> tuple[dict[int, Callable[[State], dict[State, None]]], list[Callable[[State], bool]]]:
        """Functions from states to outcomes by action, and one per condition."""
        actions = {action: self._action(own) for action, own in edges.items()}
        tests = [self._condition(condition) for condition in conditions]
        functions = self._source.compile()
        functions["fault"] = _fault
        return (
            {action: functions[name] for action, name in actions.items()},
            [functions[name] for name in tests],
        )

    def _condition(self, term: Term) -> str:
        return self._source.define(["s"], [*self._unpacking(), f"return {term.code}"])

    def _unpacking(self) -> list[str]:
        return [f"{''.join(f'{name}, ' for name in self._names)}= s"] if self._names else []

    def _action(self, edges: Sequence[Edge]) -> str:
        body = [*self._unpacking(), "out = {}"]
        for edge in edges:
            if edge.guard.value != FALSE.value:
                body += self._edge(edge)
        return self._source.define(["s"], [*body, "return out"])

    def _edge(self, edge: Edge) -> Iterator[str]:
        yield f"if {edge.guard.code}:"
        may_fail = all(d.probability is not None for d in edge.destinations)
        if may_fail:
            yield " ok = False"
        for destination in edge.destinations:
            lines = list(self._outcome(destination))
            if may_fail:
                lines.append("ok = True")
            yield from (f" {line}" for line in self._where_possible(destination, lines))
        if may_fail:
            yield " if not ok: fault('an edge without a possible outcome')"

    @staticmethod
    def _where_possible(destination: Destination, lines: list[str]) -> Iterator[str]:
        probability = destination.probability
        if probability is None:
            yield from lines
            return
        yield f"p = {probability.code}"
        yield "if not 0 <= p <= 1: fault('a number that is no probability')"
        yield "if p > 0:"
        yield from (f" {line}" for line in lines)

    def _outcome(self, destination: Destination) -> Iterator[str]:
        if destination.has_conflict:
            yield "fault('a variable that two automata assign at once')"
            return
        indices = sorted({assignment.index for assignment in destination.assignments})
        if len(indices) <= 1:
            yield from self._initial(destination)
            yield from self._assigned(destination.assignments)
            changed = {a.slot.name: f"a{a.slot.name}" for a in destination.assignments}
            yield f"out[{self._packing(destination, changed)}] = None"
            return
        body = list(self._initial(destination))
        for index in indices:
            group = [a for a in destination.assignments if a.index == index]
            body += self._assigned(group)
            body += [f"{a.slot.name} = a{a.slot.name}" for a in group]
        body.append(f"return {self._packing(destination, {})}")
        name = self._source.define(self._names, body)
        yield f"out[{name}({', '.join(self._names)})] = None"

    def _initial(self, destination: Destination) -> Iterator[str]:
        """Transient variables have their first values until they are assigned."""
        needed = {name for a in destination.assignments for name in a.value.names}
        for name in sorted(needed & self._transients.keys()):
            yield f"{name} = {constant(self._transients[name].initial).code}"

    @staticmethod
    def _assigned(assignments: Sequence[Assignment]) -> Iterator[str]:
        """New values under names of their own, within their bounds."""
        for assignment in assignments:
            slot, value = assignment.slot, assignment.value
            name = f"a{slot.name}"
            yield f"{name} = {value.code}"
            is_within = slot.kind == "int" and slot.low <= value.low and value.high <= slot.high
            if slot.kind != "bool" and not is_within:
                low, high = constant(slot.low).code, constant(slot.high).code
                yield f"if not {low} <= {name} <= {high}: fault('a value out of bounds')"

    def _packing(self, destination: Destination, changed: Mapping[str, str]) -> str:
        parts = dict(changed)
        parts.update((name, str(number)) for name, number in destination.locations)
        return f"({''.join(f'{parts.get(name, name)}, ' for name in self._names)})"


def _fault(sentence: str) -> None:
    raise ModelFaultError(sentence)
