"""A generalised planner for gripper as language models write them, with two mistakes in it.

It carries one ball at a time though there are two grippers, which costs more than it must, and
forgets the balls that it holds when it is asked, so that its plan ends before the goal:

    bugsieve test DOMAIN PROBLEM --policy plans:python:examples/gripper_planner.py:get_plan
"""

from __future__ import annotations

Atoms = set[tuple[str, ...]]


def get_plan(objects: Atoms, init: Atoms, goal: Atoms) -> list[str]:
    """Fetch one ball after the other with the first gripper that is free."""
    robot = next(atom[1] for atom in init if atom[0] == "at-robby")
    places = {atom[1]: atom[2] for atom in init if atom[0] == "at"}
    targets = {atom[1]: atom[2] for atom in goal if atom[0] == "at"}
    free = sorted(atom[1] for atom in init if atom[0] == "free")
    plan = []
    for ball in sorted(places):
        source, target = places[ball], targets.get(ball, places[ball])
        if source == target:
            continue
        if robot != source:
            plan.append(f"(move {robot} {source})")
        plan.append(f"(pick {ball} {source} {free[0]})")
        plan.append(f"(move {source} {target})")
        plan.append(f"(drop {ball} {target} {free[0]})")
        robot = target
    return plan
