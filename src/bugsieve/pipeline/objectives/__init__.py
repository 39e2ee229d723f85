"""Testing objectives by their specs; the names are in `bugsieve.base.registry.families`."""

from __future__ import annotations

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.pipeline.objectives.objective import Objective
from bugsieve.tasks.grounded.task import Task

OBJECTIVES: MemberTable[type[Objective]] = MemberTable(families.OBJECTIVES)


def make_objective(spec: str, task: Task) -> Objective:
    """The objective of this spec for the task; UsageError with the nearest name otherwise."""
    OBJECTIVES.check(spec)
    name, member, argument = OBJECTIVES.parse(spec)
    reason = member.objection(task)
    if reason is not None:
        raise UnsupportedError(f"objective {name!r} cannot be used on {task.name}: {reason}")
    return member.from_spec(task, argument)


def objective_class(spec: str) -> type[Objective]:
    """The class that a spec names, without a task; UsageError with the nearest name if none."""
    return OBJECTIVES.parse(spec)[1]


def placed_objective(spec: str, folder: str) -> str:
    """The spec of a file in this folder, such that it means the same wherever it is made."""
    name, member, argument = OBJECTIVES.parse(spec)
    found = member.placed(argument, folder)
    return spec if found == argument else f"{name}:{found}"


def objective_for_fewer_objects(spec: str, task: Task) -> str:
    """A stored spec for a problem that lacks objects of the one it was stored for."""
    name, member, argument = OBJECTIVES.parse(spec)
    found = member.for_fewer_objects(argument, task)
    return spec if found == argument else f"{name}:{found}"


__all__ = [
    "OBJECTIVES",
    "Objective",
    "make_objective",
    "objective_class",
    "objective_for_fewer_objects",
    "placed_objective",
]
