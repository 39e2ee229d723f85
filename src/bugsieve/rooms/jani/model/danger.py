"""The distance of a state from danger: the unsafety condition as a real expression (h_u).

Section 5 of papers/001: a linear constraint counts by how much it is missed, a conjunction is a
sum and a disjunction a minimum. Nothing here recurses in the depth of the formula.
"""

from __future__ import annotations

from collections.abc import Callable

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.linear import without_kind
from bugsieve.rooms.jani.model.operators import OF_REALS

NEVER = 1.0
"""The distance where no state is unsafe: all states are equally far away."""

_Claim = tuple[int, bool]
"""A node of a Boolean and the value it shall have."""

_SYMBOLS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "modulo": "%",
            "power": "^", "minimum": "min", "maximum": "max", "absolute": "abs",
            "logarithm": "log", "sign": "sgn", "equal": "=", "less": "<",
            "at_most": "≤"}  # fmt: skip
_INFIX = set("+-*/%^=<≤")
_SHOWN_DEPTH = 3
_LINEAR_WITH_A_CONSTANT = {"multiply", "divide", "modulo"}
_NOT_LINEAR = {"power", "logarithm", *OF_REALS}


def danger_node(graph: Graph, condition: int, name_of: Callable[[int], str]) -> int:
    """The node of the distance; 0 wherever the condition holds.

    UnsupportedError names a part that is not (piecewise) linear; `name_of` names variables.
    """
    return _Danger(graph, name_of).distance(condition)


class _Danger:
    """Builds distances bottom up; every claim about a node is built once."""

    def __init__(self, graph: Graph, name_of: Callable[[int], str]) -> None:
        self._graph = graph
        self._name_of = name_of
        self._zero = graph.constant(0.0)
        self._one = graph.constant(1.0)
        self._linear: set[int] = set()
        self._distances: dict[_Claim, int | None] = {}  # None: the claim never holds

    def distance(self, condition: int) -> int:
        todo: list[_Claim] = [(condition, True)]
        while todo:
            # A claim stays on the stack until all it is made of is built. The graph has no
            # circles, so it comes to the top again; shared parts may wait several times but are
            # built once.
            claim = todo[-1]
            missing = [c for part in self._cases(claim) for c in part if c not in self._distances]
            if claim in self._distances or not missing:
                todo.pop()
                if claim not in self._distances:
                    self._distances[claim] = self._combined(claim)
            else:
                todo.extend(missing)
        found = self._distances[condition, True]
        return self._graph.constant(NEVER) if found is None else found

    def _cases(self, claim: _Claim) -> list[list[_Claim]]:
        """The claim as a disjunction of conjunctions of smaller ones; none for an atom."""
        node, value = claim
        name, operands = self._graph.operator(node), self._graph.operands(node)
        if name == "not":
            return [[(operands[0], not value)]]
        if name in ("and", "or"):
            parts = [(operand, value) for operand in operands]
            return [parts] if (name == "and") == value else [[part] for part in parts]
        if name == "ite":
            test, then, otherwise = operands
            return [[(test, True), (then, value)], [(test, False), (otherwise, value)]]
        if name == "int_equal" and self._graph.kind(operands[0]) == "bool":
            left, right = operands
            return [[(left, True), (right, value)], [(left, False), (right, not value)]]
        return []

    def _combined(self, claim: _Claim) -> int | None:
        cases = self._cases(claim)
        if not cases:
            return self._atom(*claim)
        # A conjunction is a sum and a disjunction a minimum (papers/001, Section 5). All parts are
        # 0 where they hold and never negative, so the whole is 0 wherever the claim holds.
        sums = [self._sum([self._distances[part] for part in case]) for case in cases]
        possible = [node for node in sums if node is not None]
        if not possible:
            return None
        least = possible[0]
        for node in possible[1:]:
            least = self._graph.apply("real_minimum", least, node)
        return least

    def _sum(self, parts: list[int | None]) -> int | None:
        total = self._zero
        for part in parts:
            if part is None:
                return None
            total = part if total == self._zero else self._graph.apply("real_add", total, part)
        return total

    def _atom(self, node: int, value: bool) -> int | None:
        graph = self._graph
        name, known = graph.operator(node), graph.value(node)
        if known is not None:
            return self._zero if known == value else None
        missed = self._one  # of a Boolean variable: it has one other value
        if name != "variable":
            self._require_linear(node)
            missed = self._missed(node, value)
        # The comparison itself decides where the distance is 0, not the rounded gap. The other way
        # round nothing is promised: x < b on reals is missed by 0 at x = b.
        then, otherwise = (self._zero, missed) if value else (missed, self._zero)
        return graph.choose(node, then, otherwise)

    def _missed(self, node: int, value: bool) -> int:
        """By how much a comparison that does not have the value misses it."""
        graph = self._graph
        name = graph.operator(node)
        left, right = (graph.as_real(operand) for operand in graph.operands(node))
        if name.endswith("equal") and not value:
            return self._one  # any step away from equality will do: the smallest of integers
        gap = graph.apply("real_absolute", graph.apply("real_subtract", left, right))
        is_strict = name.endswith("less") == value
        if is_strict and name.startswith("int"):
            return graph.apply("real_add", gap, self._one)  # x < b is x ≤ b - 1 on integers
        return gap

    def _require_linear(self, node: int) -> None:
        todo = [node]
        while todo:
            part = todo.pop()
            if part in self._linear:
                continue
            self._linear.add(part)
            name = without_kind(self._graph.operator(part))
            if name in ("constant", "variable"):
                continue
            operands = self._graph.operands(part)
            if not self._is_linear(name, operands):
                raise UnsupportedError(
                    f"{self._shown(part)} is not linear, so that there is no distance to danger; "
                    "choose successors uniformly, which needs none"
                )
            todo.extend(operands)

    def _is_linear(self, name: str, operands: tuple[int, ...]) -> bool:
        if name in _LINEAR_WITH_A_CONSTANT:
            if name == "multiply":
                return any(self._graph.value(factor) is not None for factor in operands)
            return bool(self._graph.value(operands[1]))
        return name not in _NOT_LINEAR

    def _shown(self, node: int, depth: int = _SHOWN_DEPTH) -> str:
        value = self._graph.value(node)
        if value is not None:
            return str(value)
        name, operands = without_kind(self._graph.operator(node)), self._graph.operands(node)
        if name == "variable":
            return self._name_of(operands[0])
        if depth == 0:
            return "…"
        if name == "to_real":
            return self._shown(operands[0], depth)
        parts = [self._shown(operand, depth - 1) for operand in operands]
        symbol = _SYMBOLS.get(name, name)
        return f"({f' {symbol} '.join(parts)})" if symbol in _INFIX else _call(symbol, parts)


def _call(name: str, parts: list[str]) -> str:
    return f"{name}({', '.join(parts)})"
