"""Flight rules by their definitions: traces of a task against formulas, without automata.

Formulas are evaluated by the semantics of LTL on finite traces; tasks are explored state by state,
with what was promised of the rest of the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bugsieve.rooms.rules.ltl.formula import TRUE, Formula, next_, weak_next
from tests.reference.sas import SasTask, State
from tests.reference.successors import is_goal, successor, successors

Letter = frozenset[str]
Atoms = Mapping[str, Any]


def truth(condition: Any, state: State, operator: int | None) -> bool:
    """Whether a condition holds in a state that the operator led into."""
    if isinstance(condition, bool):
        return condition
    kind, *rest = condition
    if kind == "fact":
        return bool(state[rest[0]] == rest[1])
    if kind == "did":
        return bool(operator in rest[0])
    truths = [truth(part, state, operator) for part in rest]
    return {"not": not truths[0], "and": all(truths), "or": any(truths)}[kind]


def letter_of(atoms: Atoms, state: State, operator: int | None) -> Letter:
    """The atoms that hold in a state that the operator led into; None for the first state."""
    return frozenset(name for name, item in atoms.items() if truth(item, state, operator))


def satisfies(word: Sequence[Letter], formula: Formula, at: int = 0) -> bool:
    """Whether a finite trace satisfies the formula from a position on."""
    places = range(at, len(word))
    one, two = (*formula.parts, TRUE, TRUE)[:2]

    def now(part: Formula, i: int) -> bool:
        return satisfies(word, part, i)

    def until(left: Formula, right: Formula) -> bool:
        return any(now(right, j) and all(now(left, i) for i in range(at, j)) for j in places)

    def always(part: Formula) -> bool:
        return all(now(part, i) for i in places)

    meaning: dict[str, Callable[[], bool]] = {
        "true": lambda: True,
        "false": lambda: False,
        "atom": lambda: formula.name in word[at],
        "not": lambda: not now(one, at),
        "and": lambda: all(now(part, at) for part in formula.parts),
        "or": lambda: any(now(part, at) for part in formula.parts),
        "implies": lambda: not now(one, at) or now(two, at),
        "iff": lambda: now(one, at) == now(two, at),
        "next": lambda: at + 1 < len(word) and now(one, at + 1),
        "weak-next": lambda: at + 1 == len(word) or now(one, at + 1),
        "finally": lambda: any(now(one, i) for i in places),
        "globally": lambda: always(one),
        "until": lambda: until(one, two),
        "weak-until": lambda: always(one) or until(one, two),
        "strong-release": lambda: until(two, one & two),
        "release": lambda: always(two) or until(two, one & two),
    }
    return meaning[formula.operator]()


def positive(formula: Formula, negated: bool = False) -> Formula:
    """The same with negations before atoms only, without implications."""
    operator, parts = formula.operator, formula.parts
    if operator == "not":
        return positive(parts[0], not negated)
    if operator == "implies":
        return positive(~parts[0] | parts[1], negated)
    if operator == "iff":
        one, two = parts
        return positive((one & two) | (~one & ~two), negated)
    if operator == "atom":
        return ~formula if negated else formula
    changed = _DUALS.get(operator, operator) if negated else operator
    return Formula(changed, tuple(positive(part, negated) for part in parts))  # type: ignore[arg-type]


_PAIRS = [
    ("true", "false"),
    ("and", "or"),
    ("next", "weak-next"),
    ("finally", "globally"),
    ("until", "release"),
    ("weak-until", "strong-release"),
]
_DUALS = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}

Promises = frozenset[Formula]  # each is X f or N f


def choices(formula: Formula, letter: Letter) -> set[Promises]:
    """The ways to satisfy a positive formula by a letter and promises for what comes after."""
    operator, parts = formula.operator, formula.parts
    one, two = (*parts, TRUE, TRUE)[:2]
    strong, weak = {frozenset({next_(formula)})}, {frozenset({weak_next(formula)})}

    def on(part: Formula) -> set[Promises]:
        return choices(part, letter)

    meaning: dict[str, Callable[[], set[Promises]]] = {
        "true": lambda: {frozenset()},
        "false": set,
        "atom": lambda: {frozenset()} if formula.name in letter else set(),
        "not": lambda: set() if one.name in letter else {frozenset()},
        "and": lambda: _all(map(on, parts)),
        "or": lambda: set().union(*map(on, parts)),
        "next": lambda: {frozenset({formula})},
        "weak-next": lambda: {frozenset({formula})},
        "finally": lambda: on(one) | strong,
        "globally": lambda: _all([on(one), weak]),
        "until": lambda: on(two) | _all([on(one), strong]),
        "weak-until": lambda: on(two) | _all([on(one), weak]),
        "strong-release": lambda: _all([on(two), on(one) | strong]),
        "release": lambda: _all([on(two), on(one) | weak]),
    }
    return meaning[operator]()


def _all(parts: Iterable[set[Promises]]) -> set[Promises]:
    found: set[Promises] = {frozenset()}
    for part in parts:
        found = {one | other for one in found for other in part}
    return found


def kept(promises: Promises, letter: Letter) -> set[Promises]:
    """The ways to keep promises in a state of this letter."""
    return _all(choices(promise.parts[0], letter) for promise in promises)


def may_end(promises: Promises) -> bool:
    """Whether a trace may end with these promises: nobody counts on a next state."""
    return all(promise.operator == "weak-next" for promise in promises)


def shortest_trace(
    task: SasTask,
    formula: Formula,
    atoms: Atoms,
    *,
    with_goal: bool = False,
    state: State | None = None,
    most: int = 100_000,
) -> tuple[int, ...] | None:
    """The fewest operators to a trace that satisfies the formula; None if there is none.

    Explores all pairs of a state and promises, breadth first.
    """
    start = task.initial if state is None else state
    promises = choices(positive(formula), letter_of(atoms, start, None))
    queue = [(start, promise) for promise in sorted(promises, key=repr)]
    ways: dict[tuple[State, Promises], tuple[int, ...]] = dict.fromkeys(queue, ())
    for node in queue:
        here, promised = node
        if may_end(promised) and (is_goal(task, here) or not with_goal):
            return ways[node]
        if len(ways) > most:
            raise OverflowError("too many pairs to explore")
        for number, after in successors(task, here):
            for further in kept(promised, letter_of(atoms, after, number)):
                if (after, further) not in ways:
                    ways[after, further] = (*ways[node], number)
                    queue.append((after, further))
    return None


def states_along(task: SasTask, operators: Sequence[int], state: State) -> list[State]:
    """The states of a trace; ValueError where an operator is not applicable."""
    found = [state]
    for number in operators:
        found.append(successor(task, found[-1], number))
    return found


def word_of(
    task: SasTask, operators: Sequence[int], atoms: Atoms, state: State | None = None
) -> list[Letter]:
    """The letters of a trace."""
    states = states_along(task, operators, task.initial if state is None else state)
    came = [None, *operators]
    return [letter_of(atoms, here, by) for here, by in zip(states, came, strict=True)]


def satisfies_for_ever(
    word: Sequence[Letter], formula: Formula, loop_start: int, at: int = 0
) -> bool:
    """Whether an infinite word does that repeats the letters from `loop_start` on for ever."""
    chain = [at]
    while len(chain) < len(word):  # round the loop once at least
        chain.append(chain[-1] + 1 if chain[-1] + 1 < len(word) else loop_start)
    following = at + 1 if at + 1 < len(word) else loop_start
    one, two = (*formula.parts, TRUE, TRUE)[:2]

    def now(part: Formula, i: int = at) -> bool:
        return satisfies_for_ever(word, part, loop_start, i)

    def until(left: Formula, right: Formula) -> bool:
        return any(
            now(right, j) and all(now(left, i) for i in chain[:k]) for k, j in enumerate(chain)
        )

    meaning: dict[str, Callable[[], bool]] = {
        "true": lambda: True,
        "false": lambda: False,
        "atom": lambda: formula.name in word[at],
        "not": lambda: not now(one),
        "and": lambda: all(map(now, formula.parts)),
        "or": lambda: any(map(now, formula.parts)),
        "implies": lambda: not now(one) or now(two),
        "iff": lambda: now(one) == now(two),
        "next": lambda: now(one, following),
        "weak-next": lambda: now(one, following),
        "finally": lambda: until(TRUE, one),
        "globally": lambda: all(now(one, i) for i in chain),
        "until": lambda: until(one, two),
        "weak-until": lambda: all(now(one, i) for i in chain) or until(one, two),
        "strong-release": lambda: until(two, one & two),
        "release": lambda: all(now(two, i) for i in chain) or until(two, one & two),
    }
    return meaning[formula.operator]()


def lassos(task: SasTask, start: State, longest: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """All lassos of at most so many operators: the operators, and where the loop starts."""
    pending: list[tuple[tuple[int, ...], tuple[State, ...]]] = [((), (start,))]
    while pending:
        operators, states = pending.pop()
        for loop_start, state in enumerate(states[:-1]):
            if state == states[-1]:
                yield operators, loop_start
        if len(operators) < longest:
            for number, after in successors(task, states[-1]):
                pending.append(((*operators, number), (*states, after)))


def is_satisfying_lasso(
    task: SasTask,
    formula: Formula,
    atoms: Atoms,
    start: State,
    lasso: tuple[Sequence[int], int],
) -> bool:
    """Whether the operators lead back to the state of `loop_start`, and the word is right."""
    operators, loop_start = lasso
    states = states_along(task, operators, start)
    # The operator before a state counts, so the loop is unrolled by one step.
    word = word_of(task, operators, atoms, start)
    return (
        loop_start < len(operators)
        and states[loop_start] == states[-1]
        and satisfies_for_ever(word, formula, loop_start + 1)
    )
