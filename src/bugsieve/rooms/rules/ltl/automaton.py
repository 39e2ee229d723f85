"""Minimal deterministic automata of formulas on finite traces, with symbolic guards.

`automaton_of` explores the progressions of a formula and minimises what it found by the
signatures of its decision diagrams. States and nodes are numbered as a walk from the start
meets them. So automata of equal languages over equal orders of atoms are equal field by field.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from bugsieve.rooms.rules.ltl.diagrams import Diagrams, TooManyStatesError
from bugsieve.rooms.rules.ltl.exploration import Explored, explore
from bugsieve.rooms.rules.ltl.formula import Formula, distinct_parts
from bugsieve.rooms.rules.ltl.minimisation import Node, Tables, minimal
from bugsieve.rooms.rules.ltl.progression import Progression

__all__ = ["Automaton", "Edge", "TooManyStatesError", "automaton_of", "equivalent"]

MAX_STATES = 10_000
NODES_PER_STATE = 30
MAX_CUBES = 200_000

Cube: TypeAlias = Mapping[str, bool]


class Edge(NamedTuple):
    """The letters that lead to a state: those that agree with one of the cubes."""

    cubes: tuple[Cube, ...]
    target: int


@dataclass(frozen=True)
class Automaton:
    """Minimal, complete and deterministic; it reads words of at least one letter.

    No word ends before its first letter, so `initial` may be one with any state that has the same
    successors, accepting or not.
    """

    atoms: tuple[str, ...]
    """Those that matter, in the order in which guards ask for them."""
    initial: int
    accepting: frozenset[int]
    nodes: tuple[Node, ...]
    rows: tuple[int, ...]
    """For each state the root of its decision diagram: a node, or `~state`."""

    def __len__(self) -> int:
        return len(self.rows)

    def step(self, state: int, letter: Collection[str]) -> int:
        """The state after a letter, given as the names of its true atoms."""
        at = self.rows[state]
        while at >= 0:
            node = self.nodes[at]
            at = node.high if self.atoms[node.atom] in letter else node.low
        return ~at

    def accepts(self, letters: Iterable[Collection[str]]) -> bool:
        """Return true if the word is one letter long at least, and accepted."""
        state, is_word = self.initial, False
        for letter in letters:
            state, is_word = self.step(state, letter), True
        return is_word and state in self.accepting

    @cached_property
    def edges(self) -> tuple[tuple[Edge, ...], ...]:
        """Per state; the guards of a state divide all letters among its successors."""
        room = MAX_CUBES
        edges = []
        for state in range(len(self)):
            targets: dict[int, list[Cube]] = {}
            for cube, target in self.paths(state):
                targets.setdefault(target, []).append(cube)
                room -= 1
                if room < 0:
                    raise TooManyStatesError(
                        f"the automaton's guards have more than {MAX_CUBES} cubes", MAX_CUBES
                    )
            edges.append(tuple(Edge(tuple(cubes), to) for to, cubes in sorted(targets.items())))
        return tuple(edges)

    def paths(self, state: int) -> Iterator[tuple[dict[str, bool], int]]:
        """The ways through the state's diagram: disjoint cubes, each with its target."""
        pending: list[tuple[int, dict[str, bool]]] = [(self.rows[state], {})]
        while pending:
            at, cube = pending.pop()
            if at < 0:
                yield cube, ~at
            else:
                node = self.nodes[at]
                name = self.atoms[node.atom]
                pending += [(node.high, {**cube, name: True}), (node.low, {**cube, name: False})]

    @cached_property
    def successors(self) -> tuple[frozenset[int], ...]:
        """The states that some letter leads to, per state."""
        return tuple(self._ends(row) for row in self.rows)

    def _ends(self, at: int) -> frozenset[int]:
        return frozenset({~at}) if at < 0 else self._ends_of_nodes[at]

    @cached_property
    def _ends_of_nodes(self) -> tuple[frozenset[int], ...]:
        ends: list[frozenset[int]] = []
        for node in self.nodes:  # answers have lower numbers than their question
            sides = (frozenset({~at}) if at < 0 else ends[at] for at in (node.low, node.high))
            ends.append(frozenset().union(*sides))
        return tuple(ends)

    @property
    def is_empty(self) -> bool:
        """Return true if no word is accepted."""
        return not self.accepting

    @cached_property
    def rejecting_sinks(self) -> frozenset[int]:
        """The states from which no accepting state is reachable."""
        return self._closed_under(lambda state: state not in self.accepting)

    @cached_property
    def accepting_sinks(self) -> frozenset[int]:
        """The states that are accepting, as all states that follow."""
        return self._closed_under(lambda state: state in self.accepting)

    def _closed_under(self, wanted: Callable[[int], bool]) -> frozenset[int]:
        """The states that have the property, as all states reachable from them."""
        before: list[list[int]] = [[] for _ in self.rows]
        for state, targets in enumerate(self.successors):
            for target in targets:
                before[target].append(state)
        lost = {state for state in range(len(self)) if not wanted(state)}
        pending = sorted(lost)
        while pending:
            new = [state for state in before[pending.pop()] if state not in lost]
            lost.update(new)
            pending += new
        return frozenset(range(len(self))) - lost

    @cached_property
    def is_stutter_closed(self) -> bool:
        """Return true if reading a letter twice is reading it once, in every state."""
        return all(self._keeps(state) for state in range(len(self)))

    def _keeps(self, target: int) -> bool:
        """Return true if every letter that leads to the state leads from it to itself."""
        pending = [(row, self.rows[target]) for row in self.rows if target in self._ends(row)]
        seen = set(pending)
        while pending:
            first, second = pending.pop()
            if second == ~target or target not in self._ends(first):
                continue
            if first < 0:
                return False  # diagrams are reduced: some answer leads to another state
            new = [pair for pair in self._cofactors(first, second) if pair not in seen]
            seen.update(new)
            pending += new
        return True

    def _cofactors(self, first: int, second: int) -> list[tuple[int, int]]:
        """Two diagrams after the answers to the first question of either."""
        tops = [self.nodes[at].atom for at in (first, second) if at >= 0]
        top = min(tops)
        lows, highs = [], []
        for at in (first, second):
            node = self.nodes[at] if at >= 0 else None
            asked = node is not None and node.atom == top
            lows.append(node.low if node is not None and asked else at)
            highs.append(node.high if node is not None and asked else at)
        return [(lows[0], lows[1]), (highs[0], highs[1])]

    def shortest_word(self) -> tuple[frozenset[str], ...] | None:
        """A shortest accepted word, with few true atoms in each letter; None if there is none."""
        ways: dict[int, tuple[frozenset[str], ...]] = {}
        queue: deque[tuple[int, tuple[frozenset[str], ...]]] = deque([(self.initial, ())])
        while queue:
            state, word = queue.popleft()
            for target, letter in sorted(self._letters(state).items()):
                longer = (*word, letter)
                if target in self.accepting:
                    return longer
                if target not in ways:
                    ways[target] = longer
                    queue.append((target, longer))
        return None

    def _letters(self, state: int) -> dict[int, frozenset[str]]:
        """For each successor a letter with the fewest true atoms."""
        below: dict[int, dict[int, frozenset[str]]] = {}
        for at in self._nodes_below(self.rows[state]):
            if at < 0:
                below[at] = {~at: frozenset()}
                continue
            node = self.nodes[at]
            letters = dict(below[node.low])
            for target, letter in below[node.high].items():
                longer = letter | {self.atoms[node.atom]}
                if target not in letters or len(longer) < len(letters[target]):
                    letters[target] = longer
            below[at] = letters
        return below[self.rows[state]]

    def _nodes_below(self, root: int) -> list[int]:
        """The nodes and ends of a diagram, answers before their questions."""
        found = {root}
        pending = [root]
        while pending:
            at = pending.pop()
            if at >= 0:
                new = {self.nodes[at].low, self.nodes[at].high} - found
                found |= new
                pending += new
        return sorted(found)

    def in_order(self, order: Sequence[str]) -> Automaton:
        """The same automaton with guards that ask for atoms in another order."""
        diagrams = Diagrams(NODES_PER_STATE * MAX_STATES)
        order = tuple(dict.fromkeys((*order, *self.atoms)))
        level = {name: index for index, name in enumerate(order)}
        ends = [diagrams.variable(len(order) + state) for state in range(len(self))]
        below: list[int] = []
        for node in self.nodes:
            test = diagrams.variable(level[self.atoms[node.atom]])
            answers = [ends[~at] if at < 0 else below[at] for at in (node.high, node.low)]
            below.append(diagrams.choice(test, *answers))
        rows = [ends[~row] if row < 0 else below[row] for row in self.rows]
        return _minimal_of(diagrams, order, rows, ends, self.accepting, self.initial)


def automaton_of(
    formula: Formula, *, max_states: int = MAX_STATES, order: Sequence[str] = ()
) -> Automaton:
    """The minimal automaton of the finite traces that satisfy the formula.

    Guards ask for atoms in the given order, and then in that in which the formula names them.
    """
    order = tuple(dict.fromkeys((*order, *_order(formula))))
    progression = Progression(formula, order, NODES_PER_STATE * max_states)
    return _made(minimal(explore(progression, max_states)))


def tabulated(
    order: Sequence[str], table: Sequence[Mapping[frozenset[str], int]], accepting: Iterable[int]
) -> Automaton:
    """The minimal automaton of these steps: of each state the next one by letter; 0 is first."""
    diagrams = Diagrams(NODES_PER_STATE * MAX_STATES)
    ends = [diagrams.variable(len(order) + state) for state in range(len(table))]

    def diagram(row: Mapping[frozenset[str], int], letter: frozenset[str], level: int) -> int:
        if level == len(order):
            return ends[row[letter]]
        high = diagram(row, letter | {order[level]}, level + 1)
        return diagrams.choice(diagrams.variable(level), high, diagram(row, letter, level + 1))

    rows = [diagram(row, frozenset(), 0) for row in table]
    return _minimal_of(diagrams, tuple(order), rows, ends, frozenset(accepting), 0)


def _minimal_of(
    diagrams: Diagrams,
    order: tuple[str, ...],
    rows: list[int],
    ends: list[int],
    accepting: frozenset[int],
    initial: int,
) -> Automaton:
    """The minimal automaton of diagrams that have ends for states."""
    accepts = [state in accepting for state in range(len(rows))]
    numbers = {node: state for state, node in enumerate(ends)}
    return _made(minimal(Explored(diagrams, order, rows, accepts, numbers, rows[initial])))


def _made(tables: Tables) -> Automaton:
    return Automaton(tables.atoms, 0, tables.accepting, tables.nodes, tables.rows)


def equivalent(left: Formula | Automaton, right: Formula | Automaton) -> bool:
    """Return true if the same finite traces satisfy both."""
    order = _order(left, right)
    automata = [
        automaton_of(item, order=order) if isinstance(item, Formula) else item.in_order(order)
        for item in (left, right)
    ]
    return automata[0] == automata[1]


def _order(*items: Formula | Automaton) -> tuple[str, ...]:
    """The atoms in the order in which they are first named."""
    names: dict[str, None] = {}
    for item in items:
        if isinstance(item, Automaton):
            names |= dict.fromkeys(item.atoms)
        else:
            atoms = (part for part in distinct_parts(item) if part.operator == "atom")
            names |= dict.fromkeys(atom.name for atom in atoms)
    return tuple(names)
