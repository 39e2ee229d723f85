"""Random SAS tasks and states for Hypothesis.

One generator asks for numbers. Some tasks get them from Hypothesis, which shrinks a failing
task to a minimal one; others from a seed, which is quicker and gives longer plans.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from random import Random

from hypothesis import strategies as st

from tests.reference.sas import Fact, SasEffect, SasOperator, SasTask, SasVariable, State

Pick = Callable[[int, int], int]  # a number between the two, both included; 0 is the simplest

COSTS = (1, 0, 2, 3, 7)
POSITIVE_COSTS = (1, 2, 3, 7)
HUGE_COSTS = (1, 0, 1000, 2**20, 2**29, 2**30 - 1)  # the last is the largest the engine reads


@dataclass(frozen=True)
class Shape:
    """What random tasks may look like."""

    max_variables: int = 5
    max_size: int = 4
    max_operators: int = 12
    min_operators: int = 1
    costs: tuple[int, ...] = COSTS
    conditional: int = 4
    """One in so many effects has conditions; 0 for none."""
    contradictory: bool = True
    """Whether two effects of one operator may set a variable to different values at once."""
    moves: bool = True
    """Whether half of the operators change a single variable from one value to another."""


ANY = Shape()
SMALL = Shape(max_variables=4, max_operators=8)
CONDITIONAL = Shape(
    max_variables=4, max_operators=6, costs=POSITIVE_COSTS, conditional=2, moves=False
)
TINY = Shape(
    max_variables=4, max_size=3, max_operators=6, costs=(1, 0, 1), conditional=2, moves=False
)
LONG = Shape(max_variables=6, min_operators=20, max_operators=40)
"""Tasks with some hundred reachable states, and with longer plans."""


def sas_tasks(shape: Shape = ANY) -> st.SearchStrategy[SasTask]:
    """Random tasks: with and without metric, solvable and not, goals of one fact up to all."""
    drawn = _drawn_tasks(shape)
    if os.environ.get("BUGSIEVE_HYPOTHESIS") == "shrink":
        return drawn
    rich = replace(shape, min_operators=12, max_operators=24)
    seeded = [_seeded_tasks(either) for either in (shape, rich, rich)]
    return st.one_of(drawn, *seeded)


def _seeded_tasks(shape: Shape) -> st.SearchStrategy[SasTask]:
    return seeds().map(lambda seed: seeded_task(seed, shape))


def seeds() -> st.SearchStrategy[int]:
    """Numbers to seed a generator with."""
    return st.integers(0, 2**24 - 1)


@st.composite
def _drawn_tasks(draw: st.DrawFn, shape: Shape) -> SasTask:
    return random_task(lambda low, high: draw(_between(low, high)), shape)


@cache
def _between(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


def seeded_task(seed: int, shape: Shape = ANY) -> SasTask:
    """The task that a seed stands for."""
    return random_task(Random(seed).randint, shape)


def random_task(pick: Pick, shape: Shape) -> SasTask:
    """A task of the shape."""
    sizes = [pick(2, shape.max_size) for _ in range(pick(2, shape.max_variables))]
    count = pick(shape.min_operators, shape.max_operators)
    goal = _partial_state(pick, sizes, one_in=2)
    own_values = tuple(tuple((v, d) for d in range(size)) for v, size in enumerate(sizes))
    return SasTask(
        metric=pick(0, 2) > 0,
        variables=_variables(sizes),
        mutexes=own_values if pick(0, 1) else (),
        initial=nth_state(sizes, pick(0, prod(sizes) - 1)),
        goal=tuple(goal.items()) or ((0, 1),),
        operators=tuple(_operator(pick, sizes, shape, i) for i in range(count)),
    )


def _variables(sizes: Sequence[int]) -> tuple[SasVariable, ...]:
    return tuple(
        SasVariable(f"var{v}", tuple(f"Atom at-{v}(x{d})" for d in range(size)))
        for v, size in enumerate(sizes)
    )


def nth_state(sizes: Sequence[int], number: int) -> State:
    """The state that the number writes in the mixed base of the domain sizes."""
    values = []
    for size in sizes:
        number, value = divmod(number, size)
        values.append(value)
    return tuple(values)


def _partial_state(pick: Pick, sizes: Sequence[int], *, one_in: int) -> dict[int, int]:
    """One in so many variables has a value, on average; one number for all, which is quick."""
    bases = [one_in * size for size in sizes]
    digits = nth_state(bases, pick(0, prod(bases) - 1))
    unset = [(one_in - 1) * size for size in sizes]
    return {v: digit - unset[v] for v, digit in enumerate(digits) if digit >= unset[v]}


def _operator(pick: Pick, sizes: Sequence[int], shape: Shape, number: int) -> SasOperator:
    if shape.moves and pick(0, 1):
        return _move(pick, sizes, shape, number)
    needed = _partial_state(pick, sizes, one_in=pick(2, 5))
    effects: list[SasEffect] = []
    for _ in range(pick(1, 3)):
        effect = _effect(pick, sizes, shape, needed)
        if shape.contradictory or not any(_contradict(effect, other) for other in effects):
            effects.append(effect)
    changed = {effect.variable for effect in effects}
    prevail = tuple(fact for fact in needed.items() if fact[0] not in changed)
    cost = shape.costs[pick(0, len(shape.costs) - 1)]
    return SasOperator(f"op-{number} x{number % 3}", prevail, tuple(effects), cost)


def _move(pick: Pick, sizes: Sequence[int], shape: Shape, number: int) -> SasOperator:
    """Changes one value into another and needs at most one more: such tasks have long plans."""
    variable = pick(0, len(sizes) - 1)
    before = pick(0, sizes[variable] - 1)
    after = (before + pick(1, sizes[variable] - 1)) % sizes[variable]
    other = pick(0, len(sizes) - 1)
    prevail = ((other, pick(0, sizes[other] - 1)),) if other != variable else ()
    cost = shape.costs[pick(0, len(shape.costs) - 1)]
    effects = (SasEffect((), variable, before, after),)
    return SasOperator(f"op-{number} x{number % 3}", prevail, effects, cost)


def _effect(pick: Pick, sizes: Sequence[int], shape: Shape, needed: dict[int, int]) -> SasEffect:
    variable = pick(0, len(sizes) - 1)
    before = needed.get(variable, -1)
    after = pick(0, sizes[variable] - 1)
    conditions: dict[int, int] = {}
    if shape.conditional and pick(1, shape.conditional) == shape.conditional:
        conditions = _partial_state(pick, sizes, one_in=3)
    return SasEffect(tuple(conditions.items()), variable, before, after)


def _contradict(one: SasEffect, other: SasEffect) -> bool:
    """Whether both may fire in one state and set the variable to different values."""
    if one.variable != other.variable or one.after == other.after:
        return False
    conditions = dict(one.conditions)
    return all(conditions.get(variable, value) == value for variable, value in other.conditions)


def domain_sizes(task: SasTask) -> list[int]:
    """Number of values of each variable."""
    return [variable.size for variable in task.variables]


def states_of(task: SasTask) -> st.SearchStrategy[State]:
    """Any state of the task, reachable or not."""
    sizes = domain_sizes(task)
    return st.integers(0, prod(sizes) - 1).map(lambda number: nth_state(sizes, number))


def all_states(task: SasTask) -> list[State]:
    """Every assignment of values to the variables."""
    sizes = domain_sizes(task)
    return [nth_state(sizes, number) for number in range(prod(sizes))]


def some_states(task: SasTask, seed: int, count: int) -> list[State]:
    """States drawn with repetition; half of them are close to one drawn before."""
    random = Random(seed)
    sizes = domain_sizes(task)
    states = [task.initial]
    while len(states) < count:
        state = list(random.choice(states))
        changes = random.choice((1, 2, len(sizes), len(sizes)))
        for variable in random.sample(range(len(sizes)), changes):
            state[variable] = random.randrange(sizes[variable])
        states.append(tuple(state))
    return states


def wide_tasks() -> st.SearchStrategy[SasTask]:
    """Tasks of up to 60 variables and 200 operators, of which much can be reached."""
    return st.builds(wide_task, seeds(), st.integers(5, 60), st.integers(10, 200))


def wide_task(seed: int, variables: int, operators: int) -> SasTask:
    """A task whose operators need and change few of its variables."""
    random = Random(seed)
    sizes = [random.choice((2, 2, 3, 5, 9, 17)) for _ in range(variables)]
    return SasTask(
        metric=random.random() < 0.7,
        variables=_variables(sizes),
        mutexes=(),
        initial=tuple(random.randrange(size) for size in sizes),
        goal=tuple(sorted(_some_facts(random, sizes, random.randint(1, 5)))),
        operators=tuple(_wide_operator(random, sizes, i) for i in range(operators)),
    )


def _some_facts(random: Random, sizes: Sequence[int], count: int) -> list[Fact]:
    return [(v, random.randrange(sizes[v])) for v in random.sample(range(len(sizes)), count)]


def _wide_operator(random: Random, sizes: Sequence[int], number: int) -> SasOperator:
    needed = dict(_some_facts(random, sizes, random.choice((0, 1, 1, 2, 2, 3))))
    effects = []
    for variable, after in _some_facts(random, sizes, random.randint(1, 4)):
        conditions = _some_facts(random, sizes, random.choice((0, 0, 0, 0, 1, 2)))
        effects.append(SasEffect(tuple(conditions), variable, needed.get(variable, -1), after))
    changed = {effect.variable for effect in effects}
    prevail = tuple(fact for fact in sorted(needed.items()) if fact[0] not in changed)
    cost = random.choice(COSTS) if random.random() < 0.5 else random.randint(1, 50)
    return SasOperator(f"op-{number}", prevail, tuple(effects), cost)
