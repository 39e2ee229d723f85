"""A policy for every gripper task: any number of rooms, balls and grippers.

Unload what belongs here, load what does not, and drive on. Use it as
`--policy python:bugsieve.policies.examples.gripper:choose`.
"""

from __future__ import annotations

from bugsieve.policies.task_view import TaskView


def choose(facts: frozenset[str], applicable: list[str], task: TaskView) -> str | None:
    """The next action, or None if nothing is left to do."""
    atoms = [fact.strip("()").split() for fact in sorted(facts)]
    here = next(atom[1] for atom in atoms if atom[0] == "at-robby")
    places = {atom[1]: atom[2] for atom in atoms if atom[0] == "at"}
    carried = [atom[1] for atom in atoms if atom[0] == "carry"]
    goal = [fact.strip("()").split() for fact in task.goal]
    targets = {atom[1]: atom[2] for atom in goal if atom[0] == "at"}
    wanted = {"drop": _to_drop(carried, targets, here), "pick": _to_pick(places, targets, here)}
    for name in sorted(applicable):
        kind, ball, *_ = name.strip("()").split()
        if ball in wanted.get(kind, ()):
            return name
    room = _next_room(carried, places, targets) or _last_room(goal)
    return f"(move {here} {room})" if room not in (None, here) else None


def _to_drop(carried: list[str], targets: dict[str, str], here: str) -> set[str]:
    """Balls that belong here, and those that belong nowhere: they only block a gripper."""
    return {ball for ball in carried if targets.get(ball, here) == here}


def _to_pick(places: dict[str, str], targets: dict[str, str], here: str) -> set[str]:
    return {b for b, room in places.items() if room == here and targets.get(b, here) != here}


def _next_room(carried: list[str], places: dict[str, str], targets: dict[str, str]) -> str | None:
    """The room where a carried ball belongs, or else where a ball waits to be moved."""
    deliveries = [targets[ball] for ball in carried]
    pickups = [room for ball, room in sorted(places.items()) if targets.get(ball, room) != room]
    return next(iter(deliveries + pickups), None)


def _last_room(goal: list[list[str]]) -> str | None:
    return next((atom[1] for atom in goal if atom[0] == "at-robby"), None)
