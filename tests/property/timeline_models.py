"""Random small timeline models as NDDL, and random traps over their tokens."""

from __future__ import annotations

import re
from random import Random

from bugsieve.rooms.rules.ltl.formula import Formula, atom, conjunction, globally, until
from bugsieve.rooms.timelines.models.timeline_atoms import TimelineAtom, TokenAtom
from bugsieve.rooms.timelines.nddl.relations import RELATIONS

ATOMS: dict[str, TimelineAtom] = {
    "p": TokenAtom("A", "P"),
    "q": TokenAtom("A", "Q"),
    "qx": TokenAtom("A", "Q", (("x", "true"),)),
    "r": TokenAtom("B", "R"),
}
NAMES = tuple(sorted(RELATIONS))


def random_model(random: Random, *, horizon: int, is_tiny: bool) -> str:
    """A text; tiny ones have one timeline or two with little to choose."""
    has_second = not is_tiny or random.random() < 0.4
    length = random.choice(["", "", "eq(duration, [1 2]);", "leq(2, duration);"])
    if is_tiny and random.random() < 0.7:
        length = ""  # numbers widen what brute force has to try
    lines = [
        "class A extends Timeline {",
        f"  predicate P {{ {length} }}",
        "  predicate Q { bool x; }",
        "}",
        "class B extends Timeline { predicate R { } }",
        *(
            _rule(random, owner, predicate, has_second, is_tiny)
            for owner, predicate in _owners(has_second)
        ),
        f"PlannerConfig world = new PlannerConfig(0, {horizon});",
        "A a = new A();",
    ]
    if has_second:
        lines.append("B b = new B();")
    if not is_tiny and random.random() < 0.3:
        lines.append("A a2 = new A();")
    return "\n".join([*lines, *_goals(random, has_second)]) + "\n"


def margin_of(text: str) -> int:
    """How far beyond the horizon tokens of such a model may have to end.

    Nothing is added or multiplied there: a chain of tokens goes on by one number at each object.
    """
    numbers = (int(number) for number in re.findall(r"(?<!\w)\d+", text.partition("Planner")[0]))
    goals = (int(number) for number in re.findall(r"start, (\d+)", text))
    return (1 + max(*numbers, *goals, 0, 0)) * (1 + text.count(" = new "))


def _owners(has_second: bool) -> list[tuple[str, str]]:
    return [("A", "P"), ("A", "Q"), *([("B", "R")] if has_second else [])]


def _rule(random: Random, owner: str, predicate: str, has_second: bool, is_tiny: bool) -> str:
    body = []
    for number in range(random.choice([0, 1, 1, 2])):
        label = f"t{number}"
        target, name = random.choice(_owners(has_second))
        place = "object" if target == owner and random.random() < 0.6 else target
        line = f"{random.choice(NAMES)}({place}.{name} {label});"
        if name == "Q" and random.random() < 0.5:
            value = "x" if predicate == "Q" else random.choice(["true", "false"])
            line += f" {random.choice(['eq', 'neq'])}({label}.x, {value});"
        if random.random() < 0.3:
            tests = ["start == 0", f"c{number}"]
            tests += [] if is_tiny else ["duration == 1", "end <= 2"]
            other = "" if is_tiny else random.choice(["", "else { leq(duration, 2); }"])
            line = f"bool c{number}; if ({random.choice(tests)}) {{ {line} }} {other}"
        body.append(line)
    return f"{owner}::{predicate} {{ {' '.join(body)} }}"


def _goals(random: Random, has_second: bool) -> list[str]:
    goals = []
    for number in range(random.randint(0, 2)):
        owner, predicate = random.choice(_owners(has_second))
        goals.append(f"goal({owner}.{predicate} g{number});")
        if random.random() < 0.6:
            goals.append(f"eq(g{number}.start, {random.randint(0, 1)});")
    return goals


def random_boolean(random: Random, names: tuple[str, ...], depth: int = 2) -> Formula:
    """Over atoms, with negations, conjunctions and disjunctions."""
    if depth == 0 or random.random() < 0.3:
        leaf = atom(random.choice(names))
        return leaf if random.random() < 0.5 else ~leaf
    left, right = (random_boolean(random, names, depth - 1) for _ in range(2))
    return left & right if random.random() < 0.5 else left | right


def random_trap(random: Random, names: tuple[str, ...]) -> Formula:
    """`A U B` or `A U (B & G C)`."""
    left, right = (random_boolean(random, names) for _ in range(2))
    if random.random() < 0.5:
        return until(left, right)
    return until(left, conjunction([right, globally(random_boolean(random, names))]))
