"""Traces after which nothing that can come in the task keeps a formula.

A trace refutes a formula if it does not keep it as it ends (LTLf), nor does any trace that goes on
from there and ends, nor any that goes on for ever (LTL). That alternates, some trace for which no
continuation, so it is not a search for a plan. Two ways to decide it:

- exactly: the product of the task with the formula's automaton and with the *set* of places of its
  tableau that a trace may be in, up to MAX_PLACES. What keeps the formula as it ends leads to an
  accepting state of the automaton; what keeps it for ever is a place from which words can go on
  and put nothing off. A trace that leads to neither refutes;
- beyond that size, by atoms that can change no more: those that the relaxed task cannot change
  after the trace. If no word in which they stay keeps the formula, the trace refutes it. Only
  traces to the states met first are tried.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from bugsieve.base.errors import BudgetError
from bugsieve.base.stopping import check_stop
from bugsieve.rooms.rules.engine.conditions import Condition
from bugsieve.rooms.rules.engine.deciding import Inconclusive, in_time, require_atoms, spent_reason
from bugsieve.rooms.rules.engine.folding import folded
from bugsieve.rooms.rules.engine.lassos import PlaceGraph
from bugsieve.rooms.rules.engine.liveness import leading_to, live_places
from bugsieve.rooms.rules.engine.parts import plain_task_of
from bugsieve.rooms.rules.engine.relaxations import reached_facts
from bugsieve.rooms.rules.engine.tableau import Obligations, Tableau
from bugsieve.rooms.rules.engine.words import may_go_on
from bugsieve.rooms.rules.ltl.automaton import Automaton, TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.tasks.grounded.sas_text import SasTask
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search.exact import exact_costs
from bugsieve.tasks.search_limits import NO_LIMITS, Limits

MAX_PLACES = 20_000
"""States with what the formula says of them; beyond, only atoms that can change no more decide."""
MAX_TRIED = 200
_FEW_PLACES = 1_000
"""Looked at in tasks of more than MAX_PLACES states, in case that the formula soon decides."""

By: TypeAlias = Literal["rerun", "letters"]
"""The proof: following all continuations, or the letters that may still come."""


@dataclass(frozen=True)
class Refutation:
    """The operators of a trace after which nothing keeps the formula."""

    operators: tuple[int, ...]
    by: By
    expanded: int = 0


@dataclass(frozen=True)
class NoRefutation:
    """No trace refutes the formula: all that can be reached was looked at."""

    expanded: int = 0


RefutationDecision: TypeAlias = Refutation | NoRefutation | Inconclusive


def find_refutation(
    task: Task, formula: Formula, atoms: Mapping[str, Condition], *, limits: Limits = NO_LIMITS
) -> RefutationDecision:
    """Search for a trace from the initial state that refutes the formula."""
    require_atoms(formula, atoms)
    used = {name: atoms[name] for name in atoms_of(formula)}
    values = task.initial_state.tolist()
    plain = folded(task, formula, used, values)
    try:
        automaton = automaton_of(plain)
    except TooManyStatesError as error:
        return Inconclusive(str(error))
    search = _Search(task, automaton, Tableau(plain), used, limits)
    found = in_time(search.decision, limits)
    return found or Inconclusive(spent_reason("time", limits))


Left: TypeAlias = frozenset[Any]
"""The rest of the tableau after a trace: its live places, or all that it may demand."""


class _Node(NamedTuple):
    """A state with the kind of the operator that led there, and what is left of the formula."""

    state: int
    kind: int
    automaton: int
    left: Left


class _Search:
    def __init__(
        self,
        task: Task,
        automaton: Automaton,
        tableau: Tableau,
        atoms: Mapping[str, Condition],
        limits: Limits,
    ) -> None:
        self._task = task
        self._automaton = automaton
        self._tableau = tableau
        self._atoms = atoms
        spend = limits.expansions
        most = min(_FEW_PLACES, MAX_PLACES) if _is_large(task) else MAX_PLACES
        self._most = most if spend is None else min(most, spend)
        self._limit = MAX_PLACES if spend is None else min(MAX_PLACES, spend)
        self._tries = MAX_TRIED if spend is None else min(MAX_TRIED, spend)
        self._graph = PlaceGraph(task, tableau, atoms, task.initial_state.tolist())

    def decision(self) -> RefutationDecision:
        """Exactly if it is not too large, else by atoms that can change no more."""
        expanded = 0
        if self._graph.explore(self._most):
            exact = _Exact(self._graph, self._automaton)
            found = exact.search(self._most)
            expanded = self._graph.expanded + exact.prefixes.expanded
            if found is not None:
                return replace(found, expanded=expanded)
        tried = _Settled(self._task, self._graph, self._automaton, self._atoms)
        operators = tried.search(self._tries)
        if operators is not None:
            return Refutation(operators, "letters", expanded)
        why = f"in none of the {tried.prefixes.expanded} that were met first"
        if tried.is_partial:
            why = "nowhere, but words without end were not sought: it is too large"
        return Inconclusive(
            f"there are more than {self._limit} places to look at; by atoms that can change no "
            f"more it is refuted {why}",
            expanded,
        )


class _Prefixes:
    """Traces, breadth first, as nodes that are met once.

    `follow` says of a node what is left after each operator.
    """

    def __init__(
        self,
        graph: PlaceGraph,
        automaton: Automaton,
        left: Left,
        follow: Callable[[_Node], Callable[[int], Left]],
    ) -> None:
        self._graph = graph
        self._automaton = automaton
        self._follow = follow
        start = graph.places[0]
        first = self._stepped(automaton.initial, start.state, start.did)
        self.nodes = [_Node(start.state, start.did, first, left)]
        self._numbers = {self.nodes[0]: 0}
        self._came: list[tuple[int, int]] = [(-1, -1)]
        self.successors: list[list[int]] = []

    @property
    def expanded(self) -> int:
        """The number of nodes whose successors were generated."""
        return len(self.successors)

    def _stepped(self, before: int, state: int, kind: int) -> int:
        return self._automaton.step(before, self._graph.letter(state, kind))

    def expand(self) -> None:
        """Note where traces go on from the first node that was not expanded yet."""
        check_stop()
        node = self.nodes[self.expanded]
        left_by = self._follow(node)
        row = []
        for operator, state in self._graph.following(node.state):
            kind = self._graph.kind(operator)
            stepped = self._stepped(node.automaton, state, kind)
            target = _Node(state, kind, stepped, left_by(operator))
            number = self._numbers.setdefault(target, len(self.nodes))
            if number == len(self.nodes):
                self.nodes.append(target)
                self._came.append((self.expanded, operator))
            row.append(number)
        self.successors.append(row)

    def way_to(self, number: int) -> tuple[int, ...]:
        """The operators to a node."""
        way = []
        while number > 0:
            number, operator = self._came[number]
            way.append(operator)
        return tuple(way[::-1])


class _Exact:
    """Looks at all traces; of the tableau's places only those count in which words can go on."""

    def __init__(self, graph: PlaceGraph, automaton: Automaton) -> None:
        self._automaton = automaton
        self._live = live_places(graph.edges, graph.tableau.eventual)
        self._edges = graph.edges
        start = frozenset({0} if self._live[0] else ())
        self.prefixes = _Prefixes(graph, automaton, start, self._follow)

    def _follow(self, node: _Node) -> Callable[[int], Left]:
        by_operator: dict[int, set[int]] = {}
        for place in node.left:
            for edge in self._edges[place]:
                if self._live[edge.target]:
                    by_operator.setdefault(edge.operator, set()).add(edge.target)
        return lambda operator: frozenset(by_operator.get(operator, ()))

    def search(self, most: int) -> Refutation | NoRefutation | None:
        """A first trace that refutes; None if there are more than so many nodes."""
        traces, lost = self.prefixes, self._automaton.rejecting_sinks
        while traces.expanded < len(traces.nodes):
            node = traces.nodes[traces.expanded]
            if not node.left and node.automaton in lost:  # for every move of the task
                return Refutation(traces.way_to(traces.expanded), "rerun")
            if traces.expanded >= most:
                return None
            traces.expand()
        accepting = [node.automaton in self._automaton.accepting for node in traces.nodes]
        may_end = leading_to(accepting, traces.successors)
        for number, node in enumerate(traces.nodes):
            if not node.left and not may_end[number]:
                return Refutation(traces.way_to(number), "rerun")
        return NoRefutation()


class _Settled:
    """Tries the traces to the states met first, by the atoms that can change no more."""

    def __init__(
        self,
        task: Task,
        graph: PlaceGraph,
        automaton: Automaton,
        atoms: Mapping[str, Condition],
    ) -> None:
        self._graph = graph
        self._tableau = graph.tableau
        self._automaton = automaton
        self._atoms = atoms
        self._sas = plain_task_of(task).sas
        self._fixed: dict[int, Mapping[str, bool]] = {}
        self.is_partial = False
        """True if words without end were not sought, since the rule is too large for that."""
        start = frozenset({self._tableau.start})
        self.prefixes = _Prefixes(graph, automaton, start, self._follow)

    def _follow(self, node: _Node) -> Callable[[int], Left]:
        after = self._after(node)
        return lambda operator: after

    def _after(self, node: _Node) -> frozenset[Obligations]:
        """The obligations that the tableau may demand from the next state on."""
        read = self._graph.letter(node.state, node.kind)
        ways = (self._tableau.choices(one, read) for one in node.left)
        return frozenset(choice.later for found in ways for choice in found)

    def search(self, most: int) -> tuple[int, ...] | None:
        """The first of so many nodes that refutes, as the operators that lead there."""
        traces = self.prefixes
        while traces.expanded < min(most, len(traces.nodes)):
            number = traces.expanded
            if self._refutes(traces.nodes[number]):
                return traces.way_to(number)
            traces.expand()
        return None

    def _refutes(self, node: _Node) -> bool:
        if node.state not in self._fixed:
            self._fixed[node.state] = fixed_atoms(
                self._sas, self._atoms, self._graph.row(node.state)
            )
        fixed = self._fixed[node.state]
        if self._may_end(node.automaton, fixed):
            return False
        after = self._after(node)
        goes_on = may_go_on(self._tableau, after, tuple(self._atoms), fixed)
        self.is_partial |= goes_on is None
        return goes_on is False

    def _may_end(self, state: int, fixed: Mapping[str, bool]) -> bool:
        """Return true if the automaton may accept, here or after letters with these atoms."""
        found, pending = {state}, [state]
        while pending:
            state = pending.pop()
            if state in self._automaton.accepting:
                return True
            fresh = {
                target
                for cube, target in self._automaton.paths(state)
                if all(fixed.get(name, truth) == truth for name, truth in cube.items())
            } - found
            found |= fresh
            pending += fresh
        return False


_large: weakref.WeakKeyDictionary[Task, bool] = weakref.WeakKeyDictionary()


def _is_large(task: Task) -> bool:
    """Return true if more than MAX_PLACES states are reachable, for every formula."""
    if task not in _large:
        try:
            exact_costs(task, limits=Limits(expansions=max(1, MAX_PLACES)))
        except BudgetError:
            _large[task] = True
        else:
            _large[task] = False
    return _large[task]


def fixed_atoms(
    sas: SasTask, atoms: Mapping[str, Condition], state: Sequence[int]
) -> dict[str, bool]:
    """The atoms that are the same after every step from the state on, and what they are.

    By the relaxed task, so that some that never change may be missing.
    """
    here = SasTask(sas.metric, sas.variables, sas.mutexes, list(state), sas.goal, sas.operators)
    facts = reached_facts(here)
    values: dict[int, set[int]] = {}
    for variable, value in facts:
        values.setdefault(variable, set()).add(value)
    applied = {
        number
        for number, operator in enumerate(sas.operators)
        if facts.issuperset(operator.precondition.items())
    }
    truths = {name: _truths(item, values, applied) for name, item in atoms.items()}
    # Where no operator is left, there is no step after which anything could be true.
    return {name: may[0] for name, may in truths.items() if may != (True, True)}


def _truths(
    condition: Condition, values: Mapping[int, set[int]], applied: set[int]
) -> tuple[bool, bool]:
    """Two truths: that the condition may be true, and that it may be false."""
    if isinstance(condition, bool):
        return condition, not condition
    kind, *rest = condition
    if kind == "fact":
        found = values[rest[0]]
        return rest[1] in found, bool(found - {rest[1]})
    if kind == "did":
        return bool(applied.intersection(rest[0])), bool(applied.difference(rest[0]))
    parts = [_truths(part, values, applied) for part in rest]
    if kind == "not":
        return parts[0][1], parts[0][0]
    may_be, may_not = zip(*parts, strict=True)
    return (all(may_be), any(may_not)) if kind == "and" else (any(may_be), all(may_not))
