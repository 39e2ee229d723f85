"""Traces that refute a rule for good, by definition: no continuation keeps it, neither one that
ends nor one that goes on for ever.

Ends are sought among promises. Words without end are labelled with the truth of each temporal
subformula, of which every word has exactly one right choice; a fixed point finds the labels that
some word justifies. Nothing here knows automata or tableaux.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from bugsieve.rooms.rules.ltl.formula import Formula
from tests.reference.rules import Atoms, Letter, choices, kept, letter_of, may_end, positive
from tests.reference.sas import SasTask, State
from tests.reference.successors import successors

TEMPORAL = {
    *("next", "weak-next", "finally", "globally"),
    *("until", "weak-until", "release", "strong-release"),
}
Labels = frozenset[Formula]
"""The temporal subformulas that are true here."""
Here = tuple[State, Letter]
Place = tuple[Here, Labels]


Node = tuple[Here, frozenset[frozenset[Formula]], frozenset[Labels]]
"""A state, all promises that a trace may have made there, and all labels that it may have."""


class Continuations:
    """What can come after the traces of one task, for one formula."""

    def __init__(self, task: SasTask, formula: Formula, atoms: Atoms) -> None:
        wanted = positive(formula)
        here: Here = task.initial, letter_of(atoms, task.initial, None)
        self.steps = reachable(task, atoms, here)
        self.ends = ending_promises(self.steps, wanted, here)
        self.temporal = subformulas_of(wanted)
        self.all_labels = assignments(self.temporal)
        self.lasting = lasting_places(self.steps, self.temporal)
        labels = frozenset(one for one in self.all_labels if true(wanted, here[1], one))
        self.start: Node = here, frozenset(choices(wanted, here[1])), labels

    def keeps(self, node: Node) -> bool:
        """Whether something that comes after the node, or nothing, keeps the formula."""
        here, promises, labels = node
        return any((here, one) in self.ends for one in promises) or any(
            (here, one) in self.lasting for one in labels
        )

    def following(self, node: Node) -> Iterator[tuple[int, Node]]:
        """The operators after the node, and the nodes they lead to."""
        here, promises, labels = node
        for number, after in self.steps[here]:
            later = frozenset(new for one in promises for new in kept(one, after[1]))
            told = frozenset(
                new
                for one in labels
                for new in self.all_labels
                if follows(self.temporal, here[1], one, after[1], new)
            )
            yield number, (after, later, told)


def first_refutation(task: SasTask, formula: Formula, atoms: Atoms) -> tuple[int, ...] | None:
    """The fewest operators after which nothing keeps the formula; None if there are none."""
    rest = Continuations(task, formula, atoms)
    ways: dict[Node, tuple[int, ...]] = {rest.start: ()}
    queue = [rest.start]
    for node in queue:
        if not rest.keeps(node):
            return ways[node]
        for number, target in rest.following(node):
            if target not in ways:
                ways[target] = (*ways[node], number)
                queue.append(target)
    return None


def refutes(task: SasTask, formula: Formula, atoms: Atoms, operators: Sequence[int]) -> bool:
    """Whether nothing keeps the formula after these operators, which must be applicable."""
    rest = Continuations(task, formula, atoms)
    node = rest.start
    for operator in operators:
        node = dict(rest.following(node))[operator]
    return not rest.keeps(node)


def reachable(task: SasTask, atoms: Atoms, first: Here) -> dict[Here, list[tuple[int, Here]]]:
    """The states with their letters, and where operators lead from them."""
    steps: dict[Here, list[tuple[int, Here]]] = {}
    pending = [first]
    while pending:
        here = pending.pop()
        if here not in steps:
            steps[here] = [
                (number, (after, letter_of(atoms, after, number)))
                for number, after in successors(task, here[0])
            ]
            pending += [after for _, after in steps[here]]
    return steps


def ending_promises(
    steps: Mapping[Here, list[tuple[int, Here]]], wanted: Formula, first: Here
) -> set[tuple[Here, frozenset[Formula]]]:
    """States with promises from which a trace can go on, or not, and end with all of them kept."""
    edges = {}
    pending = [(first, promise) for promise in choices(wanted, first[1])]
    while pending:
        here, promise = node = pending.pop()
        if node not in edges:
            edges[node] = [
                (after, new) for _, after in steps[here] for new in kept(promise, after[1])
            ]
            pending += edges[node]
    found = {node for node in edges if may_end(node[1])}
    return closed(found, lambda node: any(after in found for after in edges[node]), edges)


def closed(found: set, joins: Callable, everything: Iterable) -> set:  # type: ignore[type-arg]
    """The set with all that join it, until none does."""
    size = -1
    while size != len(found):
        size = len(found)
        found |= {one for one in everything if one not in found and joins(one)}
    return found


def subformulas_of(formula: Formula) -> list[Formula]:
    """The temporal parts of a formula, each once."""
    inner = [one for part in formula.parts for one in subformulas_of(part)]
    own = [formula] if formula.operator in TEMPORAL else []
    return list(dict.fromkeys([*inner, *own]))


def assignments(temporal: list[Formula]) -> list[Labels]:
    """All choices of the temporal formulas that are true."""
    return [
        frozenset(one for one, is_true in zip(temporal, truths, strict=True) if is_true)
        for truths in product((False, True), repeat=len(temporal))
    ]


def true(formula: Formula, letter: Letter, labels: Labels) -> bool:
    """Whether a positive formula is true where these temporal ones are."""
    parts = formula.parts
    if formula.operator in TEMPORAL:
        return formula in labels
    if formula.operator == "atom":
        return formula.name in letter
    if formula.operator in ("true", "false"):
        return formula.operator == "true"
    truths = [true(part, letter, labels) for part in parts]
    return {"not": lambda: not truths[0], "and": lambda: all(truths), "or": lambda: any(truths)}[
        formula.operator
    ]()


def follows(
    temporal: list[Formula], letter: Letter, labels: Labels, after: Letter, later: Labels
) -> bool:
    """Whether the labels are right here if those in the next state are."""
    return all((one in labels) == expanded(one, letter, labels, after, later) for one in temporal)


def expanded(
    formula: Formula, letter: Letter, labels: Labels, after: Letter, later: Labels
) -> bool:
    """The truth of a temporal formula by what holds now, and by itself in the next state."""
    now = [true(part, letter, labels) for part in formula.parts]
    again = formula in later
    match formula.operator:
        case "next" | "weak-next":
            return true(formula.parts[0], after, later)
        case "finally":
            return now[0] or again
        case "globally":
            return now[0] and again
        case "until" | "weak-until":
            return now[1] or (now[0] and again)
        case _:
            return now[1] and (now[0] or again)


def is_settled(formula: Formula, letter: Letter, labels: Labels) -> bool:
    """Whether a label needs nothing later: those that must must not wait for ever."""
    now = [true(part, letter, labels) for part in formula.parts]
    match formula.operator:
        case "finally":
            return formula not in labels or now[0]
        case "globally":
            return formula in labels or not now[0]
        case "until":
            return formula not in labels or now[1]
        case "weak-until":
            return formula in labels or not (now[0] or now[1])
        case "strong-release":
            return formula not in labels or (now[0] and now[1])
        case "release":
            return formula in labels or not now[1]
        case _:
            return True


def lasting_places(
    steps: Mapping[Here, list[tuple[int, Here]]], temporal: list[Formula]
) -> set[Place]:
    """States with labels from which some endless way keeps them all."""
    places = [(here, labels) for here in steps for labels in assignments(temporal)]
    edges = {
        (here, labels): [
            (after, later)
            for _, after in steps[here]
            for later in assignments(temporal)
            if follows(temporal, here[1], labels, after[1], later)
        ]
        for here, labels in places
    }
    found = set(places)
    size = -1
    while size != len(found):
        size = len(found)
        found = {place for place in found if any(after in found for after in edges[place])}
        for one in temporal:
            good = {place for place in found if is_settled(one, place[0][1], place[1])}
            found = closed(good, lambda p, g=good: any(a in g for a in edges[p]), found)
    return found
