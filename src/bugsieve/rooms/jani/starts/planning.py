"""Chooses how the start states of a condition are drawn: one way for each independent part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from bugsieve.rooms.jani.model.expressions import Graph
from bugsieve.rooms.jani.model.model import JaniModel
from bugsieve.rooms.jani.starts.condition import (
    Constraint,
    Definition,
    Range,
    Ranges,
    constraints_of,
    definitions,
    independent_parts,
    is_implied,
    narrow,
)
from bugsieve.rooms.jani.starts.listing import list_solutions
from bugsieve.rooms.jani.starts.parts import (
    BoxPart,
    DistinctPart,
    StartPart,
    SumPart,
    TooManyStartsError,
)
from bugsieve.rooms.jani.starts.rejection import RejectionPart

MOST_CELLS = 1 << 22
"""Of the tables that solutions are listed or counted in."""
MOST_DISTINCT = 1024
"""Values of variables that are drawn by permuting them."""


_GOOD_SHARE = 0.05
"""Of random values that satisfy the constraints: then drawing is faster than listing."""


class NoStartError(Exception):
    """No state satisfies the condition."""


def declared_ranges(model: JaniModel) -> Ranges:
    """The values that the types of its variables allow."""
    return {
        k: Range(v.type.lower, v.type.upper, v.type.kind == "real")
        for k, v in enumerate(model.variables)
    }


def plan_parts(graph: Graph, condition: int, ranges: Ranges) -> tuple[Ranges, list[StartPart]]:
    """The ranges that the condition leaves, and the parts that draw all free variables."""
    # Line 1 of Algorithm 1 (papers/001) wants every start state equally likely. Each step below
    # keeps that: narrowing removes no solution, settled and implied constraints exclude none, and
    # parts share neither variables nor constraints, so that uniform draws from each are a uniform
    # draw from their product.
    ranges, kept = narrowed(graph, condition, ranges)
    alone: Ranges = {}
    parts: list[StartPart] = []
    for variables, own in independent_parts(ranges, kept):
        if own:
            parts.append(_plan_part(variables, own, ranges))
        else:
            alone.update({v: ranges[v] for v in variables})
    return ranges, [BoxPart(alone), *parts] if alone else parts


def narrowed(graph: Graph, condition: int, ranges: Ranges) -> tuple[Ranges, list[Constraint]]:
    """The ranges that the condition leaves, and what it says beside them."""
    constraints = constraints_of(graph, condition)
    ranges = narrow(ranges, constraints)
    if any(values.is_empty for values in ranges.values()):
        raise NoStartError
    # First what is decided, since it may prove that there is no start state at all.
    open_ones = [c for c in constraints if not _is_settled(c, ranges)]
    return ranges, [c for c in open_ones if not is_implied(c, ranges)]


def _is_settled(constraint: Constraint, ranges: Ranges) -> bool:
    """Return true if the variables it reads are fixed; NoStartError if it is false then."""
    if not all(ranges[v].is_fixed for v in constraint.variables):
        return False
    columns = {v: np.array([float(ranges[v].lower)]) for v in constraint.variables}
    if not constraint.holds(columns).all():
        raise NoStartError
    return True


def _plan_part(variables: list[int], constraints: list[Constraint], ranges: Ranges) -> StartPart:
    # From the surest way to the dearest. Counting a sum or permuting distinct values wastes no
    # draw. Else draws are rejected, from the smallest set that we can draw from. Only where nearly
    # all would be rejected are the solutions listed, which takes time and memory at once. Reals
    # can be neither counted nor listed.
    is_whole = not any(ranges[v].is_real for v in variables)
    rejection = _box_part(variables, constraints, ranges)
    if is_whole:
        sums = _sum_part(variables, constraints, ranges)
        # Other constraints would need rejection behind the sum: then it is one proposal of two.
        if sums is not None and len(constraints) == 1:
            return sums
        distinct, is_exact = _distinct_part(variables, constraints, ranges)
        if distinct is not None and is_exact:
            return distinct
        proposal = distinct or sums
        if proposal is not None:
            rejection = RejectionPart(proposal, (), constraints, ranges)
    if is_whole and rejection.pilot() < _GOOD_SHARE:
        try:
            listed = list_solutions(variables, ranges, constraints, MOST_CELLS)
        except TooManyStartsError:
            return rejection
        if not len(listed.table):
            raise NoStartError
        return listed
    return rejection


def _box_part(
    variables: Sequence[int], constraints: Sequence[Constraint], ranges: Ranges
) -> RejectionPart:
    """Draws from the ranges, without the variables that follow from others."""
    # A draw that must hit an equation by chance would hardly ever do so, for reals never: a
    # variable that an equation defines is computed instead. Solutions and values of the free
    # variables correspond one to one, so they stay equally likely.
    defined = _definitions(variables, constraints)
    free = [v for v in variables if v not in {definition.variable for definition in defined}]
    return RejectionPart(BoxPart({v: ranges[v] for v in free}), defined, constraints, ranges)


def _sum_part(
    variables: Sequence[int], constraints: Sequence[Constraint], ranges: Ranges
) -> SumPart | None:
    """Draws all variables of the part from the solutions of one equation over them."""
    for constraint in constraints:
        form = constraint.form
        if constraint.relation != "=" or form is None:
            continue
        fixed = {v: w for v, w in form.weights.items() if ranges[v].is_fixed}
        free = {v: w for v, w in form.weights.items() if v not in fixed}
        # A proposal draws all variables of the part: those that the equation leaves out would be
        # missing. Ways can be counted for whole numbers only.
        if set(free) != set(variables) or not all(float(w).is_integer() for w in free.values()):
            continue
        constant = form.constant + sum(w * ranges[v].lower for v, w in fixed.items())
        if not float(constant).is_integer():
            continue
        try:
            part = SumPart(type(form)(free, constant), ranges, MOST_CELLS)
        except TooManyStartsError:
            continue
        # An impossible sum rules out all starts, with any other constraints.
        if part.count == 0:
            raise NoStartError
        return part
    return None


def _distinct_part(
    variables: list[int], constraints: Sequence[Constraint], ranges: Ranges
) -> tuple[DistinctPart | None, bool]:
    """Draws all variables of the part if they are all different; and whether that is all."""
    found = [_different(constraint) for constraint in constraints]
    pairs = {pair for pair in found if pair is not None}
    is_clique = all(frozenset(pair) in pairs for pair in combinations(variables, 2))
    # Ranges may differ: then we permute the values of their hull and let rejection test the
    # ranges.
    own = [ranges[v] for v in variables]
    values = Range(min(r.lower for r in own), max(r.upper for r in own), is_real=False)
    if len(variables) < 2 or not is_clique or values.size > min(MOST_DISTINCT, MOST_CELLS):
        return None, False
    # More variables than values: they cannot all be different.
    if values.size < len(variables):
        raise NoStartError
    is_exact = None not in found and all(r == values for r in own)
    return DistinctPart(variables, values), is_exact


def _different(constraint: Constraint) -> frozenset[int] | None:
    """Two variables, where the constraint says x ≠ y."""
    form = constraint.form
    if constraint.relation != "≠" or form is None or form.constant != 0:
        return None
    if sorted(form.weights.values()) != [-1, 1]:
        return None
    return frozenset(form.weights)


def _definitions(variables: Sequence[int], constraints: Sequence[Constraint]) -> list[Definition]:
    """Variables that follow from others, in an order to compute them: one for each equation."""
    found: list[Definition] = []
    taken: set[int] = set()  # defined, or read by what is
    for constraint in constraints:
        for definition in definitions(constraint):
            # Definitions are computed in this order. One of a variable that an earlier one has
            # read would come too late for it, and two of the same variable would contradict each
            # other.
            if definition.variable in variables and definition.variable not in taken:
                found.append(definition)
                taken |= definition.reads | {definition.variable}
                break
    return found
