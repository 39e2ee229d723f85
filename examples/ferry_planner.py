"""A generalised planner for ferry as language models write them, with two mistakes in it.

It sails to each car even where the ferry is there already, which is no legal action, and it knows
nothing of a car on board, which no fresh start has:

    bugsieve test DOMAIN PROBLEM --policy plans:python:examples/ferry_planner.py:get_plan
"""

from __future__ import annotations

Atoms = set[tuple[str, ...]]


def get_plan(objects: Atoms, init: Atoms, goal: Atoms) -> list[tuple[str, ...]]:
    """Bring one car after the other to its place."""
    ferry = next(atom[1] for atom in init if atom[0] == "at-ferry")
    places = {atom[1]: atom[2] for atom in init if atom[0] == "at"}
    plan: list[tuple[str, ...]] = []
    for _, car, target in sorted(goal):
        if places[car] == target:
            continue
        plan.append(("sail", ferry, places[car]))  # even where it is
        plan.append(("board", car, places[car]))
        plan.append(("sail", places[car], target))
        plan.append(("debark", car, target))
        ferry = target
    return plan
