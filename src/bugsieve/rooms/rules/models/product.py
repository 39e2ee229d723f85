"""A JANI document with an automaton that watches over rules: what breaks one is unsafe.

Each rule has a variable, the state of its automaton of bad prefixes before the letter of the
current state: every step of the model reads the letter of the state that it leaves, and a state is
unsafe if its own letter completes a bad prefix. So a run begins with the same values wherever it
starts, and its first letter counts as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.jani.fond.conditions import conjunction, disjunction, negation
from bugsieve.rooms.jani.model.model import MONITOR_VARIABLE
from bugsieve.rooms.jani.model.variables import WATCH
from bugsieve.rooms.rules.ltl.automaton import Automaton

Json = Any

SILENT = "[silent]"
"""The label of edges that had none, so that the watch can take part."""

MAX_PARTS = 200_000
"""Of the expressions of all rules, in which atoms are written out."""


@dataclass(frozen=True)
class Watched:
    """A rule of a model."""

    id: str
    automaton: Automaton
    """Of its bad prefixes."""

    @property
    def variable(self) -> str:
        """The name of its variable."""
        return f"{MONITOR_VARIABLE}{self.id}"


def watched_document(
    document: Mapping[str, Json], rules: Sequence[Watched], atoms: Mapping[str, Json]
) -> dict[str, Json]:
    """The model whose unsafety condition is that a rule is broken; the given one stays as it is.

    The document holds its property, as `self_contained` makes it; atoms are expressions.
    """
    writer = _Writer(atoms)
    steps = [_assignment(rule, writer, _first_index(document)) for rule in rules]
    unsafe = disjunction([writer.danger(rule) for rule in rules])
    watch = {
        "name": WATCH,
        "locations": [{"name": "here"}],
        "initial-locations": ["here"],
        "variables": [_variable(rule) for rule in rules],
        "edges": [
            {
                "location": "here",
                "action": WATCH,
                "destinations": [{"location": "here", "assignments": steps}],
            }
        ],
    }
    labels = [action["name"] for action in document.get("actions", ())]
    return {
        **document,
        "actions": [*document.get("actions", ()), {"name": WATCH}, {"name": SILENT}],
        "automata": [*map(_labelled, document["automata"]), watch],
        "system": _system(document, labels),
        "properties": [_property(document, rules, unsafe)],
    }


def _variable(rule: Watched) -> Json:
    last = len(rule.automaton) - 1
    # Some readers do not accept types of one value.
    kind = {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": max(last, 1)}
    return {"name": rule.variable, "type": kind, "initial-value": rule.automaton.initial}


def _assignment(rule: Watched, writer: _Writer, index: int) -> Json:
    value = writer.successor(rule)
    return {"ref": rule.variable, "value": value, **({"index": index} if index else {})}


def _first_index(document: Mapping[str, Json]) -> int:
    """Assignments of the lowest index see the state that is left."""
    indices = (
        assignment.get("index", 0)
        for automaton in document["automata"]
        for edge in automaton.get("edges", ())
        for destination in edge["destinations"]
        for assignment in destination.get("assignments", ())
    )
    return min(indices, default=0)


def _labelled(automaton: Json) -> Json:
    edges = [
        edge if edge.get("action") is not None else {**edge, "action": SILENT}
        for edge in automaton.get("edges", ())
    ]
    return {**automaton, "edges": edges}


def _system(document: Mapping[str, Json], labels: Iterable[str]) -> Json:
    """Every step is one of the watch as well."""
    system = document["system"]
    elements = system["elements"]
    listed = system.get("syncs")
    if listed is None:
        alone = len(elements) == 1
        listed = [{"synchronise": [name], "result": name} for name in labels] if alone else []
    syncs = [{**sync, "synchronise": [*sync["synchronise"], WATCH]} for sync in listed]
    for place in range(len(elements)):
        vector = [SILENT if number == place else None for number in range(len(elements))]
        syncs.append({"synchronise": [*vector, WATCH]})
    return {**system, "elements": [*elements, {"automaton": WATCH}], "syncs": syncs}


def _property(document: Mapping[str, Json], rules: Sequence[Watched], unsafe: Json) -> Json:
    (found,) = document["properties"]
    expression = {**found["expression"], "reach": {"op": "state-condition", "exp": unsafe}}
    expression["start"] = _start(expression["start"], rules)
    return {**found, "expression": expression}


def _start(start: Json, rules: Sequence[Watched]) -> Json:
    """The same start, with the automata before their first letter."""
    operator = start.get("op") if isinstance(start, dict) else None
    if operator == "initial":
        return start
    if operator == "states-values":
        own = [{"var": rule.variable, "value": rule.automaton.initial} for rule in rules]
        values = [{**row, "variables": [*row["variables"], *own]} for row in start["values"]]
        return {**start, "values": values}
    tests = [_equal(rule.variable, rule.automaton.initial) for rule in rules]
    if operator != "state-condition":
        return {"op": "state-condition", "exp": conjunction([start, *tests])}
    given = [start["exp"]] if start.get("exp") is not None else []
    return {**start, "exp": conjunction([*given, *tests])}


def _equal(variable: str, value: int) -> Json:
    return {"op": "=", "left": variable, "right": value}


class _Writer:
    """Writes what automata do as expressions, of a bounded size."""

    def __init__(self, atoms: Mapping[str, Json]) -> None:
        self._atoms = atoms
        self._sizes = {name: _size(expression) for name, expression in atoms.items()}
        self._left = MAX_PARTS

    def danger(self, rule: Watched) -> Json:
        """That the letter of the current state completes a bad prefix."""
        ways = []
        for state in range(len(rule.automaton)):
            # No run goes on behind danger; but no word ends before its first letter, either.
            if state in rule.automaton.accepting and state != rule.automaton.initial:
                continue
            for cube, target in rule.automaton.paths(state):
                if target in rule.automaton.accepting:
                    literals = [self._literal(rule, *item) for item in cube.items()]
                    ways.append(conjunction([_equal(rule.variable, state), *literals]))
        return disjunction(ways)

    def successor(self, rule: Watched) -> Json:
        """The state of the automaton behind the letter of the current state."""
        automaton = rule.automaton
        value: Json = automaton.initial
        for state in range(len(automaton)):
            after = self._after(rule, automaton.rows[state])
            is_here = _equal(rule.variable, state)
            value = {"op": "ite", "if": is_here, "then": after, "else": value} if state else after
        return value

    def _after(self, rule: Watched, at: int) -> Json:
        if at < 0:
            return ~at
        node = rule.automaton.nodes[at]
        test = self._literal(rule, rule.automaton.atoms[node.atom], True)
        high, low = self._after(rule, node.high), self._after(rule, node.low)
        return {"op": "ite", "if": test, "then": high, "else": low}

    def _literal(self, rule: Watched, name: str, truth: bool) -> Json:
        self._left -= self._sizes[name]
        if self._left < 0:
            raise UnsupportedError(
                f"rule {rule.id}: written out, the rules have more than {MAX_PARTS} parts, which "
                "is too many to watch over a model; state them with fewer or shorter atoms"
            )
        return self._atoms[name] if truth else negation(self._atoms[name])


def _size(expression: Json) -> int:
    count, pending = 0, [expression]
    while pending:
        item = pending.pop()
        count += 1
        pending += (
            item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        )
    return count
