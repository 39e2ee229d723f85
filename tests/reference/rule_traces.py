"""Naive answers to "has the task such a trace?", and proofs of "none" that engines could give.

Conditions are the JSON of certificates: true, ["fact", v, a], ["did", [o, …]], ["or", …], ….
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations, product
from typing import Any

from tests.reference.sas import Fact, SasTask, State
from tests.reference.successors import holds as facts_hold
from tests.reference.successors import is_applicable, successor, successors
from tests.reference.temporal import Automaton, Formula, Vector, holds_on_lasso

Atoms = Mapping[str, Any]
Letter = frozenset[str]
Place = tuple[State, int | None]  # a state and the operator that led into it
Situation = tuple[frozenset[Vector], Letter]


def is_true(condition: Any, state: State, operator: int | None) -> bool:
    """Whether a condition holds in a state into which the operator led."""
    if isinstance(condition, bool):
        return condition
    sign, *rest = condition
    if sign == "fact":
        return bool(state[rest[0]] == rest[1])
    if sign == "did":
        return operator in rest[0]
    inner = [is_true(part, state, operator) for part in rest]
    return not inner[0] if sign == "not" else all(inner) if sign == "and" else any(inner)


def letter_of(atoms: Atoms, state: State, operator: int | None) -> Letter:
    """The atoms that hold."""
    return frozenset(name for name, c in atoms.items() if is_true(c, state, operator))


def places(task: SasTask) -> dict[Place, list[Place]]:
    """All that can be reached, with what follows."""
    first: Place = (task.initial, None)
    found: dict[Place, list[Place]] = {}
    waiting = [first]
    while waiting:
        place = waiting.pop()
        if place not in found:
            found[place] = [(after, o) for o, after in successors(task, place[0])]
            waiting += found[place]
    return found


def has_trace(task: SasTask, formula: Formula, atoms: Atoms, *, with_goal: bool) -> bool:
    """Whether some finite trace satisfies the formula, found from all ends backwards."""
    automaton = Automaton(formula, sorted(atoms))
    graph = places(task)
    known: set[tuple[Place, Vector]] = set()
    fresh: list[tuple[Place, Vector]] = []
    for place in graph:
        if not with_goal or facts_hold(task.goal, place[0]):
            fresh.append((place, automaton.before(letter_of(atoms, *place), None)))
    before: dict[Place, list[Place]] = {place: [] for place in graph}
    for place, following in graph.items():
        for after in following:
            before[after].append(place)
    while fresh:
        place, vector = fresh.pop()
        if (place, vector) not in known:
            known.add((place, vector))
            for earlier in before[place]:
                fresh.append((earlier, automaton.before(letter_of(atoms, *earlier), vector)))
    whole = automaton.parts.index(formula)
    return any(place == (task.initial, None) and v is not None and v[whole] for place, v in known)


def lassos(task: SasTask, length: int) -> Iterator[tuple[list[int], int]]:
    """Operators of lassos of at most this length, with the state that the last one is equal to."""
    waiting: list[tuple[list[int], list[State]]] = [([], [task.initial])]
    for operators, states in waiting:
        for start, state in enumerate(states[:-1]):
            if state == states[-1]:
                yield operators, start
        if len(operators) < length:
            for operator, after in successors(task, states[-1]):
                waiting.append(([*operators, operator], [*states, after]))


def lasso_satisfies(
    task: SasTask, formula: Formula, atoms: Atoms, operators: list[int], loop_start: int
) -> bool:
    """Whether the infinite trace that the lasso stands for satisfies the formula."""
    word, state = [letter_of(atoms, task.initial, None)], task.initial
    for operator in operators:
        state = successor(task, state, operator)
        word.append(letter_of(atoms, state, operator))
    return holds_on_lasso(formula, word, loop_start + 1)


# Proofs.


def closed_facts(
    task: SasTask, formula: Formula, atoms: Atoms, *, with_goal: bool
) -> tuple[set[Fact], bool]:
    """The least set of facts for a proof, and whether it is one; all values are tried."""
    automaton = Automaton(formula, sorted(atoms))
    facts = set(enumerate(task.initial))
    letter = letter_of(atoms, task.initial, None)
    situations = {(automaton.step(automaton.start, letter), letter)}
    situations = {one for one in situations if one[0]}
    while True:
        more, met = _relaxed_step(task, automaton, atoms, facts, situations)
        if more <= facts and met <= situations:
            break
        facts |= more
        situations |= met
    goal = task.goal if with_goal else ()
    ends = any(
        None in rest and letter_of(atoms, state, None) == _without_did(letter, atoms)
        for rest, letter in situations
        for state in _states(task, facts)
        if facts_hold(goal, state)
    )
    return facts, not ends


def _without_did(letter: Letter, atoms: Atoms) -> Letter:
    """The tasks of the tests have `did` alone, or facts alone, in a condition."""
    return frozenset(name for name in letter if "did" not in str(atoms[name]))


def _states(task: SasTask, facts: Collection[Fact]) -> Iterator[State]:
    values = [
        [a for v, a in sorted(facts) if v == variable] for variable in range(len(task.initial))
    ]
    return product(*values)


def _relaxed_step(
    task: SasTask,
    automaton: Automaton,
    atoms: Atoms,
    facts: Collection[Fact],
    situations: Collection[Situation],
) -> tuple[set[Fact], set[Situation]]:
    more: set[Fact] = set()
    met: set[Situation] = set()
    for state in _states(task, facts):
        letter = letter_of(atoms, state, None)
        here = [one for one in situations if _without_did(one[1], atoms) == letter]
        for operator in range(len(task.operators)) if here else ():
            if is_applicable(task, state, operator):
                after = successor(task, state, operator)
                read = letter_of(atoms, after, operator)
                left = {automaton.step(rest, read) for rest, _ in here} - {frozenset()}
                if left:
                    more |= set(enumerate(after))
                    met |= {(rest, read) for rest in left}
    return more, met


def plain_pairs(task: SasTask) -> set[tuple[Fact, Fact]]:
    """The pairs of forward h^2, without any formula; single facts are pairs with themselves.

    Conditional effects are as the last word of the definition has them: an effect may come with
    whatever is possible with the preconditions and its conditions.
    """
    pairs: set[tuple[Fact, Fact]] = set()
    _add_pairs(pairs, enumerate(task.initial))
    size = -1
    while size < len(pairs):
        size = len(pairs)
        for operator in task.operators:
            parts: list[tuple[Fact | None, tuple[Fact, ...]]] = [(None, ())]
            parts += [((e.variable, e.after), e.conditions) for e in operator.effects]
            for (one, needs), (other, more) in product(parts, repeat=2):
                base = (*operator.preconditions, *needs, *more)
                if all(pair in pairs for pair in product(base, repeat=2)):
                    _apply(pairs, base, one, other)
    return pairs


def _apply(
    pairs: set[tuple[Fact, Fact]], base: tuple[Fact, ...], one: Fact | None, other: Fact | None
) -> None:
    given = [fact for fact in (one, other) if fact is not None]
    if len({v for v, _ in given}) == len(set(given)):
        _add_pairs(pairs, given)
    if one is not None:
        for fact in {fact for pair in pairs for fact in pair}:
            if fact[0] != one[0] and all((fact, b) in pairs for b in base):
                _add_pairs(pairs, (one, fact))


def _add_pairs(pairs: set[tuple[Fact, Fact]], facts: Any) -> None:
    for fact, other in combinations([*dict.fromkeys(facts)], 2):
        pairs |= {(fact, other), (other, fact), (fact, fact), (other, other)}


def reached_states(task: SasTask) -> set[State]:
    """All states that can be reached."""
    return {state for state, _ in places(task)}
