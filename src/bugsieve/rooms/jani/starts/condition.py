"""A start condition taken apart: constraints, bounds of the variables, independent parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from bugsieve.rooms.jani.model.evaluation import evaluate
from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.linear import LinearForm, Number, linear_form, variables_in

Columns = Mapping[int, NDArray[np.float64]]

_MOST_ROUNDS = 50
_TINY = 1e-9


@dataclass(frozen=True)
class Range:
    """The values that a variable may have: all integers, or all reals, between two bounds."""

    lower: Number
    upper: Number
    is_real: bool

    @property
    def is_fixed(self) -> bool:
        """Return true if there is one value."""
        return self.lower == self.upper

    @property
    def is_empty(self) -> bool:
        """Return true if there is no value."""
        return self.lower > self.upper

    @property
    def size(self) -> int:
        """Number of values of an integer."""
        return int(self.upper) - int(self.lower) + 1

    def within(self, lower: float, upper: float) -> Range:
        """Only the values between these bounds, too."""
        if not self.is_real:
            lower = lower if math.isinf(lower) else math.ceil(lower - _TINY)
            upper = upper if math.isinf(upper) else math.floor(upper + _TINY)
        return Range(max(self.lower, lower), min(self.upper, upper), self.is_real)


Ranges = dict[int, Range]


@dataclass(frozen=True)
class Constraint:
    """A Boolean node that shall have a value."""

    graph: Graph
    node: int
    value: bool

    @cached_property
    def variables(self) -> frozenset[int]:
        """The variables that the constraint reads."""
        return variables_in(self.graph, self.node)

    @cached_property
    def relation(self) -> str:
        """The relation of the form to 0: "=", "≠", "≤" or "<"; "" if sums are not compared."""
        if self.form is None:
            return ""
        name = self.graph.operator(self.node)
        if name == "variable":
            return "="
        if name.endswith("_equal"):
            return "=" if self.value else "≠"
        # The negation of a ≤ b is b < a: it turns what is strict into what is not, and back.
        # Integers have no strict comparisons left, see `form`.
        is_strict = name.endswith("less") == self.value
        return "<" if is_strict and name.startswith("real") else "≤"

    @cached_property
    def form(self) -> LinearForm | None:
        """The sum that is compared with 0; integers are never compared by <."""
        name, operands = self.graph.operator(self.node), self.graph.operands(self.node)
        if name == "variable":
            return LinearForm({operands[0]: 1}, -int(self.value))
        if not name.endswith(("_equal", "_less", "_at_most")):
            return None
        left, right = (linear_form(self.graph, operand) for operand in operands)
        if left is None or right is None:
            return None
        # not (a < b) is b ≤ a: a negation swaps the sides.
        is_reversed = not self.value and not name.endswith("_equal")
        difference = right.plus(left, -1) if is_reversed else left.plus(right, -1)
        is_strict = name.startswith("int") and name.endswith("less") == self.value
        if not name.endswith("_equal") and is_strict:
            # On integers a < b is a - b + 1 ≤ 0.
            return difference.plus(LinearForm({}, 1), 1)
        return difference

    def holds(self, columns: Columns) -> NDArray[np.bool_]:
        """Return true per row of the columns in which it holds."""
        found = np.asarray(evaluate(self.graph, self.node, columns) == self.value)
        rows = len(next(iter(columns.values()))) if columns else 1
        return np.broadcast_to(found, (rows,))


def constraints_of(graph: Graph, condition: int) -> list[Constraint]:
    """The conjuncts of a condition, negations pushed in."""
    found: dict[tuple[int, bool], None] = {}
    todo = [(condition, True)]
    while todo:
        node, value = todo.pop()
        # A negated disjunction is a conjunction of negations; all else under the top is kept
        # whole.
        name = graph.operator(node)
        if name == "not":
            todo.append((graph.operands(node)[0], not value))
        elif name == ("and" if value else "or"):
            todo.extend((operand, value) for operand in reversed(graph.operands(node)))
        else:
            found[node, value] = None
    return [Constraint(graph, node, value) for node, value in found]


@dataclass(frozen=True)
class Definition:
    """A variable whose value follows from others."""

    variable: int
    reads: frozenset[int]
    compute: Callable[[Columns], NDArray[np.float64]]


def definitions(constraint: Constraint) -> list[Definition]:
    """The variables that an equation defines, those that it computes without rounding first."""
    graph = constraint.graph
    found: list[Definition] = []
    if not (constraint.value and graph.operator(constraint.node).endswith("_equal")):
        return found
    sides = graph.operands(constraint.node)
    for here, there in (sides, sides[::-1]):
        # x = f(others) as it is written: the value is the one that the test will compute, to the
        # last bit. Solving a sum for a variable rounds, and is offered behind it.
        reads = variables_in(graph, there)
        if graph.operator(here) == "variable" and graph.operands(here)[0] not in reads:
            found.append(
                Definition(graph.operands(here)[0], reads, partial(_evaluated, graph, there))
            )
    form = constraint.form
    if form is not None:
        for variable in form.weights:
            others = frozenset(form.weights) - {variable}
            found.append(Definition(variable, others, partial(_solved, form, variable)))
    return found


def _evaluated(graph: Graph, node: int, columns: Columns) -> NDArray[np.float64]:
    return evaluate(graph, node, columns).astype(np.float64)


def _solved(form: LinearForm, variable: int, columns: Columns) -> NDArray[np.float64]:
    rest: NDArray[np.float64] = np.asarray(float(form.constant))
    for other, weight in form.weights.items():
        if other != variable:
            rest = rest + weight * columns[other]
    return np.asarray(-rest / form.weights[variable])


def narrow(ranges: Ranges, constraints: Iterable[Constraint]) -> Ranges:
    """The ranges without values that no solution has, as far as sums show it."""
    ranges = dict(ranges)
    sums = [c for c in constraints if c.relation in ("=", "≤", "<")]
    # Bounds of reals may come closer for ever without meeting (x ≤ y / 2, y ≤ x); stopping early
    # only leaves more to draw from.
    for _ in range(_MOST_ROUNDS):
        before = dict(ranges)
        for constraint in sums:
            _narrow_by(ranges, constraint)
        if ranges == before or any(r.is_empty for r in ranges.values()):
            break
    return ranges


def _narrow_by(ranges: Ranges, constraint: Constraint) -> None:
    form = constraint.form
    assert form is not None
    for factor in (1, -1) if constraint.relation == "=" else (1,):
        least = {v: _least(factor * w, ranges[v]) for v, w in form.weights.items()}
        for variable, weight in form.weights.items():
            # weight · variable ≤ -(constant + all others), each as small as it can be
            others = sum(x for v, x in least.items() if v != variable)
            limit = -(factor * form.constant + others) / (factor * weight)
            if not math.isfinite(limit):
                continue
            limits = (-math.inf, limit) if factor * weight > 0 else (limit, math.inf)
            if ranges[variable].is_real and len(form.weights) > 1:
                limits = _widened(*limits)
            ranges[variable] = ranges[variable].within(*limits)


def _least(weight: Number, values: Range) -> float:
    return float(weight * (values.lower if weight > 0 else values.upper))


def _widened(lower: float, upper: float) -> tuple[float, float]:
    """Rounding must not cut anything off."""
    return lower - _TINY * max(1, abs(lower)), upper + _TINY * max(1, abs(upper))


def is_implied(constraint: Constraint, ranges: Ranges) -> bool:
    """Return true if all states within the ranges satisfy it, but perhaps reals on a bound."""
    form = constraint.form
    if form is None or constraint.relation not in ("=", "≤", "<"):
        return False
    # Equations and inequalities alike: `narrow` has put all that a sum says of its only free
    # variable into the range of that variable.
    free = [v for v in form.weights if not ranges[v].is_fixed]
    if len(free) == 1 and (len(form.weights) == 1 or not ranges[free[0]].is_real):
        return True  # the range says the same
    most = sum(-_least(-w, ranges[v]) for v, w in form.weights.items()) + form.constant
    return constraint.relation != "=" and most <= 0


def independent_parts(
    ranges: Ranges, constraints: Sequence[Constraint]
) -> list[tuple[list[int], list[Constraint]]]:
    """Free variables that constraints connect, with these constraints, in a fixed order."""
    leader = {v: v for v in ranges if not ranges[v].is_fixed}

    def find(v: int) -> int:
        while leader[v] != v:
            leader[v] = leader[leader[v]]
            v = leader[v]
        return v

    for constraint in constraints:
        free = sorted(v for v in constraint.variables if v in leader)
        for v in free[1:]:
            leader[find(v)] = find(free[0])
    parts: dict[int, tuple[list[int], list[Constraint]]] = {}
    for v in sorted(leader):
        parts.setdefault(find(v), ([], []))[0].append(v)
    for constraint in constraints:
        free = sorted(v for v in constraint.variables if v in leader)
        if free:
            parts[find(free[0])][1].append(constraint)
    return list(parts.values())
