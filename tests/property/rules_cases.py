"""Random rules for random tasks: formulas of temporal logic and what their atoms mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from bugsieve.rooms.rules.ltl.formula import (
    FALSE,
    TRUE,
    Formula,
    atom,
    finally_,
    globally,
    next_,
    release,
    strong_release,
    until,
    weak_next,
    weak_until,
)
from tests.property.strategies import domain_sizes
from tests.reference.sas import SasTask

UNARY = (finally_, globally)
NEXT = (next_, weak_next)
BINARY = (until, weak_until, release, strong_release)


@dataclass(frozen=True)
class RuleShape:
    """What random rules may look like."""

    max_atoms: int = 3
    depth: int = 3
    with_next: bool = True
    with_did: bool = True


@dataclass(frozen=True)
class RuleCase:
    """A formula with the meaning of its atoms."""

    formula: Formula
    atoms: dict[str, Any]


def random_rule(random: Random, task: SasTask, shape: RuleShape) -> RuleCase:
    """A rule for the task; half of those with X or did have both."""
    names = ["a", "b(x)", "c(x,y)"][: random.randint(1, shape.max_atoms)]
    uses_did = shape.with_did and random.random() < 0.4
    uses_next = shape.with_next and random.random() < 0.4
    atoms = {name: random_condition(random, task, 2, uses_did) for name in names}
    return RuleCase(random_formula(random, names, shape.depth, uses_next), atoms)


def random_condition(random: Random, task: SasTask, depth: int, uses_did: bool) -> Any:
    """A condition on states of the task and, if that is allowed, on the last operator."""
    kind = random.choice(("fact", "fact", "not", "and", "or")) if depth else "fact"
    if kind != "fact":
        count = 1 if kind == "not" else random.randint(1, 3)
        parts = (random_condition(random, task, depth - 1, uses_did) for _ in range(count))
        return (kind, *parts)
    if uses_did and random.random() < 0.4:
        count = random.randint(0, min(3, len(task.operators)))
        return ("did", tuple(sorted(random.sample(range(len(task.operators)), count))))
    if random.random() < 0.03:
        return random.random() < 0.5
    sizes = domain_sizes(task)
    variable = random.randrange(len(sizes))
    return ("fact", variable, random.randrange(sizes[variable]))


def random_formula(random: Random, names: Sequence[str], depth: int, uses_next: bool) -> Formula:
    """A formula of this depth at most."""
    if depth == 0 or random.random() < 0.1:
        if random.random() < 0.05:
            return random.choice((TRUE, FALSE))
        literal = atom(random.choice(names))
        return ~literal if random.random() < 0.4 else literal

    def part() -> Formula:
        return random_formula(random, names, depth - 1, uses_next)

    kind = random.random()
    if uses_next and kind < 0.25:
        return random.choice(NEXT)(part())
    if kind < 0.5:
        return random.choice(UNARY)(part())
    if kind < 0.65:
        return random.choice(BINARY)(part(), part())
    if kind < 0.7:
        return ~part()
    operator = random.choice(("and", "or", "implies", "iff"))
    return Formula(operator, (part(), part()))  # type: ignore[arg-type]
