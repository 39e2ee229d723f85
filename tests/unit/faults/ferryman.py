"""A ferryman of any ferry task who cannot part: with another car in sight he lets his own off."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def choose(facts: Collection[str], applicable: list[str], task: Any) -> str | None:
    """Takes cars to their goals one by one; the mistake shows where two cars are in one place."""
    words = [fact.strip("()").split() for fact in facts]
    here = next(rest[0] for name, *rest in words if name == "at-ferry")
    goals = {c: where for name, c, where in (fact.strip("()").split() for fact in task.goal)}
    places = {rest[0]: rest[1] for name, *rest in words if name == "at"}
    aboard = next((rest[0] for name, *rest in words if name == "on"), None)
    if aboard is not None:
        goal = goals.get(aboard, here)
        return f"(debark {aboard} {here})" if here in {goal, *places.values()} else go(here, goal)
    waiting = sorted(car for car, goal in goals.items() if places[car] != goal)
    for car in waiting:
        if places[car] == here:
            return f"(board {car} {here})"
    return go(here, places[waiting[0]]) if waiting else None


def go(here: str, there: str) -> str:
    return f"(sail {here} {there})"
