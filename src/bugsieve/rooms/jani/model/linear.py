"""Expressions as weighted sums of variables, where they are such."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bugsieve.rooms.jani.model.expressions import Graph

Number = int | float


@dataclass(frozen=True)
class LinearForm:
    """Σ weights[v] · v + constant; no weight is 0."""

    weights: Mapping[int, Number]
    constant: Number

    def plus(self, other: LinearForm, factor: Number) -> LinearForm:
        """This form and a multiple of another."""
        weights = dict(self.weights)
        for variable, weight in other.weights.items():
            weights[variable] = weights.get(variable, 0) + factor * weight
        kept = {variable: weight for variable, weight in weights.items() if weight != 0}
        return LinearForm(kept, self.constant + factor * other.constant)

    def times(self, factor: Number) -> LinearForm:
        """A multiple of this form."""
        return LinearForm({}, 0).plus(self, factor)


def linear_form(graph: Graph, node: int) -> LinearForm | None:
    """The weighted sum that a number is; None where it is not a weighted sum."""
    forms: dict[int, LinearForm | None] = {}
    for part in nodes_below(graph, node):
        forms[part] = _form(graph, part, forms)
    return forms[node]


def nodes_below(graph: Graph, *nodes: int) -> list[int]:
    """The nodes and all they are made of, operands before their operators."""
    found, todo = set(nodes), list(nodes)
    while todo:
        part = todo.pop()
        if graph.operator(part) not in ("constant", "variable"):
            new = [operand for operand in graph.operands(part) if operand not in found]
            found.update(new)
            todo.extend(new)
    # The order of their numbers: a node is made after its operands.
    return sorted(found)


def without_kind(operator: str) -> str:
    """The operator without the kind of its operands."""
    return operator.removeprefix("int_").removeprefix("real_")


def variables_in(graph: Graph, *nodes: int) -> frozenset[int]:
    """The variables that expressions read."""
    return frozenset(
        graph.operands(part)[0]
        for part in nodes_below(graph, *nodes)
        if graph.operator(part) == "variable"
    )


def _form(graph: Graph, node: int, forms: Mapping[int, LinearForm | None]) -> LinearForm | None:
    value = graph.value(node)
    if value is not None:
        return LinearForm({}, int(value) if isinstance(value, bool) else value)
    name, operands = graph.operator(node), graph.operands(node)
    if name == "variable":
        return LinearForm({operands[0]: 1}, 0)
    if name == "to_real":
        return forms[operands[0]]
    plain = without_kind(name)
    if plain not in ("add", "subtract", "multiply", "divide"):
        return None
    left, right = (forms[operand] for operand in operands)
    if left is None or right is None:
        return None
    if plain in ("add", "subtract"):
        return left.plus(right, 1 if plain == "add" else -1)
    # Of a product one factor must be a constant, which then stands on the right, as a divisor
    # does.
    if plain == "multiply" and not left.weights:
        left, right = right, left
    if right.weights or (plain == "divide" and right.constant == 0):
        return None
    return left.times(right.constant if plain == "multiply" else 1 / right.constant)
