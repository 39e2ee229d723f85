"""Typed expressions of one model as a graph without duplicates; constants are computed at once."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bugsieve import _native
from bugsieve.rooms.jani.model.operators import ERRORS, FUNCTIONS, INT64
from bugsieve.rooms.jani.model.types import Kind, Value, kind_of

_WORD = 2**64


class Graph:
    """Nodes are numbered; operands have lower numbers than their operators.

    The operators are those of the core (`_native.JANI_OPERATORS`); the caller has seen to the
    kinds of their operands.
    """

    def __init__(self) -> None:
        self._nodes: list[tuple[str, tuple[int, ...]]] = []
        self._kinds: list[Kind] = []
        self._values: dict[int, Value] = {}  # of the nodes that are constants
        self._words: list[int] = []
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}
        self.true = self.constant(True)
        self.false = self.constant(False)

    def __len__(self) -> int:
        return len(self._nodes)

    def kind(self, node: int) -> Kind:
        """The kind of the node's value."""
        return self._kinds[node]

    def value(self, node: int) -> Value | None:
        """The value of a constant, None for all else."""
        return self._values.get(node)

    def operator(self, node: int) -> str:
        """The name of the operator in the core."""
        return self._nodes[node][0]

    def operands(self, node: int) -> tuple[int, ...]:
        """Operand nodes, or the index of a variable."""
        return self._nodes[node][1]

    def constant(self, value: Value) -> int:
        """The node of a constant; integers must fit 64 bits."""
        kind = kind_of(value)
        known = (f"constant {kind}", (to_word(value),))
        if known not in self._known:
            node = self._append("constant", (len(self._words),), kind)
            self._words.append(to_word(value))
            self._values[node] = value
            self._known[known] = node
        return self._known[known]

    def variable(self, index: int, kind: Kind) -> int:
        """The node of a variable."""
        return self._node("variable", (index,), kind)

    def apply(self, name: str, *operands: int) -> int:
        """The node of a strict operator."""
        kind, function = FUNCTIONS[name]
        values = [self._values[node] for node in operands if node in self._values]
        if len(values) == len(operands):
            try:
                return self.constant(function(*values))
            except ERRORS:
                pass  # stays an expression that fails when evaluated
        # Negations of negations vanish, so that equal conditions are equal nodes more often.
        if name == "not" and self.operator(operands[0]) == "not":
            return self.operands(operands[0])[0]
        return self._node(name, operands, kind)

    def both(self, first: int, second: int) -> int:
        """Conjunction; the second operand is evaluated only where the first holds."""
        # false in second place must stay: evaluating the first operand may be a fault of the
        # model.
        if first == self.false or second == self.true:
            return first
        return second if first == self.true else self._node("and", (first, second), "bool")

    def either(self, first: int, second: int) -> int:
        """Disjunction; the second operand is evaluated only where the first does not hold."""
        if first == self.true or second == self.false:
            return first
        return second if first == self.false else self._node("or", (first, second), "bool")

    def choose(self, condition: int, then: int, otherwise: int) -> int:
        """One of two nodes of the same kind; the other is not evaluated."""
        if condition in (self.true, self.false):
            return then if condition == self.true else otherwise
        return self._node("ite", (condition, then, otherwise), self.kind(then))

    def conjunction(self, nodes: Sequence[int]) -> int:
        """All of the nodes, tested in this order."""
        result = self.true
        for node in nodes:
            result = self.both(result, node)
        return result

    def as_real(self, node: int) -> int:
        """The node itself, or its conversion from an integer."""
        return self.apply("to_real", node) if self.kind(node) == "int" else node

    def table(self) -> NDArray[np.int32]:
        """The graph as the core takes it."""
        rows = np.zeros((len(self._nodes), 4), dtype=np.int32)
        for row, (name, operands) in zip(rows, self._nodes, strict=True):
            row[0] = _native.JANI_OPERATORS[name]
            row[1 : 1 + len(operands)] = operands
        return rows

    @property
    def words(self) -> list[int]:
        """The constants that the table refers to."""
        return self._words

    def _node(self, name: str, operands: tuple[int, ...], kind: Kind) -> int:
        known = (name, operands)
        if known not in self._known:
            self._known[known] = self._append(name, operands, kind)
        return self._known[known]

    def _append(self, name: str, operands: tuple[int, ...], kind: Kind) -> int:
        self._nodes.append((name, operands))
        self._kinds.append(kind)
        return len(self._nodes) - 1


def to_word(value: Value) -> int:
    """The 64 bits in which the core holds a value."""
    if isinstance(value, float):
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    if not -INT64 <= value < INT64:
        raise OverflowError(f"{value} does not fit 64 bits")
    return int(value) % _WORD
