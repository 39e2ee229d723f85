"""Proofs of "none" by exploration: of listed states, of all states, and for lassos.

A node is a state with a rest of the formula; for infinite words, a state, its letter and the
formulas that hold from there on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NoReturn, TypeAlias

from bugsieve.checkers.cost import CertificateError, Fact, State, Task
from bugsieve.rooms.rules.checker.rules_conditions import Alphabet
from bugsieve.rooms.rules.checker.rules_progression import Obligations, Progression, Rest
from bugsieve.rooms.rules.checker.rules_relaxed import Relaxation, are_consistent

Node: TypeAlias = tuple[State, Rest]
Place: TypeAlias = tuple[State, int, frozenset[int]]
Edge: TypeAlias = tuple[int, frozenset[int]]


class Successors:
    """The operators applicable in a state and where they lead, found by one fact each."""

    def __init__(self, task: Task) -> None:
        self._operators = task.operators
        uses: dict[Fact, int] = {}
        for operator in task.operators:
            for fact in operator.preconditions:
                uses[fact] = uses.get(fact, 0) + 1
        self._always: list[int] = []
        self._by_fact: dict[Fact, list[int]] = {}
        for number, operator in enumerate(task.operators):
            if not operator.preconditions:
                self._always.append(number)
            elif are_consistent(operator.preconditions):
                # Whichever precondition the fewest others share: few candidates in each state.
                rarest = min(operator.preconditions, key=lambda fact: (uses[fact], fact))
                self._by_fact.setdefault(rarest, []).append(number)

    def of(self, state: State) -> Iterator[tuple[int, State]]:
        """Each applicable operator with the state after it."""
        for number in self._candidates(state):
            if self._operators[number].is_applicable(state):
                yield number, self._operators[number].successor(state)

    def _candidates(self, state: State) -> Iterator[int]:
        yield from self._always
        for fact in enumerate(state):
            yield from self._by_fact.get(fact, ())


class Exploration:
    """Follows all traces of a task as long as what is left of the formula has hope."""

    def __init__(
        self,
        alphabet: Alphabet,
        progression: Progression,
        goal: tuple[Fact, ...],
        poll: Callable[[], None],
    ) -> None:
        self.alphabet = alphabet
        self.task = alphabet.facts.task
        self.progression = progression
        self.goal = goal
        self.poll = poll
        self._successors = Successors(self.task)

    def check_all(self, budget: int) -> None:
        """Return if there is no trace; CertificateError if there is, or the budget is spent."""
        self._explore(lambda state, rest, letter: True, budget)

    def check_after(self, state: State, rest: Rest, letter: int, budget: int) -> None:
        """Check all traces that go on from a state with a rest and its letter; see `check_all`."""
        self._explore_from((state, rest), letter, lambda state, rest, letter: True, budget)

    def check_listed(self, states: Collection[State], relaxation: Relaxation, budget: int) -> None:
        """Check as `check_all` does, but stop traces at states outside of the list.

        These must be dead ends."""

        def is_listed(state: State, rest: Rest, letter: int) -> bool:
            if state in states:
                return True
            if not relaxation.is_dead_end(alphabet.facts.state(state), (rest, letter)):
                _fail("the states lack one that can be reached and may lead on to a trace")
            return False

        alphabet = self.alphabet
        self._explore(is_listed, budget)

    def _explore(self, follow: Callable[[State, Rest, int], bool], budget: int) -> None:
        letter = self.alphabet.letter(self.task.initial, None)
        rest = self.progression.step(self.progression.start, letter)
        self._explore_from((self.task.initial, rest), letter, follow, budget)

    def _explore_from(
        self, first: Node, letter: int, follow: Callable[[State, Rest, int], bool], budget: int
    ) -> None:
        seen: set[Node] = set()
        waiting: list[Node] = []
        self._visit(first, letter, seen, waiting, follow)
        while waiting:
            self.poll()
            state, rest = waiting.pop()
            for operator, after in self._successors.of(state):
                letter = self.alphabet.letter(after, operator)
                node = after, self.progression.step(rest, letter)
                if node not in seen:
                    self._visit(node, letter, seen, waiting, follow)
            if len(seen) > budget:
                _fail(f"there are more than {budget} pairs of a state and a rest of the formula")

    def _visit(
        self,
        node: Node,
        letter: int,
        seen: set[Node],
        waiting: list[Node],
        follow: Callable[[State, Rest, int], bool],
    ) -> None:
        state, rest = node
        if self.progression.is_hopeless(rest):
            return
        if self.progression.accepts(rest) and all(state[v] == value for v, value in self.goal):
            _fail("there is a trace that satisfies the formula")
        seen.add(node)
        if follow(state, rest, letter):
            waiting.append(node)


class LassoSearch:
    """Looks for an infinite trace of a task that satisfies a formula."""

    def __init__(
        self, alphabet: Alphabet, obligations: Obligations, poll: Callable[[], None]
    ) -> None:
        self.alphabet = alphabet
        self.obligations = obligations
        self.poll = poll
        self._successors = Successors(alphabet.facts.task)
        self._numbers: dict[Place, int] = {}
        self._edges: list[list[Edge]] = []
        """Of each place: where it leads, and what is put off on the way."""

    def check_none(self, budget: int) -> None:
        """Return if there is none; CertificateError if there is, or the budget is spent."""
        task = self.alphabet.facts.task
        start = task.initial, self.alphabet.letter(task.initial, None), self.obligations.start
        self.check_none_from([start], budget)

    def check_none_from(self, places: Sequence[Place], budget: int) -> None:
        """The same of lassos that begin in one of these places."""
        self._explore(places, budget)
        if goes_round(self._edges, self.obligations.eventual, self.poll):
            _fail("there is a lasso that satisfies the formula")

    def _explore(self, places: Sequence[Place], budget: int) -> None:
        waiting = list(places)
        self._numbers = {place: number for number, place in enumerate(waiting)}
        for state, letter, holds in waiting:
            self.poll()
            edges: list[Edge] = []
            self._edges.append(edges)
            choices = self.obligations.choices(holds, letter)
            for operator, after in self._successors.of(state) if choices else ():
                next_letter = self.alphabet.letter(after, operator)
                for obligations, put_off in choices:
                    place = after, next_letter, obligations
                    number = self._numbers.setdefault(place, len(waiting))
                    if number == len(waiting):
                        waiting.append(place)
                    edges.append((number, put_off))
            if len(waiting) > budget:
                _fail(f"there are more than {budget} states with obligations of the formula")


def goes_round(
    edges: list[list[Edge]], eventual: frozenset[int], poll: Callable[[], None]
) -> bool:
    """Return true if a way can go on for ever such that nothing is put off for ever."""
    for component in components([[to for to, _ in row] for row in edges]):
        poll()
        inner = [late for place in component for to, late in edges[place] if to in component]
        if inner and all(any(f not in late for late in inner) for f in eventual):
            return True
    return False


def is_satisfiable(obligations: Obligations, atoms: int, limit: int) -> bool:
    """Return true if some infinite word satisfies it; CertificateError beyond the limit."""
    numbers = {obligations.start: 0}
    waiting = [obligations.start]
    edges: list[list[Edge]] = []
    for holds in waiting:
        row: dict[Edge, None] = {}
        for letter in range(1 << atoms):
            for after, put_off in obligations.choices(holds, letter):
                number = numbers.setdefault(after, len(waiting))
                if number == len(waiting):
                    waiting.append(after)
                row[number, put_off] = None
        edges.append(list(row))
        if len(waiting) << atoms > limit:
            _fail("whether 'formula' is what the claim says would take too long to find out")
    return goes_round(edges, obligations.eventual, lambda: None)


def components(edges: list[list[int]]) -> Iterator[set[int]]:
    """The strongly connected components (Tarjan's algorithm, with a stack of its own)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    is_open: set[int] = set()
    for root in range(len(edges)):
        if root in order:
            continue
        calls = [(root, 0)]
        while calls:
            node, place = calls.pop()
            if place == 0:
                order[node] = low[node] = len(order)
                stack.append(node)
                is_open.add(node)
            elif (child := edges[node][place - 1]) in is_open:
                low[node] = min(low[node], low[child])
            for further in range(place, len(edges[node])):
                child = edges[node][further]
                if child not in order:
                    calls += [(node, further + 1), (child, 0)]
                    break
                if child in is_open:
                    low[node] = min(low[node], order[child])
            else:
                if low[node] == order[node]:
                    yield _popped(stack, node, is_open)


def _popped(stack: list[int], last: int, is_open: set[int]) -> set[int]:
    component = set()
    while last not in component:
        component.add(stack.pop())
    is_open -= component
    return component


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
